"""What of a shop's log is found false where a language model reads: its reading, played with files.

    drretail ingest shop.toml --world WORLD; drretail import chat log.jsonl --world WORLD --to LOG
    python benchmarks/shop_answers.py LOG --prompts DIR
    python benchmarks/shop_answers.py LOG --answers DIR [--key key.json] [--json FILE]

--prompts writes what a judge is asked of each answer: DIR/instructions.md (instructions and the answer's JSON schema)
and DIR/CONVERSATION.md, the questions of one conversation, "turn-1" first. A reader is given these two, and writes
DIR/CONVERSATION.json: {"turn-1": an answer of the schema, ...}. What is missing is read by rules alone.

--answers reads them, and prints what is false and how many figures were looked at, by rules and with the reader. --key
names a list of {"conversation", "turn", "words", "is_false", "kind", "concerns_records"}: ``words`` stand once in the
answer, the ``turn``-th with a text. With it, false statements found, honest ones accused, and false ones confirmed are
counted. An answer that a judge would be asked to repair is listed with the reason.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from drretail.eval.claims.typed_turns import TurnStatements, turn_prompt, turn_questions, typed_in_answer
from drretail.eval.judging.subject import Subject, read_subjects
from drretail.grounding.verify.answers.product_statements import Statement
from drretail.grounding.verify.answers.typed import Typed
from drretail.records.base import file_name

READERS = ("rules", "reader")
SET_APART = "\n\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiment", type=Path, metavar="LOG")
    way = parser.add_mutually_exclusive_group(required=True)
    way.add_argument("--prompts", type=Path, metavar="DIR", help="write the questions here")
    way.add_argument("--answers", type=Path, metavar="DIR", help="read the answers from here")
    parser.add_argument("--key", type=Path, help="what is false and what is not")
    parser.add_argument("--json", type=Path, help="write the figures here")
    args = parser.parse_args()
    subjects = [one for one in read_subjects(args.experiment, None) if one.answers is not None]
    if args.prompts:
        write_prompts(subjects, args.prompts)
        return
    key: list[dict[str, Any]] = json.loads(args.key.read_bytes()) if args.key else []
    counts: Counter[str] = Counter()
    for subject in subjects:
        own = [one for one in key if one["conversation"] == subject.query.query_id]
        measure(subject, args.answers / f"{file_name(subject.query.query_id)}.json", own, counts)
    for name in sorted(counts):
        print(f"{name:32} {counts[name]:6}")
    if args.json:
        args.json.write_text(json.dumps(dict(sorted(counts.items())), indent=1) + "\n")


def write_prompts(subjects: Sequence[Subject], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    schema = json.dumps(TurnStatements.model_json_schema())
    shared = turn_prompt().shared
    (folder / "instructions.md").write_text(f"{shared}\nAnswer with one JSON object of this schema:\n\n{schema}\n")
    for subject in subjects:
        asked = [f"# {one.item}\n\n{turn_prompt().render_parts(**one.given)[1]}" for one in turn_questions(subject)]
        (folder / f"{file_name(subject.query.query_id)}.md").write_text("\n\n".join(asked) + "\n")


def measure(subject: Subject, answers: Path, key: Sequence[dict[str, Any]], counts: Counter[str]) -> None:
    given: dict[str, Any] = json.loads(answers.read_bytes()) if answers.exists() else {}
    typed = [one for question in turn_questions(subject) for one in typed_of(question, given)]
    by_rules, read = subject.answers, subject.answers_with(typed)
    for reader, found in zip(READERS, (by_rules, read), strict=True):
        counts[f"{reader}: numerals"] += found.numerals
        counts[f"{reader}: looked at"] += found.numerals - len(found.unread)
        ...

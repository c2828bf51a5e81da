"""What of a shop's log is found false where a language model reads: its reading, played with files.

    drretail ingest shop.toml --world WORLD; drretail import chat log.jsonl --world WORLD --to LOG
    python benchmarks/shop_answers.py LOG --prompts DIR
    python benchmarks/shop_answers.py LOG --answers DIR --confirm
    python benchmarks/shop_answers.py LOG --answers DIR [--key key.json] [--json FILE]

--prompts writes what a judge is asked of each answer: DIR/instructions.md (instructions and the answer's JSON schema)
and DIR/CONVERSATION.md, the questions of one conversation, "turn-1" first. A reader is given these two, and writes
DIR/CONVERSATION.json: {"turn-1": an answer of the schema, ...}. What is missing is read by rules alone.

--confirm writes the second question, on what records contradict of an answer: DIR/CONVERSATION.confirm.md. A reader is
given it alone, and writes DIR/CONVERSATION.confirm.json, JSON of the schema in it.

--answers reads them, and prints what is false and how many figures were looked at, by rules, as the reader typed it
before the second question ("typed"), and with the reader: what was not answered is not confirmed. --key
names a list of {"conversation", "turn", "words", "is_false", "kind", "concerns_records"}: ``words`` stand once in the
answer, the ``turn``-th with a text. With it, false statements found, honest ones accused, and false ones confirmed are
counted. An answer that a judge would be asked to repair is listed with the reason.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from extractions import confirmed_in_file, write_confirmation
from figures import keep, parser_of
from pydantic import ValidationError

from drretail.eval.claims.typed_values import TurnStatements, to_confirm, turn_prompt, turn_questions
from drretail.eval.judging.criteria import NumberedItem
from drretail.eval.judging.question import JudgeQuestion
from drretail.eval.judging.subject import Subject, read_subjects
from drretail.grounding.verify.checks import Case
from drretail.grounding.verify.product_statements import Statement
from drretail.grounding.verify.typed import Typed
from drretail.records.base import file_name
from drretail.records.reading import FORM, Reading


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("experiment", type=Path, metavar="LOG")
    way = parser.add_mutually_exclusive_group(required=True)
    way.add_argument("--prompts", type=Path, metavar="DIR", help="write the questions here")
    way.add_argument("--answers", type=Path, metavar="DIR", help="read the answers from here")
    parser.add_argument("--key", type=Path, help="what is false and what is not")
    parser.add_argument("--confirm", action="store_true", help="write the second questions there")
    args = parser.parse_args()
    subjects = [one for one in read_subjects(args.experiment, None) if one.answers is not None]
    if args.prompts:
        write_prompts(subjects, args.prompts)
        return
    key: list[dict[str, Any]] = json.loads(args.key.read_bytes()) if args.key else []
    counts: Counter[str] = Counter()
    for subject in subjects:
        own = [one for one in key if one["conversation"] == subject.query.query_id]
        path = args.answers / f"{file_name(subject.query.query_id)}.json"
        if args.confirm:
            typed = typed_in_file(path, subject, counts)
            write_confirmation(path.with_suffix(".confirm.md"), *asked_again(subject, typed))
        else:
            measure(subject, path, own, counts)
    for name in sorted(counts):
        print(f"{name:32} {counts[name]:6}")
    keep(args.json, dict(sorted(counts.items())))


def write_prompts(subjects: Sequence[Subject], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    schema = json.dumps(TurnStatements.model_json_schema())
    shared = turn_prompt().shared
    (folder / "instructions.md").write_text(f"{shared}\nAnswer with one JSON object of this schema:\n\n{schema}\n")
    for subject in subjects:
        asked = [f"# {one.item}\n\n{rendered(one)}" for one in turn_questions(subject)]
        (folder / f"{file_name(subject.query.query_id)}.md").write_text("\n\n".join(asked) + "\n")


def rendered(question: JudgeQuestion[TurnStatements]) -> str:
    given = question.values() if callable(question.values) else question.values
    return question.prompt.render_parts(**given)[1].strip()


def measure(subject: Subject, answers: Path, key: Sequence[dict[str, Any]], counts: Counter[str]) -> None:
    typed, problems = typed_in_file(answers, subject, counts), list[str]()
    denials = confirmed_in_file(answers.with_suffix(".confirm.json"), *asked_again(subject, typed), counts, problems)
    print(*(f"REPAIR {problem}\n" for problem in problems), sep="", end="")
    name, report = subject.query.query_id, subject.report or ""
    read_by = {"rules": subject.answers, "typed": subject.answers_with(typed)}
    for reader, read in (*read_by.items(), ("reader", subject.answers_with(typed, denials))):
        if read is None:
            continue
        counts[f"{reader}: numerals"] += read.numerals
        counts[f"{reader}: looked at"] += read.numerals - len(read.unread)
        places = [place_of(one, subject) for one in key]
        for one, (start, end) in zip(key, places, strict=True):
            told = {statement.is_true for statement in read.statements if meets(statement, start, end)}
            is_found = False in told
            kind = ("false" if one["concerns_records"] else "other false") if one["is_false"] else "honest"
            counts.update({f"{reader}: {kind}": 1, f"{reader}: {kind}, found false": int(is_found)})
            counts[f"{reader}: {kind}, confirmed"] += told == {True}
            if reader == "reader" and is_found != one["is_false"]:
                how = "ACCUSED" if is_found else "missed"
                print(f"{name} turn {one['turn']} {how} {one['kind']}: {one['words']!r}")
        for statement in read.statements:
            if not statement.is_true and not any(meets(statement, *place) for place in places):
                words = report[statement.start : statement.end]
                counts[f"{reader}: found false elsewhere"] += 1
                print(f"{name} {reader} {statement.kind} {words!r}: {statement.record} ({statement.title})")


def typed_in_file(path: Path, subject: Subject, counts: Counter[str]) -> list[Typed]:
    given: dict[str, Any] = json.loads(path.read_bytes()) if path.exists() else {}
    return [one for question in turn_questions(subject) for one in typed_of(question, given, subject, counts)]


def asked_again(subject: Subject, typed: Sequence[Typed]) -> tuple[Case, Sequence[NumberedItem]]:
    """What the second question is on, with what the records contradict of the statements typed."""
    case, answers = replace(subject.case, evidence=subject.with_records), subject.answers_with(typed, ())
    return case, to_confirm(case, answers.as_read(Reading(reader=FORM), case.report), answers.turns)


def typed_of(
    question: JudgeQuestion[TurnStatements], given: dict[str, Any], subject: Subject, counts: Counter[str]
) -> list[Typed]:
    """What the reader's answer to a question types, as a judge's answer is read."""
    if question.item not in given:
        return []
    counts["answers read"] += 1
    try:
        answer = TurnStatements.model_validate(given[question.item])
    except ValidationError as error:
        print(f"{subject.query.query_id} {question.item} REPAIR {error}")
        return []
    if question.check is not None and (problem := question.check(answer)) is not None:
        counts["answers to repair"] += 1
        print(f"{subject.query.query_id} {question.item} REPAIR {problem}")
    ruling = question.rulings(answer)[question.item]
    return [Typed.model_validate(one) for one in ruling.value]


def place_of(one: dict[str, Any], subject: Subject) -> tuple[int, int]:
    """Where the words of the key stand: in its turn, which counts answers with a text."""
    turns = [] if subject.answers is None else subject.answers.turns
    report = subject.report or ""
    own = [turn for turn in turns if report[turn.start : turn.end].strip()][one["turn"] - 1]
    start = report.index(one["words"], own.start, own.end)
    return start, start + len(one["words"])


def meets(statement: Statement, start: int, end: int) -> bool:
    return statement.start < end and start < statement.end


if __name__ == "__main__":
    main()

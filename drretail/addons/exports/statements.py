"""What answers say, one row for each statement that was looked at and each figure that was not."""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from drretail.addons.exports.selection import Chosen, Selection
from drretail.eval.registry import FALSE_STATEMENTS, kind_of_code
from drretail.grounding.report.markup import prose
from drretail.grounding.text.sentences import find_sentences
from drretail.records.run import Turn
from drretail.records.score import Verdict
from drretail.viewer.judged import read_judgements

COLUMNS: Mapping[str, Mapping[str, str]] = tomllib.loads(
    Path(__file__).with_name("columns.toml").read_text(encoding="utf-8")
)
"""The columns of each table with their SQL types."""


def statements_of(experiment: Path) -> tuple[list[str], list[dict[str, Any]]]:
    """The columns and rows of a data frame of an experiment's statements."""
    return [*COLUMNS["statements"]], [dict(row) for row in statement_rows(Selection.of(experiment))]


def statement_rows(selection: Selection) -> Iterator[Mapping[str, Any]]:
    """The rows of all reports that ``score`` has judged, by a language model if one did."""
    for chosen in selection:
        run = chosen.run
        judged = read_judgements(selection.experiment, FALSE_STATEMENTS, run).by_judge
        scored = (verdict for by_one in judged for verdict in by_one.verdicts if verdict.state == "scored")
        verdict = next(scored, None)
        for row in () if verdict is None else _rows(chosen, verdict):
            yield selection.shown(row, run.query_id)


def _rows(chosen: Chosen, verdict: Verdict) -> Iterator[dict[str, Any]]:
    run, report, value = chosen.run, chosen.run.report or "", verdict.value
    turns = run.turns or (Turn(question=chosen.query.text, start=0, end=len(report)),)
    sentences, text = find_sentences(report), prose(report)
    read = {(statement["start"], statement["of"]): statement for statement in value.get("read", ())}
    statements = [
        (statement, "contradicted", read.get((statement.get("start"), statement.get("evidence_id")), {}))
        for statement in value["statements"]
    ]
    statements += [(statement, "confirmed", statement) for statement in read.values() if statement["is_true"]]
    statements += [({"start": start, "end": end}, "not_looked_at", {}) for start, end in value.get("unread", ())]
    for statement, state, known in sorted(statements, key=lambda each: each[0].get("start") or 0):
        start, end = statement.get("start") or 0, statement.get("end") or 0
        number, turn = next(
            ((at, turn) for at, turn in enumerate(turns, 1) if turn.start <= start < turn.end), (1, turns[0])
        )
        sentence = next((each for each in sentences if each.start <= start < each.end), None)
        yield {
            "system": run.system,
            "conversation": chosen.query.task_id or run.query_id,
            "turn": number,
            "question": turn.question,
            "answer": report[turn.start : turn.end],
            "statement": statement.get("said") if sentence is None else text[sentence.start : sentence.end].strip(),
            "said": statement.get("said") or report[start:end],
            "state": state,
            "kind": known.get("kind") or (kind_of_code(statement["code"]) if "code" in statement else None),
            "product": known.get("title"),
            "record": statement.get("evidence_id") or known.get("of"),
            "record_says": statement.get("found") or known.get("record"),
            "tool_says": known.get("tool") or None,
            "cause": known.get("cause"),
        }

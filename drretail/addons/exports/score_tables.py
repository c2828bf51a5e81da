"""The scoreboard, scores, values of single reports and the statements of answers as tables in CSV."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from drretail.addons.exports.selection import Chosen, Selection
from drretail.eval.judging.question import judged_in
from drretail.eval.method import method_cards
from drretail.eval.numbers.facts import missing_in_words, with_slices
from drretail.eval.numbers.file import made_scores
from drretail.eval.registry import FALSE_STATEMENTS, kind_of_code
from drretail.files import write_atomically
from drretail.records.figures import counted
from drretail.records.run import BASELINES, Turn
from drretail.records.score import Scoreboard, Verdict
from drretail.reports.layout import find_sentences
from drretail.reports.page import read_page
from drretail.viewer.drawing.table import csv_table, table_of
from drretail.viewer.judged import read_judgements
from drretail.viewer.sections import sections

COLUMNS: Mapping[str, Sequence[str]] = tomllib.loads(Path(__file__).with_name("columns.toml").read_text("utf-8"))
"""The columns of each table."""


def statement_rows(selection: Selection) -> Iterator[Mapping[str, Any]]:
    """The rows of all reports that ``score`` has judged, by a language model if one did."""
    for chosen in selection:
        run = chosen.run
        judged = read_judgements(selection.experiment, FALSE_STATEMENTS, run).by_judge
        # Of a judge that failed, what code found.
        scored = (verdict for by_one in judged for verdict in by_one.verdicts if verdict.value is not None)
        verdict = next(scored, None)
        for row in () if verdict is None else _rows(chosen, verdict):
            yield selection.shown(row, run.query_id)


def _rows(chosen: Chosen, verdict: Verdict) -> Iterator[dict[str, Any]]:
    run, report, value = chosen.run, chosen.run.report or "", verdict.value
    turns = run.turns or (Turn(question=chosen.query.text, start=0, end=len(report)),)
    sentences, text = find_sentences(report), read_page(report).prose
    read = {(statement["start"], statement["of"]): statement for statement in value.get("read", ())}
    statements = [
        (statement, "contradicted", read.get((statement.get("start"), statement.get("evidence_id")), {}))
        for statement in value["statements"]
    ]
    statements += [(statement, "confirmed", statement) for statement in read.values() if statement["is_true"]]
    statements += [(statement, "contested", statement) for statement in value.get("contested", ())]
    statements += [({"start": start, "end": end}, "not_looked_at", {}) for start, end in value.get("unread", ())]
    for statement, state, facts in sorted(statements, key=lambda row: row[0].get("start") or 0):
        start, end = statement.get("start") or 0, statement.get("end") or 0
        number, turn = next(
            ((at, turn) for at, turn in enumerate(turns, 1) if turn.start <= start < turn.end), (1, turns[0])
        )
        sentence = next((candidate for candidate in sentences if candidate.start <= start < candidate.end), None)
        yield {
            "system": run.system,
            "conversation": chosen.query.task_id or run.query_id,
            "turn": number,
            "question": turn.question,
            "answer": report[turn.start : turn.end],
            "statement": statement.get("said") if sentence is None else text[sentence.start : sentence.end].strip(),
            "said": statement.get("said") or report[start:end],
            "state": state,
            "kind": facts.get("kind") or (kind_of_code(statement["code"]) if "code" in statement else None),
            "product": facts.get("title"),
            "record": statement.get("evidence_id") or facts.get("of"),
            "record_says": statement.get("found") or facts.get("record"),
            "tool_says": facts.get("tool") or None,
            "cause": facts.get("cause"),
        }


Row = Mapping[str, Any]
_PARTS = ("", " ci_low", " ci_high", " n", " n_planned", " missing", " judge_failed")
"""The columns that the table has for each column of the scoreboard: the value, the ends of its interval, how many of
the planned reports it is over, why others have no value, and how often the judge failed.
"""


def write_csv(selection: Selection, to: Path) -> str:
    """Writes each table as a file in a folder, in UTF-8 with a byte order mark, by which Excel recognises it.

    The tables of the page are in ``tables``, unless only some systems or reports are asked for. Cells that a
    spreadsheet would calculate are guarded.
    """
    scored = made_scores(selection.experiment)
    scores: list[Row] = []
    for score in scored.scores:
        if score.system in selection.systems:
            known = scored.metrics.get(score.metric)
            name = "" if known is None else known.name_of(score.metric, score.variant)
            row = score.model_dump(mode="json", include={*COLUMNS["scores"]})
            scores.append(selection.shown(row | {"n": score.n_scored, "name": name or score.variant}))
    tables: dict[str, tuple[Sequence[str], Sequence[Row]]] = {
        "scores": (COLUMNS["scores"], scores),
        "values": (COLUMNS["values"], [*_values(selection)]),
        "statements": (COLUMNS["statements"], [*statement_rows(selection)]),
    }
    written = ", ".join(counted(len(rows), name.removesuffix("s")) for name, (_, rows) in tables.items())
    if scored.scoreboard is not None:
        board = scored.scoreboard
        columns = [f"{column.name}{part}" for column in board.columns for part in _PARTS]
        rows = [selection.shown(row) for row in _board(selection, board)]
        tables["scoreboard"] = ["system", "judge", "rules", *columns], rows
    cards = method_cards(selection.experiment, scored)
    facts = [{"judge": card.judge, "fact": name, "value": its} for card in cards for name, its in card.facts.items()]
    tables["methods"] = COLUMNS["methods"], facts
    to.mkdir(parents=True, exist_ok=True)
    for name, (columns, rows) in tables.items():
        _csv(to / f"{name}.csv", columns, rows)
    researching = {label for label, system in selection.definition.systems.items() if system.agent not in BASELINES}
    # Means over all systems and reports: not for who asked for some.
    if researching <= {*selection.systems} and not selection.rules:
        every = sections(with_slices(selection.experiment, scored))
        shown = [table for section in every for table in section.separate_tables]
        (to / "tables").mkdir(exist_ok=True)
        for earlier in (to / "tables").glob("[0-9]*-*.csv"):
            earlier.unlink()
        digits = len(str(len(shown)))  # so that files in the order of their names are in the page's
        for at, table in enumerate(shown, 1):
            title = re.sub(r"[^A-Za-z0-9]+", "-", table.full_title).strip("-")[:80]  # systems may have any name
            name = f"{at:0{digits}}-{title}.csv"
            write_atomically(to / "tables" / name, csv_table(table))
    return written


def write_statements(selection: Selection, to: Path) -> str:
    """Writes the statements alone as one CSV file, and says why there are none. Raises UserError without a report."""
    rows = [*statement_rows(selection)]
    if not selection.account.used:
        raise selection.nothing_left()
    _csv(to, COLUMNS["statements"], rows)
    if rows:
        return counted(len(rows), "statement")
    judges = f"drretail score {selection.experiment} --metrics {FALSE_STATEMENTS}"
    is_judged = FALSE_STATEMENTS in judged_in(selection.experiment)
    return f"0 statements ({'no answer makes one' if is_judged else f'none is judged yet: {judges}'})"


def _board(selection: Selection, board: Scoreboard) -> Iterator[dict[str, Any]]:
    for row in board.rows:
        if row.system in selection.systems:
            cells: dict[str, Any] = {"system": row.system, "judge": board.judge.judge, "rules": board.judge.rules}
            for name, cell in row.cells.items():
                missing = ", ".join(missing_in_words(cell)) or None
                values = (cell.value, cell.ci_low, cell.ci_high, cell.n_scored, cell.n_planned, missing)
                cells |= {f"{name}{part}": value for part, value in zip(_PARTS, values, strict=False)}
            yield cells | {f"{name} judge_failed": count for name, count in row.failed.items()}


def _values(selection: Selection) -> Iterator[Row]:
    for chosen in selection:
        run = chosen.run
        about = {"run_id": run.run_id, "system": run.system, "query_id": run.query_id, "repeat": run.repeat}
        for score in chosen.got:
            judged = {"metric": score.metric, "variant": score.variant, "judge": score.judge, "rules": score.rules}
            items = json.dumps(dict(score.items), sort_keys=True) if score.items else None
            outcome = {"state": score.state, "value": score.value, "why": score.why or None, "items": items}
            yield selection.shown(about | judged | {"status": run.status, "name": score.name} | outcome, run.query_id)


def _csv(path: Path, columns: Sequence[str], rows: Sequence[Row]) -> None:
    table = table_of(path.stem, columns, ([row.get(name) for name in columns] for row in rows))
    write_atomically(path, csv_table(table))

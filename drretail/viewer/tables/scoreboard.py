"""The scoreboard, and what can be concluded from it: sentences, and a table of every system against the baseline."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from drretail.eval.compare.wording import by_measure, name_of, needed_sentence, sentences
from drretail.eval.scores.facts import missing_of
from drretail.eval.scores.gathering import FP
from drretail.grounding.text.wording import listed
from drretail.records.comparison import ComparedRow
from drretail.records.run import DUMPS, Systems, in_order, place_of
from drretail.records.score import BoardRow, Scoreboard, ShownColumn, Unit
from drretail.records.tables import figures
from drretail.records.tables.figures import counted
from drretail.records.tables.table import Cell, Column, Kind, Row, Table, pivot
from drretail.viewer.tables.scores import judged_by, notes_on, score_cell, system_names

OUTCOME = "right"
"""What code measures of the picks."""
FALSE_ANSWERS = "false answers"
SHOWN = "*"
"""The mark of a difference that is concluded."""


def two_of(board: Scoreboard | None, systems: Systems) -> tuple[str, ...]:
    """The labels of the systems to show first: the first two of the scoreboard, or of their labels without one."""
    ranked = [] if board is None else [row.system for row in board.rows]
    labels = dict.fromkeys((*ranked, *in_order(systems, systems)))
    return tuple([label for label in labels if place_of(label, systems) == "system"][:2])


def conclusion(board: Scoreboard) -> list[str]:
    """What is not read, then what the headlines show of all systems, a sentence each; of a single system, two of its
    scores.
    """
    names = system_names((row.system for row in board.rows), board.systems)
    if board.compared:
        return [*board.not_read, *sentences(board.compared, names), *filter(None, [needed_sentence(board.compared)])]
    systems = [row for row in board.rows if place_of(row.system, board.systems) == "system"]
    alone = [_of_one(board, systems[0], names)] if len(systems) == 1 else []
    return [*board.not_read, *alone, *(() if board.are_answers else board.differs)]


def _of_one(board: Scoreboard, row: BoardRow, names: Mapping[str, str]) -> str:
    """For example "react: feasible 0.25 (.05–.57, n=12); FP 0.95 (.94–.96, 10/12)."."""
    # One report of twenty shows nothing.
    known = {name for name, cell in row.cells.items() if 2 * cell.n_scored >= cell.n_planned}
    columns = [column for column in board.columns if column.metric and column.name in known]
    parts: list[str] = []
    for column in sorted(columns, key=lambda column: not column.decides)[:2]:
        cell = _cell(row, column) or Cell(None)
        parts.append(f"{column.name} {cell.figure} ({', '.join(filter(None, (cell.interval, cell.counts)))})")
    return f"{names[row.system]}: {'; '.join(parts)}." if parts else "Nothing is scored on half of the reports yet."


def compared_table(rows: Sequence[ComparedRow], names: Mapping[str, str]) -> Table | None:
    """A row for each pair of systems and a column for each headline: the difference with its interval, or why there is
    no conclusion. None without a row.
    """
    columns = [*dict.fromkeys(name_of(measure[0]) for measure in by_measure(rows))]
    by_pair: dict[tuple[str, str], dict[str, Cell]] = {}
    for row in rows:
        cells = by_pair.setdefault((row.a, row.b), {})
        cell = difference_cell(row, mark=SHOWN * row.is_shown, n=row.n_pairs, planned=row.n_planned)
        cells.setdefault(name_of(row), cell or Cell(_WHY.get(row.outcome, "–")))
    tests = max((row.tests for row in rows), default=0)
    over = "users" if any(row.n_users for row in rows) else "queries, taken as independent,"
    concluded = f" {SHOWN}: concluded, corrected (Holm) for {counted(tests, 'test')}." if tests else ""
    note = (
        f"The first system minus the second.{concluded} "
        f"Each 95% interval over {over} is of its own difference, and not corrected."
    )
    lines = [
        Row(f"{names.get(a, a)} − {names.get(b, b)}", tuple(map(cells.get, columns)))
        for (a, b), cells in by_pair.items()
    ]
    heads = [Column(name, spare=len(columns) - at) for at, name in enumerate(columns)]
    table = Table("Differences", tuple(heads), tuple(lines), heading="Systems", notes=(note,), unit="query")
    return table if lines else None


_WHY = {"too_few": "too few", "missing": "not comparable", "not_read": "not read", "order_decided": "not read"}


def difference_cell(of: ComparedRow, **about: Any) -> Cell | None:
    """A minus B with its interval; None without a value."""
    return None if of.difference is None else Cell(of.difference, "signed", of.ci_low, of.ci_high, **about)


SELF_CHECKED = "*: means little here, because the agent already removes these errors from its own reports."
INTERVALS = "95% interval over users (binomial for shares, Student's t for the rest)"
SPARE: tuple[Unit, ...] = ("tokens", "words", "dollars")
"""Units that a narrow table leaves out, the first of them first."""
KINDS: Mapping[Unit, Kind] = {
    "words": "count",
    "count": "tenths",
    "tokens": "thousands",
    "percent": "tenths",
    "dollars": "dollars",
}
"""How a column's numbers are written, by unit; all other units are written as scores."""
LAB = "The judge lab"
JUDGE_FAILED = "failed"
"""Shown instead of a value that no report has, because the judge gave no usable answer."""


def board_table(board: Scoreboard) -> Table:
    """The board as it is drawn."""
    names = system_names((row.system for row in board.rows), board.systems)
    # In a narrow terminal, what runs took goes first, then intervals, then the last scores. The first column of each
    # metric goes after all others.
    metrics = [column.metric for column in board.columns]
    headline = {at: metric not in metrics[:at] for at, metric in enumerate(metrics)}
    order = sorted(headline, key=lambda at: (headline[at], -at))
    columns: dict[str, Column] = {}
    for at, each in enumerate(board.columns):
        spare = SPARE.index(each.unit) + 1 if each.unit in SPARE else len(SPARE) + 2 + order.index(at)
        beside = f" (in brackets: share of {each.beside_meaning})" if each.beside_meaning else ""
        in_brackets = "k" if each.unit == "tokens" else each.beside_meaning
        name = f"{each.name} ({in_brackets})" if in_brackets else each.name
        columns[each.name] = Column(name, meaning=f"{each.meaning}{beside}", spare=spare)
    return pivot(
        "Scoreboard",
        {(row.system, "", column.name): _cell(row, column) for row in board.rows for column in board.columns},
        {row.system: names[row.system] for row in board.rows},
        columns,
        board.systems,
        by=judged_by(board.judge),
        is_stacked=True,
        spare_intervals=len(SPARE) + 1,
    )


def has_intervals(table: Table) -> bool:
    return any(cell is not None and cell.interval for row in table.rows for cell in row.cells)


def board_legends(table: Table) -> tuple[str, str]:
    """What columns and figures mean, in one line: where intervals found no room, with how to see them, or did."""
    columns = "; ".join(f"{column.name}: {column.meaning}" for column in table.columns if column.meaning) + "."
    if not has_intervals(table):
        return columns, columns
    has_floors = any(row.is_baseline for row in table.rows)
    floors = " --details shows those of the null agents and the oracle." if has_floors else ""
    wider = f"{columns} A wider terminal or --details shows the 95% intervals."
    return wider, f"{columns} Below a value: its {INTERVALS}.{floors}"


def _cell(row: BoardRow, column: ShownColumn) -> Cell | None:
    cell = row.cells.get(column.name)
    if cell is None:
        return Cell(JUDGE_FAILED) if column.name in row.failed else None
    return replace(
        score_cell(cell),
        kind=KINDS.get(column.unit, "number"),
        mark="*" if cell.self_checked else "",
        note="",
        beside=figures.short(cell.beside),
    )


def board_notes(board: Scoreboard) -> Iterator[str]:
    """What a reader must know about the numbers of the board."""
    cells = [cell for row in board.rows for cell in row.cells.values()]
    few = next((cell.n_queries for cell in cells if cell.n_queries is not None), None)
    if few is not None:
        of = counted(few, "query")
        yield f"n={few} below a value: one of its two parts comes from only {of}."
    if reasons := dict.fromkeys(why for cell in cells for why in missing_of(cell)):
        yield f"Runs without a value: {', '.join(reasons)}."
    yield from judge_failures(board)
    if any(cell.self_checked for cell in cells):
        yield SELF_CHECKED
    yield from notes_on((row.system for row in board.rows), board.systems, bounded=True)
    dumps = [row.system for row in board.rows if row.system in DUMPS and FP not in {*row.cells, *row.failed}]
    if dumps and any(column.name == FP for column in board.columns):
        asked = "`score(rate_floors=True)`"
        yield f"–: judges are asked about {listed(dumps)}, and rate baselines, only from Python: {asked}."
    yield from board.notes


def judge_failures(board: Scoreboard) -> Iterator[str]:
    """A sentence on how many reports got no usable answer from the judge; nothing if there are none."""
    failed = {row.system: (max(row.failed.values()), [*row.failed]) for row in board.rows if row.failed}
    if failed:
        called = system_names((row.system for row in board.rows), board.systems)
        counts = ", ".join(f"{counted(count, 'report')} of {called[label]}" for label, (count, _) in failed.items())
        columns = ", ".join(dict.fromkeys(name for _, names in failed.values() for name in names))
        is_ruled = board.judge.judge.startswith("offline:")  # which fails again
        flag = "--judge PROVIDER:MODEL" if is_ruled else "--retry failed"
        yield f"{JUDGE_FAILED}: the judge gave no usable answer on {counts} ({columns}): score {flag}."

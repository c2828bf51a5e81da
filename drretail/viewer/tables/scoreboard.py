"""The scoreboard as a table, and what it comes to in words."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from drretail.eval.compare.differences import ABOVE, ALL_FAILED
from drretail.records.pairs import PairScore
from drretail.records.score import CODE, place_of
from drretail.records.scoreboard import BoardCell, BoardRow, Scoreboard, ShownColumn, Unit
from drretail.tables import figures
from drretail.tables.table import Cell, Column, Kind, Row, Table
from drretail.viewer.tables.result import OUTCOME, result_of
from drretail.viewer.tables.scores import judged_by, notes_on, system_names

TITLE = "Scoreboard"
SELF_CHECKED = "*: the agent removes from its own reports what this finds, so it says little about it."
INTERVALS = (
    "95 % interval over users (over queries where no user is known). For shares the interval is binomial: with few "
    "users it is wide, even when the share is 0 or 1. For everything else it is Student's t"
)
SPARE: tuple[Unit, ...] = ("tokens", "words", "dollars")
"""What a narrow table goes without, the first of them first."""
KINDS: Mapping[Unit, Kind] = {
    "words": "count",
    "count": "tenths",
    "tokens": "thousands",
    "percent": "tenths",
    "dollars": "dollars",
}
"""How a column's numbers are written; all others are scores."""
LAB = "The judge lab"


@dataclass(frozen=True, slots=True)
class Board:
    """The scoreboard's table, and what stands below it."""

    table: Table
    differs: tuple[str, ...]
    notes: tuple[str, ...]
    lab: tuple[str, ...]
    """What the judge lab found, a line each."""

    def legend(self, *, intervals: bool = True) -> str:
        """What every column means, in one line, and what stands below the values; or that it found no room."""
        columns = "; ".join(f"{column.name}: {column.meaning}" for column in self.table.columns if column.meaning) + "."
        if not self.has_intervals:
            return columns
        if not intervals:
            return f"{columns} A wider terminal and --details show the 95 % intervals."
        floors = (
            " --details also shows the intervals of the floors and the oracle."
            if any(row.section == 2 for row in self.table.rows)
            else ""
        )
        return f"{columns} Below a value: its {INTERVALS}.{floors}"

    @property
    def has_intervals(self) -> bool:
        return any(cell is not None and cell.interval for row in self.table.rows for cell in row.cells)


def printed_board(board: Scoreboard, lab: Sequence[str] = (), *, other_judges: bool = False) -> Board:
    """The board as it is drawn, ``lab`` below all; with ``other_judges`` their rows follow those of their systems.

    A note of the board that ``lab`` has, too, is told there.
    """
    judge, names = board.judge, system_names(row.system for row in board.rows)
    rows = [line for row in board.rows for line in _rows(board, row, names[row.system], other_judges=other_judges)]
    table = Table(
        TITLE,
        tuple(_columns(board.columns)),
        tuple(rows),
        by=judged_by(judge.spec or CODE, judge.kind, judge.params_hash, judge.rules),
        heading="System",
        is_stacked=True,
        spare_intervals=len(SPARE) + 1,
    )
    return Board(table, board.differs, tuple(note for note in _notes(board) if note not in lab), tuple(lab))


def without_equal(board: Scoreboard) -> tuple[Scoreboard, str]:
    """The board without the columns in which all systems have the same, and a sentence that names these.

    Floors and the oracle have the same there, too, or no value; what is bought is kept beside theirs. The sentence is
    empty where there are none.
    """
    rows = [row for row in board.rows if place_of(row.system) == "system"]
    beside = [row for row in board.rows if place_of(row.system) != "system"]
    equal = {
        column.name: cell
        for column in board.columns
        if (cell := _shared(rows, column)) is not None
        and not (beside and column.name == OUTCOME)
        and all((other := _shared([row], column)) is None or other.figure == cell.figure for row in beside)
    }
    if len(rows) < 2 or not equal:
        return board, ""
    same = ", ".join(f"{name} {cell.figure}{_of_some(name, cell)}" for name, cell in equal.items())
    differing = board.model_copy(
        update={
            "columns": tuple(column for column in board.columns if column.name not in equal),
            "rows": tuple(
                row.model_copy(update={"cells": {name: cell for name, cell in row.cells.items() if name not in equal}})
                for row in board.rows
            ),
        }
    )
    return differing, f"The same in {'both' if len(rows) == 2 else 'every system'}: {same}."


def _of_some(name: str, cell: Cell) -> str:
    """ " (of the 9 of 10 answers that have a value)"; empty where all have one."""
    if not cell.counts:
        return ""
    scored, _, planned = cell.counts.partition("/")
    which = "whose question can be met" if name == OUTCOME else "that have a value"
    return f" (of the {scored} of {planned} answers {which})"


def _shared(rows: Sequence[BoardRow], column: ShownColumn) -> Cell | None:
    """What all rows show in a column; None where they differ."""
    cells = [_cell(row.cells.get(column.name), column.unit) for row in rows]
    shown = {None if cell is None else (cell.figure, cell.beside, cell.counts) for cell in cells}
    return cells[0] if len(shown) == 1 else None


def _columns(columns: Sequence[ShownColumn]) -> Iterator[Column]:
    """Where room is scarce, what runs took goes first, then intervals, then the last column of those that are left.

    The first one of each family goes after all others.
    """
    families = [column.metric for column in columns]
    headline = {at: each.metric not in families[:at] for at, each in enumerate(columns)}
    order = sorted(headline, key=lambda at: (headline[at], -at))
    for at, each in enumerate(columns):
        spare = SPARE.index(each.unit) + 1 if each.unit in SPARE else len(SPARE) + 2 + order.index(at)
        beside = f" (in brackets: {each.beside_meaning})" if each.beside_meaning else ""
        name = f"{each.name} (k)" if each.unit == "tokens" else each.name
        yield Column(name, meaning=f"{each.meaning}{beside}", spare=spare)


def _rows(board: Scoreboard, row: BoardRow, name: str, *, other_judges: bool) -> Iterator[Row]:
    place = place_of(row.system)
    yield Row(name, _cells(board.columns, row), row.system, place)
    for other in board.others if other_judges else ():
        for its in other.rows:
            if its.system == row.system:
                rules = "" if other.judge.rules == "default" else f", rules of {other.judge.rules}"
                manner = f"by {other.judge.spec}{rules}"
                yield Row(name, _cells(board.columns, its), row.system, place, manner, is_minor=True)


def _cells(columns: Sequence[ShownColumn], row: BoardRow) -> tuple[Cell | None, ...]:
    return tuple(_cell(row.cells.get(column.name), column.unit) for column in columns)


def _cell(cell: BoardCell | None, unit: Unit) -> Cell | None:
    if cell is None:
        return None
    return Cell(
        cell.value,
        KINDS.get(unit, "number"),
        cell.ci_low,
        cell.ci_high,
        mark="*" if cell.self_checked else "",
        beside=figures.short(cell.beside),
        counts=_counts(cell),
    )


def _counts(cell: BoardCell) -> str:
    return "" if cell.n_scored == cell.n_planned else f"{cell.n_scored}/{cell.n_planned}"


def _notes(board: Scoreboard) -> Iterator[str]:
    cells = [cell for row in board.rows for cell in row.cells.values()]
    part = next((_counts(cell) for cell in cells if _counts(cell)), None)
    if part:
        yield f"{part} below a value: it is the mean over so many of the planned reports; the others have no value."
    if any(cell.self_checked for cell in cells):
        yield SELF_CHECKED
    yield from notes_on((row.system for row in board.rows), bounded=True)
    yield from board.notes
    if board.prices_as_of is not None:
        yield (
            f"Prices as of {board.prices_as_of.isoformat()}; prices of your own, in drretail.toml under "
            "[prices], are used first."
        )


MOST_SAID = 3
_NO_DIFFERENCE = re.compile(": no difference is shown by")
_NO_PREFERENCE = re.compile("side by side: no preference is shown in .+? by")


@dataclass(frozen=True, slots=True)
class Conclusion:
    can: str
    cannot: str
    """Empty where everything is concluded."""
    is_cut: bool = False
    """Whether more was compared than is said here."""


def conclusion(board: Scoreboard, pairs: Sequence[PairScore] = ()) -> Conclusion:
    """In the words of the comparison of all systems; of a single system its first score on half of its reports."""
    researching = [row.system for row in board.rows if place_of(row.system) == "system"]
    if board.differs and ALL_FAILED.match(board.differs[0]):
        return Conclusion(board.differs[0], "")
    if len(researching) < 2:
        return Conclusion(_of_one(board), " ".join(board.differs))
    shown = [sentence for sentence in board.differs if ABOVE in sentence]
    rest = [sentence for sentence in board.differs if ABOVE not in sentence]
    is_cut = max(len(shown), len(rest)) > MOST_SAID + 1
    return Conclusion(result_of(board, pairs), _not_shown(rest), is_cut)


def _of_one(board: Scoreboard) -> str:
    """ "react: FP 0.95 (.94–.96), the share of the cited claims that their sources bear out." """
    half = board.model_copy(
        update={"columns": tuple(column for column in board.columns if _is_of_half(board, column.name))}
    )
    printed = printed_board(half)
    for line in printed.table.rows:
        for column, cell in zip(printed.table.columns, line.cells, strict=True):
            if line.place == "system" and cell is not None and column.meaning:
                interval = f" ({cell.interval})" if cell.interval else ""
                counts = f" on {cell.counts} reports" if cell.counts else ""
                meaning = column.meaning.partition(" (in brackets")[0]
                return f"{line.name}: {column.name} {cell.figure}{interval}{counts}, {meaning}."
    return "Nothing is scored on half of the reports yet."


def _is_of_half(board: Scoreboard, name: str) -> bool:
    """Whether no less than half of a system's reports are behind a value: one report of twenty concludes nothing."""
    cells = [row.cells.get(name) for row in board.rows if place_of(row.system) == "system"]
    return any(cell is not None and 2 * cell.n_scored >= cell.n_planned for cell in cells)


def _not_shown(sentences: Sequence[str]) -> str:
    """ "No difference is shown in FP by 10 queries; feasible: the same in every system on all 10 queries."."""
    short = [_NO_DIFFERENCE.sub(" by", _NO_PREFERENCE.sub("side-by-side preference by", each)) for each in sentences]
    return f"No difference is shown in {_joined(short)}" if short else ""


def _joined(sentences: Sequence[str]) -> str:
    more = len(sentences) - MOST_SAID
    kept = [sentence.rstrip(".") for sentence in sentences[: MOST_SAID if more > 1 else None]]
    return "; ".join([*kept, *([f"and {more} more below"] if more > 1 else [])]) + "."

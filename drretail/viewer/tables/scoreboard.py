"""The scoreboard as a table, and what it comes to in words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from drretail.eval.compare.differences import ALONE, SIDE_BY_SIDE, Finding, clearest, findings, largest_of
from drretail.eval.compare.wording import listed, sample
from drretail.llm.prices import dated
from drretail.records.score import CODE, place_of
from drretail.records.scoreboard import BoardCell, BoardRow, Scoreboard, ShownColumn, Unit
from drretail.tables import figures
from drretail.tables.figures import counted
from drretail.tables.table import Cell, Column, Kind, Row, Table
from drretail.viewer.tables.result import OUTCOME, result_of
from drretail.viewer.tables.scores import judged_by, notes_on, system_names

TITLE = "Scoreboard"
SELF_CHECKED = "*: means little here, because the agent already removes these errors from its own reports."
INTERVALS = "95 % interval over users (binomial for shares, Student's t for the rest)"
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
JUDGE_FAILED = "failed"
"""In place of a value that no report has, since the judge gave no usable answer."""


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
            return f"{columns} A wider terminal or --details shows the 95 % intervals."
        floors = (
            " --details shows those of the null agents and the oracle."
            if any(row.section == 2 for row in self.table.rows)
            else ""
        )
        return f"{columns} Below a value: its {INTERVALS}.{floors}"

    @property
    def has_intervals(self) -> bool:
        return any(cell is not None and cell.interval for row in self.table.rows for cell in row.cells)


def printed_board(board: Scoreboard, lab: Sequence[str] = ()) -> Board:
    """The board as it is drawn, ``lab`` below all.

    A note of the board that ``lab`` has, too, is told there.
    """
    judge, names = board.judge, system_names(row.system for row in board.rows)
    rows = [
        Row(
            names[row.system],
            tuple(_cell(row, column) for column in board.columns),
            row.system,
            place_of(row.system),
        )
        for row in board.rows
    ]
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
        and cell.is_number
        and not (beside and column.name == OUTCOME)
        and all((other := _shared([row], column)) is None or other.figure == cell.figure for row in beside)
    }
    if len(rows) < 2 or not equal:
        return board, ""
    first = rows[0].cells
    same = ", ".join(f"{name} {cell.figure}{_of_some(name, first[name])}" for name, cell in equal.items())
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


def _of_some(name: str, cell: BoardCell) -> str:
    """ " (counted on the 9 of 10 answers that have a value)"; empty where all have one."""
    if cell.n_scored == cell.n_planned:
        return ""
    if name == OUTCOME:
        return f" (on the {cell.n_scored} questions that the shop can satisfy)"
    return f" (on {cell.n_scored} of {cell.n_planned} answers)"


def _shared(rows: Sequence[BoardRow], column: ShownColumn) -> Cell | None:
    """What all rows show in a column; None where they differ."""
    cells = [_cell(row, column) for row in rows]
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


def _cell(row: BoardRow, column: ShownColumn) -> Cell | None:
    cell = row.cells.get(column.name)
    if cell is None:
        return Cell(JUDGE_FAILED) if column.name in row.failed else None
    return Cell(
        cell.value,
        KINDS.get(column.unit, "number"),
        cell.ci_low,
        cell.ci_high,
        mark="*" if cell.self_checked else "",
        beside=figures.short(cell.beside),
        counts=_counts(cell),
    )


def _counts(cell: BoardCell) -> str:
    if cell.n_queries is not None:
        return f"n={cell.n_queries}"
    return "" if cell.n_scored == cell.n_planned else f"{cell.n_scored}/{cell.n_planned}"


def _notes(board: Scoreboard) -> Iterator[str]:
    cells = [cell for row in board.rows for cell in row.cells.values()]
    few = next((cell.n_queries for cell in cells if cell.n_queries is not None), None)
    if few is not None:
        of = counted(few, "query")
        yield f"n={few} below a value: one of its two parts comes from only {of}."
    part = next((_counts(cell) for cell in cells if _counts(cell) and cell.n_queries is None), None)
    if part:
        yield f"{part} below a value: only so many of the planned reports have one."
    yield from judge_failures(board)
    if any(cell.self_checked for cell in cells):
        yield SELF_CHECKED
    yield from notes_on((row.system for row in board.rows), bounded=True)
    yield from board.notes
    if board.prices_as_of is not None:
        yield dated(board.prices_as_of)


def judge_failures(board: Scoreboard) -> Iterator[str]:
    """On how many reports the judge gave no usable answer, in a sentence; nothing where it never failed."""
    failed = {row.system: (max(row.failed.values()), [*row.failed]) for row in board.rows if row.failed}
    if failed:
        called = system_names(row.system for row in board.rows)
        counts = ", ".join(f"{counted(count, 'report')} of {called[label]}" for label, (count, _) in failed.items())
        columns = ", ".join(dict.fromkeys(name for _, names in failed.values() for name in names))
        yield f"{JUDGE_FAILED}: the judge gave no usable answer on {counts} ({columns}): score --retry failed."


MOST_SAID = 3


@dataclass(frozen=True, slots=True)
class Conclusion:
    can: str
    cannot: str
    """Empty where everything is concluded."""
    is_cut: bool = False
    """True if it leaves out some comparisons."""


def conclusion(board: Scoreboard) -> Conclusion:
    """In the words of the comparison of all systems; of a single system its first score on half of its reports."""
    researching = [row.system for row in board.rows if place_of(row.system) == "system"]
    if board.differs and not board.compared and board.differs != (ALONE,):
        return Conclusion(" ".join(board.differs), "")  # every run failed, or the scores were made before 1.0
    if len(researching) < 2:
        return Conclusion(_of_one(board), " ".join(board.differs))
    found = findings(board.compared, system_names(row.system for row in board.rows))
    rest = [finding for finding in found if finding.outcome != "higher"]
    is_cut = max(len(found) - len(rest), len(rest)) > MOST_SAID + 1
    return Conclusion(result_of(board), _not_shown(rest), is_cut)


def _of_one(board: Scoreboard) -> str:
    """ "react: FP 0.95 (.94–.96), the share of the cited claims that their sources support." """
    half = board.model_copy(
        update={"columns": tuple(column for column in board.columns if _is_of_half(board, column.name))}
    )
    printed = printed_board(half)
    for line in printed.table.rows:
        for column, cell in zip(printed.table.columns, line.cells, strict=True):
            if line.place == "system" and cell is not None and column.meaning:
                interval = f" ({cell.interval})" if cell.interval else ""
                of_reports = cell.counts if "=" in cell.counts else f"on {cell.counts} reports"
                counts = f" {of_reports}" if cell.counts else ""
                meaning = column.meaning.partition(" (in brackets")[0]
                return f"{line.name}: {column.name} {cell.figure}{interval}{counts}, {meaning}."
    return "Nothing is scored on half of the reports yet."


def _is_of_half(board: Scoreboard, name: str) -> bool:
    """Whether no less than half of a system's reports are behind a value: one report of twenty concludes nothing."""
    cells = [row.cells.get(name) for row in board.rows if place_of(row.system) == "system"]
    return any(cell is not None and 2 * cell.n_scored >= cell.n_planned for cell in cells)


def _not_shown(found: Sequence[Finding]) -> str:
    """ "No difference is shown in FP by 10 queries. To show differences of the size seen here takes about …"."""
    undecided = [finding for finding in found if finding.outcome == "undecided" and finding.nothing]
    needed = sorted((takes[0], finding.about) for finding in undecided if (takes := _takes(finding)))
    sentences = []
    if undecided:
        sentences.append(f"No difference is shown in {listed(finding.about for finding in undecided)}{_by(undecided)}.")
    if needed:
        first, *others = needed
        sizes = [f"{first[0]:,} queries for {first[1]}", *(f"{count:,} for {about}" for count, about in others)]
        sentences.append(f"To show differences of the size seen here takes about {listed(sizes)}.")
    rest = [finding for finding in found if finding not in undecided]
    more = len(rest) - MOST_SAID
    sentences += [f"{_short(finding)}." for finding in rest[: MOST_SAID if more > 1 else None]]
    sentences += [f"{more} more are listed below."] if more > 1 else []
    return " ".join(sentences)


def _by(found: Sequence[Finding]) -> str:
    """ " by 10 queries, 10 users"; empty where the findings rest on different ones."""
    rows = [largest_of(measure) for finding in found for measure in finding.measures]
    sizes = {sample(row.n_pairs, row.n_users) for row in rows}
    return f" by {sizes.pop()}" if len(sizes) == 1 else ""


def _takes(finding: Finding) -> tuple[int, int | None] | None:
    """How many queries, of how many users, would show the clearest of the finding's differences."""
    return min((takes for measure in finding.measures if (takes := clearest(measure))), default=None)


def _short(finding: Finding) -> str:
    about = "side-by-side preference" if finding.about == SIDE_BY_SIDE and finding.nothing else finding.about
    return f"{about} {finding.rest}" if finding.nothing else f"{about}: {finding.rest}"

"""The scoreboard in words: a line for each system, floors and ceiling below the others, and what must be known."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from drretail.records.score import JudgeRef, Place, place_of
from drretail.records.scoreboard import BoardCell, BoardJudge, BoardRow, Scoreboard, ShownColumn, Unit
from drretail.viewer.tables.scores import judged_by, notes_on, system_names

TITLE = "Scoreboard"
SELF_CHECKED = "*: the agent takes out of its own reports what this finds, so it says little of it."
INTERVALS = (
    "95 % interval over users (over queries where no user is known): of shares binomial (so 1.00 reaches well down), "
    "of all else Student's t"
)
SPARE: tuple[Unit, ...] = ("tokens", "words", "dollars")
"""What a narrow table goes without, the first of them first."""


@dataclass(frozen=True, slots=True)
class PrintedCell:
    value: str
    beside: str = ""
    """What stands behind it in brackets."""
    interval: str = ""
    """Short: ".68–.80"."""
    counts: str = ""
    """ "48/50" where not all planned reports are in it."""


@dataclass(frozen=True, slots=True)
class BoardColumnHead:
    name: str
    unit: Unit
    meaning: str
    is_headline: bool = True
    """The first column of its family."""


@dataclass(frozen=True, slots=True)
class BoardLine:
    name: str
    place: Place
    is_of_other_judge: bool
    cells: tuple[PrintedCell | None, ...]

    @property
    def section(self) -> int:
        """As of ``Line``."""
        return {"system": 0, "counterfactual": 1}.get(self.place, 2)


LAB = "The judge lab"


@dataclass(frozen=True, slots=True)
class PrintedBoard:
    title: str
    by: str
    columns: tuple[BoardColumnHead, ...]
    lines: tuple[BoardLine, ...]
    differs: tuple[str, ...]
    notes: tuple[str, ...]
    lab: tuple[str, ...]
    """What the judge lab found, a line each."""

    @property
    def of_one_judge(self) -> "PrintedBoard":
        """Without the lines of other judges."""
        return replace(self, lines=tuple(line for line in self.lines if not line.is_of_other_judge))

    @property
    def legend(self) -> str:
        """What every column means, in one line."""
        return "; ".join(f"{column.name}: {column.meaning}" for column in self.columns if column.meaning) + "."

    @property
    def has_intervals(self) -> bool:
        return any(cell is not None and cell.interval for line in self.lines for cell in line.cells)


def printed_board(board: Scoreboard, lab: Sequence[str] = ()) -> PrintedBoard:
    """The board as it is printed, other judges' lines below those of their systems, ``lab`` below all.

    A note of the board that ``lab`` has, too, is told there.
    """
    names = system_names(row.system for row in board.rows)
    families = [it.metric for it in board.columns]
    columns = tuple(
        BoardColumnHead(_head(it), it.unit, _meaning(it), is_headline=it.metric not in families[:at])
        for at, it in enumerate(board.columns)
    )
    spec = board.judge.spec
    return PrintedBoard(
        title=TITLE,
        by=_by(board.judge) if spec else "by code, without a judge",
        columns=columns,
        lines=tuple(line for row in board.rows for line in _lines(board, row, names[row.system])),
        differs=board.differs,
        notes=tuple(it for it in _notes(board) if it not in lab),
        lab=tuple(lab),
    )


def _by(judge: BoardJudge) -> str:
    return judged_by(JudgeRef(spec=judge.spec, kind=judge.kind, params_hash=judge.params_hash), judge.rules)


def _head(column: ShownColumn) -> str:
    return f"{column.name} (k)" if column.unit == "tokens" else column.name


def _meaning(column: ShownColumn) -> str:
    beside = f" (in brackets: {column.beside_meaning})" if column.beside_meaning else ""
    return f"{column.meaning}{beside}"


def _lines(board: Scoreboard, row: BoardRow, name: str) -> Iterator[BoardLine]:
    place = place_of(row.system)
    yield BoardLine(name, place, is_of_other_judge=False, cells=_cells(board.columns, row))
    for other in board.others:
        for its in other.rows:
            if its.system == row.system:
                rules = "" if other.judge.rules == "default" else f", rules of {other.judge.rules}"
                who = f"by {other.judge.spec}{rules}"
                yield BoardLine(who, place, is_of_other_judge=True, cells=_cells(board.columns, its))


def _cells(columns: Sequence[ShownColumn], row: BoardRow) -> tuple[PrintedCell | None, ...]:
    return tuple(_cell(row.cells.get(column.name), column.unit) for column in columns)


def _cell(cell: BoardCell | None, unit: Unit) -> PrintedCell | None:
    if cell is None:
        return None
    beside = "" if cell.beside is None else f"({_beside(cell.beside, unit)})"
    mark = "*" if cell.self_checked else ""
    return PrintedCell(f"{_value(cell.value, unit)}{mark}", beside, _interval(cell, unit), _counts(cell))


def _counts(cell: BoardCell) -> str:
    return "" if cell.n_scored == cell.n_planned else f"{cell.n_scored}/{cell.n_planned}"


def _value(value: float, unit: Unit) -> str:
    match unit:
        case "words":
            return f"{value:,.0f}"
        case "count":
            return f"{value:,.1f}"
        case "tokens":
            return f"{value / 1000:,.1f}"
        case "percent":
            return f"{value:.1f}"
        case "dollars":
            return f"{value:,.2f}" if value >= 1 or not value else f"{value:.4f}"
        case _:
            return f"{value:.2f}"


def _interval(cell: BoardCell, unit: Unit) -> str:
    if cell.ci_low is None or cell.ci_high is None:
        return ""
    return f"{_short(cell.ci_low, unit)}–{_short(cell.ci_high, unit)}"


def _short(value: float, unit: Unit) -> str:
    """ ".68" and "1" of shares, a digit behind the point of all else."""
    if unit != "share":
        return f"{value:,.1f}"
    shown = f"{value:.2f}"
    return {"1.00": "1", "0.00": "0"}.get(shown, shown.removeprefix("0"))


def _beside(value: float, unit: Unit) -> str:
    shown = _short(value, unit)
    return f"{shown}.0" if shown in ("0", "1") else shown


def _notes(board: Scoreboard) -> Iterator[str]:
    cells = [cell for row in board.rows for cell in row.cells.values()]
    part = next((_counts(cell) for cell in cells if _counts(cell)), None)
    if part:
        why = "the others failed, hold nothing to score or are not judged"
        yield f"{part} below a value: of so many of the planned reports; {why}."
    if any(cell.self_checked for cell in cells):
        yield SELF_CHECKED
    yield from notes_on((row.system for row in board.rows), bounded=True)
    yield from board.notes
    if board.prices_as_of is not None:
        yield f"Prices as of {board.prices_as_of.isoformat()}; your own in drretail.toml, [prices], come first."

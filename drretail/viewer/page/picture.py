"""The first screen's picture: of each headline a dot with its interval for every system, and its difference beside
zero.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from markupsafe import Markup

from drretail.records.figures import number
from drretail.records.run import place_of
from drretail.records.score import WHOLES, ShownColumn
from drretail.viewer.drawing.table import Cell, Row
from drretail.viewer.experiment import OUTCOME
from drretail.viewer.tables.board import DIFFERENCE, FEW_SYSTEMS, BoardTables

_LEFT, _RIGHT, _TALL = 5.0, 125.0, 16
"""Where a scale begins and ends, and how tall a line is, in units of the drawing."""
_SHAPES = (
    Markup('<circle cx="{x:.1f}" cy="8" r="4"/>'),
    Markup('<rect x="{left:.1f}" y="4" width="8" height="8"/>'),
    Markup('<path d="M{x:.1f} 2.5l5.5 5.5l-5.5 5.5l-5.5 -5.5z"/>'),
    Markup('<path d="M{x:.1f} 3l5 9h-10z"/>'),
)
"""The marks of systems, told apart without their colors."""
_LEAST_REACH = 0.1
"""A scale of differences reaches at least so far, as a share of the headline's own scale."""


@dataclass(frozen=True, slots=True)
class Line:
    """One system's number, drawn and in words, with its difference from the baseline if it has one."""

    name: str
    drawn: Markup
    number: Cell
    difference: Cell | None = None
    drawn_difference: Markup | str = ""


@dataclass(frozen=True, slots=True)
class Headline:
    """One column of the board as a picture."""

    name: str
    meaning: str
    scale: str
    """The ends of its scales: "0 to 1; differences to ±0.3"."""
    lines: tuple[Line, ...]
    dotted: tuple[str, ...] = ()
    """What the dotted lines are: floors and the oracle, with their numbers."""


def headlines(tables: BoardTables) -> Iterator[Headline]:
    """The counted columns of decisions and those that are tested, as far as they have a scale; of many systems the
    first alone. ``tables`` are full ones: their cells hold intervals.
    """
    shown: dict[str, ShownColumn] = {column.name: column for column in tables.columns if column.unit in WHOLES}
    drawn = 0
    for place, table in enumerate(tables.tables):
        for at, column in enumerate(table.columns):
            described = shown.get(column.name)
            if described is None or not (column.leads or (place == 0 and described.is_counted)):
                continue
            if drawn and len(tables.systems) > FEW_SYSTEMS:
                return
            if (headline := _headline(tables, table.rows, at, described)).lines:
                drawn += 1
                yield headline


def _headline(tables: BoardTables, rows: Sequence[Row], at: int, column: ShownColumn) -> Headline:
    whole = WHOLES[column.unit]
    systems = [row for row in rows if row.place == "system"]
    steps = [row for row in rows if row.place == DIFFERENCE]
    # A difference stands in the order of its system; the baseline has none.
    others = [row.name for row in systems if row.label != tables.baseline] if steps else []
    differences = {name: row.cells[at] for name, row in zip(others, steps, strict=True)}
    differences = {name: cell for name, cell in differences.items() if _is_number(cell)}
    bounds = list(_bounds(tables, column)) if column.variant == OUTCOME else []
    reach = max([_LEAST_REACH * whole, *(abs(end) for cell in differences.values() for end in _ends(cell))])
    marks = [(bound, words) for _, bound, words in bounds]
    lines: list[Line] = []
    for place, row in enumerate(systems):
        if not _is_number(cell := row.cells[at]):
            continue
        shape, step = place % len(_SHAPES), differences.get(row.name)
        lines.append(
            Line(
                row.name,
                _drawn(cell, (0, whole), shape, marks),
                cell,
                step,
                "" if step is None else _drawn(step, (-reach, reach), shape, [(0, "no difference")]),
            )
        )
    scale = f"0 to {whole:g}" + (f"; differences to ±{reach:.2g}" if differences else "")
    return Headline(
        column.name, column.meaning, scale, tuple(lines), tuple(f"{name}: {words}" for name, _, words in bounds)
    )


def _is_number(cell: Cell | None) -> TypeGuard[Cell]:
    return cell is not None and isinstance(cell.plain, float | int)


def _ends(cell: Cell) -> tuple[float, ...]:
    return cell.ends or (float(cell.plain or 0),)


def _bounds(tables: BoardTables, column: ShownColumn) -> Iterator[tuple[str, float, str]]:
    """The best agent that doesn't research, the oracle, and what is reached without a source, each with what it is."""
    for row in tables.bounds:
        if (cell := row.cells.get(column.name)) is not None:
            what = (
                "it knows the best basket"
                if place_of(row.system, tables.board.systems) == "ceiling"
                else "the best agent that doesn't research"
            )
            yield tables.names[row.system], cell.value, f"{number(cell.value)}, {what}"
    for floor in tables.board.needs:
        words = ", ".join(filter(None, (number(floor.value), floor.of_needing)))
        yield f"by luck {floor.name}", floor.value, words


def _drawn(cell: Cell, scale: tuple[float, float], shape: int, marks: Sequence[tuple[float, str]]) -> Markup:
    """A number with its interval on a scale, and dotted lines with their titles."""
    start, end = scale

    def place(value: float) -> float:
        share = (min(max(value, start), end) - start) / (end - start)
        return _LEFT + (_RIGHT - _LEFT) * share

    x = place(float(cell.plain or 0))
    dotted = Markup().join(
        Markup('<path class="bound" d="M{:.1f} 0V{}"><title>{}</title></path>').format(place(value), _TALL, words)
        for value, words in marks
    )
    interval = Markup()
    if cell.ends is not None:
        interval = Markup('<path class="ends" d="M{:.1f} 8H{:.1f}"/>').format(*map(place, cell.ends))
    words = f"{cell.text}, 95% interval {cell.interval}" if cell.ends else cell.text
    return Markup(
        '<svg class="plot mark-{}" viewBox="0 0 130 {}" role="img" aria-label="{}">'
        '<path class="track" d="M{} 8H{}"/>{}{}{}</svg>'
    ).format(shape, _TALL, words, _LEFT, _RIGHT, dotted, interval, _SHAPES[shape].format(x=x, left=x - 4))

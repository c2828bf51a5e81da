"""A table as lines of a terminal: no wider than it as far as words let it be, no figure ever broken."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from drretail.tables.figures import NOTHING
from drretail.tables.table import Cell, Row, Table, upright
from drretail.tables.widths import broken, filled, parts

if TYPE_CHECKING:
    from rich.table import Table as Grid
    from rich.text import Text

NAMES = 16
"""A column of names is no narrower, where they are so long; longer ones are broken."""
_LONGEST_WORD = 60
"""What is longer is broken: addresses, made-up words."""
_LITTLE = 3
"""Characters that keep a short cell in one line go to whoever needs them, before what is left is shared."""
_COUNTS = 17
"""As wide as counts may make their column: a share with its interval. What is longer goes on below."""
_SHORT = 12
"""As wide as the name of a column may be without widening it: an interval of shares with its value takes as much."""
_GREY = "dim"
_INDENT = "  "


@dataclass(frozen=True, slots=True)
class Drawn:
    """A table that fits a width."""

    grids: tuple["Grid", ...]
    """Parts of the table, each of which stands by itself."""
    left_out: tuple[str, ...]
    """Columns that found no room."""
    has_intervals: bool


@dataclass(frozen=True, slots=True)
class _Layout:
    places: tuple[int, ...]
    """The columns that are kept."""
    gap: int = 2
    intervals: bool = True
    beside: bool = True
    """Whether intervals stand behind their values, or below them."""
    of_floors: bool = True
    """Whether floors and the oracle have intervals, too: nobody chooses them, so a line each is enough."""
    whole_heads: bool = False
    """Whether short names of columns stay in one line: where a table is cut anyway, its parts may be read easily."""


def draw(table: Table, width: int) -> Drawn:
    """The first of ever sparer layouts that fits; where none does, the sparest, cut into parts."""
    if table.is_turned:
        table = upright(table)
    *_, last = tried = list(_layouts(table))
    fitting = next((each for each in tried if _needed(table, each) <= width), None)
    layout = fitting or _with_groups_whole(table, replace(last, gap=2), width)
    cut = [layout.places] if fitting else _parts(table, layout, width)
    left = tuple(column.name for at, column in enumerate(table.columns) if at not in layout.places)
    grids = tuple(_grid(table, replace(layout, places=tuple(places)), width) for places in cut)
    return Drawn(grids, left, layout.intervals)


def table_lines(table: Table, width: int) -> list[str]:
    """The table as lines of plain text, without its title."""
    from io import StringIO

    from rich.console import Console

    lines: list[str] = []
    for grid in draw(table, width).grids:
        console = Console(
            file=StringIO(), width=max(width, grid_width(grid)), color_system=None, highlight=False, emoji=False
        )
        with console.capture() as captured:
            console.print(grid)
        lines += [""] if lines else []
        lines += [line.rstrip() for line in captured.get().splitlines()]
    return lines


def grid_width(grid: "Grid") -> int:
    """How wide it is: wider than asked for where a single word or figure is."""
    gaps = grid.padding[3] + 1
    return sum((column.width or 0) + gaps for column in grid.columns) - gaps


def _layouts(table: Table) -> Iterator[_Layout]:
    """Intervals beside their values, below, tighter, then without what may be spared, in its order."""
    layout = _Layout(tuple(range(len(table.columns))), beside=not table.is_stacked, of_floors=not table.is_stacked)
    yield layout
    layout = replace(layout, beside=False)
    yield layout
    if table.is_stacked:
        layout = replace(layout, gap=1)
        yield layout
    steps = {column.spare for column in table.columns} | {table.spare_intervals}
    for step in sorted(step for step in steps if step is not None):
        kept = tuple(at for at in layout.places if table.columns[at].spare != step)
        layout = replace(layout, places=kept, intervals=layout.intervals and table.spare_intervals != step)
        yield layout


def _with_groups_whole(table: Table, layout: _Layout, width: int) -> _Layout:
    """With intervals beside their values where no group of columns would be torn by that."""
    layout = replace(layout, whole_heads=True)
    beside = replace(layout, beside=not table.is_stacked)
    room = width - _least_name(table)
    widths = _least(table, beside)
    grouped = groupby(layout.places, key=lambda at: table.columns[at].group)
    whole = all(sum(widths[at] for at in places) <= room for _, places in grouped)
    return beside if whole else layout


def _parts(table: Table, layout: _Layout, width: int) -> list[list[int]]:
    widths = _least(table, layout)
    columns = [table.columns[at] for at in layout.places]
    room = width - _least_name(table)
    return [[layout.places[at] for at in part] for part in parts(columns, [widths[at] for at in layout.places], room)]


def _needed(table: Table, layout: _Layout) -> int:
    widths = _least(table, layout)
    return _least_name(table) + sum(widths[at] for at in layout.places)


def _least_name(table: Table) -> int:
    names = [table.heading, *map(_name, table.rows)]
    words = [min(_LONGEST_WORD, _len(word)) for name in names for word in broken(name, 1)]
    longest = max(map(_len, names))
    in_two_lines = longest // 2 + 1 if any(column.spare for column in table.columns) and not table.is_stacked else 0
    return max(min(NAMES, longest), in_two_lines, *words)


def _least(table: Table, layout: _Layout) -> list[int]:
    """Of every column, with the gap before it: its figures whole, its words unbroken."""
    return [_width(table, at, layout, whole=False) + layout.gap for at in range(len(table.columns))]


def _width(table: Table, at: int, layout: _Layout, *, whole: bool) -> int:
    """Of one column; with ``whole`` words stay in one line, too."""
    column = table.columns[at]
    in_one_line = whole or (layout.whole_heads and len(column.name) <= _SHORT)
    widths = [1, *map(_len, [column.name] if in_one_line else broken(column.name, 1)), _len(column.counts)]
    for row in table.rows:
        cell = row.cells[at]
        if cell is None:
            widths.append(_len(NOTHING) if not row.manner else 0)
        elif not cell.is_number:
            widths += [_len(cell.text)] if whole else [min(_LONGEST_WORD, _len(word)) for word in cell.text.split()]
            widths.append(min(_COUNTS, _len(cell.counts)))
        else:
            widths += map(_len, _figures(row, cell, layout))
            widths += [_len(each) for each in cell.counts.split(", ")]
            widths.append(min(_COUNTS, _len(cell.counts)) if whole else 0)
    return max(widths)


def _figures(row: Row, cell: Cell, layout: _Layout) -> list[str]:
    """The lines of a number above its counts."""
    if not cell.interval or not layout.intervals or (row.section == 2 and not layout.of_floors):
        return [cell.text]
    return [f"{cell.text} ({cell.interval})"] if layout.beside else [cell.text, cell.interval]


def _grid(table: Table, layout: _Layout, width: int) -> "Grid":
    from rich.box import Box
    from rich.table import Table as Grid

    widths = _shared(table, layout, width)
    names, *others = widths
    shown = any((table.heading, *(table.columns[at].name.strip() for at in layout.places)))
    grid = Grid(
        # Rules below the headings and between sections, and none anywhere else.
        box=Box("    \n    \n ── \n    \n ── \n    \n    \n    \n"),
        padding=(0, 0, 0, layout.gap - 1),
        pad_edge=False,
        show_edge=False,
        show_header=shown,
    )
    grid.add_column(_broken(table.heading, names), width=names, overflow="fold")
    for at, wide in zip(layout.places, others, strict=True):
        column = table.columns[at]
        heading = "\n".join(filter(None, [_broken(column.name, wide), column.counts]))
        side = "right" if table.is_of_numbers(at) else "left"
        grid.add_column(heading, width=wide, justify=side, overflow="fold", style=_GREY if column.few else "")
    rows = [row for row in table.rows if not row.manner or table.has_any(row, layout.places)]
    for row, following in zip(rows, [*rows[1:], None], strict=False):
        cells = [_text(row, row.cells[at], wide, layout) for at, wide in zip(layout.places, others, strict=True)]
        style = _GREY if row.section == 2 or row.is_minor else ""
        ends = following is not None and following.section != row.section
        grid.add_row(_broken(_name(row), names), *cells, style=style, end_section=ends)
    return grid


def _shared(table: Table, layout: _Layout, width: int) -> list[int]:
    """Of names and every column that is kept: what it needs at least, and of the room that is left what it can use."""
    names = [table.heading, *map(_name, table.rows)]
    least = [_least_name(table), *(_width(table, at, layout, whole=False) for at in layout.places)]
    wanted = [max(map(_len, names)), *(_width(table, at, layout, whole=True) for at in layout.places)]
    spare = width - sum(least) - layout.gap * len(layout.places)
    missing = {at: most - few for at, (few, most) in enumerate(zip(least, wanted, strict=True))}
    for number, at in enumerate(sorted(missing, key=lambda at: missing[at])):
        share = spare if missing[at] <= _LITTLE else spare // (len(missing) - number)
        more = max(0, min(missing[at], share))
        least[at], spare = least[at] + more, spare - more
    return least


def _name(row: Row) -> str:
    return f"{_INDENT}{row.manner}" if row.manner else row.name


def _text(row: Row, cell: Cell | None, width: int, layout: _Layout) -> "Text":
    from rich.text import Text

    if cell is None:
        return Text("" if row.manner else NOTHING, style=_GREY)
    value, *below = _figures(row, cell, layout) if cell.is_number else [cell.text]
    text = Text(value, style=_GREY if cell.few else "")
    below += filled(cell.counts.split(", "), width) if cell.counts else []
    for line in below:
        text.append(f"\n{line}", style=_GREY)
    return text


def _broken(name: str, width: int) -> str:
    return "\n".join(broken(name, width))


def _len(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)

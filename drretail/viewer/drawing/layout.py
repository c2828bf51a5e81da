"""A table as lines that fit a terminal. They are wider only if a single word or figure is: no figure is ever broken."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from drretail.records.figures import NOTHING
from drretail.viewer.drawing.table import Cell, Column, Row, Table

if TYPE_CHECKING:
    from rich.table import Table as Grid
    from rich.text import Text

NAMES = 16
"""The least width of the column of names, unless all are shorter; longer names are broken."""
_LONGEST_WORD = 60
"""Longer words are broken, such as addresses."""
_GREY = "dim"


def draw(table: Table, width: int) -> list["Grid"]:
    """The table with intervals after its values if it fits, else below them with narrow gaps; if that doesn't fit
    either, cut into parts, each readable by itself.
    """
    room, places = width - _least_name(table), range(len(table.columns))
    is_beside = sum(_least(table, is_beside=True)) <= room
    needed = _least(table, is_beside=is_beside)
    cut = [[*places]] if sum(needed) <= room else parts(table.columns, needed, room)
    return [_grid(table, part, width, is_beside=is_beside) for part in cut]


def table_lines(table: Table, width: int) -> list[str]:
    """The table as lines of plain text, without its title."""
    from io import StringIO

    from rich.console import Console

    lines: list[str] = []
    for grid in draw(table, width):
        console = Console(
            file=StringIO(),
            width=max(width, grid_width(grid)),
            color_system=None,
            highlight=False,
            emoji=False,
            force_jupyter=False,
        )
        with console.capture() as captured:
            console.print(grid)
        lines += [""] if lines else []
        lines += [line.rstrip() for line in captured.get().splitlines()]
    return lines


def grid_width(grid: "Grid") -> int:
    """The grid's width; more than was asked for if a single word or figure is wider."""
    gaps = grid.padding[3] + 1
    return sum((column.width or 0) + gaps for column in grid.columns) - gaps


def _least_name(table: Table) -> int:
    names = [table.heading, *(row.name for row in table.rows)]
    words = [min(_LONGEST_WORD, _len(word)) for name in names for word in _broken_lines(name, 1)]
    return max(min(NAMES, max(map(_len, names))), *words)


def _least(table: Table, *, is_beside: bool) -> list[int]:
    """The least width of every column with its gap: figures are whole, words unbroken."""
    return [_width(table, at, is_beside=is_beside, whole=False) + 1 + is_beside for at in range(len(table.columns))]


def _width(table: Table, at: int, *, is_beside: bool, whole: bool) -> int:
    """The width of one column; with ``whole``, words stay in one line, too."""
    column = table.columns[at]
    widths = [1, *map(_len, [column.name] if whole else _broken_lines(column.name, 1))]
    for row in table.rows:
        cell = row.cells[at]
        if cell is None:
            widths.append(_len(NOTHING))
        elif not cell.is_number:
            widths += [_len(cell.text)] if whole else [min(_LONGEST_WORD, _len(word)) for word in cell.text.split()]
        else:
            widths += map(_len, _figures(cell, is_beside=is_beside))
        widths += [] if cell is None else map(_len, cell.counts.split(", "))
    return max(widths)


def _figures(cell: Cell, *, is_beside: bool) -> list[str]:
    if not cell.interval:
        return [cell.text]
    return [f"{cell.text} ({cell.interval})"] if is_beside else [cell.text, cell.interval]


def _grid(table: Table, places: Sequence[int], width: int, *, is_beside: bool) -> "Grid":
    from rich.box import Box
    from rich.table import Table as Grid

    # The widths of names and columns: the least that each needs, and its share of the remaining room.
    every_name = [table.heading, *(row.name for row in table.rows)]
    widths = [_least_name(table), *(_width(table, at, is_beside=is_beside, whole=False) for at in places)]
    wanted = [max(map(_len, every_name)), *(_width(table, at, is_beside=is_beside, whole=True) for at in places)]
    spare = width - sum(widths) - (1 + is_beside) * len(places)
    missing = [most - few for few, most in zip(widths, wanted, strict=True)]
    for number, at in enumerate(sorted(range(len(widths)), key=lambda at: missing[at])):
        more = max(0, min(missing[at], spare // (len(widths) - number)))
        widths[at], spare = widths[at] + more, spare - more
    names, *others = widths
    grid = Grid(
        # Rules below the headings and between sections, and none anywhere else.
        box=Box("    \n    \n ── \n    \n ── \n    \n    \n    \n"),
        padding=(0, 0, 0, int(is_beside)),
        pad_edge=False,
        show_edge=False,
        show_header=any((table.heading, *(table.columns[at].name.strip() for at in places))),
    )
    grid.add_column(_broken(table.heading, names), width=names, overflow="fold")
    for at, wide in zip(places, others, strict=True):
        column = table.columns[at]
        side = "right" if table.is_of_numbers(at) else "left"
        grid.add_column(_broken(column.name, wide), width=wide, justify=side, overflow="fold")
    for row, following in zip(table.rows, [*table.rows[1:], None], strict=False):
        cells = [_text(row, at, is_beside=is_beside) for at in places]
        style = _GREY if row.is_baseline else ""
        ends = following is not None and following.is_baseline != row.is_baseline
        grid.add_row(_broken(row.name, names), *cells, style=style, end_section=ends)
    return grid


def _text(row: Row, at: int, *, is_beside: bool) -> "Text":
    from rich.text import Text

    cell = row.cells[at]
    if cell is None:
        return Text(NOTHING, style=_GREY)
    value, *below = _figures(cell, is_beside=is_beside) if cell.is_number else [cell.text]
    text = Text(value)
    below += cell.counts.split(", ") if cell.counts else []
    for line in below:
        text.append(f"\n{line}", style=_GREY)
    return text


def _broken(name: str, width: int) -> str:
    return "\n".join(_broken_lines(name, width))


def _len(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


_HYPHEN = re.compile(r"-(?=[^\W\d])")
"""A hyphen before a letter. Not before a digit, so that a model's version stays with its name."""


def parts(columns: Sequence[Column], widths: Sequence[int], room: int) -> list[list[int]]:
    """The indices of all columns, in order, in parts that fit ``room``.

    A group is split only if it does not fit by itself; a column that is too wide is a part of its own.
    """
    groups: list[list[int]] = []
    for _, places in groupby(range(len(columns)), key=lambda place: columns[place].group):
        group = [*places]
        for piece in [group] if _sum(group, widths) <= room else [[place] for place in group]:
            if groups and _sum([*groups[-1], *piece], widths) <= room:
                groups[-1] += piece
            else:
                groups.append(piece)
    return groups


def _sum(places: Sequence[int], widths: Sequence[int]) -> int:
    return sum(widths[place] for place in places)


def _broken_lines(name: str, width: int) -> Iterator[str]:
    """The lines of a name that is too long, broken after underscores, hyphens and blanks, and before "+" and "@"."""
    line = ""
    pieces = name.replace("_", "_\n").replace(" ", " \n").replace("+", "\n+").replace("@", "\n@")
    for part in _HYPHEN.sub("-\n", pieces).split("\n"):
        if line.strip() and len(line + part.rstrip()) > width:
            yield line.rstrip()
            line = ""
        line += part
    yield line

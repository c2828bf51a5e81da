"""A table in the markup of documents: Markdown that is readable as plain text, and LaTeX for a paper, which needs the
packages booktabs and amssymb.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from drretail.records.tables.figures import NOTHING
from drretail.records.tables.result import draw
from drretail.records.tables.screen import console
from drretail.records.tables.table import Table

if TYPE_CHECKING:
    from rich.table import Table as Grid


def markdown_table(table: Table) -> str:
    """The table with padded columns and numbers to the right, and in a line below what its values are over."""
    lines = [[table.heading, *(column.heading for column in table.columns)]]
    for row in table.rows:
        name = f"{row.name}, {row.manner}" if row.manner else row.name
        lines.append([name, *(NOTHING if cell is None else cell.whole for cell in row.cells)])
    lines = [[text.replace("|", "\\|").replace("\n", " ") for text in line] for line in lines]
    widths = [max(3, *(len(line[at]) for line in lines)) for at in range(len(lines[0]))]
    right = [False, *(table.is_of_numbers(at) for at in range(len(table.columns)))]
    rule = ["-" * (width - is_right) + ":" * is_right for width, is_right in zip(widths, right, strict=True)]
    drawn: list[str] = []
    for line in (lines[0], rule, *lines[1:]):
        cells = zip(line, widths, right, strict=True)
        padded = (cell.rjust(width) if is_right else cell.ljust(width) for cell, width, is_right in cells)
        drawn.append(f"| {' | '.join(padded)} |")
    return "\n".join([*drawn, *(["", table.basis] if table.basis else [])])


_WRITTEN = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{character: f"\\{character}" for character in "&%$#_{}"},
        **{character: f"${character}$" for character in "<>|"},
        "–": "--",
        "−": "$-$",
        "±": r"$\pm$",
        "×": r"$\times$",
        "≥": r"$\geq$",
        "≤": r"$\leq$",
        "·": r"$\cdot$",
        "…": r"\ldots{}",
        "✓": r"$\checkmark$",
        "\n": " ",
    }
)


LATEX_WIDTH = 78
"""How many characters of ``\\small`` type fit on a line of the class ``article``, which is 345 pt wide."""
_LATEX_HEIGHT = 40
"""How many such lines fit on a page beside its caption."""


def latex_table(table: Table) -> str:
    """A ``table`` environment as wide as a line of text, with the rows and parts that a terminal of that width shows.
    Parts that do not fit on one page are in environments of their own.

    Each section begins with a rule. Intervals and counts are in smaller type. The caption has the title and what
    values are over; meanings and notes become comments.
    """
    comments = [f"{column.name}: {column.meaning}." for column in table.columns if column.meaning]
    # Nothing is left out of a paper: columns without room make a further part.
    kept = replace(table, columns=tuple(replace(column, spare=None) for column in table.columns), spare_intervals=None)
    pages: list[list[list[str]]] = []
    for grid in draw(kept, LATEX_WIDTH).grids:
        part = [*_tabular(grid)]
        if not pages or sum(map(len, (*pages[-1], part))) > _LATEX_HEIGHT:
            pages.append([])
        pages[-1].append(part)
    caption = _written(". ".join(filter(None, (table.full_title, table.basis))))
    lines = [f"% {line}" for comment in (*comments, *table.notes) for line in comment.splitlines()]
    for number, parts in enumerate(pages, 1):
        lines += [
            r"\begin{table}",
            r"\centering\small\setlength{\tabcolsep}{3pt}\setlength{\belowcaptionskip}{4pt}",
            rf"\caption{{{caption}{f' Page {number} of {len(pages)}.' if len(pages) > 1 else ''}}}",
            "\n\n\\medskip\n".join(map("\n".join, parts)),
            r"\end{table}",
            "",
        ]
    return "\n".join(lines)


def _tabular(grid: "Grid") -> Iterator[str]:
    """The lines of one part. A cell of several lines makes several rows, since only so their columns stay aligned."""
    yield rf"\begin{{tabular}}{{{''.join('r' if column.justify == 'right' else 'l' for column in grid.columns)}}}"
    yield r"\toprule"
    heads = [str(column.header).splitlines() for column in grid.columns]
    height = max(map(len, heads))
    yield from _rows([[""] * (height - len(head)) + [_written(line) for line in head] for head in heads])
    yield r"\midrule"
    cells = zip(*(column.cells for column in grid.columns), strict=True)
    for row, cells_of_row in zip(grid.rows, cells, strict=True):
        yield from _rows(
            [_lines(cell, column.width or 0) for cell, column in zip(cells_of_row, grid.columns, strict=True)]
        )
        if row.end_section:
            yield r"\midrule"
    yield r"\bottomrule"
    yield r"\end{tabular}"


def _rows(cells: Sequence[Sequence[str]]) -> Iterator[str]:
    for line in zip_longest(*cells, fillvalue=""):
        yield rf"{' & '.join(line)} \\"


def _lines(cell: object, width: int) -> list[str]:
    """A cell's lines, those below a value in smaller type."""
    from rich.text import Text

    if not isinstance(cell, Text):
        cell = Text(str(cell))
    written: list[str] = []
    for line in cell.wrap(console(width=LATEX_WIDTH), width, overflow="fold"):
        text = _written(line.plain.strip())
        text = rf"{{\scriptsize {text}}}" if line.spans else text
        written.append(rf"\quad {text}" if line.plain.startswith(" ") else text)
    return written


def _written(text: str) -> str:
    return text.translate(_WRITTEN)

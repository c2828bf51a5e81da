"""A table in the markup of documents: Markdown that is readable as plain text, and LaTeX for a paper, which needs the
packages booktabs and amssymb.
"""

from collections.abc import Iterable, Iterator, Sequence

from drretail.records.figures import NOTHING
from drretail.viewer.drawing.table import Table


def markdown_table(table: Table) -> str:
    """The table with padded columns and numbers to the right, and in a line below what its values are over."""
    lines = [[table.heading, *(column.name for column in table.columns)]]
    for row in table.rows:
        lines.append([row.name, *(NOTHING if cell is None else cell.whole for cell in row.cells)])
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


_LATEX_COLUMNS = 9
"""How many columns of figures fit the width of a page."""


def latex_of(tables: Sequence[Table]) -> str:
    """The tables for a paper, with the packages that they need."""
    return "\n".join(["% In the preamble: \\usepackage{booktabs,amssymb}", *map(latex_table, tables)])


def latex_table(table: Table) -> str:
    """A ``table*`` environment as wide as a page; columns that have no room stand in a further part below.

    Sections begin with a rule. Intervals and counts stand below values in smaller type. The caption has the title and
    what values are over; meanings and notes become comments.
    """
    comments = [f"{column.name}: {column.meaning}." for column in table.columns if column.meaning]
    comments += [line for note in table.notes for line in note.splitlines()]
    columns = range(len(table.columns))
    parts = [columns[at : at + _LATEX_COLUMNS] for at in columns[::_LATEX_COLUMNS]]
    caption = _written(". ".join(filter(None, (table.full_title, table.basis))))
    return "\n".join(
        [
            *(f"% {comment}" for comment in comments),
            r"\begin{table*}",
            r"\centering\small\setlength{\tabcolsep}{3pt}\setlength{\belowcaptionskip}{4pt}",
            rf"\caption{{{caption}}}",
            "\n\n\\medskip\n".join("\n".join(_tabular(table, part)) for part in parts),
            r"\end{table*}",
            "",
        ]
    )


def _tabular(table: Table, places: Sequence[int]) -> Iterator[str]:
    """The lines of one part."""
    sides = "".join("r" if table.is_of_numbers(at) else "l" for at in places)
    yield rf"\begin{{tabular*}}{{\textwidth}}{{@{{\extracolsep{{\fill}}}}l{sides}}}"
    yield r"\toprule"
    yield _row(_written(text) for text in (table.heading, *(table.columns[at].name for at in places)))
    yield r"\midrule"
    for row, following in zip(table.rows, [*table.rows[1:], None], strict=False):
        cells = [row.cells[at] for at in places]
        values = (NOTHING if cell is None else cell.text for cell in cells)
        yield _row(map(_written, [row.name, *values]))
        below = ["" if cell is None else ", ".join(filter(None, (cell.interval, cell.counts))) for cell in cells]
        if any(below):
            yield _row(["", *(rf"{{\scriptsize {_written(text)}}}" if text else "" for text in below)])
        if following is not None and following.place != row.place:
            yield r"\midrule"
    yield r"\bottomrule"
    yield r"\end{tabular*}"


def _row(cells: Iterable[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def _written(text: str) -> str:
    return text.translate(_WRITTEN)

"""A table in the markup of documents: Markdown that is readable as plain text, and LaTeX for a paper, which needs the
package booktabs.
"""

from collections.abc import Iterator
from itertools import groupby

from drretail.records.tables.figures import NOTHING
from drretail.records.tables.table import Row, Table


def markdown_table(table: Table) -> str:
    """The table with padded columns, numbers aligned right, and what its values are over in a line below.

    The caller adds the title and the notes.
    """
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


def latex_table(table: Table) -> str:
    """A ``table`` environment with a rule above each section. The caption has the title and what values are over.

    Meanings and notes become comments.
    """
    columns = "l" + "".join("r" if table.is_of_numbers(at) else "l" for at in range(len(table.columns)))
    parts = [
        [line for row in rows for line in _lines(table, row)]
        for _, rows in groupby(table.rows, key=lambda row: row.section)
    ]
    rule = "\\midrule"
    comments = [f"{column.name}: {column.meaning}." for column in table.columns if column.meaning]
    return "\n".join(
        [
            *(f"% {line}" for comment in (*comments, *table.notes) for line in comment.splitlines()),
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{_written('. '.join(filter(None, (table.full_title, table.basis))))}}}",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            _line([_written(text) for text in (table.heading, *(column.heading for column in table.columns))]),
            *(line for part in parts for line in (rule, *part)),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def _lines(table: Table, row: Row) -> Iterator[str]:
    """A row's lines, with intervals and counts in small type after the values or, if stacked, below them."""
    name = _written(f"{row.name}, {row.manner}" if row.manner else row.name)
    values = [_written(NOTHING if cell is None else cell.text) for cell in row.cells]
    small = [
        "" if cell is None else ", ".join(filter(None, (cell.interval, table.counts_of(cell)))) for cell in row.cells
    ]
    small = [rf"{{\scriptsize {_written(each)}}}" if each else "" for each in small]
    if table.is_stacked:
        yield _line([name, *values])
        if any(small):
            yield _line(["", *small])
    else:
        yield _line([name, *(" ".join(filter(None, each)) for each in zip(values, small, strict=True))])


def _line(cells: list[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def _written(text: str) -> str:
    return text.translate(_WRITTEN)

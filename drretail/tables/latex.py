"""A table in LaTeX for a paper; the paper needs the package booktabs."""

from collections.abc import Iterator
from itertools import groupby

from drretail.tables.figures import NOTHING
from drretail.tables.table import Row, Table

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
    """A ``table`` environment with the title as caption and a rule above each section.

    Meanings and notes become comments.
    """
    columns = "l" + "".join("r" if table.is_of_numbers(at) else "l" for at in range(len(table.columns)))
    parts = [
        [line for row in rows for line in _lines(row, is_stacked=table.is_stacked)]
        for _, rows in groupby(table.rows, key=lambda row: row.section)
    ]
    rule = "\\midrule"
    comments = [f"{column.name}: {column.meaning}." for column in table.columns if column.meaning]
    return "\n".join(
        [
            *(f"% {line}" for comment in (*comments, *table.notes) for line in comment.splitlines()),
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{_written(table.full_title)}}}",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            _line([_written(text) for text in (table.heading, *(column.name for column in table.columns))]),
            *(line for part in parts for line in (rule, *part)),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def _lines(row: Row, *, is_stacked: bool) -> Iterator[str]:
    """A row's lines, with intervals in small type after the values or, if stacked, below them. Counts are left out."""
    name = _written(f"{row.name}, {row.manner}" if row.manner else row.name)
    values = [_written(NOTHING if cell is None else cell.text) for cell in row.cells]
    ends = ["" if cell is None else cell.interval for cell in row.cells]
    intervals = [rf"{{\scriptsize {_written(each)}}}" if each else "" for each in ends]
    if is_stacked:
        yield _line([name, *values])
        if any(intervals):
            yield _line(["", *intervals])
    else:
        yield _line([name, *(f"{value} {interval}".strip() for value, interval in zip(values, intervals, strict=True))])


def _line(cells: list[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def _written(text: str) -> str:
    return text.translate(_WRITTEN)

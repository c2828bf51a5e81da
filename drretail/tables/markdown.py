"""A table as Markdown, readable as it is."""

from collections.abc import Sequence

from drretail.tables.figures import NOTHING
from drretail.tables.table import Row, Table


def markdown_table(table: Table) -> str:
    """Columns of equal width, numbers to the right; the title and the notes are the caller's."""
    lines = [[table.heading, *(column.name for column in table.columns)], *map(_cells, table.rows)]
    lines = [[text.replace("|", "\\|").replace("\n", " ") for text in line] for line in lines]
    widths = [max(3, *(len(line[at]) for line in lines)) for at in range(len(lines[0]))]
    right = [False, *(table.is_of_numbers(at) for at in range(len(table.columns)))]
    rule = [
        ("-" * (width - 1) + ":") if is_right else "-" * width for width, is_right in zip(widths, right, strict=True)
    ]
    return "\n".join(_line(line, widths, right) for line in (lines[0], rule, *lines[1:]))


def _cells(row: Row) -> list[str]:
    name = f"{row.name}, {row.manner}" if row.manner else row.name
    return [name, *(NOTHING if cell is None else cell.whole for cell in row.cells)]


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = (
        cell.rjust(width) if is_right else cell.ljust(width)
        for cell, width, is_right in zip(cells, widths, right, strict=True)
    )
    return f"| {' | '.join(padded)} |"

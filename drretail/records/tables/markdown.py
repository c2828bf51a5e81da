"""A table as Markdown that is readable as plain text."""

from drretail.records.tables.figures import NOTHING
from drretail.records.tables.table import Table


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

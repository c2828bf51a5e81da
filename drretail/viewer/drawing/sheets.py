"""Tables for spreadsheets, as CSV: unrounded values, and no cell that a spreadsheet would calculate."""

import csv
import io
from collections.abc import Iterable, Sequence

from drretail.parsing import guarded
from drretail.viewer.drawing.table import Cell, Table


def as_csv(rows: Iterable[Sequence[str | float]]) -> bytes:
    """Rows as UTF-8 with the byte order mark that Excel knows it by; text is guarded, numbers stay numbers."""
    buffer = io.StringIO()
    csv.writer(buffer).writerows([guarded(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    return buffer.getvalue().encode("utf-8-sig")


_PARTS = ("low", "high", "deviation", "n", "planned", "missing", "note")


def csv_table(table: Table) -> bytes:
    """The table as a CSV file: unrounded values, with intervals, deviations and counts in columns of their own."""
    parts = [
        [part for part in _PARTS if any(_part(row.cells[at], part) != "" for row in table.rows)]
        for at in range(len(table.columns))
    ]
    heads = [table.heading or "name"]
    for column, its in zip(table.columns, parts, strict=True):
        heads += [column.name, *(f"{column.name} {part}" for part in its)]
    lines: list[list[str | float]] = [[*heads]]
    for row in table.rows:
        lines.append([row.label or row.name])
        for cell, its in zip(row.cells, parts, strict=True):
            lines[-1].append("" if cell is None or cell.plain is None else cell.plain)
            lines[-1] += (_part(cell, part) for part in its)
    return as_csv(lines)


def csv_of(tables: Iterable[Table]) -> str:
    """Several tables in one sheet, each below its title, which is one cell in quotes."""
    titled = ((guarded(table.full_title).replace('"', '""'), csv_table(table).decode("utf-8-sig")) for table in tables)
    return "\n".join(f'"{title}"\n{rows}' for title, rows in titled).replace("\r\n", "\n")


def _part(cell: Cell | None, part: str) -> str | float:
    value = None if cell is None else getattr(cell, part)
    return "" if value is None else ", ".join(value) if isinstance(value, tuple) else value

"""A table as CSV: values unrounded; ends of intervals, deviations and counts in columns behind their own."""

from collections.abc import Iterator

from drretail.tables.cells import as_csv
from drretail.tables.table import Cell, Row, Table

_PARTS = ("low", "high", "deviation", "counts")


def csv_table(table: Table) -> bytes:
    """The file's content, with cells guarded that a spreadsheet would calculate."""
    parts = [
        [part for part in _PARTS if any(_part(row.cells[at], part) for row in table.rows)]
        for at in range(len(table.columns))
    ]
    heads = [table.heading or "name"]
    for column, its in zip(table.columns, parts, strict=True):
        heads += [column.name, *(f"{column.name} {part}" for part in its)]
    return as_csv([heads, *([*_cells(row, parts)] for row in table.rows)])


def _cells(row: Row, parts: list[list[str]]) -> Iterator[str | float]:
    name = row.label or row.name
    yield f"{name}, {row.manner}" if row.manner else name
    for cell, its in zip(row.cells, parts, strict=True):
        yield "" if cell is None or cell.value is None else cell.value
        yield from (_part(cell, part) for part in its)


def _part(cell: Cell | None, part: str) -> str | float:
    value = None if cell is None else getattr(cell, part)
    return "" if value is None else value

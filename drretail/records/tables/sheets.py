"""Sheets that people fill in with a spreadsheet program: rows by column, out as CSV and in again, or refused whole."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from drretail.errors import UserError
from drretail.records.tables.cells import as_csv, read_cells

Row = Mapping[str, str]
"""Cells by the names of their columns."""
MOST_FAULTS = 5
"""The faults that are shown at once."""


def sheet_of(columns: Sequence[str], rows: Iterable[Row]) -> bytes:
    """A CSV file with these columns; a cell that a row lacks is empty."""
    return as_csv([columns, *([row.get(column, "") for column in columns] for row in rows)])


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet as it was read: cells without space around them, by the names in its first row in lower case."""

    path: Path
    columns: tuple[str, ...]
    rows: tuple[tuple[int, Row], ...]
    """The rows with anything in them, each with its number in the file."""

    def need(self, columns: Collection[str], kind: str) -> None:
        """Raises UserError if a column is missing or stands twice, so that this is no sheet of that kind."""
        missing = [name for name in columns if name not in self.columns]
        if missing:
            raise UserError(f"{self.path} is no {kind}: its first row lacks {', '.join(missing)}.")
        twice = [name for name in columns if self.columns.count(name) > 1]
        if twice:
            raise UserError(f"{self.path}: the column {', '.join(twice)} stands twice in its first row.")

    def refuse(self, faults: Sequence[str]) -> None:
        """Raises UserError with the first faults, if there are any."""
        if faults:
            more = f"; and {len(faults) - MOST_FAULTS} more" if len(faults) > MOST_FAULTS else ""
            raise UserError(f"{self.path} was not taken: {'; '.join(faults[:MOST_FAULTS])}{more}.")


def read_sheet(path: Path) -> Sheet:
    """The sheet in a CSV file. Raises as ``read_cells``."""
    heading, *rows = read_cells(path) or [[]]
    columns = tuple(name.strip().casefold() for name in heading)
    named = [
        (number, dict(zip(columns, (*map(str.strip, cells), *[""] * (len(columns) - len(cells))), strict=False)))
        for number, cells in enumerate(rows, 2)
        if any(map(str.strip, cells))
    ]
    return Sheet(path, columns, tuple(named))

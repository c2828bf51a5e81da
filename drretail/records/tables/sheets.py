"""Sheets that people fill in with a spreadsheet program: rows by column, out as CSV and in again, or refused whole."""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from drretail.errors import UserError
from drretail.records.tables.cells import as_csv, read_cells

Row = Mapping[str, str]
"""Cells by the names of their columns."""
MOST_FAULTS = 5
"""The faults that are shown at once."""


T = TypeVar("T")
K = TypeVar("K", bound=Hashable)
A = TypeVar("A")


class Faults(Exception):
    """Everything that is wrong with what somebody filled in, by the names of the cells."""

    def __init__(self, by_cell: Mapping[str, str]) -> None:
        self.by_cell = by_cell
        super().__init__("; ".join(by_cell.values()))


def line_of(number: int, column: str, message: str) -> str:
    """What is wrong with a cell, with its row and column."""
    return f"row {number}, column {column}: {message}"


@dataclass(frozen=True, slots=True)
class Layout:
    """A kind of sheet: its name in messages, the columns that show an item, and those that people fill in."""

    name: str
    shown: tuple[str, ...]
    filled: tuple[str, ...]
    may_lack: frozenset[str] = frozenset()
    """Columns that somebody may have taken out."""

    def written(self, rows: Iterable[Row]) -> bytes:
        """A CSV file with these columns; a cell that a row lacks is empty."""
        columns = (*self.shown, *self.filled)
        return as_csv([columns, *([row.get(column, "") for column in columns] for row in rows)])

    def read(self, path: Path) -> "Sheet":
        """A filled sheet of this kind. Raises as ``read_cells``, and UserError if it lacks a column."""
        sheet = replace(read_sheet(path), about=self.shown[0])
        sheet.need([name for name in (*self.shown, *self.filled) if name not in self.may_lack], self.name)
        return sheet


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet as it was read: cells without space around them, by the names in its first row in lower case."""

    path: Path
    columns: tuple[str, ...]
    rows: tuple[tuple[int, Row], ...]
    """The rows with anything in them, each with its number in the file."""
    about: str = ""
    """The column that names what a row is about."""

    def need(self, columns: Collection[str], kind: str) -> None:
        """Raises UserError if a column is missing or stands twice, so that this is no sheet of that kind."""
        missing = [name for name in columns if name not in self.columns]
        if missing:
            raise UserError(f"{self.path} is no {kind}: its first row lacks {', '.join(missing)}.")
        twice = [name for name in columns if self.columns.count(name) > 1]
        if twice:
            raise UserError(f"{self.path}: the column {', '.join(twice)} stands twice in its first row.")

    def answers(
        self,
        items: Sequence[T],
        answer_in: Callable[[T], tuple[K, A] | None],
        place: Callable[[T, str, str], str],
        faults: Iterable[str] = (),
    ) -> dict[K, A]:
        """What was answered about these items of the sheet, such as its rows; ``answer_in`` may raise Faults.

        ``place`` says what is wrong with a cell of an item. Raises UserError with the first faults, and those that are
        known already, so that nothing of a faulty sheet counts.
        """
        lines, answers = list(faults), dict[K, A]()
        for item in items:
            try:
                keyed = answer_in(item)
                if keyed is not None and keyed[0] in answers:
                    raise Faults({self.about: "is answered twice"})
            except Faults as problem:
                lines += [place(item, name, message) for name, message in problem.by_cell.items()]
                continue
            answers |= dict([keyed] if keyed is not None else [])
        if lines:
            more = f"; and {len(lines) - MOST_FAULTS} more" if len(lines) > MOST_FAULTS else ""
            raise UserError(f"{self.path} was not taken: {'; '.join(lines[:MOST_FAULTS])}{more}.")
        return answers


def read_sheet(path: Path) -> Sheet:
    """The sheet in a CSV file. Raises as ``read_cells``, and UserError for a row that is longer than the first one."""
    heading, *rows = read_cells(path) or [[]]
    columns = tuple(name.strip().casefold() for name in heading)
    named: list[tuple[int, Row]] = []
    for number, cells in enumerate(rows, 2):
        filled = [*map(str.strip, cells), *[""] * (len(columns) - len(cells))]
        if any(filled[len(columns) :]):
            raise UserError(f"{path}, row {number}, has more values than columns: quote texts with a separator.")
        if any(filled):
            named.append((number, dict(zip(columns, filled, strict=False))))
    return Sheet(path, columns, tuple(named))

"""Rows of cells for spreadsheets, as CSV with any common separator, and guarded against formulas."""

import csv
import io
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from drretail.errors import UserError
from drretail.records.tables.table import Cell, Table

SEPARATORS = ",;\t"
MOST_COLUMNS = 2_000
"""A limit for memory. Measured: a million cells in rows of sixty thousand columns take 2 GB."""
LONGEST_CELL = 64_000_000
"""In characters; an export's descriptions hold whole pictures."""
_GUARD = "'"
# A spreadsheet may calculate a cell that begins with these signs, even after spaces or in full width. If it splits
# cells at another character than the comma, it ignores quotes and calculates parts of a cell; white space can split.
# Dashes alone, as in the second line of a table in Markdown, calculate nothing.
_FORMULA = r"['\" \u00a0]*+(?!-++(?:[,;|:\t\r\n]|\Z))[=+\-@\uff1d\uff0b\uff0d\uff20]"
_BEGINS = rf"'*+(?:[\t\r\n]|\s*+{_FORMULA})"
_CALCULATED = re.compile(rf"\A(?={_BEGINS})|(?<=[,;|\t\r\n])(?={_FORMULA})")
_GUARDED = re.compile(rf"\A{_GUARD}(?={_BEGINS})|(?<=[,;|\t\r\n]){_GUARD}(?={_FORMULA})")


def check_width(path: Path, columns: int) -> None:
    """Raises UserError if a table has more than ``MOST_COLUMNS`` columns."""
    if columns > MOST_COLUMNS:
        raise UserError(f"{path} has {columns:,} columns, and a table may have {MOST_COLUMNS:,}.")


def guarded(text: str) -> str:
    """The text as a cell that no spreadsheet calculates, whichever separator it splits cells by."""
    return _CALCULATED.sub(_GUARD, text)


def unguarded(cell: str) -> str:
    """The text that ``guarded`` was given, with every line end as a newline."""
    text = cell.replace("\r\n", "\n").replace("\r", "\n") if "\r" in cell else cell
    return _GUARDED.sub("", text) if _GUARD in text else text


def as_csv(rows: Iterable[Sequence[str | float]]) -> bytes:
    """Rows as UTF-8 with the byte order mark that Excel knows it by; text is guarded, numbers stay numbers."""
    buffer = io.StringIO()
    csv.writer(buffer).writerows([guarded(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    return buffer.getvalue().encode("utf-8-sig")


def read_cells(path: Path) -> list[list[str]]:
    """The rows of a CSV file, its heading included. Raises as ``numbered_cells``."""
    return [cells for _, cells in numbered_cells(path)]


def numbered_cells(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV file, its heading included, separated by commas, semicolons or tabs, each with its line.

    Raises UserError if the file is missing, is not CSV or not in UTF-8 or UTF-16, or has too many columns.
    """
    csv.field_size_limit(LONGEST_CELL)
    if not path.is_file():
        raise UserError(f"{path} {'is a folder' if path.is_dir() else 'does not exist'}.")
    with path.open("rb") as file:
        begins = file.read(2)
    if begins == b"PK":
        raise UserError(f"{path} is a workbook: save it as CSV (UTF-8), and read that.")
    line, encoding = 1, "utf-16" if begins in (BOM_UTF16_LE, BOM_UTF16_BE) else "utf-8-sig"
    try:
        with path.open(encoding=encoding, newline="") as file:
            first = file.readline()
            if first.casefold().startswith("sep="):
                first, line = file.readline(), 2
            separator = max(SEPARATORS, key=first.count)
            check_width(path, first.count(separator) + 1)
            reader = csv.reader(chain([first], file), delimiter=separator, strict=True)
            before = line
            for cells in reader:
                yield line, [unguarded(cell) for cell in cells]
                line = before + reader.line_num
    except UnicodeDecodeError as problem:
        raise UserError(f"{path} is not in UTF-8: save it as “CSV UTF-8”, and read that.") from problem
    except csv.Error as problem:
        raise UserError(f"{path}, line {line:,}, is no CSV: {problem} (is a quote never closed?).") from problem


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


@dataclass(frozen=True, slots=True)
class _Sheet:
    """A sheet as it was read: cells without space around them, by the names in its first row in lower case."""

    columns: tuple[str, ...]
    rows: tuple[tuple[int, Mapping[str, str]], ...]
    """The rows with anything in them, each with its number in the file."""


def read_sheet(path: Path) -> _Sheet:
    """The sheet in a CSV file. Raises as ``read_cells``, and UserError for a row that is longer than the first one, or
    two columns of one name.
    """
    heading, *rows = read_cells(path) or [[]]
    columns = tuple(name.strip().casefold() for name in heading)
    twice = [name for name in dict.fromkeys(columns) if name and columns.count(name) > 1]
    if twice:
        raise UserError(f"{path} has two columns {twice[0]!r}: rename one.")
    named: list[tuple[int, Mapping[str, str]]] = []
    for number, cells in enumerate(rows, 2):
        filled = [*map(str.strip, cells), *[""] * (len(columns) - len(cells))]
        if any(filled[len(columns) :]):
            raise UserError(f"{path}, row {number}, has more values than columns: quote texts with a separator.")
        if any(filled):
            named.append((number, dict(zip(columns, filled, strict=False))))
    return _Sheet(columns, tuple(named))

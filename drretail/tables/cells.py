"""Rows of cells as spreadsheets take and give them: CSV in whatever separators, guarded against formulas."""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from drretail.errors import UserError

SEPARATORS = ",;\t"
# A cell that begins so may be calculated when the sheet is opened, also with spaces before or in full width.
_CALCULATES = frozenset("=+-@\uff1d\uff0b\uff0d\uff20")
_GUARD = "'"


def guarded(text: str) -> str:
    """The text as a cell that no spreadsheet takes for a formula."""
    return f"{_GUARD}{text}" if _is_formula(text.lstrip(_GUARD)) else text


def unguarded(cell: str) -> str:
    """What ``guarded`` was given, with one kind of line end."""
    text = cell.replace("\r\n", "\n").replace("\r", "\n")
    return text[1:] if text.startswith(_GUARD) and _is_formula(text.lstrip(_GUARD)) else text


def as_csv(rows: Iterable[Sequence[str]]) -> bytes:
    """Rows of cells with a byte order mark, by which Excel knows UTF-8."""
    buffer = io.StringIO()
    csv.writer(buffer).writerows([guarded(cell) for cell in row] for row in rows)
    return buffer.getvalue().encode("utf-8-sig")


def read_cells(path: Path) -> list[list[str]]:
    """The rows of a file of cells, the heading among them, separated by commas, semicolons or tabs.

    Raises UserError for a file that is missing, no text, or in an old encoding.
    """
    text = _decoded(path)
    first = text.partition("\n")[0]
    if first.casefold().startswith("sep="):
        text = text.partition("\n")[2]
        first = text.partition("\n")[0]
    separator = max(SEPARATORS, key=first.count)
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error as problem:
        raise UserError(f"{path} is no CSV: {problem}.") from problem
    return [[unguarded(cell) for cell in row] for row in rows]


def _decoded(path: Path) -> str:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise UserError(f"{path} does not exist.") from None
    if data.startswith(b"PK"):
        raise UserError(f"{path} is a workbook: save it as CSV (UTF-8), and read that.")
    try:
        return data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError as problem:
        raise UserError(f"{path} is not in UTF-8: save it as “CSV UTF-8”, and read that.") from problem


def _is_formula(text: str) -> bool:
    return text[:1] in ("\t", "\r", "\n") or (text.lstrip()[:1] in _CALCULATES and bool(text.strip()))

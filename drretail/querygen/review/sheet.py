"""A sheet of queries for a spreadsheet, with columns for a reviewer to fill in."""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from drretail.errors import UserError
from drretail.grounding.text.wording import format_money
from drretail.querygen.checks.budget import told
from drretail.querygen.review.dossier import Dossier
from drretail.querygen.review.page import finding_told
from drretail.querygen.revisions import version_of
from drretail.records.base import canonical_json

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


GIVEN = ("query_id", "version", "query", "shopper", "findings", "cheapest_basket", "budget", "constraints", "rationale")
TO_FILL = (
    "reviewer",
    "deep_research",
    "answerable",
    "fits_profile",
    "decision",
    "edited_text",
    "edited_constraints",
    "note",
)
COLUMNS = (*GIVEN, *TO_FILL)
# So much of a version tells two of the same query apart.
SHORT = 12


def sheet_of(dossiers: Iterable[Dossier], reviewer: str | None) -> bytes:
    """A CSV file with a row for each query; the reviewer's name stands in it where it is known."""
    return as_csv([COLUMNS, *(_row(dossier, reviewer or "") for dossier in dossiers)])


def _row(dossier: Dossier, reviewer: str) -> list[str]:
    query, basket = dossier.query, dossier.checked.basket
    budget = query.constraints.budget
    statements = dossier.shopper.statements if dossier.shopper else ()
    given = {
        "query_id": query.query_id,
        "version": version_of(query)[:SHORT],
        "query": query.text,
        "shopper": "\n".join(statement.text for statement in statements),
        "findings": "\n".join(finding_told(finding) for finding in dossier.checked.findings),
        "cheapest_basket": told(basket) if basket else "",
        "budget": format_money(budget.value, budget.currency) if budget else "",
        "constraints": canonical_json(query.constraints.model_dump(mode="json", exclude_none=True)),
        "rationale": query.rationale,
        "reviewer": reviewer,
    }
    return [given.get(column, "") for column in COLUMNS]

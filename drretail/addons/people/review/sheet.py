"""A spreadsheet of queries that a reviewer changes and fills in, and the decisions read from it.

A query takes one row, and one more below for each further want; only its first row has its version.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from drretail.addons.people.review import form
from drretail.addons.people.review.decisions import QUESTIONS, Review
from drretail.errors import nearest_names, suggestion
from drretail.querygen.checks.feasibility import basket_line
from drretail.records.query import Query, version_of
from drretail.records.tables.sheets import Faults, Layout, SheetRow, line_of

GIVEN = ("query_id", "version", "query", "shopper", "findings", "cheapest_basket")
NAMES = {field.name: "want" if field.name == "name" else field.name for field in form.WANT_FIELDS}
"""The column of each field of a want."""
OF_WANTS = tuple(NAMES.values())
OF_QUERY = tuple(field.name for field in form.QUERY_FIELDS)
"""Columns with the query's current values, for the reviewer to correct; those of wants are the same."""
EDITED_TEXT = "edited_text"
REVIEWER_COLUMNS = ("reviewer", *QUESTIONS, "decision", EDITED_TEXT, "note")
LAYOUT = Layout(
    "review sheet", (*GIVEN, *OF_WANTS, *OF_QUERY), REVIEWER_COLUMNS, may_lack=frozenset({*GIVEN[2:], "reviewer"})
)
# This many characters tell two versions of a query apart.
SHORT = 12


def sheet_of(items: Iterable[form.Item], reviewer: str | None) -> bytes:
    """A CSV file with the rows of each query, and the reviewer's name if it is known."""
    rows: list[SheetRow] = []
    for item in items:
        query, cells = item.query, form.cells_of(item.query)
        wants = [{NAMES[name]: cell for name, cell in of_want.items()} for of_want in form.wants_in(cells)]
        first = {
            "query_id": query.query_id,
            "version": version_of(query)[:SHORT],
            "query": query.text,
            "shopper": "\n".join(form.shopper_lines(item) if item.shopper else ()),
            "findings": "\n".join(form.finding_line(finding) for finding in item.checked.findings),
            "cheapest_basket": basket_line(basket) if (basket := item.checked.reference.cheapest) else "",
            **{name: cells[name] for name in OF_QUERY},
            **(wants[0] if wants else {}),
            "reviewer": reviewer or "",
        }
        rows += [first, *({"query_id": query.query_id, **want} for want in wants[1:])]
    return LAYOUT.written(rows)


@dataclass(frozen=True, slots=True)
class Filled:
    reviews: tuple[Review, ...]
    blank: int
    """Queries for which nothing was filled in."""
    unnamed: int
    """Reviews whose row names no reviewer; they count as the given reviewer's."""


@dataclass(slots=True)
class _Block:
    """The rows of one query, with their numbers."""

    rows: list[tuple[int, SheetRow]]

    @property
    def first(self) -> SheetRow:
        return self.rows[0][1]

    def cells(self, query: Query) -> form.Cells:
        """The cells of the form, and those of the decision."""
        cells = {form.TEXT: self.first[EDITED_TEXT] or query.text} | {name: self.first[name] for name in OF_QUERY}
        cells |= {name: self.first.get(name, "") for name in (*QUESTIONS, "decision", "note")}
        return form.with_wants(cells, ({name: row[column] for name, column in NAMES.items()} for _, row in self.rows))

    def line_of(self, name: str, message: str) -> str:
        """What is wrong with a cell, with its row and column."""
        want, field = form.place_of(name)
        names = {form.TEXT: EDITED_TEXT} if want is None else NAMES
        # Of a want that was taken out there is no row: it is told at the last one.
        return line_of(self.rows[min(want or 0, len(self.rows) - 1)][0], names.get(field, field), message)


def read_filled(path: Path, queries: Iterable[Query], reviewer: str, at: datetime, *, is_named: bool = False) -> Filled:
    """The decisions of a filled sheet; those of rows without a name are this reviewer's.

    With ``is_named`` all must be. Raises UserError with the row and column of what is wrong; then nothing of the sheet
    counts.
    """
    sheet = LAYOUT.read(path)
    by_id = {query.query_id: query for query in queries}
    blocks, faults = _blocks(sheet.rows)

    def review_in(block: _Block) -> tuple[tuple[str, str], Review] | None:
        query = _query(block.first, by_id)
        cells = block.cells(query)
        if _is_blank(block.first, cells, query):
            return None
        who = block.first.get("reviewer") or reviewer
        if is_named and who != reviewer:
            raise Faults({"reviewer": f"{who!r} is not {reviewer!r}; leave --reviewer away to take the sheet's names"})
        return (query.query_id, who), form.review_by(who, query, cells, at)

    reviews = sheet.answers(blocks, review_in, _Block.line_of, faults)
    named = {(block.first["query_id"], block.first.get("reviewer")) for block in blocks}
    return Filled(tuple(reviews.values()), len(blocks) - len(reviews), len(reviews.keys() - named))


def _blocks(rows: Iterable[tuple[int, SheetRow]]) -> tuple[list[_Block], list[str]]:
    """The rows by query, and what is misplaced in them.

    A row with a version begins a query, and the rows below without one are its further wants.
    """
    blocks: list[_Block] = []
    faults: list[str] = []
    for number, row in rows:
        if row["version"]:
            blocks.append(_Block([(number, row)]))
        elif not blocks or row["query_id"] not in ("", blocks[-1].first["query_id"]):
            faults.append(line_of(number, "query_id", "this row of a want does not stand below its query's row"))
        else:
            misplaced = next((name for name in (*OF_QUERY, *REVIEWER_COLUMNS) if row.get(name)), None)
            if misplaced is not None:
                first = blocks[-1].rows[0][0]
                faults.append(line_of(number, misplaced, f"belongs into row {first}, the first of its query"))
            blocks[-1].rows.append((number, row))
    return blocks, faults


def _is_blank(row: SheetRow, cells: form.Cells, query: Query) -> bool:
    """True if nothing was filled in or changed."""
    if any(row.get(column) for column in REVIEWER_COLUMNS[1:]):
        return False
    try:
        return form.edit_by("", query, cells) is None
    except Faults:
        return False


def _query(row: SheetRow, queries: Mapping[str, Query]) -> Query:
    query = queries.get(row["query_id"])
    if query is None:
        near = suggestion(nearest_names(row["query_id"], queries), queries).removesuffix(".")
        raise Faults({"query_id": f"the file has no query {row['query_id']!r} ({near})"})
    if row["version"] != version_of(query)[:SHORT]:
        raise Faults({"version": f"{query.query_id} was changed since the sheet was written; write a new sheet"})
    if row.get("query") and row["query"].split() != query.text.split():
        raise Faults({"query": "this is not the query's text; what is to be changed stands in edited_text"})
    return query

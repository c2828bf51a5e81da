"""A spreadsheet of queries that a reviewer changes and fills in, and the decisions read from it.

A query takes one row, and one more below for each further want; only its first row has its version.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pydantic import ValidationError

from drretail.errors import nearest_names, suggestion
from drretail.querygen.checks.feasibility import basket_line
from drretail.querygen.review.edits import edits_by_reviewer, retyped, review_lines
from drretail.querygen.review.form import (
    NO,
    OTHER_FIELDS,
    TEXT,
    WANT_FIELDS,
    WISH_FIELDS,
    YES,
    Fault,
    Faults,
    Form,
    edit_by,
    form_of,
)
from drretail.querygen.review.item import Item, finding_line, shopper_lines
from drretail.querygen.review.records import DECISIONS, QUESTIONS, Answers, Decision, Edit, Review
from drretail.records.query import Query, version_of
from drretail.tables import sheets
from drretail.tables.sheets import Row

GIVEN = ("query_id", "version", "query", "shopper", "findings", "cheapest_basket")
NAMES = {field.name: "want" if field.name == "name" else field.name for field in WANT_FIELDS}
"""The column of each field of a want."""
OF_WANTS = tuple(NAMES.values())
OF_QUERY = tuple(field.name for field in (*WISH_FIELDS, *OTHER_FIELDS))
"""Columns with the query's current values, for the reviewer to correct; those of wants are the same."""
EDITED_TEXT = "edited_text"
REVIEWER_COLUMNS = ("reviewer", *QUESTIONS, "decision", EDITED_TEXT, "note")
COLUMNS = (*GIVEN, *OF_WANTS, *OF_QUERY, *REVIEWER_COLUMNS)
SAYS, TAKES = "reviewers_say", "take_edit_of"
SETTLING_COLUMNS = (*GIVEN, SAYS, *OF_WANTS, *OF_QUERY, "reviewer", "decision", TAKES, EDITED_TEXT, "note")
"""For a disagreement: what the reviewers say is given, and one of their edits may be taken as it is."""
# This many characters tell two versions of a query apart.
SHORT = 12


def sheet_of(
    items: Iterable[Item], reviewer: str | None, disputed: Mapping[str, Sequence[Review]] | None = None
) -> bytes:
    """A CSV file with the rows of each query, and the reviewer's name if it is known.

    With ``disputed``, the reviews that disagree by query id, the sheet is one to settle them.
    """
    columns, rows = COLUMNS if disputed is None else SETTLING_COLUMNS, list[Row]()
    for item in items:
        given = {"reviewer": reviewer or ""}
        if disputed is not None:
            given[SAYS] = "\n".join(review_lines(disputed[item.query.query_id]))
        rows += _rows(item, given)
    return sheets.sheet_of(columns, rows)


def _rows(item: Item, given: Row) -> Iterator[Row]:
    query, form = item.query, form_of(item.query)
    wants = [{NAMES[name]: cell for name, cell in cells.items()} for cells in form.wants]
    yield {
        "query_id": query.query_id,
        "version": version_of(query)[:SHORT],
        "query": query.text,
        "shopper": "\n".join(shopper_lines(item) if item.shopper else ()),
        "findings": "\n".join(finding_line(finding) for finding in item.checked.findings),
        "cheapest_basket": basket_line(basket) if (basket := item.checked.reference.cheapest) else "",
        **{name: form.query[name] for name in OF_QUERY},
        **(wants[0] if wants else {}),
        **given,
    }
    yield from ({"query_id": query.query_id, **want} for want in wants[1:])


WORDS: dict[str, Decision] = {
    word: decision for decision in DECISIONS for word in (decision, decision[0], f"{decision}ed")
}


@dataclass(frozen=True, slots=True)
class Filled:
    """The contents of a filled sheet."""

    reviews: tuple[Review, ...]
    blank: int
    """Queries for which nothing was filled in."""
    unnamed: int
    """Reviews whose row names no reviewer; they count as the given reviewer's."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What is needed to read a sheet."""

    queries: Mapping[str, Query]
    reviewer: str
    """The reviewer of all rows that name none."""
    at: datetime
    named: bool
    """True if every decision must be this reviewer's."""
    disputed: Mapping[str, Sequence[Review]] | None = None
    """The reviews that disagree, by query id, if the sheet settles them; None otherwise."""


@dataclass(slots=True)
class _Block:
    """The rows of one query, with their numbers."""

    rows: list[tuple[int, Row]]

    @property
    def first(self) -> Row:
        return self.rows[0][1]

    def form(self, query: Query) -> Form:
        cells = {name: self.first[name] for name in OF_QUERY} | {TEXT: self.first[EDITED_TEXT] or query.text}
        return Form(cells, tuple({name: row[column] for name, column in NAMES.items()} for _, row in self.rows))

    def line_of(self, fault: Fault) -> str:
        """What is wrong with a cell, with its row and column."""
        names = {TEXT: EDITED_TEXT} if fault.want is None else NAMES
        return _line_of(self.rows[fault.want or 0][0], names.get(fault.column, fault.column), fault.message)


def read_filled(path: Path, reading: Reading) -> Filled:
    """The decisions of a filled sheet.

    Raises UserError with the row and column of what is wrong; then nothing of the sheet counts.
    """
    sheet = sheets.read_sheet(path)
    columns = SETTLING_COLUMNS if reading.disputed is not None else COLUMNS
    sheet.need([name for name in columns if name not in (*GIVEN[2:], SAYS, "reviewer")], "review sheet")
    reviews: dict[tuple[str, str], Review] = {}
    faults: list[str] = []
    blank = unnamed = 0
    for block in _blocks(sheet.rows, faults):
        try:
            review = _review(block, reading)
            if review is None:
                blank += 1
                continue
            if (review.query_id, review.reviewer) in reviews:
                raise _fault("query_id", f"{review.reviewer} decides twice on {review.query_id!r}")
        except Faults as problem:
            faults += [block.line_of(fault) for fault in problem.faults]
            continue
        unnamed += not block.first.get("reviewer")
        reviews[review.query_id, review.reviewer] = review
    sheet.refuse(faults)
    return Filled(tuple(reviews.values()), blank, unnamed)


def _fault(column: str, message: str, want: int | None = None) -> Faults:
    return Faults([Fault(column, message, want)])


def _line_of(row: int, column: str, message: str) -> str:
    return f"row {row}, column {column}: {message}"


def _blocks(rows: Iterable[tuple[int, Row]], faults: list[str]) -> list[_Block]:
    """The rows by query: a row with a version begins a query, and the rows below without one are its further wants."""
    blocks: list[_Block] = []
    for number, row in rows:
        if row["version"]:
            blocks.append(_Block([(number, row)]))
        elif not blocks or row["query_id"] not in ("", blocks[-1].first["query_id"]):
            faults.append(_line_of(number, "query_id", "this row of a want does not stand below its query's row"))
        else:
            misplaced = next((name for name in (*OF_QUERY, *REVIEWER_COLUMNS, TAKES) if row.get(name)), None)
            if misplaced is not None:
                first = blocks[-1].rows[0][0]
                faults.append(_line_of(number, misplaced, f"belongs into row {first}, the first of its query"))
            blocks[-1].rows.append((number, row))
    return blocks


def _review(block: _Block, reading: Reading) -> Review | None:
    """The decision in a query's rows; None if nothing was filled in or changed."""
    row, query = block.first, _query(block.first, reading.queries)
    is_blank = not any(row.get(column) for column in (*REVIEWER_COLUMNS[1:], TAKES))
    if is_blank and _is_as_written(block.form(query), query):
        return None
    who = row.get("reviewer") or reading.reviewer
    if reading.named and who != reading.reviewer:
        raise _fault(
            "reviewer", f"{who!r} is not {reading.reviewer!r}; leave --reviewer away to take the sheet's names"
        )
    decision, answers = WORDS.get(row["decision"].casefold()), None
    if decision is None:
        problem = f"{row['decision']!r} is none of" if row["decision"] else "is empty; it takes one of"
        raise _fault("decision", f"{problem} {', '.join(DECISIONS)}")
    if reading.disputed is None:
        answers = Answers(
            deep_research=_answer(row, "deep_research"),
            answerable=_answer(row, "answerable"),
            fits_profile=_fits(row, query),
        )
    try:
        return Review(
            query_id=query.query_id,
            version=version_of(query),
            reviewer=who,
            at=reading.at,
            decision=decision,
            answers=answers,
            note=row["note"] or None,
            edit=_taken(block, query, decision, reading) or _edit(who, query, block, decision),
            settles=reading.disputed is not None,
        )
    except ValidationError as problem:
        raise _fault("reviewer", problem.errors()[0]["msg"]) from problem


def _is_as_written(form: Form, query: Query) -> bool:
    try:
        return edit_by("", query, form) is None
    except Faults:
        return False


def _query(row: Row, queries: Mapping[str, Query]) -> Query:
    query = queries.get(row["query_id"])
    if query is None:
        near = suggestion(nearest_names(row["query_id"], queries), queries).removesuffix(".")
        raise _fault("query_id", f"the file has no query {row['query_id']!r} ({near})")
    if row["version"] != version_of(query)[:SHORT]:
        raise _fault("version", f"{query.query_id} was changed since the sheet was written; write a new sheet")
    if row.get("query") and row["query"].split() != query.text.split():
        raise _fault("query", "this is not the query's text; what is to be changed stands in edited_text")
    return query


def _answer(row: Row, question: str) -> bool:
    cell = row[question].casefold()
    if cell in YES or cell in NO:
        return cell in YES
    raise _fault(question, f"{row[question]!r} is neither yes nor no" if cell else "is empty; it takes yes or no")


def _fits(row: Row, query: Query) -> bool | None:
    if query.user_id is not None:
        return _answer(row, "fits_profile")
    if row["fits_profile"].casefold() not in ("", "na", "n/a"):
        raise _fault("fits_profile", f"{query.query_id} has no user: leave it empty")
    return None


def _taken(block: _Block, query: Query, decision: Decision, reading: Reading) -> Edit | None:
    """The reviewer's edit that the sheet takes over unchanged; None if it names none."""
    name = block.first.get(TAKES, "")
    if reading.disputed is None or not name:
        return None
    edits = edits_by_reviewer(reading.disputed.get(query.query_id, ()), query)
    if name not in edits:
        raise _fault(TAKES, f"{name!r} has no edit of {query.query_id}; those with one: {', '.join(edits) or 'nobody'}")
    if decision != "edit":
        raise _fault(TAKES, f"is filled in, but the decision is {decision}; write edit, or clear it")
    if not _is_as_written(block.form(query), query):
        raise _fault(TAKES, "is filled in, but other cells were changed, too; clear it, or put back what was there")
    return edits[name]


def _edit(person: str, query: Query, block: _Block, decision: Decision) -> Edit | None:
    edit = edit_by(person, query, block.form(query))
    if decision == "edit" and edit is None:
        raise _fault("decision", "is edit, but nothing was changed: change a cell or write the new text, or accept")
    if decision != "edit" and edit is not None:
        column, want = _first_change(block, query)
        raise _fault(
            column, f"was changed, but the decision is {decision}; write edit, or put back what was there", want
        )
    return edit


def _first_change(block: _Block, query: Query) -> tuple[str, int | None]:
    """The first changed cell, and its want's index; None for a cell of the query."""
    before, now = form_of(query), block.form(query)
    for name in (TEXT, *OF_QUERY):
        if retyped(before.query[name], now.query[name]) != before.query[name]:
            return name, None
    for want, (old, new) in enumerate(zip(before.wants, now.wants, strict=False)):
        for name in NAMES:
            if retyped(old[name], new[name]) != old[name]:
                return name, want
    return "name", len(block.rows) - 1

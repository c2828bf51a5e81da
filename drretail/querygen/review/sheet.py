"""A sheet of queries for a spreadsheet, with columns for a reviewer to fill in, and the decisions out of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pydantic import ValidationError

from drretail.cells import as_csv, read_cells
from drretail.errors import UserError, nearest_names, suggestion
from drretail.grounding.text.wording import format_money
from drretail.querygen.checks.budget import told
from drretail.querygen.review.draft import changed, constraints_from, edit_of, retyped
from drretail.querygen.review.item import Item, finding_told
from drretail.querygen.review.records import DECISIONS, Answers, Decision, Edit, Review
from drretail.querygen.revisions import version_of
from drretail.records.base import canonical_json
from drretail.records.query import Query

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


def sheet_of(items: Iterable[Item], reviewer: str | None) -> bytes:
    """A CSV file with a row for each query; the reviewer's name stands in it where it is known."""
    return as_csv([COLUMNS, *(_row(item, reviewer or "") for item in items)])


def _row(item: Item, reviewer: str) -> list[str]:
    query, basket = item.query, item.checked.basket
    budget = query.constraints.budget
    statements = item.shopper.statements if item.shopper else ()
    given = {
        "query_id": query.query_id,
        "version": version_of(query)[:SHORT],
        "query": query.text,
        "shopper": "\n".join(statement.text for statement in statements),
        "findings": "\n".join(finding_told(finding) for finding in item.checked.findings),
        "cheapest_basket": told(basket) if basket else "",
        "budget": format_money(budget.value, budget.currency) if budget else "",
        "constraints": canonical_json(query.constraints.model_dump(mode="json", exclude_none=True)),
        "rationale": query.rationale,
        "reviewer": reviewer,
    }
    return [given.get(column, "") for column in COLUMNS]


NEEDED = ("query_id", "version", *(column for column in TO_FILL if column not in ("reviewer", "edited_constraints")))
YES = frozenset({"yes", "y", "true", "1"})
NO = frozenset({"no", "n", "false", "0"})
WORDS: dict[str, Decision] = {
    word: decision for decision in DECISIONS for word in (decision, decision[0], f"{decision}ed")
}
# So many faults are told at once.
_MOST_TOLD = 5


@dataclass(frozen=True, slots=True)
class Filled:
    """What a sheet holds."""

    reviews: tuple[Review, ...]
    blank: int
    """Rows in which nothing was filled in."""
    unnamed: int
    """Reviews whose row names nobody, and that are taken for those of the given reviewer."""


class _Fault(Exception):
    """What is wrong with a cell."""

    def __init__(self, column: str, said: str) -> None:
        super().__init__(said)
        self.column = column


def read_filled(path: Path, queries: Sequence[Query], reviewer: str, at: datetime, *, named: bool) -> Filled:
    """The decisions of a sheet; ``reviewer`` made those whose row names nobody, all of them where ``named``.

    Raises UserError with row and column of what is wrong; then nothing of the sheet counts.
    """
    rows = read_cells(path)
    place = _columns(path, rows)
    by_id = {query.query_id: query for query in queries}
    reviews: dict[tuple[str, str], Review] = {}
    faults: list[str] = []
    blank = unnamed = 0
    for number, cells in enumerate(rows[1:], 2):
        row = {name: cells[index].strip() if index < len(cells) else "" for name, index in place.items()}
        if not any(row.get(column) for column in TO_FILL if column != "reviewer"):
            blank += bool(row["query_id"])
            continue
        try:
            review = _review(row, by_id, reviewer, at, named=named)
            if (review.query_id, review.reviewer) in reviews:
                raise _Fault("query_id", f"{review.reviewer} decides twice on {review.query_id!r}")
        except _Fault as fault:
            faults.append(f"row {number}, column {fault.column}: {fault}")
            continue
        unnamed += not row.get("reviewer")
        reviews[review.query_id, review.reviewer] = review
    if faults:
        more = f"; and {len(faults) - _MOST_TOLD} more" if len(faults) > _MOST_TOLD else ""
        raise UserError(f"{path} was not taken: {'; '.join(faults[:_MOST_TOLD])}{more}.")
    return Filled(tuple(reviews.values()), blank, unnamed)


def _columns(path: Path, rows: Sequence[Sequence[str]]) -> dict[str, int]:
    heading = [name.strip().casefold() for name in rows[0]] if rows else []
    missing = [name for name in NEEDED if name not in heading]
    if missing:
        raise UserError(f"{path} is no review sheet: its first row lacks {', '.join(missing)}.")
    twice = [name for name in NEEDED if heading.count(name) > 1]
    if twice:
        raise UserError(f"{path}: the column {', '.join(twice)} stands twice in its first row.")
    return {name: index for index, name in enumerate(heading) if name}


def _review(row: dict[str, str], queries: dict[str, Query], reviewer: str, at: datetime, *, named: bool) -> Review:
    query = _query(row, queries)
    who = row.get("reviewer") or reviewer
    if named and who != reviewer:
        raise _Fault("reviewer", f"{who!r} is not {reviewer!r}; leave --reviewer away to take the sheet's names")
    decision = _decision(row)
    answers = Answers(
        deep_research=_answer(row, "deep_research"),
        answerable=_answer(row, "answerable"),
        fits_profile=_fits(row, query),
    )
    edit = _edit(row, query, decision)
    try:
        return Review(
            query_id=query.query_id,
            version=version_of(query),
            reviewer=who,
            at=at,
            decision=decision,
            answers=answers,
            note=row["note"] or None,
            edit=edit,
        )
    except ValidationError as problem:
        raise _Fault("reviewer", problem.errors()[0]["msg"]) from problem


def _query(row: dict[str, str], queries: dict[str, Query]) -> Query:
    query = queries.get(row["query_id"])
    if query is None:
        near = suggestion(nearest_names(row["query_id"], queries), queries).removesuffix(".")
        raise _Fault("query_id", f"the file has no query {row['query_id']!r} ({near})")
    if row["version"] != version_of(query)[:SHORT]:
        raise _Fault("version", f"{query.query_id} was changed since the sheet was written; write a new sheet")
    if row.get("query") and row["query"].split() != query.text.split():
        raise _Fault("query", "this is not the query's text; what is to be changed stands in edited_text")
    return query


def _decision(row: dict[str, str]) -> Decision:
    decision = WORDS.get(row["decision"].casefold())
    if decision is None:
        said = f"{row['decision']!r} is none of" if row["decision"] else "is empty; it takes one of"
        raise _Fault("decision", f"{said} {', '.join(DECISIONS)}")
    return decision


def _answer(row: dict[str, str], question: str) -> bool:
    cell = row[question].casefold()
    if cell in YES or cell in NO:
        return cell in YES
    raise _Fault(question, f"{row[question]!r} is neither yes nor no" if cell else "is empty; it takes yes or no")


def _fits(row: dict[str, str], query: Query) -> bool | None:
    if query.user_id is not None:
        return _answer(row, "fits_profile")
    if row["fits_profile"].casefold() not in ("", "na", "n/a"):
        raise _Fault("fits_profile", f"{query.query_id} has no user: leave it empty")
    return None


def _edit(row: dict[str, str], query: Query, decision: Decision) -> Edit | None:
    text, constraints = row["edited_text"], row.get("edited_constraints", "")
    changes: dict[str, object] = {"text": retyped(query, text)} if text else {}
    try:
        if constraints:
            changes["constraints"] = constraints_from(constraints)
        edit = edit_of(query, changed(query, changes))
    except UserError as problem:
        raise _Fault("edited_constraints", str(problem).removesuffix(".")) from problem
    if decision == "edit" and edit is None:
        raise _Fault("edited_text", "is as the query was; write the new text, or accept")
    if decision != "edit" and edit is not None:
        column = "edited_text" if "text" in edit.fields else "edited_constraints"
        raise _Fault(column, f"is filled in, but the decision is {decision}; write edit, or clear it")
    return edit


def new_reviews(filled: Filled, known: Iterable[Review]) -> tuple[Review, ...]:
    """Those that say something else than their reviewer's last word on the query, so that a sheet may be read twice."""
    last = {(it.query_id, it.version, it.reviewer): it for it in known if not it.settles}
    return tuple(
        it
        for it in filled.reviews
        if (before := last.get((it.query_id, it.version, it.reviewer))) is None or not it.says_the_same_as(before)
    )

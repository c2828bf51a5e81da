"""A sheet written, filled in as people do, and read back."""

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest

from drretail.errors import UserError
from drretail.querygen.review.item import Items
from drretail.querygen.review.sheet import COLUMNS, TO_FILL, Filled, as_csv, new_reviews, read_filled, sheet_of
from drretail.records.query import Query
from tests.querygen.review.scripted import NOON

Rows = list[dict[str, str]]
Queries = tuple[Query, ...]
ACCEPT = {"deep_research": "yes", "answerable": "yes", "fits_profile": "no", "decision": "accept"}


@pytest.fixture
def rows(items: Items, queries: Queries) -> Rows:
    """The rows of a sheet as it is written."""
    text = sheet_of((items.of(query) for query in queries), None).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


@pytest.fixture
def read(tmp_path: Path, queries: Queries) -> Callable[..., Filled]:
    def read(rows: Rows, reviewer: str = "ann", *, named: bool = False) -> Filled:
        path = tmp_path / "sheet.csv"
        path.write_bytes(as_csv([list(rows[0]), *(list(row.values()) for row in rows)]))
        return read_filled(path, queries, reviewer, NOON, named=named)

    return read


def test_a_row_shows_the_query_and_leaves_the_answers_blank(rows: Rows, queries: Queries) -> None:
    assert list(rows[0]) == list(COLUMNS)
    assert [row["query_id"] for row in rows] == [query.query_id for query in queries]
    assert rows[0]["query"] == queries[0].text
    assert "In short: " in rows[0]["shopper"]
    assert rows[0]["cheapest_basket"].startswith("$")
    assert not any(row[column] for row in rows for column in TO_FILL)


def test_no_cell_begins_like_a_formula(items: Items) -> None:
    odd = Query(query_id="g-1", mode="generic", text="=cmd|' /C calc'!A0", rationale="@SUM(1)", source="test")
    text = sheet_of([Items(items.world, [odd]).of(odd)], "-ann").decode("utf-8-sig")
    (row,) = csv.DictReader(io.StringIO(text, newline=""))
    assert (row["query"][:2], row["rationale"][:2], row["reviewer"]) == ("'=", "'@", "'-ann")


def test_a_filled_sheet_gives_decisions_and_blank_rows_are_left_out(
    rows: Rows, queries: Queries, read: Callable[..., Filled]
) -> None:
    rows[0] |= ACCEPT | {"note": "=fine"}
    rows[1] |= ACCEPT | {"decision": "Edited", "edited_text": f"{queries[1].text}\nThanks.", "answerable": "FALSE"}
    filled = read(rows)
    assert (filled.blank, filled.unnamed) == (1, 2)
    first, second = filled.reviews
    assert (first.decision, first.reviewer, first.note, first.edit) == ("accept", "ann", "=fine", None)
    assert second.edit is not None
    assert second.edit.after.text == f"{queries[1].text}\nThanks."
    assert second.answers is not None
    assert second.answers.noes == ("answerable", "fits_profile")


def test_constraints_are_edited_as_json(rows: Rows, read: Callable[..., Filled]) -> None:
    rows[0] |= ACCEPT | {"decision": "e", "edited_constraints": '{"deadline": "Friday"}'}
    (review,) = read(rows).reviews
    assert review.edit is not None
    assert (review.edit.fields, review.edit.after.constraints.deadline) == (("constraints",), "Friday")


def test_the_sheet_says_who_reviewed_and_several_may_fill_one(rows: Rows, read: Callable[..., Filled]) -> None:
    rows[0] |= ACCEPT | {"reviewer": "bob"}
    rows.append(rows[0] | {"reviewer": "carl"})
    filled = read(rows)
    assert [it.reviewer for it in filled.reviews] == ["bob", "carl"]
    assert filled.unnamed == 0


def test_a_sheet_read_twice_gives_nothing_new_until_somebody_changes_it(
    rows: Rows, read: Callable[..., Filled]
) -> None:
    rows[0] |= ACCEPT
    known = read(rows).reviews
    assert new_reviews(read(rows), known) == ()
    rows[0]["decision"] = "reject"
    assert [it.decision for it in new_reviews(read(rows), known)] == ["reject"]


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({"decision": "maybe"}, "row 2, column decision: 'maybe' is none of accept, edit, reject"),
        ({"decision": ""}, "row 2, column decision: is empty"),
        ({"answerable": ""}, "row 2, column answerable: is empty; it takes yes or no"),
        ({"fits_profile": "so so"}, "row 2, column fits_profile: 'so so' is neither yes nor no"),
        ({"query_id": "nobody-1"}, "row 2, column query_id: the file has no query 'nobody-1'"),
        ({"version": "0" * 12}, "row 2, column version: .* was changed since the sheet was written"),
        ({"query": "Another text?"}, "row 2, column query: .* stands in edited_text"),
        ({"edited_text": "Another text?"}, "row 2, column edited_text: is filled in, but the decision is accept"),
        ({"decision": "edit"}, "row 2, column edited_text: is as the query was"),
        ({"decision": "edit", "edited_constraints": "{"}, "row 2, column edited_constraints: "),
        ({"reviewer": "x" * 65}, "row 2, column reviewer: "),
    ],
)
def test_a_fault_is_named_with_its_row_and_column_and_nothing_is_taken(
    rows: Rows, read: Callable[..., Filled], cells: dict[str, str], said: str
) -> None:
    rows[0] |= ACCEPT | cells
    rows[1] |= ACCEPT
    with pytest.raises(UserError, match=said):
        read(rows)


def test_all_faults_are_told_up_to_five(rows: Rows, read: Callable[..., Filled]) -> None:
    with pytest.raises(UserError, match=r"row 2, .*; row 6, .*; and 2 more\.$"):
        read([rows[0] | {"note": "x"}] * 7)


def test_one_reviewer_decides_once_on_a_query(rows: Rows, read: Callable[..., Filled]) -> None:
    rows[0] |= ACCEPT
    with pytest.raises(UserError, match="row 5, column query_id: ann decides twice"):
        read([*rows, rows[0]])


def test_a_named_reviewer_must_be_the_sheets(rows: Rows, read: Callable[..., Filled]) -> None:
    rows[0] |= ACCEPT | {"reviewer": "bob"}
    with pytest.raises(UserError, match="column reviewer: 'bob' is not 'ann'"):
        read(rows, named=True)


def test_columns_may_move_and_others_be_added_but_none_may_be_missing(rows: Rows, read: Callable[..., Filled]) -> None:
    rows[0] |= ACCEPT
    moved = [{"mine": "x"} | dict(reversed(row.items())) for row in rows]
    assert len(read(moved).reviews) == 1
    with pytest.raises(UserError, match="its first row lacks decision"):
        read([{name: cell for name, cell in row.items() if name != "decision"} for row in rows])


def test_a_query_without_a_user_fits_nobody(tmp_path: Path, items: Items) -> None:
    generic = Query(query_id="g-1", mode="generic", text="Which birdhouse is best?", source="test")
    path = tmp_path / "sheet.csv"
    text = sheet_of([Items(items.world, [generic]).of(generic)], None).decode("utf-8-sig")
    (row,) = csv.DictReader(io.StringIO(text, newline=""))
    for fits, taken in (("", True), ("na", True), ("yes", False)):
        row |= ACCEPT | {"fits_profile": fits}
        path.write_bytes(as_csv([list(row), list(row.values())]))
        if taken:
            assert len(read_filled(path, [generic], "ann", NOON, named=False).reviews) == 1
        else:
            with pytest.raises(UserError, match="g-1 has no user: leave it empty"):
                read_filled(path, [generic], "ann", NOON, named=False)

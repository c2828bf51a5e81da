"""What a reviewer is shown of a query, and a sheet written, filled in as people do, and read back."""

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.addons.people.review.decisions import Answers, retyped, word_diff
from drretail.addons.people.review.form import Items, page_of
from drretail.addons.people.review.sheet import LAYOUT, REVIEWER_COLUMNS, Filled, read_filled, sheet_of
from drretail.errors import UserError
from drretail.records.query import Query
from drretail.records.shop import Money
from drretail.records.tables.sheets import as_csv
from tests.addons.people.review.conftest import FEEDER, LAMP, QUERIES, TYPED
from tests.addons.people.review.scripted import NOON

Rows = list[dict[str, str]]
ACCEPT = {"deep_research": "yes", "answerable": "yes", "fits_profile": "no", "decision": "accept"}


def rows_of(sheet: bytes) -> Rows:
    return list(csv.DictReader(io.StringIO(sheet.decode("utf-8-sig"), newline="")))


def write(path: Path, rows: Rows) -> Path:
    path.write_bytes(as_csv([list(rows[0]), *(list(row.values()) for row in rows)]))
    return path


@pytest.fixture
def rows(items: Items) -> Rows:
    """The rows of a sheet as it is written: two of the first query, which wants two things, one of each other."""
    return rows_of(sheet_of((items.of(query) for query in QUERIES), None))


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., Filled]:
    def read(rows: Rows, reviewer: str = "ann", *, named: bool = False) -> Filled:
        return read_filled(write(tmp_path / "sheet.csv", rows), QUERIES, reviewer, NOON, is_named=named)

    return read


def test_a_query_has_a_row_for_each_want_and_leaves_the_answers_blank(rows: Rows) -> None:
    assert list(rows[0]) == [*LAYOUT.shown, *LAYOUT.filled]
    assert [row["query_id"] for row in rows] == ["anna-1", "anna-1", "anna-2", "cara-1"]
    assert [bool(row["version"]) for row in rows] == [True, False, True, True]
    assert rows[0]["query"] == QUERIES[0].text
    assert "7 orders between" in rows[0]["shopper"]
    assert rows[0]["cheapest_basket"].startswith("$")
    assert not any(row[column] for row in rows for column in REVIEWER_COLUMNS)
    assert (rows[0]["want"], rows[0]["quantity"], rows[0]["must_not"]) == (
        "bird feeder",
        "2",
        r"metal; shiny\; very shiny",
    )
    assert (rows[1]["want"], rows[1]["kinds"], rows[1]["optional"]) == ("desk lamp", "desk lamp; lamp", "yes")
    assert (rows[0]["budget"], rows[0]["room"], rows[1]["budget"]) == ("90 USD", "yes", "")
    assert (rows[2]["want"], rows[2]["nothing_to_buy"], rows[2]["deadline"]) == ("", "", "")
    assert (rows[3]["want"], rows[3]["nothing_to_buy"]) == ("", "yes")


def test_no_cell_begins_like_a_formula(items: Items) -> None:
    odd = Query(query_id="g-1", mode="generic", text="=cmd|' /C calc'!A0", rationale="@SUM(1)", source="test")
    (row,) = rows_of(sheet_of([Items(items.world, [odd]).of(odd)], "-ann"))
    assert (row["query"][:2], row["rationale"][:2], row["reviewer"]) == ("'=", "'@", "'-ann")


def test_a_filled_sheet_gives_decisions_and_blank_rows_are_left_out(rows: Rows, read: Callable[..., Filled]) -> None:
    rows[0] |= ACCEPT | {"note": "=fine"}
    rows[2] |= ACCEPT | {"decision": "Edited", "edited_text": f"{QUERIES[1].text}\nThanks.", "answerable": "FALSE"}
    filled = read(rows)
    assert (filled.blank, filled.unnamed) == (1, 2)
    first, second = filled.reviews
    assert (first.decision, first.reviewer, first.note, first.edit) == ("accept", "ann", "=fine", None)
    assert second.edit is not None
    assert (second.edit.after.text, second.edit.after.wish) == (f"{QUERIES[1].text}\nThanks.", None)
    assert second.answers == Answers(deep_research=True, answerable=False, fits_profile=False)


def test_cells_of_a_want_and_of_the_whole_wish_are_changed_in_their_place(
    rows: Rows, read: Callable[..., Filled]
) -> None:
    rows[0] |= ACCEPT | {"decision": "e", "budget": "$80", "room": "no", "must_not": "metal"}
    rows[1] |= {"quantity": "3", "again": ""}
    (review,) = read(rows).reviews
    assert review.edit is not None
    feeder = FEEDER.model_copy(update={"must_not": FEEDER.must_not[:1]})
    lamp = LAMP.model_copy(update={"quantity": 3, "again": False})
    limits = {"budget": Money(amount="80"), "room": False}
    assert review.edit.after.wish == TYPED.model_copy(update={"wants": (feeder, lamp), **limits})
    assert review.edit.after.typed_by == "ann"


@pytest.mark.parametrize(
    ("row", "cells", "message"),
    [
        (0, {"decision": "maybe"}, "row 2, column decision: 'maybe' is none of accept, edit, reject"),
        (0, {"decision": ""}, "row 2, column decision: is empty"),
        (0, {"answerable": ""}, "row 2, column answerable: is empty; it takes yes or no"),
        (0, {"fits_profile": "so so"}, "row 2, column fits_profile: 'so so' is neither yes nor no"),
        (0, {"query_id": "nobody-1"}, "row 2, column query_id: the file has no query 'nobody-1'"),
        (0, {"version": "0" * 12}, "row 2, column version: .* was changed since the sheet was written"),
        (0, {"query": "Another text?"}, "row 2, column query: .* stands in edited_text"),
        (0, {"edited_text": "Another text?"}, "row 2, column edited_text: was changed, but the decision is accept"),
        (0, {"deadline": "May"}, "row 2, column deadline: was changed, but the decision is accept; decide to edit, or"),
        (0, {"decision": "edit"}, "row 2, column decision: is edit, but nothing was changed"),
        (0, {"decision": "edit", "want": ""}, "row 2, column want: is empty: what the question calls the thing"),
        (0, {"reviewer": "x" * 65}, "row 2, column reviewer: "),
        (1, {"quantity": "2"}, "row 3, column quantity: was changed, but the decision is accept"),
        (1, {"want": "Bird feeder"}, "row 3, column want: 'Bird feeder' is the name of another want, too"),
        (1, {"query_id": "cara-1"}, "row 3, column query_id: this row of a want does not stand below its query's row"),
        (1, {"budget": "5 USD"}, "row 3, column budget: belongs into row 2, the first of its query"),
        (1, {"note": "good"}, "row 3, column note: belongs into row 2, the first of its query"),
    ],
)
def test_a_fault_is_named_with_its_row_and_column_and_nothing_is_taken(
    rows: Rows, read: Callable[..., Filled], row: int, cells: dict[str, str], message: str
) -> None:
    rows[0] |= ACCEPT
    rows[row] |= cells
    with pytest.raises(UserError, match=message):
        read(rows)


def test_all_faults_are_told_up_to_five(rows: Rows, read: Callable[..., Filled]) -> None:
    with pytest.raises(UserError, match=r"row 2, .*; row 6, .*; and 2 more\.$"):
        read([rows[3] | {"note": "x"}] * 7)


def test_one_reviewer_decides_once_on_a_query_and_a_named_one_must_be_the_sheets(
    rows: Rows, read: Callable[..., Filled]
) -> None:
    rows[3] |= ACCEPT
    with pytest.raises(UserError, match="row 6, column query_id: is answered twice"):
        read([*rows, rows[3]])
    rows[3] |= {"reviewer": "bob"}
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
    (row,) = rows_of(sheet_of([Items(items.world, [generic]).of(generic)], None))
    for fits in ("", "na"):
        sheet = write(tmp_path / "sheet.csv", [row | ACCEPT | {"fits_profile": fits}])
        assert len(read_filled(sheet, (generic,), "ann", NOON).reviews) == 1
    sheet = write(tmp_path / "sheet.csv", [row | ACCEPT | {"fits_profile": "yes"}])
    with pytest.raises(UserError, match="g-1 has no user: leave it empty"):
        read_filled(sheet, (generic,), "ann", NOON)


def shown(items: Items, query: Query) -> dict[str, tuple[str, ...]]:
    return {section.title: section.lines for section in page_of(items.of(query))}


def test_a_page_shows_wish_findings_basket_shopper_and_reason(items: Items) -> None:
    page = shown(items, QUERIES[0])
    assert list(page) == ["What it wants", "Checks", "The cheapest basket", "The shopper", "Why it was made"]
    assert page["What it wants"][1].startswith("desk lamp: of the kind lamp; only if it is worth buying")
    assert "more may be added within the budget" in page["What it wants"]
    assert page["Checks"] == ("Nothing was found.",)
    assert page["The cheapest basket"][0].startswith("$")
    assert any("orders between" in line for line in page["The shopper"])


def test_an_edit_is_set_against_the_other_queries_and_not_against_itself(items: Items) -> None:
    first, second = QUERIES[:2]
    itself, other = (first.model_copy(update={"text": f"{query.text} Thanks."}) for query in (first, second))
    assert "near_duplicate" not in [finding.code for finding in items.check(itself).findings]
    assert "near_duplicate" in [finding.code for finding in items.check(other).findings]


def test_a_query_can_neither_steer_a_terminal_nor_hide_words(items: Items) -> None:
    odd = Query(query_id="g-1", text="?", mode="generic", rationale="Is it\x1b[2J\x07 good\u202e?", source="test")
    page = shown(Items(items.world, [odd]), odd)
    assert page["Why it was made"] == ("Is it\ufffd[2J\ufffd good\ufffd?",)
    assert page["The shopper"] == ("Nobody: the query is for no certain shopper.",)


TEXTS = st.lists(st.sampled_from(["a", "b", "cat", "dog"]), max_size=12).map(" ".join)


@given(TEXTS, TEXTS)
def test_a_diff_holds_both_texts(before: str, after: str) -> None:
    diff = word_diff(before, after)
    old = re.sub(r"\[-(.*?)-\]", r"\1", re.sub(r"\{\+.*?\+\}", "", diff))
    new = re.sub(r"\{\+(.*?)\+\}", r"\1", re.sub(r"\[-.*?-\]", "", diff))
    assert (old.split(), new.split()) == (before.split(), after.split())


def test_spaces_at_the_ends_of_lines_change_no_text() -> None:
    assert retyped("One line.\nAnother.", "One line. \r\nAnother.\n") == "One line.\nAnother."
    assert retyped("One line.", " Another one. \n") == "Another one."

"""What a reviewer is shown of a query, and two texts set against each other."""

import re

from hypothesis import given
from hypothesis import strategies as st

from drretail.querygen.review.edits import retyped, word_diff
from drretail.querygen.review.item import Items, page_of
from drretail.records.query import Query

Queries = tuple[Query, ...]


def shown(items: Items, query: Query) -> dict[str, tuple[str, ...]]:
    return {section.title: section.lines for section in page_of(items.of(query))}


def test_a_page_shows_wish_findings_basket_shopper_and_reason(items: Items, queries: Queries) -> None:
    page = shown(items, queries[0])
    assert list(page) == ["What it wants", "Checks", "The cheapest basket", "The shopper", "Why it was made"]
    assert page["What it wants"][1].startswith("desk lamp: of the kind lamp; only if it is worth buying")
    assert "more may be added within the budget" in page["What it wants"]
    assert page["Checks"] == ("Nothing was found.",)
    assert page["The cheapest basket"][0].startswith("$")
    assert any("orders between" in line for line in page["The shopper"])


def test_an_edit_is_set_against_the_other_queries_and_not_against_itself(items: Items, queries: Queries) -> None:
    first, second = queries[:2]
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

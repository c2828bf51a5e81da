"""Each fault of a query is found under its code, and nothing else. Also tests checks/ and records/wish.py."""

import time
from pathlib import Path
from typing import Any

import pytest

from drretail.env.world import World
from drretail.querygen.checks import contract
from drretail.querygen.lint import CODES, Linter
from drretail.records.query import LONGEST_TEXT, Query
from tests.querygen.conftest import product_id

HOUSE: dict[str, object] = {"name": "birdhouse", "kinds": ["birdhouse"]}
BATH: dict[str, object] = {"name": "bird bath", "kinds": ["bird bath"]}
TEXT = (
    "I've had my bird feeder since January, and now I'd like to turn the yard into a small bird sanctuary. I need a "
    "birdhouse and a bird bath. Please find out how far apart everything should stand. Please keep the total under "
    "$60. My order history should show you what I can leave out."
)
RATIONALE = "The record shows a bird feeder, but no birdhouse or bird bath; the arrangement is a matter for the web."
OWN = product_id("bird feeder", 1)
SHORT = "Which birdhouse, for $60?"
DWARF = {"name": "garden dwarf", "kinds": ["garden dwarf"]}
MINE = {"kind": "profile", "evidence": ["O:0123456789"], "field": "Color", "value": "teal"}
AS_MINE = {"say": "my bird feeder", "field": "Color", "any_of": ["teal"]}
BY_MODEL = {"source": "anthropic:claude"}
BY_RULES = {"source": "offline:generator"}


@pytest.fixture(scope="session")
def linter(world: World) -> Linter:
    return Linter(world)


@pytest.fixture
def query() -> Query:
    """A query of Anna's in which nothing is found."""
    return Query.model_validate(
        {
            "query_id": "anna-1",
            "user_id": "ANNA",
            "text": TEXT,
            "rationale": RATIONALE,
            "expected_tools": ["get_user_orders", "product_catalog_search", "web_search", "calculator"],
            "wish": {"wants": [HOUSE, BATH], "budget": {"amount": "60"}, "owned": [product_id("bird feeder", 1)]},
            "source": "a test",
        }
    )


def changed(query: Query, **fields: Any) -> Query:
    """The query with other fields; ``more`` goes behind the text, ``want`` into the first want of the ``wish``."""
    wish, want = fields.pop("wish", {}), fields.pop("want", {})
    document = query.model_dump(mode="json") | {"text": query.text + fields.pop("more", "")} | fields
    first, *others = document["wish"]["wants"]
    document["wish"] |= {"wants": [first | want, *others]} | wish
    return Query.model_validate(document)


def codes(linter: Linter, query: Query) -> list[str]:
    return [finding.code for finding in linter.check(query).findings]


def money(amount: str, currency: str = "USD") -> dict[str, str]:
    return {"amount": amount, "currency": currency}


def budget(amount: str) -> dict[str, Any]:
    return {"text": TEXT.replace("$60", f"${amount}"), "wish": {"budget": money(amount)}}


FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"user_id": None}, "user_missing"),
    ({"user_id": "NOBODY"}, "user_unknown"),
    ({"user_id": "DORA"}, "user_without_orders"),
    ({"world_fingerprint": "0" * 64}, "other_world"),
    ({"more": " Not by Acme.", "want": {"brands_unwanted": ["Acme"]}}, "brand_unknown"),
    ({"want": {"kinds": ["garden dwarf"]}}, "kind_unknown"),
    ({"want": {"kinds": ["desk lamp"]}}, "kind_of_another_thing"),
    ({"wish": {"owned": ["P9999"]}}, "owned_not_ordered"),
    ({"wish": {"owned": [product_id("bird feeder", 3)]}}, "owned_not_ordered"),
    ({"mode": "generic", "user_id": None}, "owned_by_nobody"),
    ({"wish": {"budget": money("80")}}, "amount_not_in_text"),
    ({"text": TEXT.replace("$60", "sixty dollars"), **BY_MODEL}, "amount_not_in_text"),
    ({"wish": {"budget": None}}, "amount_not_typed"),
    ({"want": {"quantity": 3}}, "number_not_in_text"),
    ({"want": {"must": ["heated"]}}, "words_not_in_text"),
    ({"text": "What is worth $60?", "wish": {"wants": []}}, "owned_not_in_text"),
    ({"more": " For my {occasion}."}, "placeholder_in_text"),
    ({"text": TEXT.replace("$60", "€60"), "wish": {"budget": money("60", "EUR")}}, "currency_foreign"),
    (budget("15"), "budget_unreachable"),
    ({"more": " Rated 5 stars.", "want": {"rating_min": 5}}, "cannot_be_met"),
    ({"infeasible": True}, "infeasible_not_proved"),
    ({"more": " Nothing fireproof.", "want": {"must_not": ["fireproof"]}}, "demand_undecided"),
    ({"more": " Of cedar.", "want": {"must": [{"say": "cedar", "field": "Wood"}]}}, "field_unknown"),
    ({"more": " Of teak.", "want": {"must": [{"say": "teak", "field": "Material"}]}}, "value_unknown"),
    ({"more": f" It is {OWN}, that is B0ABCDEFGH."}, "id_in_text"),
    ({"more": " Write to anna@example.com."}, "person_in_text"),
    ({"text": SHORT, **BY_MODEL}, "too_short"),
    ({"more": " word" * 180, **BY_MODEL}, "too_long"),
    ({"want": {"must": [{"say": "bird", "field": "Color", "any_of": ["blue"]}]}, **BY_MODEL}, "demand_decides_nothing"),
    ({"want": {"must": [AS_MINE | {"sources": [{"kind": "text", "quote": "as mine"}]}]}}, "quote_not_in_text"),
    ({"wish": {"declined": [{"kind": "page", "url": "https://p", "quote": "never"}]}}, "quote_not_on_page"),
    ({"want": {"must": [AS_MINE | {"sources": [MINE]}]}}, "value_not_in_record"),
    ({"want": {"must": [AS_MINE | {"sources": [MINE | {"value": "red"}]}]}}, "limit_not_of_source"),
]


@pytest.mark.parametrize(("fields", "code"), FAULTS)
def test_a_fault_is_found_under_its_code(linter: Linter, query: Query, fields: dict[str, Any], code: str) -> None:
    assert code in codes(linter, changed(query, **fields))


def test_each_code_is_shown_by_a_fault_says_what_to_do_and_stands_in_the_docs() -> None:
    elsewhere = {"price_unknown", "wish_missing", "near_duplicate", "demand_unheard_of"}
    elsewhere |= {"limit_not_typed", "read_otherwise", "mention_unclear", "web_decides_nothing"}
    elsewhere |= {"page_not_found", "reason_not_in_record", "source_not_needed"}  # by_model/test_second.py
    assert {code for _, code in FAULTS} == CODES.keys() - elsewhere
    assert all(code.meaning and code.remedy for code in CODES.values())
    docs = (Path(__file__).parents[2] / "docs" / "queries.md").read_text(encoding="utf-8")
    assert [code for code in CODES if f"`{code}`" not in docs] == []


def test_what_only_looks_like_a_fault_is_none(linter: Linter, query: Query) -> None:
    for fields in (
        {},
        BY_MODEL,
        {"more": " I trust the brand Brightwater. How does Quuxley hold up? They call it “a good thing”."},
        {"text": TEXT.replace("$60", "sixty dollars")},
        {"text": "Which birdhouse?", "rationale": "", "wish": {"budget": None, "wants": [HOUSE], "owned": []}},
        {"more": " It must be here by December 24.", "wish": {"deadline": "by December 24"}},
        {"text": "Was the $30 for my feeder too much?", "wish": {"wants": [], "budget": None}},
        {"more": " I paid $90 for the last, with 2 stars, and its 1-star reviews are right."},
        {"more": " Of cedar.", "want": {"must": [{"say": "cedar", "field": "Material"}]}},
        {"more": " Two of them, rated four stars or better.", "want": {"quantity": 2, "rating_min": 4}},
        {**budget("1"), "infeasible": True},
        {"text": TEXT.replace("a birdhouse", "a garden dwarf"), "want": DWARF, "infeasible": True},
    ):  # fmt: skip
        assert codes(linter, changed(query, **fields)) == [], fields


def test_of_a_query_without_a_wish_only_that_is_found_and_it_is_no_fault_of_its_text(linter: Linter) -> None:
    plain = Query(query_id="a", text="Two birdhouses for $1, please.", mode="generic", source="t")
    checked = linter.check(plain)
    assert [(finding.code, finding.severity) for finding in checked.findings] == [("wish_missing", "warning")]


def test_what_a_model_wrote_is_held_to_its_contract(query: Query) -> None:
    assert contract.binds(query.model_copy(update=BY_MODEL))
    typed = {"source": "survey:may", "typed_by": "anthropic:claude"}
    for others in (BY_RULES, typed, {"source": "Ann: by hand"}):
        assert not contract.binds(query.model_copy(update=others)), others


SECONDS = 2.0
"""Each took 0.7 to 7.5 s of a processor while patterns were tried from every character of a row."""


def test_a_long_row_of_one_character_is_checked_in_no_time(world: World) -> None:
    for text in ("a" * LONGEST_TEXT, f"feeder {' ' * LONGEST_TEXT}x"[:LONGEST_TEXT], "under $" + "1" * 9000):
        query = Query(query_id="q1", text=text, mode="generic", source="test")
        began = time.process_time()
        Linter(world).check(query)
        assert time.process_time() - began < SECONDS, text[:20]

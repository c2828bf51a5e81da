"""One fault in a good query is found under its code, and nothing else is."""

from pathlib import Path
from typing import Any

import pytest

from drretail.querygen.lint import CODES, Linter
from drretail.records.query import Query
from tests.querygen.checks.conftest import RATIONALE, TEXT
from tests.querygen.conftest import product_id

QUESTION = "Please find out how far apart everything should stand."
MARCH = "by March 1, 2022"


def changed(query: Query, **fields: Any) -> Query:
    """The query with other fields; a mapping changes the constraints."""
    constraints = fields.pop("constraints", {})
    document = query.model_dump(mode="json") | fields
    return Query.model_validate(document | {"constraints": document["constraints"] | constraints})


def codes(linter: Linter, query: Query) -> list[str]:
    return [finding.code for finding in linter.check(query).findings]


def budget(amount: str, currency: str = "USD") -> dict[str, str]:
    return {"amount": amount, "currency": currency}


@pytest.mark.parametrize("sentence", ["Have it here by October 9. Two of each.", "It was May 3. Please hurry."])
def test_a_number_that_ends_a_sentence_begins_no_name(linter: Linter, query: Query, sentence: str) -> None:
    assert "product_unknown" not in codes(linter, changed(query, text=f"{TEXT} {sentence}"))


def test_nothing_is_found_in_a_good_query_and_its_basket_is_shown(linter: Linter, query: Query) -> None:
    checked = linter.check(query)
    assert checked.findings == ()
    assert checked.basket is not None
    assert [pick.product_id for pick in checked.basket.picks] == [
        product_id("birdhouse", 0),
        product_id("bird bath", 0),
    ]
    assert checked.basket.total == 20


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"user_id": None}, "user_missing"),
        ({"user_id": "NOBODY"}, "user_unknown"),
        ({"world_fingerprint": "0" * 64}, "other_world"),
        ({"text": TEXT + " I liked “Zorblax Turbo Sprinkler 7000” in a magazine."}, "product_unknown"),
        ({"text": TEXT + " I hear good things about the Acme Turbo Sprinkler."}, "product_unknown"),
        ({"text": TEXT + " Nothing from Acme, please."}, "brand_unknown"),
        ({"constraints": {"categories": ["Garden_Dwarfs"]}}, "category_unknown"),
        ({"constraints": {"owned": ["P9999"]}}, "product_unknown"),
        ({"constraints": {"owned": [product_id("bird feeder", 3)]}}, "owned_not_ordered"),
        ({"text": TEXT.replace("$60", "$15"), "constraints": {"budget": budget("15")}}, "budget_unreachable"),
        ({"text": TEXT + " They have to be fireproof.", "constraints": {"must": ["fireproof"]}}, "demand_unmet"),
        ({"constraints": {"budget": budget("80")}}, "budget_not_in_text"),
        ({"constraints": {"budget": None}}, "budget_not_typed"),
        ({"constraints": {"quantities": {"ladder": 2}}}, "constraint_not_in_text"),
        ({"text": TEXT + " I need them by December 24."}, "deadline_not_typed"),
        ({"expected_tools": ["get_user_orders", "product_catalog_search", "web_search", "guess"]}, "tool_unknown"),
        ({"expected_tools": ["get_user_orders", "product_catalog_search", "calculator"]}, "web_not_needed"),
        ({"expected_tools": ["product_catalog_search", "web_search", "calculator"]}, "profile_tool_missing"),
        ({"expected_tools": ["get_user_orders", "calculator", "web_search"]}, "shop_tool_missing"),
        ({"text": TEXT.replace(QUESTION, "Show me some.")}, "web_not_needed"),
        ({"text": TEXT + f" It is {product_id('bird feeder', 1)}, that is B0ABCDEFGH."}, "id_in_text"),
        ({"text": TEXT + " Write to anna@example.com."}, "email_in_text"),
        ({"text": TEXT + " Call (555) 123-4567."}, "phone_in_text"),
        ({"text": TEXT + " Send it to 12 Elm Street."}, "street_in_text"),
        ({"text": TEXT + " word" * 180}, "too_long"),
        ({"rationale": "Because."}, "rationale_missing"),
        ({"rationale": f"{RATIONALE} The Tallow one is the one to take."}, "rationale_tells_answer"),
        ({"rationale": f"{RATIONALE} It can be had for $10."}, "rationale_tells_answer"),
        ({"rationale": f"{RATIONALE} See order 1234567890."}, "rationale_order_unknown"),
        ({"text": TEXT + " The humidifier I bought was fine."}, "purchase_unknown"),
        ({"text": TEXT.replace("since January", "since 2019")}, "purchase_not_then"),
        ({"text": TEXT + " The yard was laid out in 2031."}, "date_in_future"),
        ({"text": f"{TEXT} I need it {MARCH}.", "constraints": {"deadline": MARCH}}, "deadline_passed"),
        ({"text": TEXT.replace("$60", "€60"), "constraints": {"budget": budget("60", "EUR")}}, "currency_foreign"),
        ({"text": TEXT + " I paid $90 for the Brightwater Bird Feeder, Size 1."}, "price_outdated"),
    ],
)  # fmt: skip
def test_a_fault_is_found_under_its_code(linter: Linter, query: Query, fields: dict[str, Any], code: str) -> None:
    assert code in codes(linter, changed(query, **fields))
    assert code in CODES


def test_each_fault_is_reported_once(linter: Linter, query: Query) -> None:
    poor = changed(query, text=TEXT.replace("$60", "$15"), constraints={"budget": budget("15")})
    (finding,) = linter.check(poor).findings
    assert finding.code == "budget_unreachable"
    assert finding.found is not None
    assert "$20" in finding.found
    assert product_id("birdhouse", 0) in finding.found


def test_short_questions_that_one_look_up_answers_are_found_out(linter: Linter, query: Query) -> None:
    lookup = changed(
        query,
        text="What does a birdhouse cost?",
        expected_tools=["product_catalog_search"],
        constraints={"budget": None},
    )
    assert {"too_short", "too_few_tools", "web_not_needed", "profile_tool_missing"} <= set(codes(linter, lookup))


def test_a_rationale_may_name_the_brand_that_the_user_has(linter: Linter, query: Query) -> None:
    own = f"{RATIONALE} The feeder is by Brightwater, which also makes what is asked for."
    assert codes(linter, changed(query, rationale=own)) == []


def test_a_place_is_no_product(linter: Linter, query: Query) -> None:
    assert codes(linter, changed(query, text=f"{TEXT} We live near Salt Lake City.")) == []


def test_orders_that_came_back_are_none(linter: Linter, query: Query) -> None:
    assert "user_without_orders" in codes(linter, changed(query, user_id="DORA"))


def test_a_span_shows_where_an_id_stands(linter: Linter, query: Query) -> None:
    text = TEXT + " It is B0ABCDEFGH."
    (finding,) = linter.check(changed(query, text=text)).findings
    assert text[finding.start : finding.end] == "B0ABCDEFGH"


def test_generic_queries_need_no_user(linter: Linter, query: Query) -> None:
    text = TEXT.replace("I've had my bird feeder since January, and now ", "").replace(
        " My order history should show you what I can leave out.", ""
    )
    generic = changed(
        query,
        mode="generic",
        user_id=None,
        text=text,
        expected_tools=["product_catalog_search", "web_search", "calculator"],
    )
    assert codes(linter, generic) == []


def test_every_code_has_a_meaning_in_the_docs() -> None:
    docs = (Path(__file__).parents[3] / "docs" / "queries.md").read_text(encoding="utf-8")
    assert [code for code in CODES if f"`{code}`" not in docs] == []

"""One fault in a good query is found under its code, and nothing else is."""

from pathlib import Path
from typing import Any

import pytest

from drretail.querygen.lint import CODES, Linter
from drretail.records.money import Money
from drretail.records.query import Query
from tests.querygen.checks.conftest import RATIONALE, TEXT
from tests.querygen.conftest import product_id

MARCH = "by March 1, 2022"


def changed(query: Query, **fields: Any) -> Query:
    """The query with other fields; ``wish`` changes the wish, and ``want`` its first want."""
    wish, want = fields.pop("wish", {}), fields.pop("want", {})
    document = query.model_dump(mode="json") | fields
    first, *others = document["wish"]["wants"]
    document["wish"] |= {"wants": [first | want, *others]} | wish
    return Query.model_validate(document)


def codes(linter: Linter, query: Query) -> list[str]:
    return [finding.code for finding in linter.check(query).findings]


def money(amount: str, currency: str = "USD") -> dict[str, str]:
    return {"amount": amount, "currency": currency}


def test_nothing_is_found_in_a_good_query_and_its_basket_is_shown(linter: Linter, query: Query) -> None:
    checked = linter.check(query)
    assert checked.findings == ()
    assert checked.basket is not None
    assert [item.product_id for item in checked.basket.items] == [
        product_id("birdhouse", 0),
        product_id("bird bath", 0),
    ]
    assert checked.basket.total == Money.of(20)


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"user_id": None}, "user_missing"),
        ({"user_id": "NOBODY"}, "user_unknown"),
        ({"world_fingerprint": "0" * 64}, "other_world"),
        ({"want": {"brands_unwanted": ["Acme"]}}, "brand_unknown"),
        ({"want": {"brands_wanted": ["Acme"]}}, "brand_unknown"),
        ({"want": {"kinds": ["garden dwarf"]}}, "kind_unknown"),
        ({"wish": {"owned": ["P9999"]}}, "product_unknown"),
        ({"wish": {"owned": [product_id("bird feeder", 3)]}}, "owned_not_ordered"),
        ({"text": TEXT.replace("$60", "$15"), "wish": {"budget": money("15")}}, "budget_unreachable"),
        ({"text": TEXT + " At most $5 each.", "want": {"price_max": money("5")}}, "budget_unreachable"),
        ({"wish": {"budget": money("80")}}, "budget_not_in_text"),
        ({"want": {"price_max": money("80")}}, "budget_not_in_text"),
        ({"wish": {"budget": None}}, "budget_not_typed"),
        ({"expected_tools": ["get_user_orders", "product_catalog_search", "web_search", "guess"]}, "tool_unknown"),
        ({"text": TEXT + f" It is {product_id('bird feeder', 1)}, that is B0ABCDEFGH."}, "id_in_text"),
        ({"text": TEXT + " Write to anna@example.com."}, "email_in_text"),
        ({"text": TEXT + " Call (555) 123-4567."}, "phone_in_text"),
        ({"text": TEXT + " Send it to 12 Elm Street."}, "street_in_text"),
        ({"rationale": f"{RATIONALE} See order 1234567890."}, "rationale_order_unknown"),
        ({"text": TEXT + " The yard was laid out in 2031."}, "date_in_future"),
        ({"text": f"{TEXT} I need it {MARCH}.", "wish": {"deadline": MARCH}}, "deadline_passed"),
        ({"text": TEXT + " My name is John Smith."}, "name_in_text"),
        ({"text": TEXT + " I'm Jane Doe from the next town."}, "name_in_text"),
        ({"text": TEXT + " Send it to P.O. Box 1123."}, "street_in_text"),
        ({"text": TEXT + " I live in Newark, DE 19711."}, "street_in_text"),
        ({"text": TEXT + " It's apartment 5B."}, "street_in_text"),
        ({"text": TEXT + " Send it to 88 Shelly Glen."}, "street_in_text"),
        ({"text": TEXT + " Send it to 14 maple street."}, "street_in_text"),
        ({"text": TEXT + " Call +44 20 7946 0958."}, "phone_in_text"),
        ({"text": TEXT + " Call 555-0132."}, "phone_in_text"),
        ({"text": TEXT.replace("$60", "€60"), "wish": {"budget": money("60", "EUR")}}, "currency_foreign"),
    ],
)  # fmt: skip
def test_a_fault_is_found_under_its_code(linter: Linter, query: Query, fields: dict[str, Any], code: str) -> None:
    assert code in codes(linter, changed(query, **fields))
    assert code in CODES


@pytest.mark.parametrize(
    "fields",
    [
        {"text": TEXT + " I trust the brand Brightwater. How does Quuxley hold up?"},
        {"text": TEXT + " I hear good things about the Acme Turbo Sprinkler in “Gardens and Birds Monthly”."},
        {"want": {"brands_wanted": ["brightwater"]}},
        {"want": {"must": ["fireproof"]}},
        {"text": TEXT.replace("$60", "sixty dollars")},
        {"text": TEXT.replace("under $60", "under 60 bucks, 3 inches at least")},
        {"text": "Which birdhouse?", "rationale": "", "expected_tools": [], "wish": {"budget": None}},
        {"text": f"{TEXT} It must be here by December 24.", "wish": {"deadline": "by December 24"}},
        {"text": "Was the $30 for my feeder too much?", "wish": {"wants": [], "budget": None}},
    ],
)
def test_what_only_looks_like_a_fault_is_none(linter: Linter, query: Query, fields: dict[str, Any]) -> None:
    assert codes(linter, changed(query, **fields)) == []


def test_each_fault_is_reported_once(linter: Linter, query: Query) -> None:
    poor = changed(query, text=TEXT.replace("$60", "$15"), wish={"budget": money("15")})
    (finding,) = linter.check(poor).findings
    assert finding.code == "budget_unreachable"
    assert finding.found is not None
    assert "$20" in finding.found
    assert product_id("birdhouse", 0) in finding.found


def test_what_need_not_be_bought_counts_against_no_budget(linter: Linter, query: Query) -> None:
    poor = changed(query, text=TEXT.replace("$60", "$15"), wish={"budget": money("15")}, want={"optional": True})
    checked = linter.check(poor)
    assert checked.findings == ()
    assert checked.basket is not None
    assert [item.thing for item in checked.basket.items] == ["bird bath"]


def test_of_several_kinds_of_which_any_will_do_one_is_enough(linter: Linter, query: Query) -> None:
    assert codes(linter, changed(query, want={"kinds": ["garden dwarf", "birdhouse"]})) == []


def test_of_a_query_without_a_wish_only_that_is_found_and_it_is_no_fault_of_its_text(linter: Linter) -> None:
    plain = Query(query_id="a", text="Two birdhouses for $1, please.", mode="generic", source="t")
    checked = linter.check(plain)
    assert [(it.code, it.severity) for it in checked.findings] == [("wish_missing", "warning")]
    assert checked.faults == ()


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
        wish={"owned": []},
    )
    assert codes(linter, generic) == []


def test_every_code_has_a_meaning_in_the_docs() -> None:
    docs = (Path(__file__).parents[3] / "docs" / "queries.md").read_text(encoding="utf-8")
    assert [code for code in CODES if f"`{code}`" not in docs] == []

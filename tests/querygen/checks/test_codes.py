"""One fault in a good query is found under its code, and nothing else is."""

from pathlib import Path
from typing import Any

import pytest

from drretail.querygen.lint import CODES, Linter
from drretail.records.money import Money
from drretail.records.query import NOBODY, Constraints, Query
from drretail.records.shop import Product
from tests.querygen.checks.conftest import RATIONALE, TEXT
from tests.querygen.conftest import MakeWorld, bought, product_id

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
        ({"constraints": {"brands_unwanted": ["Acme"]}}, "brand_unknown"),
        ({"constraints": {"categories": ["Garden_Dwarfs"]}}, "category_unknown"),
        ({"constraints": {"owned": ["P9999"]}}, "product_unknown"),
        ({"constraints": {"owned": [product_id("bird feeder", 3)]}}, "owned_not_ordered"),
        ({"text": TEXT.replace("$60", "$15"), "constraints": {"budget": budget("15")}}, "budget_unreachable"),
        ({"constraints": {"budget": budget("80")}}, "budget_not_in_text"),
        ({"expected_tools": ["get_user_orders", "product_catalog_search", "web_search", "guess"]}, "tool_unknown"),
        ({"text": TEXT + f" It is {product_id('bird feeder', 1)}, that is B0ABCDEFGH."}, "id_in_text"),
        ({"text": TEXT + " Write to anna@example.com."}, "email_in_text"),
        ({"text": TEXT + " Call (555) 123-4567."}, "phone_in_text"),
        ({"text": TEXT + " Send it to 12 Elm Street."}, "street_in_text"),
        ({"rationale": f"{RATIONALE} See order 1234567890."}, "rationale_order_unknown"),
        ({"text": TEXT + " The humidifier I bought was fine."}, "purchase_unknown"),
        ({"text": TEXT + " The yard was laid out in 2031."}, "date_in_future"),
        ({"text": f"{TEXT} I need it {MARCH}.", "constraints": {"deadline": MARCH}}, "deadline_passed"),
        ({"text": TEXT + " The humidifier I got from you back in 2021 was fine."}, "purchase_unknown"),
        ({"text": TEXT + " My name is John Smith."}, "name_in_text"),
        ({"text": TEXT + " I'm Jane Doe from the next town."}, "name_in_text"),
        ({"text": TEXT + " Send it to P.O. Box 1123."}, "street_in_text"),
        ({"text": TEXT + " I live in Newark, DE 19711."}, "street_in_text"),
        ({"text": TEXT + " It's apartment 5B."}, "street_in_text"),
        ({"text": TEXT + " Send it to 88 Shelly Glen."}, "street_in_text"),
        ({"text": TEXT + " Send it to 14 maple street."}, "street_in_text"),
        ({"text": TEXT + " Call +44 20 7946 0958."}, "phone_in_text"),
        ({"text": TEXT + " Call 555-0132."}, "phone_in_text"),
        ({"text": TEXT.replace("$60", "€60"), "constraints": {"budget": budget("60", "EUR")}}, "currency_foreign"),
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
        {"constraints": {"brands_wanted": ["brightwater"]}},
        {"constraints": {"must": ["fireproof"]}},
        {"text": TEXT.replace("$60", "sixty dollars")},
        {"text": TEXT.replace("under $60", "under 60 bucks, 3 inches at least")},
        {"text": "Which birdhouse?", "rationale": "", "expected_tools": [], "constraints": {"budget": None}},
        {"text": TEXT + " The bird feeder I got from you was fine, though it creases within two hours."},
        {"text": f"{TEXT} It must be here by December 24.", "constraints": {"deadline": "by December 24"}},
    ],
)
def test_what_only_looks_like_a_fault_is_none(linter: Linter, query: Query, fields: dict[str, Any]) -> None:
    assert codes(linter, changed(query, **fields)) == []


@pytest.mark.parametrize(
    ("phrase", "from_here"),
    [
        ("the humidifier I bought in March", True),
        ("the humidifier I got from you in March", True),
        ("I ordered my humidifier a few weeks ago", True),
        ("I've had my humidifier since March", False),
    ],
)
def test_what_is_said_to_be_bought_here_is_looked_up(
    linter: Linter, query: Query, phrase: str, from_here: bool
) -> None:
    """Of a thing that was never bought; to have or own something says not from where."""
    told = codes(linter, changed(query, text=f"{TEXT} As to {phrase}, that is another matter."))
    assert ("purchase_unknown" in told) == from_here


def test_each_fault_is_reported_once(linter: Linter, query: Query) -> None:
    poor = changed(query, text=TEXT.replace("$60", "$15"), constraints={"budget": budget("15")})
    (finding,) = linter.check(poor).findings
    assert finding.code == "budget_unreachable"
    assert finding.found is not None
    assert "$20" in finding.found
    assert product_id("birdhouse", 0) in finding.found


def test_a_thing_that_is_named_again_in_fewer_words_is_one_thing(linter: Linter, query: Query) -> None:
    again = changed(query, text=TEXT.replace("a birdhouse and a bird bath", "a bird bath") + " I want one bath.")
    assert [slot.name for slot in linter.case(again).slots] == ["bird bath"]


def test_what_fits_only_the_users_own_tells_no_price(make_world: MakeWorld) -> None:
    mine = Product(
        product_id="S1", title="Silicone Slow Feeder", price=30, category="Pets", categories=("Pets", "Dogs")
    )
    world = make_world([mine], [bought("ANNA", "planner")[0]._replace(product_id="S1")])
    asked = Query(
        query_id="a",
        user_id="ANNA",
        text="I'd like another silicone slow feeder, for 15 dollars at most, with suction.",
        constraints=Constraints(budget=Money.of(15, "USD")),
        source="t",
    )
    assert codes(Linter(world), asked) == []
    assert codes(Linter(world), asked.model_copy(update={"user_id": None, "mode": "generic"})) == ["budget_unreachable"]


def test_of_an_untyped_question_nothing_is_said_that_rests_on_types(linter: Linter) -> None:
    plain = Query(query_id="a", text="Two birdhouses for $1, please.", mode="generic", typed_by=NOBODY, source="t")
    assert codes(linter, plain) == []


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

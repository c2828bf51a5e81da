"""One fault in a good query is found under its code, and nothing else is."""

from pathlib import Path
from typing import Any

import pytest

from drretail.querygen.lint import CODES, Linter
from drretail.records.query import Query
from drretail.records.shop import Product
from tests.querygen.checks.conftest import RATIONALE, TEXT
from tests.querygen.conftest import MakeWorld, bought, product_id

QUESTION = "Please find out how far apart everything should stand."
MARCH = "by March 1, 2022"
OWNED = "owned my bird feeder since 2019"
EACH = {"budget_scope": "per_item"}
SEVEN = {"quantities": {"birdhouse": 7}}


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
        ({"text": TEXT + " How does Quuxley hold up in the rain?"}, "brand_unknown"),
        ({"text": TEXT + " I trust the brand Quuxley."}, "brand_unknown"),
        ({"text": TEXT.replace("a birdhouse", "a Quuxley birdhouse")}, "brand_unknown"),
        ({"constraints": {"categories": ["Shampoo"]}}, "category_not_wanted"),
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
        ({"text": f"{TEXT} It must be here by December 24, 2021."}, "deadline_passed"),
        ({"text": f"{TEXT} It must be here by 24 Dec 2021."}, "deadline_passed"),
        ({"text": f"{TEXT} It must be here by 12/24/2021."}, "deadline_passed"),
        ({"text": TEXT.replace("had my bird feeder since January", OWNED)}, "purchase_not_then"),
        ({"text": TEXT + " The humidifier I got from you back in 2021 was fine."}, "purchase_unknown"),
        ({"text": f"{TEXT} Any color will do, one of each.", "constraints": EACH}, "budget_not_in_text"),
        ({"text": TEXT.replace("keep the total under $60", "pay at most $60 each")}, "budget_not_in_text"),
        ({"text": f"{TEXT} I'd take two birdhouses.", "constraints": SEVEN}, "constraint_not_in_text"),
        ({"text": f"{TEXT} I'd take two birdhouses, 7 inches.", "constraints": SEVEN}, "constraint_not_in_text"),
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
        ({"text": TEXT + " I paid $90 for the Brightwater Bird Feeder, Size 1."}, "price_outdated"),
    ],
)  # fmt: skip
def test_a_fault_is_found_under_its_code(linter: Linter, query: Query, fields: dict[str, Any], code: str) -> None:
    assert code in codes(linter, changed(query, **fields))
    assert code in CODES


@pytest.mark.parametrize(
    "fields",
    [
        {"text": TEXT.replace("a birdhouse", "a Tallow birdhouse")},
        {"text": TEXT.replace("a birdhouse", "a Tallow Pro birdhouse")},
        {"text": TEXT + " I trust the brand Brightwater. How do the Zorblax ones hold up?"},
        {"text": TEXT + " In March a friend, Rosa, wondered about Wirecutter near Salt Lake City."},
        {"constraints": {"categories": ["Birdhouse", "Bird Bath"]}},
        {"text": f"{TEXT} I'd take two birdhouses.", "constraints": {"quantities": {"birdhouse": 2}}},
        {"text": f"{TEXT} A pair of birdhouses, that is.", "constraints": {"quantities": {"birdhouse": 2}}},
        {
            "text": TEXT.replace("keep the total under $60", "pay at most $60 for either"),
            "constraints": {"budget_scope": "per_item"},
        },
        {"text": TEXT.replace("had my bird feeder since January", "owned my bird feeder since January")},
        {"text": TEXT + " The bird feeder I got from you was fine, though it creases within two hours."},
        {"text": f"{TEXT} It must be here by December 24.", "constraints": {"deadline": "by December 24"}},
    ],
)
def test_what_only_looks_like_a_fault_is_none(linter: Linter, query: Query, fields: dict[str, Any]) -> None:
    assert codes(linter, changed(query, **fields)) == []


def test_a_total_of_one_thing_is_its_price(linter: Linter, query: Query) -> None:
    one = TEXT.replace("a birdhouse and a bird bath", "a birdhouse")
    assert "budget_not_in_text" not in codes(linter, changed(query, text=one, constraints={"budget_scope": "per_item"}))


def test_with_more_categories_than_known_things_one_may_be_of_an_unknown_thing(linter: Linter, query: Query) -> None:
    one = changed(
        query,
        text=TEXT.replace("a birdhouse and a bird bath", "a birdhouse"),
        constraints={"categories": ["Birdhouse", "Shampoo"]},
    )
    (finding,) = linter.check(one).findings
    assert (finding.code, finding.severity, finding.said) == ("category_not_wanted", "warning", "Shampoo")


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


def test_a_thing_that_no_order_is_though_a_title_names_it_is_misnamed(make_world: MakeWorld) -> None:
    """Her squeeze bottles are called "bar soap"."""
    path = ("Home", "Storage", "Bottles")
    bottles = Product(product_id="S1", title="Squeeze Bottles for Bar Soap, 3 Pack", categories=path, category="Home")
    soap = Product(product_id="S2", title="Pine Bar Soap", categories=("Home", "Bath", "Soap"), category="Home")
    world = make_world([bottles, soap], [bought("ANNA", "planner")[0]._replace(product_id="S1")])
    text = "I've had my {} for a while. I'd like to know what else there is, and how to look after it."
    said = {
        name: codes(Linter(world), Query(query_id="a", user_id="ANNA", text=text.format(name), source="t"))
        for name in ("bar soap", "squeeze bottles", "bottles")
    }
    assert ["misnamed_thing" in found for found in said.values()] == [True, False, False]


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

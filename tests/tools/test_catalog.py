"""What tools answer: of products, orders, users and sums. Also tests calculator.py, orders.py and users.py."""

import json
import math
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.env.session import Attempt, Session, SessionSettings
from drretail.env.world import World
from drretail.reports.text.serialisation import compact, product_card, whole_items
from drretail.tools.calculator import ArithmeticProblem, as_json_number, evaluate
from drretail.tools.catalog import card_sources
from drretail.tools.toolkit import Toolkit
from tests.tools.conftest import ANNA, BORIS, NOBODY, error_of


def test_a_search_gives_cards_with_evidence_and_counts_and_loses_none_of_them(toolkit: Toolkit, world: World) -> None:
    value = toolkit.call("product_catalog_search", {"query": "tube feeder", "match": "all"}).value
    assert (value["total"], value["shown"], value["offset"]) == (2, 2, 0)
    shared = ("product_url", "currency", "category")
    assert [value[name] for name in shared] == ["http://ecommerce.com/{product_id}", "USD", "Bird Feeders"]
    tube = {"evidence": "P:B0TOOLS001", "product_id": "B0TOOLS001", "title": "Tanagrove tube bird feeder"}
    green = {"evidence": "P:B0TOOLS004", "product_id": "B0TOOLS004", "title": "Tanagrove tube bird feeder, green"}
    rated = {"average_rating": 4.6, "rating_number": 900, "store": "Tanagrove"}
    assert value["hits"] == [tube | {"price": 24.99} | rated, green | {"price": 24.99}]

    value = toolkit.call("product_catalog_search", {"query": ""}).value
    assert "category" not in value, "what hits do not share stands in each"
    cards = [product_card(world.store.product(hit["product_id"])) for hit in value["hits"]]
    assert whole_items(value, "hits") == [compact(card) for card in cards]
    assert whole_items({"hits": cards}, "hits") == cards, "as results were before"


def test_a_hit_is_a_shown_card_and_a_record_hidden_until_it_is_read(
    toolkit: Toolkit, session: Session, world: World
) -> None:
    reply = toolkit.call("product_catalog_search", {"query": "window"})
    assert reply.evidence == ("P:B0TOOLS003",)
    (entry,) = session.ledger.evidence()
    assert [(text.form, text.shown) for text in entry.texts] == [("card", True), ("record", False)]
    assert [compact(json.loads(entry.texts[0].text))] == whole_items(reply.value, "hits")
    assert json.loads(entry.sources[0].text)["description"] == ["Clear."]
    changes = {"page": "https://own.example/3", "title": "Feeder [P:B0TOOLS001]"}
    own = card_sources(world.store.product("B0TOOLS003").model_copy(update=changes))
    assert {source.url for source in own} == {"https://own.example/3"}
    assert not any("[P:" in source.title for source in own), "a seller's title cites nothing"
    details = toolkit.call("get_product_details", {"product_id": "B0TOOLS003"})
    (entry,) = session.ledger.evidence()
    assert [(text.form, text.shown) for text in entry.texts] == [("card", True), ("record", True)]
    assert compact(json.loads(entry.sources[0].text)) == details.value


def test_a_hit_that_the_store_has_lost_is_one_error_that_names_it(
    toolkit: Toolkit, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = world.store.products
    monkeypatch.setattr(world.store, "products", lambda ids: held([each for each in ids if each != "B0TOOLS003"]))
    said = error_of(toolkit.call("product_catalog_search", {"query": "window"}))["message"]
    assert "product 'B0TOOLS003' is in the index and missing in the store" in said


@pytest.mark.parametrize(
    ("query", "arguments", "found"),
    [
        ("bird feeder", {"match": "all", "price_min": 24.99, "price_max": 30}, "14"),
        ("bird feeder", {"match": "all", "price_min": 24.99, "price_max": 24.99}, "14"),
        ("bird feeder", {"match": "all", "rating_min": 4.5}, "13"),
        ("tube bird feeder", {"match": "phrase"}, "14"),
        ("tube feeder", {"sort_by": "rating"}, "13254"),
        ("", {"category": "Bird Feeders", "sort_by": "price", "order": "desc"}, "21453"),
        ("", {"category": "Bird Feeders", "sort_by": "popularity", "limit": 2, "offset": 1}, "15"),
    ],
)
def test_arguments_are_what_they_say(toolkit: Toolkit, query: str, arguments: dict[str, Any], found: str) -> None:
    value = toolkit.call("product_catalog_search", {"query": query, **arguments}).value
    assert value["shown"] == len(value["hits"])
    assert [hit["product_id"][-1] for hit in value["hits"]] == list(found)


def test_what_a_filter_hides_for_want_of_a_number_is_counted(toolkit: Toolkit) -> None:
    for arguments, hidden in (({}, None), ({"price_max": 30}, 1), ({"rating_min": 1}, 1)):
        asked = {"query": "window feeder", "category": "Bird Feeders", **arguments}
        assert toolkit.call("product_catalog_search", asked).value.get("hidden") == hidden, arguments


def test_what_is_unknown_is_left_out_a_lower_bound_marked_and_a_range_upside_down_refused(toolkit: Toolkit) -> None:
    unknown = toolkit.call("get_product_details", {"product_id": "B0TOOLS003"}).value
    assert not {"price", "features", "details", "bought_together"} & set(unknown)
    lowest = toolkit.call("get_product_details", {"product_id": "B0TOOLS005"}).value
    assert (lowest["price"], lowest["price_from"]) == (10.0, True)
    error = error_of(toolkit.call("product_catalog_search", {"query": "x", "price_min": 30, "price_max": 20}))
    assert error == {"type": "invalid_argument", "message": "price_min 30 is above price_max 20.", "field": "price_min"}


def update(toolkit: Toolkit, **change: Any) -> dict[str, Any]:
    reply = toolkit.call("update_user_profile", {"user_id": ANNA, **change})
    assert reply.error is None, reply.text
    return reply.value


def test_a_profile_is_listing_1_and_proof(toolkit: Toolkit, anyones: Toolkit, world: World, session: Session) -> None:
    reply = toolkit.call("get_user_profile", {"user_id": ANNA})
    assert reply.value == {"evidence": "U:profile", **world.store.user(ANNA).model_dump()}
    assert json.loads(session.ledger.evidence()[0].sources[0].text) == reply.value
    assert anyones.call("get_user_profile", {"user_id": BORIS}).evidence == (f"U:profile@{BORIS}",)
    nobodys = Toolkit(Session(SessionSettings(world, scope="any")))
    assert nobodys.call("get_user_profile", {"user_id": ANNA}).evidence == (f"U:profile@{ANNA}",)


def test_only_given_fields_change_and_the_world_stays(toolkit: Toolkit, session: Session, world: World) -> None:
    before = world.store.user(ANNA)
    value = update(toolkit, email="anna@example.org", address={"city": "Newtown", "zip": "02139"})
    address = before.address.model_copy(update={"city": "Newtown", "zip": "02139"})
    expected = before.model_copy(update={"email": "anna@example.org", "address": address})
    assert value == {"evidence": "U:profile", **expected.model_dump()}
    update(toolkit, last_name=before.last_name + " ")  # trimmed, and so no change
    assert toolkit.call("get_user_profile", {"user_id": ANNA}).value == value
    assert world.store.user(ANNA) == before
    assert [(change.field, change.after) for change in session.state_diff()] == [
        ("email", "anna@example.org"),
        ("address.city", "Newtown"),
        ("address.zip", "02139"),
    ]


NOTHING = "No field to change was given."


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        ({"phone_number": "1" * 121}, "phone_number", ""),
        ({"first_name": "  "}, "first_name", ""),
        ({"address": {"street": "1 Lane"}}, "address.street", ""),
        ({"account_status": "closed"}, "account_status", ""),
        ({}, None, NOTHING),
        ({"email": None}, None, NOTHING),
        ({"address": {}}, None, NOTHING),
    ],
)
def test_an_update_of_nothing_or_by_a_blank_is_refused(
    toolkit: Toolkit, session: Session, change: dict[str, Any], field: str | None, message: str
) -> None:
    error = error_of(toolkit.call("update_user_profile", {"user_id": ANNA, **change}))
    assert (error["type"], error.get("field")) == ("invalid_argument", field)
    assert error["message"] == (message or error["message"])
    assert session.state_diff() == ()


def test_statistics_are_the_stores_figures_and_a_spend_of_no_price_is_not_shown(
    toolkit: Toolkit, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    figures = world.store.statistics(ANNA)
    value = toolkit.call("get_user_statistics", {"user_id": ANNA}).value
    assert value == {"evidence": "U:statistics", **figures.model_dump(mode="json")}
    unpriced = figures.model_copy(update={"spend": 0.0, "mean_order": None})
    monkeypatch.setattr(world.store, "statistics", lambda _: unpriced)
    another = Toolkit(Session(SessionSettings(world, user_id=ANNA)))
    value = another.call("get_user_statistics", {"user_id": ANNA}).value
    assert "spend" not in value
    assert value["orders_with_unknown_price"] == 1


def test_a_page_of_orders_says_how_many_there_are_in_all(toolkit: Toolkit, world: World) -> None:
    value = toolkit.call("get_user_orders", {"user_id": ANNA, "limit": 1}).value
    assert (value["total"], value["shown"], len(value["orders"])) == (world.store.orders(ANNA).total, 1, 1)
    assert value["total"] > 1


@pytest.mark.parametrize("tool", ["get_user_profile", "get_user_statistics", "get_user_orders", "get_order_details"])
def test_an_unknown_user_or_order_is_not_found(anyones: Toolkit, tool: str) -> None:
    field, unknown = ("order_id", "9999999999") if tool == "get_order_details" else ("user_id", NOBODY)
    error = error_of(anyones.call(tool, {field: unknown}))
    assert (error["type"], error["field"]) == ("not_found", field)


def test_an_order_comes_with_product_and_customer_as_this_run_has_changed_him(toolkit: Toolkit, world: World) -> None:
    toolkit.call("update_user_profile", {"user_id": ANNA, "address": {"city": "Newtown"}})
    reply = toolkit.call("get_order_details", {"order_id": "0000000002"})
    customer = world.store.user(ANNA)
    assert reply.evidence == ("O:0000000002", "P:B0TOOLS003")
    assert reply.value["evidence"] == "O:0000000002"
    assert reply.value["product"]["evidence"] == "P:B0TOOLS003"
    assert not {"product_id", "price"} & set(reply.value["product"]), "told by the order, and unknown"
    assert reply.value["user_id"] == ANNA
    assert reply.value["customer"] == {
        "first_name": customer.first_name,
        "last_name": customer.last_name,
        "address": customer.address.model_dump() | {"city": "Newtown"},
    }


CALLS = [
    ("get_user_orders", {"user_id": BORIS}),
    ("get_order_details", {"order_id": "0000000009"}),
    ("get_user_profile", {"user_id": BORIS}),
    ("update_user_profile", {"user_id": BORIS, "first_name": "B"}),
    ("get_user_statistics", {"user_id": BORIS}),
]


def test_a_scoped_session_refuses_every_way_to_anothers_data_and_records_it(toolkit: Toolkit, world: World) -> None:
    replies = toolkit.call_all(CALLS, "0.1")
    assert [reply.error for reply in replies] == ["forbidden"] * 5
    assert BORIS not in "".join(reply.text for reply in replies)
    assert [error_of(reply)["field"] for reply in replies] == ["user_id", "order_id", "user_id", "user_id", "user_id"]
    assert toolkit.session.state_diff() == ()
    assert toolkit.session.ledger.evidence() == ()
    refused = [Attempt("0.1", seq, name, BORIS, refused=True) for seq, (name, _) in enumerate(CALLS)]
    assert toolkit.session.attempts == refused
    unknown = toolkit.call("get_user_profile", {"user_id": NOBODY})
    assert error_of(unknown) == error_of(replies[2]), "it does not tell whether another user exists"
    nobodys = Toolkit(Session(SessionSettings(world)))
    assert nobodys.call("get_user_profile", {"user_id": ANNA}).error == "forbidden"


def test_where_any_user_may_be_read_each_look_at_another_is_recorded(anyones: Toolkit) -> None:
    replies = anyones.call_all([*CALLS, ("get_user_profile", {"user_id": ANNA})], "0.1")
    assert [reply.evidence[0] for reply in (replies[0], replies[-1])] == [f"U:orders@{BORIS}", "U:profile"]
    looks = [Attempt("0.1", seq, name, BORIS, name == "update_user_profile") for seq, (name, _) in enumerate(CALLS)]
    assert anyones.session.attempts == looks


@pytest.mark.parametrize("acting", [ANNA, None])
def test_nobody_elses_profile_is_changed_whatever_the_scope(world: World, acting: str | None) -> None:
    toolkit = Toolkit(Session(SessionSettings(world, user_id=acting, scope="any")))
    for written in (BORIS, f'"{BORIS}"', f"U:profile@{BORIS}", NOBODY):
        reply = toolkit.call("update_user_profile", {"user_id": written, "first_name": "B"})
        assert error_of(reply)["type"] == "forbidden"
        assert BORIS not in reply.text
    session = toolkit.session
    assert session.state_diff() == ()
    assert session.overlay == {}
    assert [(one.user_id, one.refused) for one in session.attempts] == [(BORIS, True)] * 3 + [(NOBODY, True)]


def value(expression: str) -> int | float:
    return as_json_number(evaluate(expression))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("0.1 + 0.2", 0.3),
        ("1/3*3", 1),
        ("2 ** 3 ** 2", 512),
        ("-2 ** 2", -4),
        ("2 ** -1", 0.5),
        ("sqrt(2) ** 2", 2),
        ("sin(-700)", -0.543970523363376),
        ("tan{1}", 1.5574077246549),
        ("abs(-2.5)", 2.5),
        ("1,200.50 + 1", 1201.5),
        ("$1,299,000", 1299000),
        ("3 × 4 ÷ 2 − 1", 5),
        ("0 * 5 + 0 / 3 + 0 ** 2", 0),  # a 0 that nothing has made too small
        ("(-2) ** 3 + (-8) ** 2.0", 56),
        ("0 ** 0", 1),
        ("-(-3) + +.5e1 - 2E+0 * 1.e-1", 7.8),
        ("$ 1,000 - 0,999", 1),
        ("log(1000) + ln(e) + cos(0)", 5),
        ("sqrt(1/4) + sqrt{0}", 0.5),
        ("2 * PI", 6.28318530717959),
        ("1e300 / 1e300", 1),
        ("1e299 * 100 / 1e299", 100),
        ("1" + "+1" * 49 + " " * 401, 50),  # 500 characters
    ],
)
def test_values(expression: str, expected: float) -> None:
    found = value(expression)
    assert found == expected
    assert isinstance(found, type(expected))


def test_a_value_that_was_rounded_is_no_whole_number_where_floats_lie_further_apart_than_1() -> None:
    exact, rounded = value("3 * 10**20"), value("(3 * 10**20 + 1) / 3")
    assert (exact, type(exact)) == (3 * 10**20, int)
    assert (rounded, type(rounded)) == (1e20, float)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("", "no arithmetic at character 1"),
        ("8 // 3", "Unexpected '/' at character 3"),
        ("__import__('os')", "Unexpected '_'"),
        ("sqrt 9", "argument in ( )"),
        ("foo(2)", "Unknown name 'foo'"),
        ("15%", "0.15 for 15 percent"),
        ("1,20", "a comma separates thousands"),
        ("1 / 0", "Division by zero"),
        ("0 ** -1", "Zero to a negative power"),
        ("ln(0)", "logarithm"),
        ("(-8) ** (1/3)", "fractional power"),
        ("9 ** 9 ** 9", "too large"),
        ("2 ** -2000", "too small"),
        ("(" * 240 + "1" + ")" * 240, "no arithmetic"),
        ("1+" * 300 + "1", "at most 500"),
        ("1" * 501, "has 501 characters; at most 500"),
        ("1e301", "The number at character 1 is too large or too long"),
        ("2 * 1e99999", "The number at character 5 is too large"),
        ("1" * 301, "too large or too long"),
        ("sqrt(-1)", "square root of a negative"),
        ("log(-1)", "logarithm"),
        ("1e300 * 1e300 * 1e300", "too large"),
        ("1e-300 * 1e-300 / 3", "too small"),
        ("1e-300 / 1e300", "too small"),
        ("2 3", "no arithmetic at character 3"),
        ("2 pi", "no arithmetic at character 3"),
        ("sqrt(1, 2)", "a comma may only separate thousands"),
        ("1 $ 2", "no arithmetic"),
        ("2 ^ 3", "Unexpected '^' at character 3: write ** for powers"),
        ("1 & 2", "Unexpected '&' at character 3: use numbers"),
        ("1234,567", "'1234,567' at character 1 is not a number"),
        ("1,2345", "'1,2345' at character 1 is not a number"),
    ],
)
def test_what_has_no_value_is_one_sentence_in_no_time(expression: str, message: str) -> None:
    began = time.process_time()
    with pytest.raises(ArithmeticProblem) as problem:
        evaluate(expression)
    assert time.process_time() - began < 1  # of this process; what is too large would take hours
    assert message in str(problem.value)
    assert "\n" not in str(problem.value)


@given(st.text(st.sampled_from("0123456789.,+-*/(){}$ epilnsqrt"), max_size=60) | st.text(max_size=40))
def test_any_text_is_a_number_or_a_sentence(expression: str) -> None:
    try:
        number = value(expression)
    except ArithmeticProblem:
        return
    assert math.isfinite(number)


def test_the_value_comes_with_the_expression_and_evidence(toolkit: Toolkit, session: Session) -> None:
    reply = toolkit.call("calculator", {"expression": " 2*$24.99 + 39.50 "})
    assert reply.value == {"evidence": reply.evidence[0], "expression": "2*$24.99 + 39.50", "value": 89.48}
    (entry,) = session.ledger.evidence()
    assert (entry.kind, entry.key) == ("calculation", "2*$24.99+39.50")
    assert entry.sources[0].text == "2*$24.99 + 39.50 = 89.48"
    spaced = toolkit.call("calculator", {"expression": "2 * $24.99+39.50 = "})
    assert (spaced.evidence, spaced.value["value"]) == (reply.evidence, 89.48), "the sign asks for the value"
    for wrong in ("1 + 2 = 3", "1 + 2 =="):
        assert error_of(toolkit.call("calculator", {"expression": wrong}))["type"] == "invalid_argument", wrong

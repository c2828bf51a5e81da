import json
from typing import Any

import pytest

from drretail.env.session import Attempt, Session, SessionSettings
from drretail.env.world import World
from drretail.grounding.text.serialisation import whole_items
from drretail.tools.toolkit import Toolkit
from tests.tools.conftest import ANNA, BORIS, NOBODY, error_of


def update(toolkit: Toolkit, **change: Any) -> dict[str, Any]:
    reply = toolkit.call("update_user_profile", {"user_id": ANNA, **change})
    assert reply.error is None, reply.text
    return reply.value


def test_a_profile_is_listing_1_and_proof(toolkit: Toolkit, anyones: Toolkit, world: World, session: Session) -> None:
    reply = toolkit.call("get_user_profile", {"user_id": ANNA})
    assert reply.value == {"evidence": "U:profile", **world.store.user(ANNA).model_dump()}
    assert json.loads(session.ledger.evidence()[0].sources[0].text) == reply.value
    assert anyones.call("get_user_profile", {"user_id": BORIS}).evidence == (f"U:profile@{BORIS}",)
    with Toolkit(Session(SessionSettings(world, scope="any"))) as nobodys:
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
        ({"email": "anna"}, "email", ""),
        ({"phone_number": "12345"}, "phone_number", ""),
        ({"first_name": "  "}, "first_name", ""),
        ({"address": {"zip": "1234"}}, "address.zip", ""),
        ({"address": {"country": "United States"}}, "address.country", ""),
        ({"address": {"street": "1 Lane"}}, "address.street", ""),
        ({"account_status": "closed"}, "account_status", ""),
        ({}, None, NOTHING),
        ({"email": None}, None, NOTHING),
        ({"address": {}}, None, NOTHING),
        ({"address": {"city": None}}, None, NOTHING),
    ],
)
def test_an_update_of_nothing_or_by_what_is_no_contact_is_refused(
    toolkit: Toolkit, session: Session, change: dict[str, Any], field: str | None, message: str
) -> None:
    error = error_of(toolkit.call("update_user_profile", {"user_id": ANNA, **change}))
    assert (error["type"], error.get("field")) == ("invalid_argument", field)
    assert error["message"] == (message or error["message"])
    assert session.state_diff() == ()


def test_usual_contacts_are_accepted(toolkit: Toolkit) -> None:
    update(toolkit, email="first.last+tag@mail.example.com", phone_number="001-657-735-4762")
    update(toolkit, phone_number="001-555-010-4477x9876", address={"zip": "SW1A 1AA", "country": "GB"})


def test_statistics_are_the_stores_figures_and_a_spend_of_no_price_is_not_shown(
    toolkit: Toolkit, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    figures = world.store.statistics(ANNA)
    value = toolkit.call("get_user_statistics", {"user_id": ANNA}).value
    assert value == {"evidence": "U:statistics", **figures.model_dump(mode="json")}
    unpriced = figures.model_copy(update={"spend": 0.0, "mean_order": None})
    monkeypatch.setattr(world.store, "statistics", lambda _: unpriced)
    with Toolkit(Session(SessionSettings(world, user_id=ANNA))) as another:
        value = another.call("get_user_statistics", {"user_id": ANNA}).value
    assert "spend" not in value
    assert value["orders_with_unknown_price"] == 1


@pytest.mark.parametrize("tool", ["get_user_profile", "get_user_statistics", "get_user_orders", "get_order_details"])
def test_an_unknown_user_or_order_is_not_found(anyones: Toolkit, tool: str) -> None:
    field, unknown = ("order_id", "9999999999") if tool == "get_order_details" else ("user_id", NOBODY)
    error = error_of(anyones.call(tool, {field: unknown}))
    assert (error["type"], error["field"]) == ("not_found", field)


def test_an_order_in_a_list_has_title_and_present_price_and_is_evidence(toolkit: Toolkit, session: Session) -> None:
    reply = toolkit.call("get_user_orders", {"user_id": ANNA, "limit": 2})
    assert reply.evidence == ("U:orders", "O:0000000004", "O:0000000005")
    texts = [json.loads(entry.sources[0].text) for entry in session.ledger.evidence()]
    assert texts == [reply.value, *whole_items(reply.value, "orders")]
    value = toolkit.call("get_user_orders", {"user_id": ANNA, "limit": 1, "offset": 4}).value
    assert (value["total"], value["shown"], value["offset"]) == (5, 1, 4)
    assert (value["user_id"], value["currency"]) == (ANNA, "USD")
    assert value["orders"][0] == {
        "evidence": "O:0000000001",
        "order_id": "0000000001",
        "product_id": "B0TOOLS001",
        "order_date": "2023-01-01T00:00:00.735000",
        "quantity": 2,
        "order_status": "Delivered",
        "product_title": "Tanagrove tube bird feeder",
        "price": 24.99,
    }


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
    with Toolkit(Session(SessionSettings(world))) as nobodys:
        assert nobodys.call("get_user_profile", {"user_id": ANNA}).error == "forbidden"


@pytest.mark.parametrize("acting", [ANNA, None])
def test_nobody_elses_profile_is_changed_whatever_the_scope(world: World, acting: str | None) -> None:
    with Toolkit(Session(SessionSettings(world, user_id=acting, scope="any"))) as toolkit:
        for written in (BORIS, f'"{BORIS}"', f"U:profile@{BORIS}", NOBODY):
            reply = toolkit.call("update_user_profile", {"user_id": written, "first_name": "B"})
            assert error_of(reply)["type"] == "forbidden"
            assert BORIS not in reply.text
        session = toolkit.session
        assert session.state_diff() == ()
        assert session.overlay == {}
        assert [(attempt.user_id, attempt.refused) for attempt in session.attempts] == [(BORIS, True)] * 3 + [
            (NOBODY, True)
        ]


def test_attempts_are_recorded_when_granted_in_order_of_their_places(world: World) -> None:
    with Toolkit(Session(SessionSettings(world, user_id=ANNA, scope="any"))) as toolkit:
        toolkit.call_all(CALLS, "0.10")
        toolkit.call(*CALLS[0], "0.2")
        toolkit.call("get_user_profile", {"user_id": ANNA}, "0.2")
        attempts = toolkit.session.attempts
    assert [(attempt.path, attempt.seq) for attempt in attempts] == [("0.2", 0), *(("0.10", seq) for seq in range(5))]
    assert [attempt.tool for attempt in attempts if attempt.refused] == ["update_user_profile"]

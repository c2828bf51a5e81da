import json
from typing import Any

import pytest

from drretail.env.session import Session
from drretail.env.world import World
from drretail.tools.toolkit import Toolkit
from tests.tools.conftest import ANNA, BORIS, NOBODY, error_of


def update(toolkit: Toolkit, **change: Any) -> dict[str, Any]:
    reply = toolkit.call("update_user_profile", {"user_id": ANNA, **change})
    assert reply.error is None, reply.text
    return reply.value


def test_a_profile_is_listing_1_with_its_evidence(toolkit: Toolkit, world: World, session: Session) -> None:
    reply = toolkit.call("get_user_profile", {"user_id": ANNA})
    assert reply.value == {"evidence": "U:profile", **world.store.user(ANNA).model_dump()}
    assert json.loads(session.ledger.evidence()[0].sources[0].text) == reply.value


def test_anothers_profile_has_the_others_id_in_its_evidence(anyones: Toolkit, world: World) -> None:
    assert anyones.call("get_user_profile", {"user_id": BORIS}).evidence == (f"U:profile@{BORIS}",)
    with Toolkit(Session(world, scope="any")) as nobodys:
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


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"email": "anna"}, "email"),
        ({"phone_number": "12345"}, "phone_number"),
        ({"first_name": "  "}, "first_name"),
        ({"address": {"zip": "1234"}}, "address.zip"),
        ({"address": {"country": "United States"}}, "address.country"),
        ({"address": {"street": "1 Lane"}}, "address.street"),
        ({"account_status": "closed"}, "account_status"),
    ],
)
def test_what_is_no_contact_is_refused(toolkit: Toolkit, session: Session, change: dict[str, Any], field: str) -> None:
    error = error_of(toolkit.call("update_user_profile", {"user_id": ANNA, **change}))
    assert (error["type"], error["field"]) == ("invalid_argument", field)
    assert session.state_diff() == ()


@pytest.mark.parametrize("change", [{}, {"email": None}, {"address": {}}, {"address": {"city": None}}])
def test_an_update_of_nothing_is_refused(toolkit: Toolkit, change: dict[str, Any]) -> None:
    error = error_of(toolkit.call("update_user_profile", {"user_id": ANNA, **change}))
    assert error["message"] == "No field to change was given."


@pytest.mark.parametrize(
    "change",
    [
        {"email": "first.last+tag@mail.example.com"},
        {"phone_number": "001-657-735-4762"},
        {"phone_number": "001-555-010-4477x9876"},
        {"address": {"zip": "SW1A 1AA", "country": "GB"}},
    ],
)
def test_usual_contacts_are_accepted(toolkit: Toolkit, change: dict[str, Any]) -> None:
    update(toolkit, **change)


def test_statistics_are_the_stores_figures(toolkit: Toolkit, world: World) -> None:
    value = toolkit.call("get_user_statistics", {"user_id": ANNA}).value
    assert value == {"evidence": "U:statistics", **world.store.statistics(ANNA).model_dump(mode="json")}


def test_a_spend_of_no_price_is_not_shown(toolkit: Toolkit, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    unpriced = world.store.statistics(ANNA).model_copy(update={"spend": 0.0, "mean_order": None})
    monkeypatch.setattr(world.store, "statistics", lambda _: unpriced)
    value = toolkit.call("get_user_statistics", {"user_id": ANNA}).value
    assert "spend" not in value
    assert value["orders_with_unknown_price"] == 1


@pytest.mark.parametrize("tool", ["get_user_profile", "get_user_statistics", "get_user_orders", "get_order_details"])
def test_an_unknown_user_or_order_is_not_found(anyones: Toolkit, tool: str) -> None:
    field, unknown = ("order_id", "9999999999") if tool == "get_order_details" else ("user_id", NOBODY)
    error = error_of(anyones.call(tool, {field: unknown}))
    assert (error["type"], error["field"]) == ("not_found", field)

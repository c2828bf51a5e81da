import json

from drretail.env.session import Session
from drretail.env.world import World
from drretail.grounding.text.serialisation import whole_items
from drretail.tools.toolkit import Toolkit
from tests.tools.conftest import ANNA


def test_an_order_in_a_list_has_title_and_present_price(toolkit: Toolkit) -> None:
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


def test_the_list_and_each_order_are_evidence(toolkit: Toolkit, session: Session) -> None:
    reply = toolkit.call("get_user_orders", {"user_id": ANNA, "limit": 2})
    assert reply.evidence == ("U:orders", "O:0000000004", "O:0000000005")
    texts = [json.loads(entry.sources[0].text) for entry in session.ledger.evidence()]
    assert texts == [reply.value, *whole_items(reply.value, "orders")]


def test_an_order_comes_with_product_and_customer(toolkit: Toolkit, world: World) -> None:
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
        "address": customer.address.model_dump(),
    }


def test_the_customer_is_shown_as_this_run_has_changed_him(toolkit: Toolkit) -> None:
    toolkit.call("update_user_profile", {"user_id": ANNA, "address": {"city": "Newtown"}})
    reply = toolkit.call("get_order_details", {"order_id": "0000000002"})
    assert reply.value["customer"]["address"]["city"] == "Newtown"

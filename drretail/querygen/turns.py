"""Cases of commerce-agents: rows of turns, and the carts that they expect, as wishes.

A case has an opening ``state``, ``turns`` and an ``expected`` state. Typed is the cart that is expected, after the last
turn or after each that names one. What has no place in a wish is counted by its name.
"""

from collections.abc import Mapping
from typing import Any

from drretail.env.store.base import Store
from drretail.grounding.constraints import record_sha
from drretail.records.criteria import OF_KIND, Decision, Gold
from drretail.records.query import Query
from drretail.records.wish import Want, Wish

CONVERSATION, CART, ROOM, NOT_TYPED = "conversation", "cart", "room", "not_typed"


def turn_rows(row: Mapping[str, Any], place: str) -> list[dict[str, Any]]:
    """A row for each turn of a case; any other row as it is."""
    if not isinstance(row.get("turns"), list):
        return [dict(row)]
    messages = [each if isinstance(each, Mapping) else {"content": each} for each in row["turns"]]
    said = [message for message in messages if message.get("role", "user") == "user"]
    name = str(row.get("id") or place.replace(" ", "-"))
    rows: list[dict[str, Any]] = []
    for number, message in enumerate(said, 1):
        expected = message.get("expected") or (row.get("expected") if number == len(said) else None)
        lost = [f"state.{key}" for key in row.get("state") or ()] if number == 1 else []
        typed = _typed(expected if isinstance(expected, Mapping) else {}, lost)
        rows.append({"question": message.get("content"), CONVERSATION: name, **typed})
    return rows


def _typed(expected: Mapping[str, Any], lost: list[str]) -> dict[str, Any]:
    contains, count = expected.get("cart_contains"), expected.get("cart_item_count")
    cart = dict(map(_line, contains)) if isinstance(contains, list) else {} if count == 0 else None
    lost += [key for key in expected if cart is None or key not in ("cart_contains", "cart_item_count")]
    # Without a number of pieces, more than is named may be in the cart.
    return {CART: cart, ROOM: cart is not None and count != sum(cart.values()), NOT_TYPED: tuple(lost)}


def _line(entry: Any) -> tuple[str, int]:
    quantity = entry.get("quantity") if isinstance(entry, Mapping) else None
    product_id = entry.get("product_id") if isinstance(entry, Mapping) else entry
    return str(product_id), quantity if isinstance(quantity, int) else 1


def with_cart(query: Query, cart: Mapping[str, int] | None, store: Store, *, room: bool) -> Query:
    """The query that wants exactly these products; unchanged if none are named, or the shop lacks one of them."""
    products = store.products(list(cart or ()))
    if cart is None or not cart.keys() <= products.keys():
        return query
    wants = [
        Want(name=key, kinds=(products[key].title,), quantity=quantity, again=True) for key, quantity in cart.items()
    ]
    of_kind = {"demand": OF_KIND, "state": "met", "by": f"file:{query.source}"}
    decisions = [
        Decision.model_validate({"want": key, "product_id": key, "record_sha": record_sha(products[key]), **of_kind})
        for key in cart
    ]
    gold = Gold(query_id=query.query_id, decisions=tuple(decisions))
    return query.model_copy(update={"wish": Wish(wants=tuple(wants), room=room), "gold": gold})

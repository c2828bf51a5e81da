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

_CART, _COUNT = "cart_contains", "cart_item_count"


def turn_rows(row: Mapping[str, Any], place: str) -> list[Mapping[str, Any]]:
    """A row for each turn of a case; any other row as it is."""
    if not isinstance(row.get("turns"), list):
        return [row]
    messages = [turn if isinstance(turn, Mapping) else {"content": turn} for turn in row["turns"]]
    said = [message for message in messages if message.get("role", "user") == "user"]
    name, state = str(row.get("id") or place.replace(" ", "-")), {f"state.{key}": "" for key in row.get("state") or ()}
    expected = [{**(message.get("expected") or {})} for message in said]
    if expected:
        expected[-1] = expected[-1] or {**(row.get("expected") or {})}
        expected[0] |= state
    pairs = zip(said, expected, strict=True)
    return [{"question": turn.get("content"), "conversation": name, "expected": after} for turn, after in pairs]


def with_expected(query: Query, expected: Mapping[str, Any], store: Store) -> tuple[Query, list[str]]:
    """The query that wants exactly the products that are expected in the cart, and the names of what is not typed.

    It is unchanged if none are named, or if the shop lacks one of them. Without a number of pieces, more may be in it.
    """
    named = expected[_CART] if isinstance(expected.get(_CART), list) else []
    lines = [line if isinstance(line, Mapping) else {"product_id": line} for line in named]
    cart = {str(line.get("product_id")): int(line.get("quantity") or 1) for line in lines}
    products, count = store.products(list(cart)), expected.get(_COUNT)
    if not (cart or count == 0) or not cart.keys() <= products.keys():
        return query, [*expected]
    wants, decisions = list[Want](), list[Decision]()
    for key, pieces in cart.items():
        product, by = products[key], f"file:{query.source}"
        wants.append(Want(name=key, kinds=(product.title,), quantity=pieces, again=True))
        ruling = {"want": key, "demand": OF_KIND, "product_id": key, "record_sha": record_sha(product), "by": by}
        decisions.append(Decision.model_validate({**ruling, "state": "met"}))
    wish = Wish(wants=tuple(wants), room=count != sum(cart.values()))
    gold = Gold(query_id=query.query_id, decisions=tuple(decisions))
    typed = query.model_copy(update={"wish": wish, "gold": gold})
    return typed, [name for name in expected if name not in (_CART, _COUNT)]

"""Conversations from elsewhere: rows of turns, and cases of commerce-agents, as questions that follow one another.

A case has an opening ``state``, ``turns`` and an ``expected`` state. Typed is the cart that is expected, after the last
turn or after each that names one. What has no place in a wish is counted by its name.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from drretail.env.store.base import Store
from drretail.grounding.constraints import record_sha
from drretail.records.criteria import OF_KIND, Decision, Gold
from drretail.records.query import Query
from drretail.records.wish import Want, Wish

TURNS, CONVERSATION, CART, ROOM, NOT_TYPED = "turns", "conversation", "cart", "room", "not_typed"
_SAID = ("say", "user", "content", "text", "message")
_EXPECTED = ("expected", "expect", "expected_state")


def turn_rows(row: Mapping[str, Any], place: str) -> list[dict[str, Any]]:
    """A row for each turn of a case; any other row as it is."""
    turns = row.get(TURNS)
    if not isinstance(turns, list):
        return [dict(row)]
    said = [(turn, text) for turn in turns if (text := _said(turn)) is not None]
    whole = _expected(row)
    name = str(row.get("id") or row.get("name") or place.replace(" ", "-"))
    rows: list[dict[str, Any]] = []
    for at, (turn, text) in enumerate(said):
        expected = _expected(turn) or (whole if at == len(said) - 1 else {})
        lost = [f"state.{key}" for key in row.get("state") or ()] if at == 0 else []
        rows.append({"question": text, CONVERSATION: name} | _typed(expected, lost))
    return rows


def _said(turn: Any) -> str | None:
    if isinstance(turn, Mapping) and turn.get("role") not in (None, "user"):
        return None
    if isinstance(turn, Mapping):
        turn = next((turn[name] for name in _SAID if name in turn), None)
    return turn if isinstance(turn, str) and turn.strip() else None


def _expected(value: Any) -> Mapping[str, Any]:
    named = (value.get(name) for name in _EXPECTED) if isinstance(value, Mapping) else ()
    return next((each for each in named if isinstance(each, Mapping)), {})


def _typed(expected: Mapping[str, Any], lost: Sequence[str]) -> dict[str, Any]:
    contains, count = expected.get("cart_contains"), expected.get("cart_item_count")
    cart = dict(_line(each) for each in contains) if isinstance(contains, list) else {} if count == 0 else None
    known = {"cart_contains"} | ({"cart_item_count"} if cart is not None else set())
    # Without a number of pieces, more than is named may be in the cart.
    room = cart is not None and count != sum(cart.values())
    return {CART: cart, ROOM: room, NOT_TYPED: (*lost, *(key for key in expected if key not in known))}


def _line(entry: Any) -> tuple[str, int]:
    if isinstance(entry, Mapping):
        return str(entry.get("product_id") or entry.get("id") or entry.get("sku")), int(entry.get("quantity") or 1)
    return str(entry), 1


def with_cart(query: Query, cart: Mapping[str, int], store: Store, *, room: bool) -> Query | None:
    """The query that wants exactly these products; None if the shop lacks one of them."""
    products = store.products(list(cart))
    if not cart.keys() <= products.keys():
        return None
    wants, decisions = list[Want](), list[Decision]()
    for product_id, quantity in cart.items():
        product = products[product_id]
        wants.append(Want(name=product_id, kinds=(product.title,), quantity=quantity, again=True))
        decisions.append(
            Decision(
                want=product_id,
                demand=OF_KIND,
                product_id=product_id,
                record_sha=record_sha(product),
                state="met",
                by=f"file:{query.source}",
            )
        )
    gold = Gold(query_id=query.query_id, decisions=tuple(decisions))
    return query.model_copy(update={"wish": Wish(wants=tuple(wants), room=room), "gold": gold})


def in_conversations(queries: Iterable[tuple[Query, str]]) -> list[Query]:
    """The queries, each after the one before it in the same conversation; "" is none."""
    last = dict[str, str]()
    made: list[Query] = []
    for query, name in queries:
        if name:
            asker = query.asker or (None if query.user_id else name)
            query = query.model_copy(update={"after": last.get(name), "asker": asker})
            last[name] = query.query_id
        made.append(query)
    return made

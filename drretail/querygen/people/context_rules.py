"""Contexts out of a user's orders: notes of purchases, and every third order as a bit of talk (000, Appendix H)."""

from collections.abc import Iterator

from drretail.grounding.text.wording import short_title
from drretail.querygen.people.past import Past
from drretail.querygen.people.persona import ContextEntry, PersonContext
from drretail.querygen.people.persona_rules import RULES
from drretail.records.shop import VOID_STATUSES, Order

MOST_ENTRIES = 40
TALK_EVERY = 3
"""PDR-Bench wants 20 to 50 % of the material to be conversation."""


def context_by_rules(past: Past, most: int = MOST_ENTRIES) -> PersonContext:
    """The newest ``most`` orders as notes and talk, the oldest first, after who it is and where they live."""
    return PersonContext(user_id=past.user_id, made_by=RULES, entries=tuple(_entries(past, most)))


def _entries(past: Past, most: int) -> Iterator[ContextEntry]:
    greeting = f"Shopper: {past.profile.first_name} here. Please send everything to me in {past.residence}."
    yield ContextEntry(kind="talk", text=greeting, of_profile=True)
    bought: set[str] = set()
    for number, order in enumerate(past.orders[-most:]):
        if number % TALK_EVERY == TALK_EVERY - 1:
            yield ContextEntry(
                kind="talk", text=_talk(past, order, again=order.product_id in bought), orders=(order.order_id,)
            )
        else:
            yield ContextEntry(kind="purchase", text=f"Noted {past.line(order)}", orders=(order.order_id,))
        bought.add(order.product_id)


def _talk(past: Past, order: Order, *, again: bool) -> str:
    product = past.products.get(order.product_id)
    what = "something" if product is None else short_title(product.title, 100)
    if order.order_status in VOID_STATUSES:
        asked = f"I don't want the {what} after all."
    else:
        asked = f"I'd like the {what} again." if again else f"I'd like to order the {what}."
    return f"Shopper: {asked} Assistant: Noted {past.line(order)}."

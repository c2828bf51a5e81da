"""What an experiment knows of the baskets that its queries could be answered with, whoever answers them."""

from typing import Literal

from drretail.records.base import Document, Record
from drretail.records.money import Money

Lack = Literal["no_things", "nothing_offered", "no_price", "too_dear", "no_such_brand", "demands", "owned", "no_basket"]
"""Why there is no basket. No thing that is asked for could be read from the query; the shop offers none of them, or not
all; it names no price of what would do, or none in the currency of the budget. Else the one constraint without which
there would be a basket: the budget, a wanted brand, what must and must not be, that nothing is bought twice.
"no_basket": several are in the way."""


class Fit(Record):
    """A product that is the wanted thing and keeps to what the query demands of it."""

    product_id: str
    price: str | None = None
    """Of one piece, as a decimal; None where the shop does not know it exactly, or names it in another currency."""
    worth: int
    """In hundredths of a star (``grounding.worth``)."""
    wanted_brand: bool = False


class WantedThing(Record):
    """One thing that the query asks for, with everything in the shop that would do."""

    name: str
    quantity: int = 1
    fits: tuple[Fit, ...] = ()
    """By product id."""


class BasketItem(Record):
    """What a basket holds for one wanted thing."""

    thing: str
    product_id: str
    title: str
    price: str
    """Of one piece, as a decimal."""
    quantity: int = 1


class FoundBasket(Record):
    """A basket that keeps to the query: one item for each wanted thing, in their order."""

    items: tuple[BasketItem, ...]
    total: Money
    worth: int
    """Of all items together, in hundredths of a star."""


class Reference(Document):
    """exp/rubrics/basket/<query_id>.json: what the shop could have sold; frozen when the experiment opens."""

    query_id: str
    things: tuple[WantedThing, ...] = ()
    cheapest: FoundBasket | None = None
    best: FoundBasket | None = None
    """Both are there, or neither."""
    lack: Lack | None = None
    """Why there is none."""
    left_out: tuple[str, ...] = ()
    """Products that the user has already, and that the query does not want again."""

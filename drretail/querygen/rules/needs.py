"""The needs of phrases.toml that orders and the shop support: to restock, or to replace."""

import calendar
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from drretail.grounding.listing import Listing, pieces_in
from drretail.querygen.checks.case import Shopper
from drretail.querygen.kinds import is_plural
from drretail.querygen.rules.assortment import PHRASES, Assortment, is_topic
from drretail.records.query import NeedKind
from drretail.records.shop import Order, Product

_KNOWN = PHRASES["known"]


@dataclass(frozen=True, slots=True)
class Need:
    """A need, and the purchase that it rests on: the user's latest of its kind."""

    kind: NeedKind
    listing: Listing
    order: Order
    category: str
    thing: str
    """What the shop calls a product of the category."""

    def sentence(self, name: str) -> str:
        """Its sentence of this name in phrases.toml, with what it says of the purchase."""
        year, month, _ = self.order.order_date[:10].split("-")
        slots = {"kinds": self.thing, "month": f"{calendar.month_name[int(month)]} {year}"}
        return PHRASES["need"][self.kind][name].format(**slots)


def needs_of(shopper: Shopper, assortment: Assortment, today: date) -> Iterator[Need]:
    """The needs that a user's orders support, newest first, without what was returned or is on its way."""
    nouns = set[str]()
    for order in shopper.orders:
        listing = shopper.products.get(order.product_id)
        of_kind = None if listing is None else assortment.kind_of(listing.product, shopper.bought)
        if listing is None or of_kind is None or of_kind[1].split()[-1] in nouns:
            continue
        category, thing = of_kind
        nouns.add(thing.split()[-1])
        age = (today - date.fromisoformat(order.order_date[:10])).days
        kind = _kind_of_need(listing.product, thing)
        least, most = PHRASES["need"][kind]["days"]
        is_shown = order.order_status == "Delivered" and is_topic(listing.product)
        if is_shown and least <= age <= most:
            yield Need(kind, listing, order, category, thing)


def _kind_of_need(product: Product, thing: str) -> NeedKind:
    # Of what comes in packs, such as socks, nobody replaces one; a set is one thing.
    is_one = is_plural(thing.split()[-1]) and (pieces_in(product.title) == 1 or thing.endswith("sets"))
    lasts = product.category in _KNOWN["lasting_departments"] and not is_used_up(product)
    return "replacement" if is_one and lasts else "restock"


def is_used_up(product: Product) -> bool:
    """True for what has a field that only goods have that are used up."""
    return any(map(product.details.get, _KNOWN["of_goods_used_up"]))

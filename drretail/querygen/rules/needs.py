"""What a user's orders and the shop let a question ask for again."""

import calendar
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from drretail.querygen.checks.case import Shopper
from drretail.querygen.rules.assortment import PHRASES, Assortment, is_topic
from drretail.records.shop import Order
from drretail.shopping.listing import Listing


@dataclass(frozen=True, slots=True)
class Need:
    """A need, and the purchase that it rests on: the user's latest of its kind."""

    listing: Listing
    order: Order
    category: str
    thing: str
    """What the shop calls a product of the category."""

    def slots(self) -> dict[str, str]:
        """What the sentences of phrases.toml say of the purchase."""
        year, month, _ = self.order.order_date[:10].split("-")
        return {"kinds": self.thing, "month": f"{calendar.month_name[int(month)]} {year}"}


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
        least, most = PHRASES["need"]["days"]
        is_shown = order.order_status == "Delivered" and is_topic(listing.product)
        if is_shown and least <= age <= most:
            yield Need(listing, order, category, thing)

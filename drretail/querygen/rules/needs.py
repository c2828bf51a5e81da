"""The needs of phrases.toml that orders and the shop support: to restock, to replace, for somebody."""

import calendar
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from drretail.grounding.listing import Listing, pieces_in
from drretail.grounding.text.wording import is_plural
from drretail.querygen.checks.case import Shopper
from drretail.querygen.kinds import Kind, quoted_title
from drretail.querygen.rules.assortment import PHRASES, Assortment, is_topic
from drretail.records.query import NeedKind
from drretail.records.shop import Order

_KNOWN = PHRASES["known"]
_RECIPIENTS = {"Women": "my sister", "Men": "my brother", "Girls": "my niece", "Boys": "my nephew"}


@dataclass(frozen=True, slots=True)
class _Purchase:
    """A product of a known kind that was delivered to the user; ``order`` is the latest such order."""

    listing: Listing
    order: Order
    kind: Kind
    quote: str
    facts: frozenset[str]
    """The facts that hold for it, by their names in phrases.toml."""
    age: int
    """Days since the order."""


@dataclass(frozen=True, slots=True)
class Need:
    """A need that the record supports."""

    kind: NeedKind
    purchase: _Purchase
    row: Mapping[str, Any]
    """Its row of phrases.toml: its sentences, and what it takes."""

    @property
    def is_other(self) -> bool:
        """True if what the shopper has would not do."""
        return "another" in self.row

    @property
    def product_id(self) -> str:
        return self.purchase.listing.product.product_id

    @property
    def slots(self) -> Mapping[str, str]:
        """What its sentences say of the purchase."""
        year, month, _ = self.purchase.order.order_date[:10].split("-")
        return {
            "kinds": self.purchase.kind.category,
            "owned": f'"{self.purchase.quote}"',
            "month": f"{calendar.month_name[int(month)]} {year}",
            "who": _RECIPIENTS.get(self.purchase.kind.gender, "a friend"),
        }


def needs_of(purchases: Sequence[_Purchase]) -> Iterator[Need]:
    """Every need that a user's newest purchases support."""
    for kind, row in PHRASES["need"].items():
        least, most = row["days"]
        for purchase in purchases:
            if least <= purchase.age <= most and purchase.facts.issuperset(row["when"]):
                yield Need(kind, purchase, row)


def purchases_of(shopper: Shopper, assortment: Assortment, today: date) -> Iterator[_Purchase]:
    """The purchases that can be quoted and are of a kind, newest first, without what was returned or is on its way."""
    seen, kinds = set[str](), set[str]()
    for order in shopper.orders:
        listing = shopper.products.get(order.product_id)
        if listing is None or order.product_id in seen:
            continue
        kind = assortment.kind_of(listing.product, shopper.bought)
        is_latest = kind is not None and kind.name.split()[-1] not in kinds
        kinds |= set() if kind is None else {kind.name.split()[-1]}
        quote, age = quoted_title(listing.product), (today - date.fromisoformat(order.order_date[:10])).days
        if order.order_status == "Delivered" and kind is not None and quote and is_topic(listing.product):
            seen.add(order.product_id)
            facts = _facts(listing, kind) | {"latest": is_latest}
            yield _Purchase(listing, order, kind, quote, frozenset(name for name, holds in facts.items() if holds), age)


def _facts(listing: Listing, kind: Kind) -> dict[str, bool]:
    product = listing.product
    # Of what comes in packs, such as socks, nobody replaces one; a set is one thing.
    is_one = pieces_in(product.title) == 1 or kind.category.endswith("sets")
    is_food = product.category in _KNOWN["used_up_departments"]
    is_used_up = is_food or any(map(product.details.get, _KNOWN["of_goods_used_up"]))
    is_device = not {*" ".join(product.details).casefold().split()}.isdisjoint(_KNOWN["of_devices"])
    may_last = is_device or product.category in _KNOWN["lasting_departments"]
    is_replaced = may_last and is_one and not is_used_up
    return {
        "countable": is_plural(kind.category.split()[-1]),
        "used up": is_used_up,
        "replaced": is_replaced,
        "bought again": not is_replaced,
        "given": "Occasion" in product.details or kind.name.endswith(tuple(_KNOWN["given"])),
    }

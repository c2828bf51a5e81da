"""The needs of phrases.toml that a user's orders and the shop support.

Two kinds of product share a question only if the shopper ordered both.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import combinations
from typing import Any

from drretail.grounding.constraints.listing import Listing, folded, pieces_in
from drretail.grounding.profile.naming import nouns_of
from drretail.querygen.checks.case import Shopper
from drretail.querygen.rules.assortment import HALF_A_YEAR, PHRASES, Assortment, is_topic
from drretail.querygen.rules.kinds import GENDERS, Kind, quoted_title
from drretail.records.query import NeedKind
from drretail.records.shop import Order, Product

_KNOWN = PHRASES["known"]
# Fields that only consumables have, and fields that only devices have.
_OF_GOODS_USED_UP, _OF_DEVICES = ("Item Form", "Scent", "Flavor"), ("Power Source", "Wattage", "Voltage", "Batteries")
# From so many pieces on, nobody knows whether a product lasts.
_MANY = 6
# Products that experts review or test cost at least this much.
_DEAR = 75
# The least words of a quoted title that name a product without a kind.
_LEAST_ALONE = 3


@dataclass(frozen=True, slots=True)
class Purchase:
    """A product that was delivered to the user; ``order`` is the latest such order."""

    listing: Listing
    order: Order
    kind: Kind
    """Its kind; named by the quoted title if the shop names no kind or offers too little of it.

    Then only the same product can be bought again.
    """
    quote: str
    facts: frozenset[str]
    """The facts that hold for it, by their names in phrases.toml."""
    age: int
    """Days since the order."""
    when: str
    """The season of the order, as in "in the spring of 2021"."""

    @property
    def part(self) -> tuple[str, ...]:
        """The first two categories above its own, which things that are used together share, besides "Men"."""
        return tuple(name for name in self.listing.product.categories[:-1] if name not in GENDERS)[:2]


@dataclass(frozen=True, slots=True)
class Need:
    """A need that the record supports, with its sentences and what is wanted."""

    kind: NeedKind
    purchases: tuple[Purchase, ...]
    row: Mapping[str, Any]
    """Its row of phrases.toml.

    ``open`` are the first sentences, ``want`` names the sentences that follow, ``another`` means that an owned product
    won't do.
    """

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds wanted."""
        return tuple(dict.fromkeys(purchase.kind for purchase in self.purchases))

    @property
    def facts(self) -> frozenset[str]:
        """The facts that hold for all its purchases."""
        return frozenset.intersection(*(purchase.facts for purchase in self.purchases))

    @property
    def is_other(self) -> bool:
        """True if what the shopper has would not do."""
        return "another" in self.row

    @property
    def asks_prices(self) -> bool:
        """True for a comparison of prices, in which an amount would give away the answer."""
        return "price_spread" in self.row["when"]

    @property
    def product_ids(self) -> tuple[str, ...]:
        """The ids of its purchases' products."""
        return tuple(purchase.listing.product.product_id for purchase in self.purchases)


def needs_of(purchases: Sequence[Purchase]) -> Iterator[Need]:
    """Every need that a user's newest purchases support."""
    for kind, row in ((kind, row) for kind, rows in PHRASES["need"].items() for row in rows):
        (least, most), when = row["days"], row["when"]
        supporting = [each for each in purchases if least <= each.age <= most and each.facts.issuperset(when)]
        for group in combinations(supporting, 2 if "pair" in row else 1):
            parts = {each.part or each.listing.product.product_id for each in group}
            is_told_apart = len({purchase.quote for purchase in group}) == len(group)
            if is_told_apart and len(parts) == 1 and len({each.kind for each in group}) == row.get("pair", 1):
                yield Need(kind, group, row)


def purchases_of(shopper: Shopper, assortment: Assortment, today: date) -> Iterator[Purchase]:
    """The purchases that can be quoted, newest first, without products that were returned or not delivered yet."""
    orders: dict[str, Order] = {}
    known = [order for order in shopper.orders if order.product_id in shopper.products]
    for order in known:
        if order.order_status == "Delivered":
            orders.setdefault(order.product_id, order)
    for product_id, order in orders.items():
        listing = shopper.products[product_id]
        quote, age = quoted_title(listing.product), (today - date.fromisoformat(order.order_date[:10])).days
        if quote is None or not is_topic(listing.product, age):
            continue
        kind = assortment.kind_of(listing.product, shopper.bought)
        is_unique = len(quote.split()) >= _LEAST_ALONE and list(assortment.of(quote).offers) == [listing]
        if kind is not None or is_unique:
            facts, when = _facts(listing, quote, kind, assortment), season_of(order.order_date)
            # Whoever says "socks" may mean all that are called so, in whichever category they are.
            alike = [each for each in known if _may_be_meant(shopper.products[each.product_id].product, listing, kind)]
            same = list(dict.fromkeys(each.product_id for each in alike))
            facts |= {"latest": same[0] == product_id, "of_two": len(same) == 2}
            facts["runs_low"] = kind is not None and age <= HALF_A_YEAR
            facts["recalled"] = kind is not None and sum(season_of(each.order_date) == when for each in alike) == 1
            holding = frozenset(name for name, holds in facts.items() if holds)
            yield Purchase(listing, order, kind or Kind(quote, quote), quote, holding, age, when)


def season_of(order_date: str) -> str:
    """When something was ordered, as one remembers it: "in the spring of 2021", "at the end of 2020"."""
    year, month = order_date[:4], int(order_date[5:7])
    season = {1: "at the beginning of", 2: "at the beginning of", 12: "at the end of"}.get(month)
    return f"{season or ('in the spring of', 'in the summer of', 'in the fall of')[month // 3 - 1]} {year}"


def _may_be_meant(product: Product, listing: Listing, kind: Kind | None) -> bool:
    """True for a product of the listing's category path, and for one whose title or category has the kind's noun."""
    same = listing.product.categories
    names = nouns_of(f"{product.title} {product.leaf_category}")
    is_called_so = kind is not None and not nouns_of(kind.name.split()[-1]).isdisjoint(names)
    return product == listing.product or (len(same) > 1 and product.categories == same) or is_called_so


def _facts(listing: Listing, quote: str, kind: Kind | None, assortment: Assortment) -> dict[str, bool]:
    """Whether each fact of phrases.toml holds for a purchase."""
    product = listing.product
    maker, named = ("".join(folded(text).split()) for text in (product.brand or product.store or "", quote))
    # Only the lowest categories: "Outdoor Power Tools" is far above the parts below it.
    below = product.categories[1:][-3:]
    may_last = product.category in _KNOWN["lasting_departments"]
    # The quote must have the noun, too: a charger may be in the category of batteries.
    is_used_up = bool(
        product.category in _KNOWN["used_up_departments"]
        or nouns_of("".join(below[-1:])) & nouns_of(quote) & nouns_of(" ".join(_KNOWN["used_up"]))
        or (not may_last and any(map(product.details.get, _OF_GOODS_USED_UP)))
    )
    pieces, is_dear = pieces_in(product.title), (listing.price or 0) >= _DEAR
    lasts = not is_used_up and (any(map(product.details.get, _OF_DEVICES)) or (may_last and pieces < _MANY))
    is_set = not {"kit", "set"}.isdisjoint(folded(product.title).split())
    return {
        "used_up": is_used_up,
        "lasts": lasts,
        "kept": not is_used_up,
        "named": kind is not None,
        "unnamed": kind is None,
        "single": pieces == 1,
        "dear": kind is not None and not is_used_up and is_dear,
        "outdoors": not set(folded(" ".join(below)).split()).isdisjoint(_KNOWN["outdoors"]),
        # Nobody needs several watches, quilt sets or heated vests.
        "by_several": ("Clothing" in product.categories or (pieces > 1 and not is_set)) and not is_dear,
        "branded": bool(maker) and named.startswith(maker),
        "rated": product.average_rating is not None or bool(product.rating_number),
        "given": "Occasion" in product.details or (kind is not None and kind.name.endswith(tuple(_KNOWN["given"]))),
        "price_spread": kind is not None and assortment.of(kind.category).has_cheaper_and_dearer(listing.price),
    }

"""What a user's orders support: the needs of phrases.toml whose facts the orders and the shop bear out.

Two kinds of product stand in one question only where the shopper ordered both.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import combinations, islice
from typing import Any

from drretail.grounding.constraints.listing import Listing, folded, pieces_in
from drretail.grounding.profile.naming import may_be_shown, nouns_of
from drretail.querygen.checks.contract import MOST_SHARE
from drretail.querygen.checks.stock import Shopper
from drretail.querygen.rules.assortment import ENOUGH, PHRASES, Assortment
from drretail.querygen.rules.kinds import Kind, kind_of, quoted_title
from drretail.records.query import NeedKind
from drretail.records.shop import Order, Product

_KNOWN = PHRASES["known"]
# Fields that only goods have which are used up, and those that only devices have.
_OF_GOODS_USED_UP, _OF_DEVICES = ("Item Form", "Scent", "Flavor"), ("Power Source", "Wattage", "Voltage", "Batteries")
# Of what is sold by the dozen nobody knows whether it lasts.
_MANY = 6
# What experts look at, or test, costs no less.
_DEAR = 75
# After half a year a child has outgrown it, and what names a year in its title is over.
_HALF_A_YEAR, _DATED = 182, re.compile(r"\b(?:20\d\d|calendar|planner)s?\b", re.IGNORECASE)
# More purchases tell nothing new about a shopper, and each is looked at beside every other.
_PURCHASES = 24
# Words of a title that name a product where nothing else does.
_LEAST_ALONE = 3


@dataclass(frozen=True, slots=True)
class Purchase:
    """A product that has been delivered to the user, the last time with ``order``."""

    listing: Listing
    order: Order
    kind: Kind
    """Named by the quoted title, for the same product again, where the shop names none or has too little of it."""
    quote: str
    facts: frozenset[str]
    """What holds of it, by the names that phrases.toml has for it."""
    age: int
    """The days since the order."""


@dataclass(frozen=True, slots=True)
class Need:
    """A need that the record supports: its sentences, and what is wanted."""

    kind: NeedKind
    purchases: tuple[Purchase, ...]
    row: Mapping[str, Any]
    """Of phrases.toml: ``open``, ``want`` (whose sentences go on), ``another`` (what the shopper has would not do)."""

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Of what is wanted."""
        return tuple(dict.fromkeys(purchase.kind for purchase in self.purchases))

    @property
    def facts(self) -> frozenset[str]:
        """What holds of all of them."""
        return frozenset.intersection(*(purchase.facts for purchase in self.purchases))

    @property
    def product_ids(self) -> tuple[str, ...]:
        """Of what the shopper has."""
        return tuple(purchase.listing.product.product_id for purchase in self.purchases)


def needs_of(shopper: Shopper, assortment: Assortment, today: date) -> Iterator[Need]:
    """Every need that the newest purchases of a user support."""
    purchases = list(islice(_purchases(shopper, assortment, today), _PURCHASES))
    for kind, row in ((kind, row) for kind, rows in PHRASES["need"].items() for row in rows):
        (least, most), when = row["days"], row["when"]
        supporting = [each for each in purchases if least <= each.age <= most and each.facts.issuperset(when)]
        for group in combinations(supporting, 2 if "pair" in row else 1):
            parts = {each.listing.product.categories[:-1][:2] or each.listing.product.product_id for each in group}
            if len(parts) == 1 and len({purchase.kind for purchase in group}) == row.get("pair", 1):
                yield Need(kind, group, row)


def _purchases(shopper: Shopper, assortment: Assortment, today: date) -> Iterator[Purchase]:
    """What can be quoted, newest first. Nobody owns what was returned or is still on its way."""
    shelves = Counter(_shelf(listing.product) for listing in shopper.products.values())
    orders: dict[str, Order] = {}
    alike: dict[Sequence[str], list[str]] = {}
    for order in shopper.kept:
        if order.product_id in shopper.products:
            same = alike.setdefault(_leaf(shopper.products[order.product_id].product), [])
            if order.product_id not in same:
                same.append(order.product_id)
            if order.order_status == "Delivered":
                orders.setdefault(order.product_id, order)
    for product_id, order in orders.items():
        listing = shopper.products[product_id]
        quote, age = quoted_title(listing.product), (today - date.fromisoformat(order.order_date[:10])).days
        if quote is None or _is_no_topic(listing.product, age):
            continue
        kind = kind_of(listing.product)
        if kind is not None and not _has_enough(assortment, kind, listing, shopper.bought):
            kind = None
        is_unique = len(quote.split()) >= _LEAST_ALONE and list(assortment.of(quote).offers) == [listing]
        if kind is not None or is_unique:
            facts = _facts(listing, quote, kind, assortment)
            same = alike[_leaf(listing.product)]
            facts |= {"latest": same[0] == product_id, "of_two": len(same) == 2}
            facts["related"] = shelves[_shelf(listing.product)] > 1
            holding = frozenset(name for name, holds in facts.items() if holds)
            yield Purchase(listing, order, kind or Kind(quote, quote), quote, holding, age)


def _leaf(product: Product) -> tuple[str, ...]:
    """Where all of its sort stand; of a product without categories nobody knows what is."""
    return product.categories if len(product.categories) > 1 else (product.product_id,)


def _shelf(product: Product) -> tuple[str, ...]:
    """The part of a department where it belongs: a router belongs with no headphones."""
    return product.categories[:-1][:2] or (product.category,)


def _is_no_topic(product: Product, age: int) -> bool:
    """True for codes, presents, what is intimate, and what is outgrown or over."""
    words = set(folded(f"{product.title} {' '.join(product.categories)}").split())
    passes = _DATED.search(product.title) is not None or not words.isdisjoint(_KNOWN["outgrown"])
    return (passes and age > _HALF_A_YEAR) or not words.isdisjoint(_KNOWN["no_topics"]) or not may_be_shown(product)


def _facts(listing: Listing, quote: str, kind: Kind | None, assortment: Assortment) -> dict[str, bool]:
    """What one can tell of a purchase."""
    product = listing.product
    maker, named = ("".join(folded(text).split()) for text in (product.brand or product.store or "", quote))
    # "Outdoor Power Tools" stand far above what they are made of.
    below = product.categories[1:][-3:]
    may_last = product.category in _KNOWN["lasting_departments"]
    # What lies beside batteries may be a charger.
    is_used_up = bool(
        product.category in _KNOWN["used_up_departments"]
        or nouns_of("".join(below[-1:])) & nouns_of(quote) & nouns_of(" ".join(_KNOWN["used_up"]))
        or (not may_last and any(map(product.details.get, _OF_GOODS_USED_UP)))
    )
    pieces = pieces_in(product.title)
    lasts = not is_used_up and (any(map(product.details.get, _OF_DEVICES)) or (may_last and pieces < _MANY))
    is_set = not {"kit", "set"}.isdisjoint(folded(product.title).split())
    return {
        "used_up": is_used_up,
        "lasts": lasts,
        "unsure": not is_used_up and not lasts,
        "named": kind is not None,
        "unnamed": kind is None,
        "single": pieces == 1,
        "dear": kind is not None and not is_used_up and (listing.price or 0) >= _DEAR,
        "outdoors": not set(folded(" ".join(below)).split()).isdisjoint(_KNOWN["outdoors"]),
        # Of watches and of quilt sets nobody needs more.
        "by_several": "Clothing" in product.categories or (pieces > 1 and not is_set),
        "branded": bool(maker) and named.startswith(maker),
        "rated": product.average_rating is not None or bool(product.rating_number),
        "given": "Occasion" in product.details or (kind is not None and kind.name.endswith(tuple(_KNOWN["given"]))),
        "price_spread": kind is not None and assortment.of(kind.category).has_cheaper_and_dearer(listing.price),
    }


def _has_enough(assortment: Assortment, kind: Kind, listing: Listing, owned: frozenset[str]) -> bool:
    """True where the shop has enough besides, nearly all beside the purchase: "Cases" may be of anything."""
    offered = (offer.product for offer in assortment.of(kind.category).offers)
    others = [product for product in offered if product.product_id not in owned]
    beside = sum(product.categories[-2:-1] == listing.product.categories[-2:-1] for product in others)
    return len(others) >= ENOUGH and beside >= MOST_SHARE * len(others)

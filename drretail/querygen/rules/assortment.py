"""The shop's offers of a kind, and whether a demand tells them apart, so that a question may make it."""

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from importlib.resources import files
from typing import Any, TypeVar

from drretail.env.profile import may_be_shown
from drretail.querygen.checks.case import Stock
from drretail.querygen.checks.contract import LEAST_OFFERS, LEAST_SHARE, MOST_SHARE
from drretail.querygen.kinds import OF_WHOM, kinds_of, lowered, stems
from drretail.records.shop import Product
from drretail.remembered import remembered, remembered_by
from drretail.shopping.basket import Candidates
from drretail.shopping.listing import Listing, folded

PHRASES: Mapping[str, Any] = tomllib.loads((files("drretail.querygen.rules") / "phrases.toml").read_text("utf-8"))
T = TypeVar("T")
_LIST = re.compile(r"[;,](?!\d)")
# The least share of a kind's titles that say its name, and of those that have the same words before it.
_SAID, MOSTLY = 0.05, 0.9
ENOUGH = 3
"""The least offers of a kind, besides what the shopper has, for an answer to choose from."""
_DECIDED = 0.6
"""The share of offers for which records must decide a demand."""
_SHARED, _MANY, _LEAST_SHARED, _MOST_VALUES, _MOST_OF_ONE = 3, 20, 0.8, 12, 0.7
"""In a field that can carry a limit so many offers share a value (two, of fewer offers than the second number), such is
the share of these, so many values there are at most, and such is the largest share of one.
"""
_OUTLIER = 5
"""A price of so many times the middle one, or so many times below it, is of another sort of thing."""


def comparable(listings: Iterable[Listing]) -> tuple[Listing, ...]:
    """Those of known price, cheapest first, ties by id, in the most common currency and without outliers."""
    priced_listings = [listing for listing in listings if listing.price is not None]
    counts = Counter(listing.product.currency for listing in priced_listings)
    currency = next((code for code, _ in counts.most_common(1)), "")
    priced = [
        (listing.price, listing.product.product_id, listing)
        for listing in priced_listings
        if listing.product.currency == currency
    ]
    priced = sorted((price, key, listing) for price, key, listing in priced if price is not None)
    middle = priced[len(priced) // 2][0] if priced else Decimal(0)
    return tuple(listing for price, _, listing in priced if middle / _OUTLIER <= price < middle * _OUTLIER)


@dataclass(frozen=True, eq=False)
class KindOffers:
    """The offers of one kind."""

    offers: Candidates
    kind: str = ""
    """What the kind is called."""

    @cached_property
    def ids(self) -> frozenset[str]:
        return frozenset(offer.product.product_id for offer in self.offers)

    @cached_property
    def said(self) -> float:
        """The share of titles with the words of the kind's name in this order: none says "traditional laptops"."""
        words = [word for word in stems(self.kind) if word not in OF_WHOM]
        titles = [iter(stems(offer.product.title)) for offer in self.offers]
        return sum(all(word in title for word in words) for title in titles) / max(len(titles), 1)

    @cached_property
    def called(self) -> str:
        """The kind, one word with those that most titles have before it: "dog beds" of what is kept under "Beds"."""
        for count in (2, 1) if " " not in self.kind else ():
            befores = Counter[tuple[str, ...]]()
            for offer in self.offers:
                words = lowered(offer.product.title).split()
                at = next((at for at, word in enumerate(words) if stems(word) == stems(self.kind)), 0)
                befores[tuple(words[at - count : at])] += at >= count
            before, times = befores.most_common(1)[0]
            if times >= MOSTLY * len(self.offers) and all(map(str.isalpha, before)):
                return " ".join((*before, self.kind))
        return self.kind

    @cached_property
    def priced(self) -> tuple[Listing, ...]:
        """The offers whose prices can be compared, cheapest first."""
        return comparable(self.offers)

    @cached_property
    def closed(self) -> Mapping[str, Counter[str]]:
        """The fields of any name that can carry a limit, with the number of offers that have each of their values.

        Most offers have such a field, most of its values are shared, and they are few; none holds nearly all offers.
        """
        texts: dict[str, Counter[str]] = defaultdict(Counter)
        for offer in self.offers:
            for name, value in offer.product.details.items():
                if isinstance(value, str) and value.strip():
                    texts[name][value.strip()] += 1
        makers = frozenset[str]().union(*(offer.makers for offer in self.offers))
        return {
            name: Counter({value: count for value, count in counts.most_common() if count >= self._least})
            for name, counts in texts.items()
            if self._is_closed(counts) and makers.isdisjoint(map(folded, counts))
        }

    @property
    def _least(self) -> int:
        return _SHARED if len(self.offers) >= _MANY else 2

    def _is_closed(self, counts: Counter[str]) -> bool:
        shared, total = [count for count in counts.values() if count >= self._least], counts.total()
        lists = sum(count for value, count in counts.items() if _LIST.search(value))
        return (
            total >= _DECIDED * len(self.offers)
            and 1 < len(shared) <= _MOST_VALUES
            and sum(shared) >= _LEAST_SHARED * total
            and max(shared) <= _MOST_OF_ONE * total
            and lists <= LEAST_SHARE * total
        )

    @remembered
    def once(self, make: "Callable[[KindOffers], Iterable[T]]") -> tuple[T, ...]:
        """What a function makes of these offers; it is called once, however many shoppers want the kind."""
        return (*make(self),)

    def tells_apart(self, keeping: int) -> bool:
        """True if so many of the offers are neither nearly all nor hardly any."""
        return len(self.offers) >= LEAST_OFFERS and LEAST_SHARE <= keeping / len(self.offers) <= MOST_SHARE


@dataclass
class Assortment:
    """The kinds of one shop. Lookups are cached, so that many users cost little more than one."""

    stock: Stock

    def kind_of(self, product: Product, had: frozenset[str] = frozenset()) -> tuple[str, str] | None:
        """The category of a product with enough offers, ``had`` aside, and the first name of it that titles say."""
        category = self._category_of(product)
        for name in self._names_of(product):
            offered = self.of(category, name)
            if len(offered.ids - had) >= ENOUGH and offered.said >= _SAID:
                return category, offered.called
        return None

    @remembered_by(lambda product: product.categories)
    def _category_of(self, product: Product) -> str:
        """The leaf category, or its path where other parts of the shop have one of that name."""
        leaf = product.leaf_category
        is_only = all(listing.product.categories == product.categories for listing in self.stock.offers.of_kind(leaf))
        return leaf if is_only else " > ".join(product.categories[1:])

    @remembered_by(lambda product: product.product_id)
    def _names_of(self, product: Product) -> tuple[str, ...]:
        """The names of its kind; reading titles is most of the work, so each is read once."""
        return kinds_of(product)

    @remembered
    def of(self, category: str, name: str) -> KindOffers:
        """The offers of a category, which is called by a name."""
        return KindOffers(self.stock.offers.of_kind(category), name)


def is_topic(product: Product) -> bool:
    """False for codes, presents, parts, intimate products, and what is for a feast or a year."""
    words = {*folded(f"{product.title} {' '.join(product.categories)}").split()}
    return words.isdisjoint(PHRASES["known"]["no_topics"]) and may_be_shown(product)

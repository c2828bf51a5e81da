"""What the shop has of a kind, and what a question may demand of it: only what decides something among its offers."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from math import ceil

from drretail.grounding.constraints.affirmation import stance
from drretail.grounding.constraints.fits import fitting
from drretail.grounding.constraints.listing import Listing, pieces_in
from drretail.querygen.checks.stock import Stock
from drretail.querygen.rules.purchases import PHRASES
from drretail.records.money import Money
from drretail.records.wish import Want

ENOUGH = 3
"""Offers of a kind, besides what the shopper has, from which an answer may choose."""
LEAST, MOST = 0.2, 0.8
"""What fewer or more of the offers keep to decides nothing."""
_OFTEN = 0.4
"""The share of the offers from which a kind is one that is given, or sold by several."""
LIMITS = {"rating_min": (4.5, 4.3, 4.0), "ratings_min": (1000, 500, 200, 100, 50, 20)}
SIGNS = {"USD": "$", "EUR": "€", "GBP": "£"}
# An answer needs something to choose from within the budget.
_ROOM = Decimal("1.1")
# A budget below the first number is a multiple of the second.
_STEPS = ((30, 5), (100, 10), (300, 25), (1000, 50), (10**12, 100))
_FEW_VALUES, _LEAST_KEEP = 4, 2
_PLAIN = re.compile(r"[^\W\d_]+(?:[ -][^\W\d_]+)?")


@dataclass(frozen=True, slots=True)
class Demand:
    """A value of a field that some offers have and others have not; ``clause`` goes on after "It should"."""

    field: str
    value: str
    clause: str


@dataclass(frozen=True)
class KindOffers:
    """All offers of one kind."""

    offers: tuple[Listing, ...]

    @cached_property
    def priced(self) -> tuple[Listing, ...]:
        """Those of known price, cheapest first, in the currency of most and without the outliers."""
        known = [(offer.price, offer) for offer in self.offers if offer.price is not None]
        if not known:
            return ()
        currency = Counter(offer.product.currency for _, offer in known).most_common(1)[0][0]
        known = [(price, offer) for price, offer in known if offer.product.currency == currency]
        known.sort(key=lambda pair: (pair[0], pair[1].product.product_id))
        middle = known[len(known) // 2][0]
        return tuple(offer for price, offer in known if middle / 5 <= price <= middle * 5)

    @cached_property
    def demands(self) -> tuple[Demand, ...]:
        """What decides among those of known price and among those that fill the field (else among all)."""
        counted = self.priced if len(self.priced) >= _FEW_VALUES else self.offers
        return tuple(
            demand
            for demand, filled in self._values()
            if _decides(filled) and _decides([stance(offer.words, demand.value) == "kept" for offer in counted])
        )

    @cached_property
    def materials(self) -> tuple[tuple[str, str], ...]:
        """Pairs of materials between which one may waver."""
        demands = [demand for demand in self.demands if demand.field in ("Material", "Fabric Type")]
        return tuple(
            (one.value, other.value)
            for at, one in enumerate(demands)
            for other in demands[at + 1 :]
            if one.field == other.field
        )

    @cached_property
    def limits(self) -> frozenset[tuple[str, float]]:
        """Least stars and numbers of ratings that decide, by the field of a want."""
        stars = [offer.product.average_rating or 0 for offer in self.offers]
        ratings = [offer.product.rating_number or 0 for offer in self.offers]
        known = {"rating_min": stars, "ratings_min": ratings}
        return frozenset(
            (name, least)
            for name, steps in LIMITS.items()
            for least in steps
            if _decides([value >= least for value in known[name]])
        )

    @cached_property
    def are_given(self) -> bool:
        """True where enough of the offers call themselves presents, or name an occasion."""
        given = [" gift" in offer.text or "Occasion" in offer.product.details for offer in self.offers]
        return sum(given) >= _OFTEN * len(given)

    @cached_property
    def are_sold_by_several(self) -> bool:
        """True where enough of the offers are packs: of an ottoman a household has one, of towels it has several."""
        packs = [pieces_in(offer.product.title) > 1 for offer in self.offers]
        return sum(packs) >= _OFTEN * len(packs)

    @property
    def price_spread(self) -> bool:
        """True where the dearer quarter costs at least twice what the cheaper one does."""
        prices = [offer.price for offer in self.priced if offer.price is not None]
        return len(prices) > _FEW_VALUES and prices[len(prices) * 3 // 4] >= 2 * prices[len(prices) // 4]

    def _values(self) -> Iterator[tuple[Demand, list[bool]]]:
        """Each value of a field that may be demanded, and which of the offers that fill the field have it."""
        for name, row in PHRASES["field"].items():
            details = (offer.product.details.get(name) for offer in self.offers)
            filled = [{part.strip() for part in str(value).casefold().split(",")} for value in details if value]
            for value in sorted(set[str]().union(*filled)) if len(filled) >= _FEW_VALUES else ():
                # Nothing smells of "fragrance free".
                is_plain = _PLAIN.fullmatch(value) and value not in ("other", "unknown") and "free" not in value
                if value in row["only"] if "only" in row else is_plain:
                    demand = Demand(name, value, row["clause"].format(value=value))
                    yield demand, [value in values for values in filled]


@dataclass(slots=True)
class Assortment:
    """The kinds of one shop; remembers what it has looked up, so that many users cost little more than one."""

    stock: Stock
    _offers: dict[str, KindOffers] = field(default_factory=dict[str, KindOffers])

    def of(self, name: str) -> KindOffers:
        """The offers of a kind."""
        if name not in self._offers:
            self._offers[name] = KindOffers(self.stock.offers.of_want(Want(name=name, kinds=(name,))))
        return self._offers[name]

    def fits(self, want: Want, owned: frozenset[str] = frozenset()) -> list[Listing]:
        """What would do for a want besides what the shopper has, as answers are measured by it."""
        found = fitting(want, self.stock.offers.of_want(want)).listings
        return [listing for listing in found if listing.product.product_id not in owned]


def budget_for(offers: Sequence[Sequence[Listing]], level: float, pieces: int = 1) -> Money | None:
    """A round amount that buys so many pieces of one offer of each group, at ``level`` of the way from the cheapest
    (0) to the dearest (1).

    None where a group has no price, or where they are in several currencies or in one without a sign.
    """
    total, currencies = Decimal(0), set[str]()
    for group in offers:
        priced = KindOffers(tuple(group)).priced
        if not priced:
            return None
        total += (priced[ceil(level * (len(priced) - 1))].price or 0) * pieces
        currencies |= {listing.product.currency for listing in priced}
    if len(currencies) != 1 or not currencies <= SIGNS.keys():
        return None
    step = next(step for limit, step in _STEPS if total * _ROOM < limit)
    return Money.of(ceil(total * _ROOM / step) * step, currencies.pop())


def _decides(answers: Sequence[bool]) -> bool:
    """True where enough keep to it to choose from, and enough do not."""
    return sum(answers) >= _LEAST_KEEP and LEAST * len(answers) <= sum(answers) <= MOST * len(answers)

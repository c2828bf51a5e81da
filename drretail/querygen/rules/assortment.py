"""What the shop has of a kind, and what a question may demand of it: only what decides something among its offers."""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from importlib.resources import files
from math import ceil
from typing import Any

from drretail.grounding.constraints.demands import stance
from drretail.grounding.constraints.fits import fitting
from drretail.grounding.constraints.listing import Listing
from drretail.grounding.text.wording import SYMBOLS
from drretail.querygen.checks.stock import Stock
from drretail.records.money import Money
from drretail.records.wish import Want

_FILE = files("drretail.querygen.rules").joinpath("phrases.toml")
PHRASES: Mapping[str, Any] = tomllib.loads(_FILE.read_text(encoding="utf-8"))
"""phrases.toml."""

ENOUGH = 3
"""Offers of a kind, besides what the shopper has, from which an answer may choose."""
LEAST, MOST = 0.2, 0.8
"""What fewer or more of the offers keep to decides nothing."""
STARS, RATINGS = (4.5, 4.3, 4.0), (1000, 500, 200, 100, 50, 20)
# An answer needs something to choose from within the budget.
_ROOM = Decimal("1.1")
# A budget below the first number is a multiple of the second.
_STEPS = ((30, 5), (100, 10), (300, 25), (1000, 50), (10**12, 100))
_FEW_VALUES, _LEAST_KEEP = 4, 2
_PLAIN = re.compile(r"[^\W\d_]+(?:[ -][^\W\d_]+)?")


@dataclass(frozen=True, slots=True)
class Demand:
    """A value of a field that some offers have and others have not."""

    field: str
    value: str

    @property
    def clause(self) -> str:
        """ "be made of cotton": goes on after "It should"."""
        return PHRASES["field"][self.field].format(value=self.value)


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
        known = sorted(
            ((price, offer) for price, offer in known if offer.product.currency == currency),
            key=lambda it: (it[0], it[1].product.product_id),
        )
        middle = known[len(known) // 2][0]
        return tuple(offer for price, offer in known if middle / 5 <= price <= middle * 5)

    @cached_property
    def demands(self) -> tuple[Demand, ...]:
        """What decides among those of known price and among those that fill the field (else among all)."""
        counted = self.priced if len(self.priced) >= _FEW_VALUES else self.offers
        return tuple(
            demand
            for demand, filled in self._values()
            if _decides(filled) and _decides([stance(it.words, demand.value) == "kept" for it in counted])
        )

    @cached_property
    def materials(self) -> tuple[tuple[str, str], ...]:
        """Pairs of materials between which one may waver."""
        by_field: dict[str, list[str]] = {}
        for demand in self.demands:
            by_field.setdefault(demand.field, []).append(demand.value)
        found = (by_field.get(name, []) for name in ("Material", "Fabric Type"))
        return tuple((one, other) for values in found for at, one in enumerate(values) for other in values[at + 1 :])

    @cached_property
    def stars(self) -> tuple[float, ...]:
        known = [offer.product.average_rating or 0 for offer in self.offers]
        return tuple(least for least in STARS if _decides([stars >= least for stars in known]))

    @cached_property
    def ratings(self) -> tuple[int, ...]:
        counts = [offer.product.rating_number or 0 for offer in self.offers]
        return tuple(least for least in RATINGS if _decides([count >= least for count in counts]))

    @cached_property
    def is_given(self) -> bool:
        """True where enough of the offers call themselves presents, or name an occasion."""
        given = sum(" gift" in it.text or "Occasion" in it.product.details for it in self.offers)
        return given >= LEAST * len(self.offers)

    @property
    def spread(self) -> bool:
        """True where the dearer quarter costs at least twice what the cheaper one does."""
        prices = [it.price for it in self.priced if it.price is not None]
        return len(prices) > _FEW_VALUES and prices[len(prices) * 3 // 4] >= 2 * prices[len(prices) // 4]

    def _values(self) -> Iterator[tuple[Demand, list[bool]]]:
        """Each value of a field that may be demanded, and which of the offers that fill the field have it."""
        for name in PHRASES["field"]:
            filled = [str(it.product.details[name]).casefold() for it in self.offers if it.product.details.get(name)]
            if len(filled) < _FEW_VALUES:
                continue
            parts = [{part.strip() for part in value.split(",")} for value in filled]
            for value in sorted(set[str]().union(*parts)):
                allowed = PHRASES["field_is"].get(name)
                plain = _PLAIN.fullmatch(value) and value not in ("other", "unknown")
                if value in allowed if allowed is not None else plain:
                    yield Demand(name, value), [value in named for named in parts]


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

    def fits(self, want: Want, owned: frozenset[str]) -> list[Listing]:
        """What would do for a want besides what the shopper has, as answers are measured by it."""
        found = fitting(want, self.stock.offers.of_want(want)).listings
        return [it for it in found if it.product.product_id not in owned]


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
        price = priced[ceil(level * (len(priced) - 1))].price
        assert price is not None
        total += price * pieces
        currencies |= {it.product.currency for it in priced}
    if len(currencies) != 1 or not currencies <= SYMBOLS.keys():
        return None
    step = next(step for limit, step in _STEPS if total * _ROOM < limit)
    return Money.of(ceil(total * _ROOM / step) * step, currencies.pop())


def _decides(answers: Sequence[bool]) -> bool:
    """True where enough keep to it to choose from, and enough do not."""
    return sum(answers) >= _LEAST_KEEP and LEAST * len(answers) <= sum(answers) <= MOST * len(answers)

"""The shop's offers of a kind, and the demands that tell them apart, so that a question may make them."""

import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from importlib.resources import files
from typing import Any

from drretail.grounding.constraints.decisions import decided_by_code
from drretail.grounding.constraints.listing import Listing
from drretail.querygen.checks.case import Stock
from drretail.querygen.checks.contract import LEAST_OFFERS, LEAST_SHARE, MOST_SHARE
from drretail.records.wish import Demand

PHRASES: Mapping[str, Any] = tomllib.loads((files("drretail.querygen.rules") / "phrases.toml").read_text("utf-8"))
ENOUGH = 3
"""The least offers of a kind, besides what the shopper has, for an answer to choose from."""
_LIMITS = {
    "rating_min": ("average_rating", (4.5, 4.3, 4.0)),
    "ratings_min": ("rating_number", (1000, 500, 200, 100, 50, 20)),
}
"""By the field of a want: the field of a product, and the minimums that may be asked for."""
# With fewer offers that keep a demand, there is nothing to choose from.
_LEAST_KEEP = 2
_PLAIN = re.compile(r"[^\W\d_]+(?:[ -][^\W\d_]+)?")


@dataclass(frozen=True)
class KindOffers:
    """All offers of one kind."""

    offers: tuple[Listing, ...]

    @cached_property
    def priced(self) -> tuple[Listing, ...]:
        """The offers of known price, cheapest first, in the most common currency and without outliers."""
        known = [(offer.price, offer) for offer in self.offers if offer.price is not None]
        if not known:
            return ()
        currency = Counter(offer.product.currency for _, offer in known).most_common(1)[0][0]
        known = [(price, offer) for price, offer in known if offer.product.currency == currency]
        known.sort(key=lambda pair: (pair[0], pair[1].product.product_id))
        middle = known[len(known) // 2][0]
        return tuple(offer for price, offer in known if middle / 5 <= price <= middle * 5)

    @cached_property
    def demands(self) -> tuple[tuple[str, str], ...]:
        """The fields and values that tell offers apart, of fields that have a clause in phrases.toml.

        A value must decide among the priced offers (all, if few have prices), and among the offers that fill the field.
        """
        counted = self.priced if len(self.priced) >= LEAST_OFFERS else self.offers
        demands: list[tuple[str, str]] = []
        for name in PHRASES["field"]:
            details = (offer.product.details.get(name) for offer in self.offers)
            filled = [{part.strip() for part in str(value).casefold().split(",")} for value in details if value]
            for value in sorted(set[str]().union(*filled)) if len(filled) >= LEAST_OFFERS else ():
                is_plain = _PLAIN.fullmatch(value) and value not in ("other", "unknown") and "free" not in value
                is_told_apart = is_plain and _decides([value in values for values in filled])
                if is_told_apart and _decides(
                    [decided_by_code(Demand(say=value, field=name), offer).state == "met" for offer in counted]
                ):
                    demands.append((name, value))
        return tuple(demands)

    @cached_property
    def limits(self) -> tuple[tuple[str, float], ...]:
        """Minimum stars and numbers of ratings that decide, by the field of a want."""
        return tuple(
            (name, least)
            for name, (known, steps) in _LIMITS.items()
            for least in steps
            if _decides([(getattr(offer.product, known) or 0) >= least for offer in self.offers])
        )

    def has_cheaper_and_dearer(self, price: Decimal | None) -> bool:
        """True if the upper quartile is at least twice the lower one, and the price is neither least nor greatest."""
        prices = [offer.price for offer in self.priced if offer.price is not None]
        if price is None or len(prices) <= LEAST_OFFERS or not prices[0] < price < prices[-1]:
            return False
        return prices[len(prices) * 3 // 4] >= 2 * prices[len(prices) // 4]


@dataclass(slots=True)
class Assortment:
    """The kinds of one shop. Lookups are cached, so that many users cost little more than one."""

    stock: Stock
    _offers: dict[str, KindOffers] = field(default_factory=dict[str, KindOffers])

    def of(self, name: str) -> KindOffers:
        """The offers of a kind."""
        if name not in self._offers:
            self._offers[name] = KindOffers(tuple(self.stock.offers.of_kind(name)))
        return self._offers[name]


def _decides(answers: Sequence[bool]) -> bool:
    """True if enough offers keep to it to choose from, and enough do not."""
    return sum(answers) >= _LEAST_KEEP and LEAST_SHARE * len(answers) <= sum(answers) <= MOST_SHARE * len(answers)

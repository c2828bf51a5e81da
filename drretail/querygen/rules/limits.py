"""The limits that a question may set: demands on fields and options that tell the offers apart.

A property is demanded by its value; a fit is a value of what the shopper has, which the question leaves to be looked
up. Both are of fields that can carry a limit (``KindOffers.closed``), and 10 to 60 percent of the offers keep them.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from itertools import product
from typing import Any

from drretail.grounding.listing import folded
from drretail.querygen.checks.contract import LEAST_SHARE, MOST_SHARE
from drretail.querygen.kinds import article, is_plural, lowered, stems
from drretail.querygen.rules.assortment import KindOffers
from drretail.records.shop import Order, Product
from drretail.records.wish import Demand, Source, Want

LIMITS: Mapping[str, Any] = tomllib.loads((files("drretail.querygen.rules") / "limits.toml").read_text("utf-8"))
_STARS, _RATINGS = (4.5, 4.0), (1000, 500, 100, 50)
_PLAIN = re.compile(r"(?:\d{1,2}-)?[^\W\d_]+(?:[ -][^\W\d_]+){0,2}")


@dataclass(frozen=True, slots=True)
class Choice:
    """One demand on a want: what it changes in it, and the clause that says so."""

    axis: str
    """"property", "fit" or "trust"."""
    want: Mapping[str, Any]
    clause: str

    @property
    def names(self) -> frozenset[str | None]:
        """The fields and options that it limits."""
        return frozenset((*(demand.field for demand in self.want.get("must", ())), *self.want.get("options", ())))

    def added_to(self, want: Want) -> Want:
        """A want with this demand, too."""
        must = (*want.must, *self.want.get("must", ()))
        options = want.options | self.want.get("options", {})
        return want.model_copy(update={**self.want, "must": must, "options": options})


def choices(offers: KindOffers, axis: str, owned: Product, order: Order) -> Iterator[Choice]:
    """Every demand of an axis that may be made on these offers, in a fixed order."""
    if axis == "fit":
        yield from _fits(offers, owned, order)
    elif axis == "trust":
        yield from offers.once(by_ratings)
    else:
        yield from (*offers.once(by_fields), *offers.once(by_options))


def by_fields(offers: KindOffers) -> Iterator[Choice]:
    """The demands for a value of a field that tell the offers apart."""
    for name, counts in offers.closed.items():
        for value in counts if name in LIMITS["field"] else ():
            said = lowered(value)
            # "bowl" says nothing of bowls; what smells "fragrance free" smells of nothing
            is_new = {*stems(said)}.isdisjoint(stems(offers.kind))
            is_said = _PLAIN.fullmatch(said) and not said.endswith(("free", "other", "unknown", "multi"))
            if is_new and is_said and offers.tells_apart(counts[value]):
                a_value = said if is_plural(said.split()[-1]) else f"{article(said)} {said}"
                clause = LIMITS["field"][name].format(value=said, a_value=a_value)
                demand = Demand(say=said, field=name)
                # "suit {value} hair" of "short hair"
                yield Choice("property", {"must": (demand,)}, re.sub(r"\b(\w+) \1\b", r"\1", clause))


def by_options(offers: KindOffers) -> Iterator[Choice]:
    """The values of options that some variants have and most have not.

    Most shirts come in M, so that it tells no shirts apart; but who asks for M must be given the variant that is.
    """
    for name in sorted({name for listing in offers.offers for offer in listing.named_offers for name in offer.options}):
        clause = LIMITS["field"].get(name) or LIMITS["clause"]["option"].format(name=name.casefold(), value="{value}")
        values = offers.offers.values_of(name)
        for value, times in sorted(values.items()):
            if LEAST_SHARE <= times / values.total() <= MOST_SHARE:
                yield Choice("property", {"options": {name: (value,)}}, clause.format(value=lowered(value)))


def by_ratings(offers: KindOffers) -> Iterator[Choice]:
    """Stars and a number of ratings that together tell the offers apart."""
    rated = [(each.product.average_rating or 0, each.product.rating_number or 0) for each in offers.offers]
    for stars, reviews in product(_STARS, _RATINGS):
        if offers.tells_apart(sum(rating >= stars and count >= reviews for rating, count in rated)):
            limits = {"rating_min": stars, "ratings_min": reviews}
            yield Choice("trust", limits, LIMITS["clause"]["trust"].format(stars=stars, reviews=reviews))


def _fits(offers: KindOffers, owned: Product, order: Order) -> Iterator[Choice]:
    """What must be as it is of the product that the shopper has; the question does not say how that is.

    Only what the title says, too: other fields may be of a part of the product, and no shopper knows them.
    """
    for name, counts in offers.closed.items():
        value = str(owned.details.get(name) or "").strip()
        if value in counts and f" {folded(value)} " in f" {folded(owned.title)} " and offers.tells_apart(counts[value]):
            clause = LIMITS["fit"].get(name) or LIMITS["clause"]["fit"].format(name=name.casefold())
            at = f"O:{order.order_id}"
            source = Source(kind="profile", evidence=(at,), field=name, value=value, date=order.order_date[:7])
            say = clause[clause.index("the same ") :]
            demand = Demand(say=say, field=name, any_of=(value.casefold(),), sources=(source,))
            yield Choice("fit", {"must": (demand,)}, LIMITS["clause"]["same"].format(clause=clause))

"""The limits that a question may set: demands on fields, options and ratings that tell the offers apart.

Each axis is one of those that make shopping hard: a property or a pack by a field, a fit to what the shopper has, trust
in ratings. A demand is selective: records decide it for most offers, and 10 to 60 percent keep it.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from itertools import product
from math import ceil, floor
from typing import Any

from drretail.grounding.listing import Listing, folded
from drretail.querygen.checks.contract import LEAST_SHARE, MOST_SHARE
from drretail.querygen.kinds import article, is_plural, lowered, stems
from drretail.querygen.rules.assortment import KindOffers
from drretail.records.shop import Product
from drretail.records.wish import Demand, Source, Want

LIMITS: Mapping[str, Any] = tomllib.loads((files("drretail.querygen.rules") / "limits.toml").read_text("utf-8"))
_STARS, _RATINGS = (4.5, 4.0), (1000, 500, 100, 50)
_PLAIN = re.compile(r"(?:\d{1,2}-)?[^\W\d_]+(?:[ -][^\W\d_]+){0,2}")
_FIGURE = re.compile(r"(?P<number>\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)[\s-]*(?P<unit>[^\W\d_]+(?: [^\W\d_]+)?)?")
_IS = re.compile(r"Is (?P<what>[A-Z][\w-]*(?: [\w-]+){0,2})")


@dataclass(frozen=True, slots=True)
class Choice:
    """One demand on a want: what it changes in it, the clause that says so, and the order that it rests on."""

    axis: str
    """"property", "pack", "fit" or "trust"."""
    want: Mapping[str, Any]
    clause: str
    order: str | None = None

    @property
    def names(self) -> frozenset[str | None]:
        """The fields and options that it limits."""
        return frozenset((*(demand.field for demand in self.want.get("must", ())), *self.want.get("options", ())))

    def added_to(self, want: Want) -> Want:
        """A want with this demand, too."""
        must = (*want.must, *self.want.get("must", ()))
        options = want.options | self.want.get("options", {})
        return want.model_copy(update={**self.want, "must": must, "options": options})


def choices(offers: KindOffers, axis: str, owned: Product, order: str) -> Iterator[Choice]:
    """Every demand of an axis that may be made on these offers, in a fixed order."""
    if axis == "fit":
        yield from _fits(offers, owned, order)
    elif axis == "trust":
        yield from offers.once(by_ratings)
    else:
        yield from (choice for choice in offers.once(by_fields) if choice.axis == axis)
    if axis == "property":
        yield from offers.once(by_options)


def by_fields(offers: KindOffers) -> Iterator[Choice]:
    """The demands for a value or a measure of a field that tell the offers apart."""
    yield from _values(offers)
    yield from _measures(offers)


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


def _values(offers: KindOffers) -> Iterator[Choice]:
    """Values of fields, and fields that are yes or no."""
    for name, values in offers.fields.items():
        if (match := _IS.fullmatch(name)) is not None:
            say = match["what"].casefold()
            demand = Demand(say=say, field=name, any_of=("yes", "true"))
            if offers.is_selective(demand):
                yield Choice("property", {"must": (demand,)}, f"be {say}")
        elif name in LIMITS["field"]:
            for value in values:
                demand = Demand(say=value, field=name)
                # "bowl" says nothing of bowls; what smells "fragrance free" smells of nothing
                is_new = {*stems(value)}.isdisjoint(stems(offers.kind))
                is_said = _PLAIN.fullmatch(value) and not value.endswith(("free", "other", "unknown"))
                if is_new and is_said and offers.is_prose(value) and offers.is_selective(demand):
                    a_value = value if is_plural(value.split()[-1]) else f"{article(value)} {value}"
                    clause = LIMITS["field"][name].format(value=value, a_value=a_value)
                    # "suit {value} hair" of "short hair"
                    yield Choice("property", {"must": (demand,)}, re.sub(r"\b(\w+) \1\b", r"\1", clause))


def _measures(offers: KindOffers) -> Iterator[Choice]:
    """The figures of a field from which a demand for at least or at most so much is selective, all in one unit."""
    units = LIMITS["unit"]
    for name, row in LIMITS["measure"].items():
        read = [match for value in offers.fields.get(name, ()) if (match := _FIGURE.fullmatch(value.casefold()))]
        if not read:
            continue
        unit = Counter(match["unit"] for match in read).most_common(1)[0][0]
        spoken = "" if unit is None else unit if unit in units["as_written"] else units.get(unit)
        bound = "least" if "least" in row else "most"
        figures = (float(match["number"].replace(",", "")) for match in read if match["unit"] == unit)
        numbers = sorted({_round(figure, up=bound == "most") for figure in figures})
        for number in numbers if spoken is not None else ():
            measure = f"{number:,g} {spoken}".strip()
            clause = row[bound].format(measure=measure, number=f"{number:,g}")
            words = measure if measure in clause else f"{number:,g}"
            limits: dict[str, Any] = {bound: number}
            demand = Demand(say=f"at {bound} {words}", field=name, unit=unit, **limits)
            if number > 1 and offers.is_selective(demand):
                yield Choice("pack" if row.get("pack") else "property", {"must": (demand,)}, clause)


def _fits(offers: KindOffers, owned: Product, order: str) -> Iterator[Choice]:
    """What must be as it is of the product that the shopper has; the question does not say how that is.

    Only what the title says, too: other fields may be of a part of the product, and no shopper knows them.
    """
    title = f" {folded(owned.title)} "
    for name, clause in LIMITS["fit"].items():
        value = owned.details.get(name)
        if isinstance(value, str) and value and f" {folded(value)} " in title and name in offers.fields:
            source = Source(kind="profile", evidence=(f"O:{order}",), field=name, value=value)
            demand = Demand(
                say=clause[clause.index("the same ") :], field=name, any_of=(value.casefold(),), sources=(source,)
            )
            if offers.is_selective(demand):
                yield Choice("fit", {"must": (demand,)}, LIMITS["clause"]["same"].format(clause=clause), order)


def by_ratings(offers: KindOffers) -> Iterator[Choice]:
    """Stars and a number of ratings that together tell the offers apart."""
    for stars, reviews in product(_STARS, _RATINGS):
        if offers.tells_apart(sum(is_rated(offer, stars, reviews) for offer in offers.counted)):
            limits = {"rating_min": stars, "ratings_min": reviews}
            yield Choice("trust", limits, LIMITS["clause"]["trust"].format(stars=stars, reviews=reviews))


def is_rated(listing: Listing, stars: float, reviews: int) -> bool:
    """True if a product has at least so many stars from at least so many ratings."""
    return (listing.product.average_rating or 0) >= stars and (listing.product.rating_number or 0) >= reviews


def _round(figure: float, *, up: bool) -> float:
    """A figure as people say one: in halves below 5, in ones below 20, then in fives, tens, fifties and hundreds."""
    steps = ((5, 0.5), (20, 1), (100, 5), (200, 10), (1000, 50))
    step = next((step for limit, step in steps if figure < limit), 100)
    return (ceil(figure / step) if up else floor(figure / step)) * step

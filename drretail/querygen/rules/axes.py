"""What a question may ask for besides its kind of product, as far as the shop's records decide it.

Each axis is one of those that make shopping hard: a property or a pack by a field, a fit to what the shopper has, trust
in ratings, a taste against a brand. A demand is selective: records decide it for most offers, 10 to 60 percent keep it,
and the first hit of a plain search does not.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from math import ceil, floor
from typing import Any

from drretail.grounding.constraints.decisions import decided_by_code
from drretail.grounding.constraints.listing import Listing, folded
from drretail.grounding.text.amounts import find_dates
from drretail.grounding.text.wording import article, is_plural
from drretail.querygen.rules.assortment import PHRASES, KindOffers
from drretail.querygen.rules.kinds import stems
from drretail.querygen.rules.needs import Need, Purchase
from drretail.records.query import Axis
from drretail.records.shop import Product
from drretail.records.wish import Demand

_STARS, _RATINGS = (4.5, 4.3, 4.0), (1000, 500, 200, 100, 50, 20)
_PLAIN = re.compile(r"(?:\d{1,2}-)?[^\W\d_]+(?:[ -][^\W\d_]+){0,2}")
_FIGURE = re.compile(r"(?P<number>\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)\s*(?P<unit>[^\W\d_]+(?: [^\W\d_]+)?)?")
_YES = ("yes", "true")
_LONGEST_VALUE = 40
_IS = re.compile(r"Is (?P<what>[A-Z][\w-]*(?: [\w-]+){0,2})")


@dataclass(frozen=True, slots=True)
class Choice:
    """One demand on a want: what it changes in it, the clause that says so, and the order that it rests on."""

    axis: Axis
    want: Mapping[str, Any]
    clause: str
    order: str | None = None

    def is_kept_by(self, offer: Listing) -> bool:
        """True if the record of an offer shows that it keeps to the demand."""
        want = self.want
        is_met = all(decided_by_code(demand, offer).state == "met" for demand in want.get("must", ()))
        is_wanted = offer.product.brand not in want.get("brands_unwanted", ())
        return is_met and is_wanted and is_rated(offer, want.get("rating_min", 0), want.get("ratings_min", 0))


def choices(need: Need, offers: KindOffers) -> Iterator[Choice]:
    """Every demand that may be made on the offers of a need's first kind, in a fixed order."""
    purchase = need.purchases[0]
    # A shopper who would take the same again demands nothing that it lacks.
    is_same = not need.is_other
    for choice in offers.once(by_fields):
        (demand,) = choice.want["must"]
        if not is_same or decided_by_code(demand, purchase.listing).state == "met":
            yield choice
    if need.kind != "gift":
        yield from _fits(offers, purchase)
    yield from by_ratings(offers, purchase.listing if is_same else None)
    brand = purchase.listing.product.brand
    is_best = offers.best is not None and offers.best.product.brand == brand
    if not is_same and brand and not is_best and need.kind != "gift":
        for clause in PHRASES["frame"]["taste"]:
            yield Choice("taste", {"brands_unwanted": (brand,)}, clause.format(brand=brand))


def by_fields(offers: KindOffers) -> Iterator[Choice]:
    """The demands for a value or a measure of a field that tell the offers apart."""
    yield from _values(offers)
    yield from _measures(offers)


def in_other_fields(offers: KindOffers) -> Iterator[Demand]:
    """The demands for a value that rules have no words for, but a model has: of all fields of the best offer."""
    best = offers.best
    details = {} if best is None else best.product.details
    texts = {name: text for name, text in details.items() if isinstance(text, str) and not find_dates(text)}
    for name in (name for name in offers.fields if name in texts and name not in PHRASES["measure"]):
        for value in offers.fields[name]:
            demand = Demand(say=value, field=name)
            is_maker = best is not None and folded(value) in best.makers
            if value and len(value) <= _LONGEST_VALUE and not is_maker and offers.is_selective(demand):
                yield demand


def _values(offers: KindOffers) -> Iterator[Choice]:
    """Values of fields, and fields that are yes or no."""
    for name in offers.fields:
        if (match := _IS.fullmatch(name)) is not None:
            say = match["what"].casefold()
            demand = Demand(say=say, field=name, any_of=_YES)
            if offers.is_selective(demand):
                yield Choice("property", {"must": (demand,)}, f"be {say}")
        elif name in PHRASES["field"]:
            for value in offers.fields[name]:
                demand = Demand(say=value, field=name)
                # "bowl" says nothing of bowls
                is_new = {*stems(value)}.isdisjoint(stems(offers.kind))
                if is_new and _may_be_said(name, value) and offers.is_prose(value) and offers.is_selective(demand):
                    a_value = value if is_plural(value.split()[-1]) else f"{article(value)} {value}"
                    clause = PHRASES["field"][name].format(value=value, a_value=a_value)
                    # "suit {value} hair" of "short hair"
                    yield Choice("property", {"must": (demand,)}, re.sub(r"\b(\w+) \1\b", r"\1", clause))


def _may_be_said(name: str, value: str) -> bool:
    adjectives = PHRASES["adjectives"]
    is_adjective = name not in adjectives["fields"] or value.endswith(tuple(adjectives["endings"]))
    # What smells "fragrance free" smells of nothing.
    is_there = name in adjectives["fields"] or not value.endswith("free")
    return is_adjective and is_there and _PLAIN.fullmatch(value) is not None and value not in ("other", "unknown")


def _measures(offers: KindOffers) -> Iterator[Choice]:
    """The figures of a field from which a demand for at least or at most so much is selective, all in one unit."""
    units = PHRASES["unit"]
    for name, row in PHRASES["measure"].items():
        read = [match for value in offers.fields.get(name, ()) if (match := _FIGURE.fullmatch(value.casefold()))]
        if not read:
            continue
        unit = Counter(match["unit"] for match in read).most_common(1)[0][0]
        spoken = "" if unit is None else unit if unit in units["as_written"] else units.get(unit)
        bound = "least" if "least" in row else "most"
        figures = (float(match["number"].replace(",", "")) for match in read if match["unit"] == unit)
        numbers = sorted({_round(figure, up=bound == "most") for figure in figures})
        for number in numbers if spoken is not None else ():
            measure = f"{number:g} {spoken}".strip()
            clause = row[bound].format(measure=measure, number=f"{number:g}")
            said = measure if measure in clause else f"{number:g}"
            limits: dict[str, Any] = {bound: number}
            demand = Demand(say=f"at {bound} {said}", field=name, unit=unit, **limits)
            if number > 1 and offers.is_selective(demand):
                axis: Axis = "pack" if row.get("pack") else "property"
                yield Choice(axis, {"must": (demand,)}, clause)


def _fits(offers: KindOffers, purchase: Purchase) -> Iterator[Choice]:
    """What must be as it is of the product that the shopper has; the question does not say how that is."""
    for name, clause in PHRASES["fit"].items():
        product = purchase.listing.product
        value = product.details.get(name)
        if name in offers.fields and isinstance(value, str) and value and _is_of_product(name, value, product):
            say = clause[clause.index("the same ") :]
            demand = Demand(say=say, field=name, any_of=(value.casefold(),))
            if offers.is_selective(demand):
                yield Choice("fit", {"must": (demand,)}, clause, purchase.order.order_id)


def _is_of_product(name: str, value: str, product: Product) -> bool:
    """False if the field is often of some part of a product, and the title does not say the value."""
    return name not in PHRASES["known"]["in_title"] or f" {folded(value)} " in f" {folded(product.title)} "


def by_ratings(offers: KindOffers, same: Listing | None = None) -> Iterator[Choice]:
    """Stars and a number of ratings that together tell the offers apart; ``same`` keeps them, too."""
    for stars, reviews in offers.once(_ratings):
        if same is None or is_rated(same, stars, reviews):
            limits = {"rating_min": stars, "ratings_min": reviews}
            for clause in PHRASES["frame"]["trust"]:
                yield Choice("trust", limits, clause.format(stars=stars, reviews=reviews))


def _ratings(offers: KindOffers) -> Iterator[tuple[float, int]]:
    for stars in _STARS:
        for reviews in _RATINGS:
            if offers.tells_apart(partial(is_rated, stars=stars, reviews=reviews)):
                yield stars, reviews


def is_rated(listing: Listing, stars: float, reviews: int) -> bool:
    """True if a product has at least so many stars from at least so many ratings."""
    product = listing.product
    return (product.average_rating or 0) >= stars and (product.rating_number or 0) >= reviews


def _round(figure: float, *, up: bool) -> float:
    """A figure as people say one: in halves below 5, in ones below 20, then in fives, tens, fifties and hundreds."""
    steps = ((5, 0.5), (20, 1), (100, 5), (200, 10), (1000, 50))
    step = next((step for limit, step in steps if figure < limit), 100)
    return (ceil(figure / step) if up else floor(figure / step)) * step

"""The limits that a question may set: demands on fields, options, ratings and makers that tell the offers apart.

Each axis is one of those that make shopping hard: a property or a pack by a field, a fit to what the shopper has, trust
in ratings, a taste against a brand. A demand is selective: records decide it for most offers, 10 to 60 percent keep it,
and the first hit of a plain search does not.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from math import ceil, floor
from typing import Any

from drretail.grounding.constraints import decided_by_field, option_states
from drretail.grounding.kinds import lowered, stems
from drretail.grounding.listing import Listing, folded
from drretail.grounding.text.amounts import find_dates
from drretail.grounding.text.wording import article, is_plural
from drretail.querygen.rules.assortment import Ids, KindOffers
from drretail.records.query import Axis
from drretail.records.wish import Demand, Want

LIMITS: Mapping[str, Any] = tomllib.loads((files("drretail.querygen.rules") / "limits.toml").read_text("utf-8"))
_STARS, _RATINGS = (4.5, 4.3, 4.0), (1000, 500, 200, 100, 50, 20)
_PLAIN = re.compile(r"(?:\d{1,2}-)?[^\W\d_]+(?:[ -][^\W\d_]+){0,2}")
_FIGURE = re.compile(r"(?P<number>\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)\s*(?P<unit>[^\W\d_]+(?: [^\W\d_]+)?)?")
OF_FIELDS: tuple[Axis, ...] = ("fit", "property", "pack")
"""The axes that are demands on the fields of records, first that which looks at the fewest."""
_LONGEST_VALUE = 40
_IS = re.compile(r"Is (?P<what>[A-Z][\w-]*(?: [\w-]+){0,2})")
# A fit only where the title says the value: a charger with ten tips has "USB" there.
_IN_TITLE = ("Connector Type",)


@dataclass(frozen=True, slots=True)
class Choice:
    """One demand on a want: what it changes in it, the clause that says so, and the order that it rests on."""

    axis: Axis
    want: Mapping[str, Any]
    clause: str
    order: str | None = None

    def kept_in(self, offers: KindOffers) -> Ids:
        """The offers of the kind whose records show that they keep to the demand."""
        stars, ratings = self.want.get("rating_min", 0), self.want.get("ratings_min", 0)
        unwanted = self.want.get("brands_unwanted", ())
        kept = frozenset(
            offer.product.product_id
            for offer in offers.of_kind
            if is_rated(offer, stars, ratings) and offer.product.brand not in unwanted
        )
        for demand in self.want.get("must", ()):
            kept &= offers.met(demand)
        return kept & comes_in(self.want["options"], offers) if self.want.get("options") else kept


def choices(offers: KindOffers, axis: Axis, owned: Listing, order: str, *, is_other: bool) -> Iterator[Choice]:
    """Every demand of an axis that may be made on these offers, in a fixed order.

    A shopper who would take what is ``owned`` again demands nothing that it lacks; ``is_other`` if it would not do.
    """
    if axis in ("property", "pack"):
        for choice in offers.once(by_fields):
            (demand,) = choice.want["must"]
            if choice.axis == axis and (is_other or decided_by_field(demand, owned).state == "met"):
                yield choice
        if axis == "property":
            yield from offers.once(by_options)
    elif axis == "trust":
        yield from by_ratings(offers, None if is_other else owned)
    elif axis == "fit":
        yield from _fits(offers, owned, order)
    elif axis == "taste" and is_other and (brand := owned.product.brand):
        is_best = offers.best is not None and offers.best.product.brand == brand
        for clause in LIMITS["clause"]["taste"] if not is_best else ():
            yield Choice("taste", {"brands_unwanted": (brand,)}, clause.format(brand=brand))


def by_fields(offers: KindOffers) -> Iterator[Choice]:
    """The demands for a value or a measure of a field that tell the offers apart."""
    yield from _values(offers)
    yield from _measures(offers)


def by_options(offers: KindOffers) -> Iterator[Choice]:
    """The values of options by which variants differ that tell the offers apart."""
    for name in sorted({name for listing in offers.offers for offer in listing.offers for name in offer.options}):
        clause = LIMITS["field"].get(name) or LIMITS["clause"]["option"].format(name=name.casefold(), value="{value}")
        for value in sorted(offers.of_kind.values_of(name)):
            options = {name: (value,)}
            keeping, best = comes_in(options, offers), offers.best
            if best is not None and best.product.product_id not in keeping and offers.tells_apart(keeping):
                yield Choice("property", {"options": options}, clause.format(value=lowered(value)))


def comes_in(options: dict[str, tuple[str, ...]], offers: KindOffers) -> Ids:
    """The offers of the kind that come in these options."""
    want = Want(name="it", kinds=("it",), options=options)
    return frozenset(
        listing.product.product_id
        for listing in offers.of_kind
        if "met" in option_states(want, listing, (offer for offer in listing.offers if offer.has()))
    )


def in_other_fields(offers: KindOffers) -> Iterator[Demand]:
    """The demands for a value that rules have no words for, but a model has: of all fields of the best offer."""
    best = offers.best
    details = {} if best is None else best.product.details
    texts = {name: text for name, text in details.items() if isinstance(text, str) and not find_dates(text)}
    for name in (name for name in offers.fields if name in texts and name not in LIMITS["measure"]):
        for value in offers.fields[name]:
            demand = Demand(say=value, field=name)
            is_maker = best is not None and folded(value) in best.makers
            if value and len(value) <= _LONGEST_VALUE and not is_maker and offers.is_selective(demand):
                yield demand


def _values(offers: KindOffers) -> Iterator[Choice]:
    """Values of fields, and fields that are yes or no."""
    for name, values in offers.fields.items():
        if (match := _IS.fullmatch(name)) is not None:
            say = match["what"].casefold()
            demand = Demand(say=say, field=name, any_of=("yes", "true"))
            if offers.is_selective(demand):
                yield Choice("property", {"must": (demand,)}, f"be {say}")
        elif name in LIMITS["field"]:
            adjectives = LIMITS["adjectives"]
            may_be_any = name not in adjectives["fields"]
            for value in values:
                demand = Demand(say=value, field=name)
                # "bowl" says nothing of bowls; what smells "fragrance free" smells of nothing
                is_new = {*stems(value)}.isdisjoint(stems(offers.kind))
                is_apt = not value.endswith("free") if may_be_any else value.endswith(tuple(adjectives["endings"]))
                is_said = is_apt and _PLAIN.fullmatch(value) and value not in ("other", "unknown")
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
            measure = f"{number:g} {spoken}".strip()
            clause = row[bound].format(measure=measure, number=f"{number:g}")
            said = measure if measure in clause else f"{number:g}"
            limits: dict[str, Any] = {bound: number}
            demand = Demand(say=f"at {bound} {said}", field=name, unit=unit, **limits)
            if number > 1 and offers.is_selective(demand):
                axis: Axis = "pack" if row.get("pack") else "property"
                yield Choice(axis, {"must": (demand,)}, clause)


def _fits(offers: KindOffers, owned: Listing, order: str) -> Iterator[Choice]:
    """What must be as it is of the product that the shopper has; the question does not say how that is."""
    for name, clause in LIMITS["fit"].items():
        value = owned.product.details.get(name)
        if not isinstance(value, str) or not value:
            continue
        # Some fields are often of a part of the product, unless the title says the value.
        is_of_product = name not in _IN_TITLE or f" {folded(value)} " in f" {folded(owned.product.title)} "
        # Last the fields of all offers, which are counted only then.
        if is_of_product and name in offers.fields:
            demand = Demand(say=clause[clause.index("the same ") :], field=name, any_of=(value.casefold(),))
            if offers.is_selective(demand):
                yield Choice("fit", {"must": (demand,)}, LIMITS["clause"]["same"].format(clause=clause), order)


def by_ratings(offers: KindOffers, same: Listing | None = None) -> Iterator[Choice]:
    """Stars and a number of ratings that together tell the offers apart; ``same`` keeps them, too."""
    for stars, reviews in offers.once(_ratings):
        if same is None or is_rated(same, stars, reviews):
            limits = {"rating_min": stars, "ratings_min": reviews}
            for clause in LIMITS["clause"]["trust"]:
                yield Choice("trust", limits, clause.format(stars=stars, reviews=reviews))


def _ratings(offers: KindOffers) -> Iterator[tuple[float, int]]:
    for stars in _STARS:
        for reviews in _RATINGS:
            rated = (offer.product.product_id for offer in offers.of_kind if is_rated(offer, stars, reviews))
            if offers.tells_apart(frozenset(rated)):
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

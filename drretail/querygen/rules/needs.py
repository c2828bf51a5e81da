"""The needs of phrases.toml that a user's orders and the shop support.

A question may ask for more than its kind of product, as far as the shop's records decide it.

Two kinds of product share a question only if the shopper ordered both.

Each axis is one of those that make shopping hard: a property or a pack by a field, a fit to what the shopper has, trust
in ratings, a taste against a brand. A demand is selective: records decide it for most offers, 10 to 60 percent keep it,
and the first hit of a plain search does not.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import combinations
from math import ceil, floor
from typing import Any

from drretail.grounding.columns import MET, Columns, Mask
from drretail.grounding.constraints import decided_by_code
from drretail.grounding.kinds import GENDERS, Kind, lowered, quoted_title, stems
from drretail.grounding.listing import Listing, folded, pieces_in
from drretail.grounding.text.amounts import find_dates
from drretail.grounding.text.wording import article, is_plural, nouns_of
from drretail.querygen.checks.case import Shopper
from drretail.querygen.rules.assortment import HALF_A_YEAR, PHRASES, Assortment, KindOffers, is_topic
from drretail.records.query import Axis, NeedKind
from drretail.records.shop import Order, Product
from drretail.records.wish import Demand, Want

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
        if kind is not None or (len(quote.split()) >= _LEAST_ALONE and assortment.of(quote).offers == (listing,)):
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


_STARS, _RATINGS = (4.5, 4.3, 4.0), (1000, 500, 200, 100, 50, 20)
_PLAIN = re.compile(r"(?:\d{1,2}-)?[^\W\d_]+(?:[ -][^\W\d_]+){0,2}")
_FIGURE = re.compile(r"(?P<number>\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)\s*(?P<unit>[^\W\d_]+(?: [^\W\d_]+)?)?")
OF_FIELDS: tuple[Axis, ...] = ("fit", "property", "pack")
"""The axes that are demands on the fields of records, first that which looks at the fewest."""
_LONGEST_VALUE = 40
_IS = re.compile(r"Is (?P<what>[A-Z][\w-]*(?: [\w-]+){0,2})")


@dataclass(frozen=True, slots=True)
class Choice:
    """One demand on a want: what it changes in it, the clause that says so, and the order that it rests on."""

    axis: Axis
    want: Mapping[str, Any]
    clause: str
    order: str | None = None

    def kept_in(self, offers: KindOffers) -> Mask:
        """The rows of the offers whose records show that they keep to the demand."""
        return offers.rows_keeping((Choice, repr(self.want)), self._keeping)

    def _keeping(self, columns: Columns) -> Mask:
        mask = columns.rated(self.want.get("rating_min", 0), self.want.get("ratings_min", 0))
        for demand in self.want.get("must", ()):
            mask &= columns.states(demand) == MET
        if options := self.want.get("options"):
            mask &= _comes_in(options, columns)
        if unwanted := self.want.get("brands_unwanted", ()):
            mask &= columns.where(("made by others", unwanted), lambda offer: offer.product.brand not in unwanted)
        return mask


def choices(need: Need, offers: KindOffers, axis: Axis) -> Iterator[Choice]:
    """Every demand of an axis that may be made on the offers of a need's first kind, in a fixed order."""
    purchase = need.purchases[0]
    # A shopper who would take the same again demands nothing that it lacks.
    is_same = not need.is_other
    if axis in ("property", "pack"):
        for choice in offers.once(by_fields):
            (demand,) = choice.want["must"]
            if choice.axis == axis and (not is_same or decided_by_code(demand, purchase.listing).state == "met"):
                yield choice
        if axis == "property":
            yield from offers.once(by_options)
    elif axis == "trust":
        yield from by_ratings(offers, purchase.listing if is_same else None)
    elif need.kind == "gift":
        return
    elif axis == "fit":
        yield from _fits(offers, purchase)
    elif axis == "taste" and not is_same and (brand := purchase.listing.product.brand):
        is_best = offers.best is not None and offers.best.product.brand == brand
        for clause in PHRASES["frame"]["taste"] if not is_best else ():
            yield Choice("taste", {"brands_unwanted": (brand,)}, clause.format(brand=brand))


def by_fields(offers: KindOffers) -> Iterator[Choice]:
    """The demands for a value or a measure of a field that tell the offers apart."""
    yield from _values(offers)
    yield from _measures(offers)


def by_options(offers: KindOffers) -> Iterator[Choice]:
    """The values of options by which variants differ that tell the offers apart."""
    for name in sorted({name for listing in offers.offers for offer in listing.offers for name in offer.options}):
        clause = PHRASES["field"].get(name) or PHRASES["frame"]["option"].format(name=name.casefold(), value="{value}")
        for value in sorted(offers.candidates.values_of(name)):
            options = {name: (value,)}
            keeps = _comes_in(options, offers.columns)
            if offers.best_row is not None and not keeps[offers.best_row] and offers.tells_apart(keeps):
                yield Choice("property", {"options": options}, clause.format(value=lowered(value)))


def _comes_in(options: dict[str, tuple[str, ...]], columns: Columns) -> Mask:
    return columns.keeping(Want(name="it", kinds=("it",), options=options))


def in_other_fields(offers: KindOffers) -> Iterator[Demand]:
    """The demands for a value that rules have no words for, but a model has: of all fields of the best offer."""
    best = offers.best
    details = {} if best is None else best.product.details
    texts = {name: text for name, text in details.items() if isinstance(text, str) and not find_dates(text)}
    for name in (name for name in offers.fields if name in texts and name not in PHRASES["measure"]):
        for value in offers.values_of(name):
            demand = Demand(say=value, field=name)
            is_maker = best is not None and folded(value) in best.makers
            if value and len(value) <= _LONGEST_VALUE and not is_maker and offers.is_selective(demand):
                yield demand


def _values(offers: KindOffers) -> Iterator[Choice]:
    """Values of fields, and fields that are yes or no."""
    for name in offers.fields:
        if (match := _IS.fullmatch(name)) is not None:
            say = match["what"].casefold()
            demand = Demand(say=say, field=name, any_of=("yes", "true"))
            if offers.is_selective(demand):
                yield Choice("property", {"must": (demand,)}, f"be {say}")
        elif name in PHRASES["field"]:
            adjectives = PHRASES["adjectives"]
            may_be_any = name not in adjectives["fields"]
            for value in offers.values_of(name):
                demand = Demand(say=value, field=name)
                # "bowl" says nothing of bowls; what smells "fragrance free" smells of nothing
                is_new = {*stems(value)}.isdisjoint(stems(offers.kind))
                is_apt = not value.endswith("free") if may_be_any else value.endswith(tuple(adjectives["endings"]))
                is_said = is_apt and _PLAIN.fullmatch(value) and value not in ("other", "unknown")
                if is_new and is_said and offers.is_prose(value) and offers.is_selective(demand):
                    a_value = value if is_plural(value.split()[-1]) else f"{article(value)} {value}"
                    clause = PHRASES["field"][name].format(value=value, a_value=a_value)
                    # "suit {value} hair" of "short hair"
                    yield Choice("property", {"must": (demand,)}, re.sub(r"\b(\w+) \1\b", r"\1", clause))


def _measures(offers: KindOffers) -> Iterator[Choice]:
    """The figures of a field from which a demand for at least or at most so much is selective, all in one unit."""
    units = PHRASES["unit"]
    for name, row in PHRASES["measure"].items():
        values = offers.values_of(name) if name in offers.fields else ()
        read = [match for value in values if (match := _FIGURE.fullmatch(value.casefold()))]
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
        if not isinstance(value, str) or not value:
            continue
        # Some fields are often of a part of the product, unless the title says the value.
        is_of_product = name not in _KNOWN["in_title"] or f" {folded(value)} " in f" {folded(product.title)} "
        # Last the fields of all offers, which are counted only then.
        if is_of_product and name in offers.fields:
            say = clause[clause.index("the same ") :]
            demand = Demand(say=say, field=name, any_of=(value.casefold(),))
            if offers.is_selective(demand):
                yield Choice("fit", {"must": (demand,)}, clause, purchase.order.order_id)


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
            if offers.tells_apart(offers.columns.rated(stars, reviews)):
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

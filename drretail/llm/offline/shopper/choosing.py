"""How well each product fits each need, and the best set of products within the budget."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import product as combinations

from drretail.llm.offline.shopper.candidates import Candidate
from drretail.llm.offline.shopper.customer import Customer, PastOrder
from drretail.llm.offline.shopper.floors import NO_FLOORS, Floors
from drretail.llm.offline.shopper.need import Need
from drretail.llm.offline.shopper.relevance import relevance_of
from drretail.llm.offline.shopper.wishes import contradicts, says
from drretail.llm.offline.shopper.words import contains_phrase
from drretail.records.money import USD
from drretail.records.query import Constraints

LEAST_RELEVANCE = 0.4
MOST_OPTIONS = 6
LEAST_RATING = 3.0
CHEAPNESS, CHEAPNESS_WITHIN_BUDGET = 0.08, 0.03
"""What being the cheapest is worth; less where a budget that the product keeps says what may be spent."""
PETS = ("dog", "cat")
TELLING_RATINGS = 5
"""From so many ratings on, a poor average is a reason not to recommend."""


ON_RATINGS = re.compile(r"\b(?:stars?|rated|ratings?|reviews?)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Demands:
    """What the query states as constraints, and qualities that it only wishes for."""

    stated: Constraints
    wished: tuple[str, ...] = ()
    refused: frozenset[str] = frozenset()
    """Words behind "no" and the like: a maker among them is ruled out, though only the catalog shows that it is one."""

    floors: Floors = NO_FLOORS
    scopes: tuple[tuple[str, str], ...] = ()
    """(demand, name of the one need that it is made of)."""
    complaints: tuple[str, ...] = ()
    """What annoys the shopper in the thing that they have."""
    pets: tuple[str, ...] = ()
    """The animals that the shopper has, where they are known: "cat"."""

    def of(self, need: Need) -> tuple[str, ...]:
        """The demands that are made of a need."""
        others = {demand for demand, name in self.scopes if name != need.name}
        return tuple(demand for demand in self.all if demand not in others)

    def is_for_another_pet(self, candidate: Candidate) -> bool:
        """True where the title is for dogs only and the shopper has cats, or the other way round."""
        named = {pet for pet in PETS if pet in candidate.title_stems}
        return bool(self.pets and named) and not named & set(self.pets)

    def insisted(self, need: Need) -> tuple[str, ...]:
        """Those among them that are no mere wishes."""
        return tuple(demand for demand in self.of(need) if demand in self.stated.must)

    @property
    def all(self) -> tuple[str, ...]:
        """Demands that a record's words can meet; those on ratings are kept as numbers."""
        return tuple(demand for demand in (*self.stated.must, *self.wished) if not ON_RATINGS.search(demand))


@dataclass(frozen=True, slots=True)
class Option:
    """A product for a need, with what speaks for and against it."""

    product: Candidate
    relevance: float
    score: float
    met: tuple[tuple[str, str], ...] = ()
    """(demand, the record's words for it)."""
    unmet: tuple[str, ...] = ()
    """Demands that the record does not speak of."""
    bought: PastOrder | None = None

    def cost(self, quantity: int) -> Decimal | None:
        return None if self.product.price is None else self.product.price * quantity


@dataclass(frozen=True, slots=True)
class Ruled:
    """A product that fits the words and is left out: brand, must_not, rating, owned or returned."""

    product: Candidate
    reason: str
    detail: str
    order: PastOrder | None = None


@dataclass(frozen=True, slots=True)
class Shelf:
    """Everything found for one need, best first."""

    need: Need
    options: tuple[Option, ...]
    """Those to choose from: once records were opened, the opened ones."""
    ruled_out: tuple[Ruled, ...]
    rivals: tuple[Option, ...] = ()
    """All that match, opened or not."""


@dataclass(frozen=True, slots=True)
class Basket:
    """``picks`` by need in order; None where nothing fits."""

    picks: tuple[Option | None, ...]
    total: Decimal
    """Of the picks whose price is known."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The money there is, in the shop's currency; None for no limit."""

    total: Decimal | None = None
    each: Decimal | None = None

    def price_max(self, need: Need) -> Decimal | None:
        """The dearest that one piece may be."""
        if self.each is not None:
            return self.each
        return None if self.total is None else self.total / need.quantity


def limits_of(constraints: Constraints, *, one_of: bool) -> Limits:
    """The money for all needs, or for each where only ``one_of`` them will be bought."""
    budget = constraints.budget
    if budget is None or budget.currency != USD:
        return Limits()
    each = one_of or constraints.budget_scope == "per_item"
    return Limits(each=budget.value) if each else Limits(total=budget.value)


def fill_shelf(need: Need, seen: Sequence[Candidate], demands: Demands, customer: Customer) -> Shelf:
    """The products seen that are this kind of thing, ruled on and ordered."""
    options: list[Option] = []
    ruled: list[Ruled] = []
    for candidate in seen:
        relevance = relevance_of(need, candidate)
        if relevance < LEAST_RELEVANCE:
            continue
        reason = _ruled_out(need, candidate, demands, customer)
        if reason is None:
            options.append(_option(need, candidate, relevance, demands, customer))
        else:
            ruled.append(reason)
    options = _weighed_by_price(options, CHEAPNESS if demands.stated.budget is None else CHEAPNESS_WITHIN_BUDGET)
    options.sort(key=lambda option: (-option.score, -option.product.ratings, option.product.product_id))
    return Shelf(need, tuple(options), tuple(ruled), tuple(options))


def fill_basket(shelves: Sequence[Shelf], limits: Limits) -> Basket:
    """The set of most picks, then of the best ones, that stays within the limits; found by trying all."""
    choices = [_affordable(shelf, limits) for shelf in shelves]
    best: tuple[tuple[int, float], Basket] | None = None
    for picks in combinations(*choices):
        costs = [pick.cost(shelf.need.quantity) for pick, shelf in zip(picks, shelves, strict=True) if pick]
        total = sum((cost for cost in costs if cost is not None), Decimal(0))
        if limits.total is not None and total > limits.total:
            continue
        merit = (sum(pick is not None for pick in picks), round(sum(pick.score for pick in picks if pick), 9))
        if len({pick.product.product_id for pick in picks if pick}) < merit[0]:
            continue
        if best is None or merit > best[0]:
            best = merit, Basket(picks, total)
    return best[1] if best else Basket(tuple(None for _ in shelves), Decimal(0))


def _option(need: Need, candidate: Candidate, relevance: float, demands: Demands, customer: Customer) -> Option:
    said = [(demand, says(candidate, demand)) for demand in demands.of(need)]
    met = tuple((demand, words) for demand, words in said if words)
    wishes = sum(says(candidate, wish) is not None for wish in need.wishes) / max(1, len(need.wishes))
    share_met = len(met) / max(1, len(said))
    insisted = demands.insisted(need)
    share_kept = sum(demand in insisted for demand, _ in met) / max(1, len(insisted))
    brand = (candidate.brand or "").casefold()
    wanted = any(
        name.casefold() == brand or name.casefold() in candidate.title.casefold()
        for name in demands.stated.brands_wanted
    )
    liked = brand in {name.casefold() for name in customer.favourite_brands}
    bought = customer.order_of(candidate.product_id)
    score = (
        0.40 * relevance
        + 0.45 * max(0.0, (candidate.strength - 3) / 2)
        + 0.12 * wishes
        + 0.25 * share_met
        + 0.35 * share_kept
        - 0.30 * any(complaint in candidate.title_stems for complaint in demands.complaints)
        - 0.30 * demands.is_for_another_pet(candidate)
        + 0.30 * wanted
        + 0.015 * liked
        + (0.50 if need.again else 0.02) * (bought is not None)
        # Who names a sum has said what the money is for.
        + (0.06 if demands.stated.budget is None else 0.0) * _closeness(candidate.price, customer.mean_order)
    )
    # What is used up is not expected to speak of weather or cleaning unless the query insists on it.
    expected = insisted if need.consumable else demands.of(need)
    unmet = tuple(demand for demand, words in said if not words and demand in expected)
    return Option(candidate, relevance, round(score, 9), met, unmet, bought)


def _weighed_by_price(options: list[Option], weight: float) -> list[Option]:
    """The options with a little more score the cheaper they are among each other; the middle where unknown."""
    prices = sorted({option.product.price for option in options if option.product.price is not None})
    places = {price: place / max(1, len(prices) - 1) for place, price in enumerate(prices)}
    weighed: list[Option] = []
    for option in options:
        place = 0.5 if option.product.price is None else places[option.product.price]
        weighed.append(replace(option, score=round(option.score + weight * (1 - place), 9)))
    return weighed


def _closeness(price: Decimal | None, usual: Decimal | None) -> float:
    """1 at or below what the shopper usually spends, falling to 0 at three times that; 0.5 where unknown."""
    if price is None or not usual:
        return 0.5
    return float(max(Decimal(0), min(Decimal(1), (3 - price / usual) / 2)))


def _ruled_out(need: Need, candidate: Candidate, demands: Demands, customer: Customer) -> Ruled | None:
    constraints = demands.stated
    if name := _unwanted_brand(candidate, demands):
        return Ruled(candidate, "brand", name)
    if (floor := demands.floors.rating) is not None and (candidate.rating or 0) < floor:
        return Ruled(candidate, "rating", f"{floor:g}")
    if candidate.ratings < demands.floors.ratings:
        return Ruled(candidate, "ratings", f"{demands.floors.ratings}")
    for demand in constraints.must_not:
        if contradicts(candidate, demand):
            return Ruled(candidate, "must_not", demand)
    if candidate.rating is not None and candidate.rating < LEAST_RATING and candidate.ratings >= TELLING_RATINGS:
        return Ruled(candidate, "rating", f"{candidate.rating:g}")
    if order := customer.returned(candidate.product_id):
        return Ruled(candidate, "returned", order.date, order)
    order = customer.order_of(candidate.product_id)
    if (order or candidate.product_id in constraints.owned) and (need.other or not (need.consumable or need.again)):
        return Ruled(candidate, "owned", order.date if order else "", order)
    return None


def _unwanted_brand(candidate: Candidate, demands: Demands) -> str | None:
    brand = candidate.brand or ""
    for name in demands.stated.brands_unwanted:
        if name.casefold() == brand.casefold() or contains_phrase(
            candidate.title_stems, tuple(name.casefold().split())
        ):
            return name
    return brand if brand.casefold().split()[:1] and brand.casefold().split()[0] in demands.refused else None


def _affordable(shelf: Shelf, limits: Limits) -> list[Option | None]:
    """The best options that may be bought at all; without a price only where none has one, or no money is named."""
    most = limits.price_max(shelf.need)
    priced = [o for o in shelf.options if o.product.price is not None and (most is None or o.product.price <= most)]
    cheapest = sorted(priced, key=lambda o: (o.product.price or 0, -o.score, o.product.product_id))[:2]
    chosen = priced[:MOST_OPTIONS]
    if not any(o.product.price is not None for o in shelf.options):
        chosen = list(shelf.options[:MOST_OPTIONS])
    same = [option for option in shelf.options if shelf.need.again and option.bought is not None]
    return [*dict.fromkeys([*chosen, *cheapest, *same[:1]]), None]

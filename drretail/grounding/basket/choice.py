"""One product for each wanted thing, none twice: the cheapest such basket, and the one of the greatest worth.

Exact, by dynamic programming over the things. A state is what the rest of the choice depends on: the worth so far, in
whole hundredths of a star, and which of the chosen products would do for later things, too; of each state the cheapest
choice is kept. Left out is a fit that n others of its thing beat in price and worth: the other things use up fewer.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from drretail.grounding.constraints.listing import Listing
from drretail.records.query import Fit, WantedThing

RATINGS_OF_THE_MEAN = 10
UNRATED = 3.0
"""Stars of a product where nobody has rated any offer of the thing: the middle of the scale."""


@dataclass(frozen=True, slots=True)
class _State:
    """All that the choice for the remaining things depends on, but for the money."""

    worth: int
    taken: frozenset[str]
    """The chosen products that would do for a later thing."""


@dataclass(frozen=True, slots=True)
class _Choice:
    cost: Decimal
    fits: tuple[Fit, ...]

    @property
    def rank(self) -> tuple[Decimal, tuple[str, ...]]:
        """The cheaper choice first, ties by the ids in the order of the things."""
        return self.cost, tuple(fit.product_id for fit in self.fits)


def cheapest_choice(things: Sequence[WantedThing]) -> list[Fit] | None:
    """A fit for each thing, of the least total; None where some thing has none. The same input gives the same fits."""
    fits = {(number, fit.product_id): fit for number, thing in enumerate(things) for fit in thing.fits}
    worthless = (tuple(fit.model_copy(update={"worth": 0}) for fit in thing.fits) for thing in things)
    equal = [thing.model_copy(update={"fits": own}) for thing, own in zip(things, worthless, strict=True)]
    chosen = best_choice(equal, None)
    return None if chosen is None else [fits[number, fit.product_id] for number, fit in enumerate(chosen)]


def best_choice(things: Sequence[WantedThing], budget: Decimal | None) -> list[Fit] | None:
    """A fit for each thing, of the greatest sum of worths, each thing counted once; None where none is in the budget.

    Of choices of equal worth the cheapest, then the one of the least ids.
    """
    offers = [_unbeaten(thing, len(things)) for thing in things]
    if not all(offers):
        return None
    states = {_State(0, frozenset()): _Choice(Decimal(0), ())}
    for number, thing in enumerate(things):
        later = frozenset(fit.product_id for fits in offers[number + 1 :] for fit in fits)
        room = None if budget is None else budget - _least(things[number + 1 :], offers[number + 1 :])
        states = _undominated(_extended(states, thing.quantity, offers[number], later, room))
    if not states:
        return None
    most = max(state.worth for state in states)
    best = min((choice for state, choice in states.items() if state.worth == most), key=lambda choice: choice.rank)
    return list(best.fits)


def total_of(things: Sequence[WantedThing], chosen: Sequence[Fit]) -> Decimal:
    """What the fits cost together, each in the quantity of its thing."""
    return sum((fit.cost * thing.quantity for thing, fit in zip(things, chosen, strict=True)), Decimal(0))


def _extended(
    states: Mapping[_State, _Choice], quantity: int, fits: Sequence[Fit], later: frozenset[str], room: Decimal | None
) -> dict[_State, _Choice]:
    """Every choice with one more thing, the cheapest of each state; none that leaves the rest too little."""
    extended: dict[_State, _Choice] = {}
    for state, choice in states.items():
        for fit in fits:
            cost = choice.cost + fit.cost * quantity
            if fit.product_id in state.taken or (room is not None and cost > room):
                continue
            next_state = _State(state.worth + fit.worth, (state.taken | {fit.product_id}) & later)
            made = _Choice(cost, (*choice.fits, fit))
            known = extended.get(next_state)
            if known is None or made.rank < known.rank:
                extended[next_state] = made
    return extended


def _undominated(states: Mapping[_State, _Choice]) -> dict[_State, _Choice]:
    """Without the states for which another, alike but for its greater worth, costs no more."""
    least: dict[frozenset[str], Decimal] = {}
    kept: dict[_State, _Choice] = {}
    for state, choice in sorted(states.items(), key=lambda item: -item[0].worth):
        if state.taken not in least or choice.cost < least[state.taken]:
            least[state.taken] = choice.cost
            kept[state] = choice
    return kept


def _least(things: Sequence[WantedThing], offers: Sequence[Sequence[Fit]]) -> Decimal:
    """What the things cost at least, were no product in two of them."""
    cheapest = (min(fit.cost for fit in fits) for fits in offers)
    return sum((cost * thing.quantity for cost, thing in zip(cheapest, things, strict=True)), Decimal(0))


def _unbeaten(thing: WantedThing, n: int) -> list[Fit]:
    """The fits of known price that fewer than n others beat in everything; among equals the lesser id is better."""
    kept: list[Fit] = []
    costs: list[Decimal] = []
    priced = (fit for fit in thing.fits if fit.price is not None)
    for fit in sorted(priced, key=lambda fit: (-fit.worth, fit.cost, fit.product_id)):
        beaten_by = bisect_right(costs, fit.cost)
        if beaten_by < n:
            kept.append(fit)
            costs.insert(beaten_by, fit.cost)
    return kept


def worths(offers: Sequence[Listing]) -> Mapping[str, int]:
    """By product id, the worth of each offer of one thing in hundredths of a star, 0 to 500.

    It is the product's rating, drawn towards the mean of all offers as if that were ``RATINGS_OF_THE_MEAN`` ratings.
    """
    products = {offer.product.product_id: offer.product for offer in offers}
    rated = [product.average_rating for product in products.values() if product.average_rating is not None]
    mean = sum(rated) / len(rated) if rated else UNRATED
    found: dict[str, int] = {}
    for key, product in products.items():
        votes = (product.rating_number or 0) if product.average_rating is not None else 0
        stars = (product.average_rating or 0.0) * votes + mean * RATINGS_OF_THE_MEAN
        found[key] = round(100 * stars / (votes + RATINGS_OF_THE_MEAN))
    return found

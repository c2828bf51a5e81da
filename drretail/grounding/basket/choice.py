"""One product for each wanted thing, none twice: the cheapest such basket, and the one of greatest worth.

Exact, by dynamic programming over the things. A state is all that the rest of the choice depends on: the worth so far,
in whole hundredths of a star, and which chosen products also suit later things. For each state the cheapest choice is
kept. A fit is dropped if n others of its thing beat it in price and worth, since the other things use up fewer than n.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from heapq import nsmallest

from drretail.grounding.constraints.listing import Listing
from drretail.records.query import Fit, WantedThing

RATINGS_OF_THE_MEAN = 10
UNRATED = 3.0
"""Stars of a product if no offer of the thing has a rating: the middle of the scale."""


@dataclass(frozen=True, slots=True)
class _State:
    """All that the choice for the remaining things depends on, except the cost."""

    worth: int
    taken: frozenset[str]
    """The chosen products that also suit a later thing."""


@dataclass(frozen=True, slots=True)
class _Choice:
    cost: Decimal
    fits: tuple[Fit, ...]

    @property
    def rank(self) -> tuple[Decimal, tuple[str, ...]]:
        """Cheaper choices first, ties by the ids in the order of the things."""
        return self.cost, tuple(fit.product_id for fit in self.fits)


def cheapest_choice(things: Sequence[WantedThing]) -> list[Fit] | None:
    """A fit for each thing with the least total; None if some thing has none. Equal input gives equal fits."""
    cheapest = [_cheapest(thing, len(things)) for thing in things]
    worthless = (tuple(fit.model_copy(update={"worth": 0}) for fit in fits) for fits in cheapest)
    equal = [thing.model_copy(update={"fits": own}) for thing, own in zip(things, worthless, strict=True)]
    chosen = best_choice(equal, None)
    if chosen is None:
        return None
    by_id = ({fit.product_id: fit for fit in fits} for fits in cheapest)
    return [fits[fit.product_id] for fits, fit in zip(by_id, chosen, strict=True)]


def best_choice(things: Sequence[WantedThing], budget: Decimal | None) -> list[Fit] | None:
    """A fit for each thing with the greatest sum of worths, each thing counted once; None if none is within the budget.

    Of choices of equal worth, the cheapest, then the one with the least ids.
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
    """The total cost of the fits, each in the quantity of its thing."""
    return sum((fit.cost * thing.quantity for thing, fit in zip(things, chosen, strict=True)), Decimal(0))


def _extended(
    states: Mapping[_State, _Choice], quantity: int, fits: Sequence[Fit], later: frozenset[str], room: Decimal | None
) -> dict[_State, _Choice]:
    """Every choice extended by one thing, the cheapest for each state, without those that leave too little for the
    rest.
    """
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
    """The states for which no other with the same products has greater worth at no greater cost."""
    least: dict[frozenset[str], Decimal] = {}
    undominated: dict[_State, _Choice] = {}
    for state, choice in sorted(states.items(), key=lambda item: -item[0].worth):
        if state.taken not in least or choice.cost < least[state.taken]:
            least[state.taken] = choice.cost
            undominated[state] = choice
    return undominated


def _least(things: Sequence[WantedThing], offers: Sequence[Sequence[Fit]]) -> Decimal:
    """The least cost of the things, if products could be used twice."""
    cheapest = (min(fit.cost for fit in fits) for fits in offers)
    return sum((cost * thing.quantity for cost, thing in zip(cheapest, things, strict=True)), Decimal(0))


def _cheapest(thing: WantedThing, n: int) -> list[Fit]:
    """The n cheapest fits with a known price; the others of n things use up fewer. Ties go to the lesser id."""
    priced = (fit for fit in thing.fits if fit.price is not None)
    return nsmallest(n, priced, key=lambda fit: (fit.cost, fit.product_id))


def _unbeaten(thing: WantedThing, n: int) -> list[Fit]:
    """The fits with a known price that fewer than n others beat in both price and worth; ties go to the lesser id."""
    unbeaten: list[Fit] = []
    costs: list[Decimal] = []
    priced = (fit for fit in thing.fits if fit.price is not None)
    for fit in sorted(priced, key=lambda fit: (-fit.worth, fit.cost, fit.product_id)):
        beaten_by = bisect_right(costs, fit.cost)
        if beaten_by < n:
            unbeaten.append(fit)
            costs.insert(beaten_by, fit.cost)
    return unbeaten


def worths(offers: Sequence[Listing]) -> Mapping[str, int]:
    """By product id, the worth of each offer of one thing in hundredths of a star, 0 to 500.

    It is the product's rating, shrunk towards the mean of all offers, which counts as ``RATINGS_OF_THE_MEAN`` ratings.
    """
    products = {offer.product.product_id: offer.product for offer in offers}
    rated = [product.average_rating for product in products.values() if product.average_rating is not None]
    mean = sum(rated) / len(rated) if rated else UNRATED
    by_id: dict[str, int] = {}
    for key, product in products.items():
        votes = (product.rating_number or 0) if product.average_rating is not None else 0
        stars = (product.average_rating or 0.0) * votes + mean * RATINGS_OF_THE_MEAN
        by_id[key] = round(100 * stars / (votes + RATINGS_OF_THE_MEAN))
    return by_id

"""The basket of the greatest worth that keeps to a query's constraints: one product for each wanted thing.

Exact, by dynamic programming over the slots. A state is what the rest of the choice depends on: the worth so far,
whether a wanted brand is in, and which of the chosen products later slots offer, too; of each state the cheapest
choice is kept. Worths are whole hundredths of a star, so n slots have at most (550n + 1) · 2 · s states, with s the
sets of shared products that can be chosen (1 where no product is offered for two things), and m offers a slot take at
most n · m times as many steps. Briefing an offer goes that n others of its slot beat in price, worth and brand: the
other slots use up fewer than n of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from drretail.grounding.basket.cheapest import Basket, Offer, Slot, Terms, basket_of, currency_of, eligible_offers
from drretail.grounding.constraints.listing import Listing, folded
from drretail.records.query import Constraints

Worths = Sequence[Mapping[str, int]]
"""For each slot, by product id, what its offers are worth in hundredths of a star."""


@dataclass(frozen=True, slots=True)
class _State:
    """All that the choice for the remaining slots depends on, but for the money."""

    worth: int
    branded: bool
    taken: frozenset[str]
    """The chosen products that a later slot offers."""


@dataclass(frozen=True, slots=True)
class _Choice:
    cost: Decimal
    offers: tuple[Offer, ...]

    @property
    def rank(self) -> tuple[Decimal, tuple[str, ...]]:
        """The cheaper choice first, ties by the ids in the order of the slots."""
        return self.cost, tuple(offer.product_id for offer in self.offers)


def best_basket(
    slots: Sequence[Slot], constraints: Constraints, worths: Worths, *, currency: str | None = None
) -> Basket | None:
    """The basket of the greatest sum of worths, each slot counted once; None where none keeps to the constraints.

    What is kept to is as in ``cheapest_basket``. Of baskets of equal worth the cheapest, then the one of the least ids.
    """
    terms = Terms.of(constraints, currency or currency_of(slots))
    eligible = eligible_offers(slots, constraints, terms)
    if eligible is None or not slots or not all(eligible):
        return None
    unbeaten = [_unbeaten(offers, worth, len(slots)) for offers, worth in zip(eligible, worths, strict=True)]
    states = {_State(0, branded=not constraints.brands_wanted, taken=frozenset()): _Choice(Decimal(0), ())}
    for number, slot in enumerate(slots):
        later = frozenset(offer.product_id for offers in unbeaten[number + 1 :] for offer in offers)
        room = None if terms.total is None else terms.total - _least(slots[number + 1 :], unbeaten[number + 1 :])
        states = _undominated(_extended(states, slot.quantity, unbeaten[number], worths[number], later, room))
    ended = [(state.worth, choice) for state, choice in states.items() if state.branded]
    if not ended:
        return None
    most = max(worth for worth, _ in ended)
    best = min((choice for worth, choice in ended if worth == most), key=lambda choice: choice.rank)
    return basket_of(slots, best.offers, terms)


def worth_of(basket: Basket, worths: Worths) -> int:
    """The sum of the worths of what fills the slots, in hundredths of a star."""
    return sum(worth[pick.product_id] for pick, worth in zip(basket.picks, worths, strict=True))


def _extended(
    states: Mapping[_State, _Choice],
    quantity: int,
    offers: Sequence[Offer],
    worth: Mapping[str, int],
    later: frozenset[str],
    room: Decimal | None,
) -> dict[_State, _Choice]:
    """Every choice with one more slot filled, the cheapest of each state; none that leaves the rest too little."""
    extended: dict[_State, _Choice] = {}
    for state, choice in states.items():
        for offer in offers:
            cost = choice.cost + offer.price * quantity
            if offer.product_id in state.taken or (room is not None and cost > room):
                continue
            taken = (state.taken | {offer.product_id}) & later
            next_state = _State(state.worth + worth[offer.product_id], state.branded or offer.wanted_brand, taken)
            made = _Choice(cost, (*choice.offers, offer))
            held = extended.get(next_state)
            if held is None or cost < held.cost or (cost == held.cost and made.rank < held.rank):
                extended[next_state] = made
    return extended


def _undominated(states: Mapping[_State, _Choice]) -> dict[_State, _Choice]:
    """Without the states for which another, alike but for its greater worth, costs no more."""
    least: dict[tuple[bool, frozenset[str]], Decimal] = {}
    kept: dict[_State, _Choice] = {}
    for state, choice in sorted(states.items(), key=lambda item: -item[0].worth):
        alike = state.branded, state.taken
        if alike not in least or choice.cost < least[alike]:
            least[alike] = choice.cost
            kept[state] = choice
    return kept


def _least(slots: Sequence[Slot], offers: Sequence[Sequence[Offer]]) -> Decimal:
    """What the slots cost at least, were no product in two of them."""
    cheapest = (min(offer.price for offer in of_slot) for of_slot in offers)
    return sum((price * slot.quantity for price, slot in zip(cheapest, slots, strict=True)), Decimal(0))


def _unbeaten(offers: Sequence[Offer], worth: Mapping[str, int], n: int) -> list[Offer]:
    """The offers that fewer than n others of the slot beat in everything; among equals the lesser id is better."""
    best_first = sorted(offers, key=lambda it: (-worth[it.product_id], it.price, it.product_id))
    kept: list[Offer] = []
    for offer in best_first:
        beaten_by = sum(it.price <= offer.price and it.wanted_brand >= offer.wanted_brand for it in kept)
        if beaten_by < n:
            kept.append(offer)
    return kept


RATINGS_OF_THE_MEAN = 10
BRAND = 50
"""What a wanted brand adds, in hundredths of a star."""
UNRATED = 3.0
"""Stars of a product where nobody has rated any offer of the thing: the middle of the scale."""


def worths(offers: Sequence[Listing], constraints: Constraints) -> Mapping[str, int]:
    """By product id, the worth of each offer of one wanted thing, in hundredths of a star: 0 to 550.

    Whole numbers, so that sums of them are exact and baskets can be told apart by them.
    """
    mean = _mean_rating(offers)
    brands = frozenset(map(folded, constraints.brands_wanted))
    return {
        it.product.product_id: round(100 * _believed(it, mean)) + (BRAND if brands & it.makers else 0) for it in offers
    }


def _believed(listing: Listing, mean: float) -> float:
    product = listing.product
    votes = (product.rating_number or 0) if product.average_rating is not None else 0
    stars = product.average_rating or 0.0
    return (stars * votes + mean * RATINGS_OF_THE_MEAN) / (votes + RATINGS_OF_THE_MEAN)


def _mean_rating(offers: Sequence[Listing]) -> float:
    """Over the distinct offers, each counted once."""
    rated = {it.product.product_id: it.product.average_rating for it in offers}
    known = [stars for stars in rated.values() if stars is not None]
    return sum(known) / len(known) if known else UNRATED

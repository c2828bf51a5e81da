"""Baskets that satisfy a query's wish, computed exactly: the cheapest, the one of greatest worth, all suitable
products, and the proof whether the shop can meet the wish.

Exact, by dynamic programming over the things. A state is all that the rest of the choice depends on: the worth so far,
in whole hundredths of a star, and which chosen products also suit later things. For each state the cheapest choice is
kept. A fit is dropped if n others of its thing beat it in price and worth, since the other things use up fewer than n.
"""

from bisect import bisect_right
from collections import ChainMap, Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property

from drretail.records.base import lean
from drretail.records.criteria import OF_KIND, State
from drretail.records.query import BasketItem, Fit, FoundBasket, Lack, Proof, Query, Reference, WantedThing
from drretail.records.reading import REASONS, Because
from drretail.records.shop import USD, Money, variant_title
from drretail.records.wish import Demand, Want, Wish
from drretail.remembered import remembered, remembered_by
from drretail.shopping.constraints import (
    UNDECIDED,
    Decisions,
    DemandRuling,
    decided_by_field,
    is_within,
    offers_for,
    option_value,
    priced_in,
)
from drretail.shopping.listing import Listing, pieces_in

RATINGS_OF_THE_MEAN = 10
UNRATED = 3.0
"""Stars of a product if no offer of the thing has a rating: the middle of the scale."""


_State = tuple[int, frozenset[str]]
"""All that the choice for the remaining things depends on, except the cost: the worth, and the chosen offers that also
suit a later thing."""


@dataclass(frozen=True, slots=True)
class _Choice:
    cost: Decimal
    fits: tuple[Fit, ...]

    @property
    def rank(self) -> tuple[Decimal, tuple[str, ...]]:
        """Cheaper choices first, ties by the ids in the order of the things."""
        return self.cost, tuple(fit.offer_id for fit in self.fits)


def best_choice(
    things: Sequence[WantedThing], budget: Decimal | None = None, *, by_worth: bool = True
) -> list[Fit] | None:
    """A fit for each thing with the greatest sum of worths, each thing counted once; None if none is within the budget.

    Of choices of equal worth, the cheapest, then the one with the least ids. Not ``by_worth``, just the cheapest.
    """
    offers = [_unbeaten(thing.fits, len(things), by_worth=by_worth) for thing in things]
    if not all(offers):
        return None
    states: dict[_State, _Choice] = {(0, frozenset()): _Choice(Decimal(0), ())}
    for number, thing in enumerate(things):
        rest = list(zip(things[number + 1 :], offers[number + 1 :], strict=True))
        later = frozenset(fit.offer_id for _, fits in rest for fit in fits)
        # The least that the rest costs, if products could be used twice.
        least = sum((min(fit.cost for fit in fits) * other.quantity for other, fits in rest), Decimal(0))
        room = None if budget is None else budget - least
        # Each choice with each fit, the cheapest for each state, without those that leave too little for the rest.
        extended: dict[_State, _Choice] = {}
        for (worth, taken), choice in states.items():
            for fit in offers[number]:
                cost = choice.cost + fit.cost * thing.quantity
                if fit.offer_id in taken or (room is not None and cost > room):
                    continue
                next_state = worth + fit.worth * by_worth, (taken | {fit.offer_id}) & later
                extended_choice = _Choice(cost, (*choice.fits, fit))
                current = extended.get(next_state)
                if current is None or extended_choice.rank < current.rank:
                    extended[next_state] = extended_choice
        # Left out are states to which another with the same products is preferable in worth and cost.
        states, lowest = {}, dict[frozenset[str], Decimal]()
        for state, choice in sorted(extended.items(), key=lambda item: -item[0][0]):
            if state[1] not in lowest or choice.cost < lowest[state[1]]:
                lowest[state[1]] = choice.cost
                states[state] = choice
    if not states:
        return None
    most = max(worth for worth, _ in states)
    best = min((choice for (worth, _), choice in states.items() if worth == most), key=lambda choice: choice.rank)
    return list(best.fits)


def total_of(things: Sequence[WantedThing], chosen: Sequence[Fit]) -> Decimal:
    """The total cost of the fits, each in the quantity of its thing."""
    return sum((fit.cost * thing.quantity for thing, fit in zip(things, chosen, strict=True)), Decimal(0))


def _unbeaten(fits: Iterable[Fit], n: int, *, by_worth: bool) -> list[Fit]:
    """The fits with a known price that fewer than n others beat in price and worth; ties go to the lesser id."""
    unbeaten: list[Fit] = []
    costs: list[Decimal] = []
    priced = (fit for fit in fits if fit.price is not None)
    for fit in sorted(priced, key=lambda fit: (-fit.worth * by_worth, fit.cost, fit.offer_id)):
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


def _limits_alone(want: Want, decisions: Decisions = UNDECIDED, *others: Hashable) -> Hashable | None:
    """What a want says that a product keeps or not: the wants of many queries differ in few limits.

    None if somebody has decided on products of the want, or left some out.
    """
    limits = want.must, want.must_not, want.rating_min, want.ratings_min, want.price_min, want.price_max
    limits = *limits, want.quantity, tuple(want.options.items()), want.brands_wanted, want.brands_unwanted
    return None if decisions.concern(want) else (*limits, *others)


class Candidates(tuple[Listing, ...]):
    """All products of a want's kinds in a shop, which remember what the references of many queries need of them."""

    @cached_property
    def worths(self) -> Mapping[str, int]:
        return worths(self)

    @cached_property
    def currencies(self) -> Counter[str]:
        return Counter(listing.product.currency for listing in self)

    @cached_property
    def titles(self) -> dict[str, str]:
        return {listing.product.product_id: listing.product.title for listing in self}

    @remembered
    def values_of(self, name: str) -> Counter[str]:
        """How many offers have each value of an option."""
        values = (option_value(listing, offer, name)[0] for listing in self for offer in listing.offers)
        return Counter(filter(None, values))

    @cached_property
    def restocked(self) -> "Candidates":
        """The same products, as if none were sold out; these themselves if none is."""
        if all(offer.stock is None and offer.has() for listing in self for offer in listing.named_offers):
            return self
        return Candidates(replace(listing, counts_stock=False) for listing in self)

    @remembered
    def rulings(self, demand: Demand) -> Counter[DemandRuling]:
        """How often records rule so on a demand."""
        return Counter(decided_by_field(demand, listing) for listing in self)

    @remembered_by(_limits_alone)
    def keeping(self, want: Want, decisions: Decisions = UNDECIDED, state: State = "met") -> "Candidates":
        """Those that keep a want's limits, by id; also what the shopper has.

        With ``state="open"``, those that keep the limits and break no demand, but whose records leave one open.
        """
        return Candidates(
            listing
            for listing in self
            if listing.product.product_id not in decisions.excluded
            and is_within(want, listing)
            and decisions.state(want, listing) == state
        )

    @remembered_by(_limits_alone)
    def fits(self, want: Want, decisions: Decisions, currency: str, state: State) -> tuple[Fit, ...]:
        """What of them is ``keeping`` a want's limits, each with its price, its worth and the demands that are open."""
        fits: list[Fit] = []
        for listing in self.keeping(want, decisions, state):
            rulings = decisions.rulings(want, listing) if state == "open" else ()
            unsaid = tuple(ruling.demand for ruling in rulings if ruling.state == "open")
            for offer in offers_for(want, listing):
                price = priced_in(listing, offer, currency)
                fit = Fit(
                    offer_id=offer.offer_id,
                    name=offer.name,
                    price=None if price is None else f"{price.normalize():f}",  # "24", "9.5"
                    worth=self.worths[listing.product.product_id],
                    open=unsaid,
                    is_pack=pieces_in(listing.product.title) > 1,
                )
                fits.append(lean(fit))
        return tuple(sorted(fits, key=lambda fit: fit.offer_id))


Offered = Sequence[Candidates]
"""For each want, all products of its kinds in the shop."""


@dataclass(frozen=True, slots=True)
class _Shop:
    """What the shop offers to one shopper, and what is decided about it."""

    offered: Offered
    unsure: Offered
    """For each want, the products of which nobody has said whether they are of its kinds."""
    owned: frozenset[str]
    """Products that the shopper has."""
    decisions: Decisions

    def things(self, wish: Wish) -> list[WantedThing]:
        """Each want with the products that would do, and with those that might."""
        currency = _currency(wish, self.offered)
        return [
            # Not validated: the fits are thousands, which the things of many queries share.
            WantedThing.model_construct(
                name=want.name,
                quantity=want.quantity,
                several=want.several,
                optional=want.optional,
                fits=self._fits(want, candidates, currency, "met"),
                undecided=self._fits(want, candidates, currency, "open") + self._of_open_kind(want, unsure, currency),
            )
            for want, candidates, unsure in zip(wish.wants, self.offered, self.unsure, strict=True)
        ]

    def _of_open_kind(self, want: Want, candidates: Candidates, currency: str) -> tuple[Fit, ...]:
        """What would do, or might, if it is of the kind."""
        states: tuple[State, ...] = ("met", "open")
        fits = (fit for state in states for fit in self._fits(want, candidates, currency, state))
        return tuple(fit.model_copy(update={"open": (OF_KIND, *fit.open)}) for fit in fits)

    def _fits(self, want: Want, candidates: Candidates, currency: str, state: State) -> tuple[Fit, ...]:
        """Without what the shopper has, where another is wanted."""
        left_out = self.owned & candidates.titles.keys() if want.not_owned else set[str]()
        fits = candidates.fits(want, self.decisions, currency, state)
        return tuple(fit for fit in fits if fit.product_id not in left_out) if left_out else fits


def reference_of(
    query: Query,
    offered: Sequence[Sequence[Listing]],
    bought: Collection[str] = (),
    *,
    could_be: Sequence[Sequence[Listing]] | None = None,
) -> Reference:
    """The cheapest and the best basket for a query, and all products that suit each of its wants.

    ``offered`` are all products of each want's kinds; those in ``Candidates`` are not looked at again for each query.
    ``bought`` are products that the shopper has ordered; they suit no want for another. With ``could_be``,
    all products that may be of each want's kinds, it also holds the proof whether the shop can meet the wish.
    """
    wish = query.wish
    if wish is None or not wish.wants:
        return Reference(query_id=query.query_id, lack="not_typed" if wish is None else "no_things")
    decisions = Decisions(query.gold)
    may_be = [Candidates()] * len(wish.wants) if could_be is None else _candidates(could_be)
    unsure = [  # those of which nobody has said whether they are such a thing
        [listing for listing in candidates if decisions.kind(want, listing).state == "open"]
        for want, candidates in zip(wish.wants, may_be, strict=True)
    ]
    shop = _Shop(_candidates(offered), _candidates(unsure), frozenset({*wish.owned, *bought}), decisions)
    things = shop.things(wish)
    if wish.declined:
        proof = Proof(state="proved", lack="unsafe")
        return Reference(query_id=query.query_id, things=tuple(things), lack="unsafe", proof=proof)
    titles = ChainMap(*(candidates.titles for candidates in (*shop.offered, *shop.unsure)))
    currency = _currency(wish, shop.offered)
    cheapest, best = baskets(things, wish, titles.__getitem__, currency)
    lack, nearest = (None, None) if cheapest is not None else _lacking(wish, shop, things)
    reference = Reference(query_id=query.query_id, things=tuple(things), cheapest=cheapest, best=best, lack=lack)
    if could_be is None:
        return reference
    proof = _proof(wish, reference, may_be, shop)
    shown = None if nearest is None else _comparison(*nearest, titles.__getitem__, currency)
    return reference.model_copy(update={"proof": proof.model_copy(update={"nearest": shown})})


def _candidates(offered: Sequence[Sequence[Listing]]) -> Offered:
    return [listings if isinstance(listings, Candidates) else Candidates(listings) for listings in offered]


def baskets(
    things: Sequence[WantedThing], wish: Wish, title_of: Callable[[str], str], currency: str
) -> tuple[FoundBasket | None, FoundBasket | None]:
    """The cheapest and the best basket within the budget. ``title_of`` gives a product's title by its id."""
    required = needed(things)
    cheapest = cheapest_choice(required, wish)
    if cheapest is None:
        return None, None
    budget = None if wish.budget is None else wish.budget.value
    # Optional things are included if the budget allows.
    choices = ((wanted, best_choice(wanted, budget)) for wanted in (things, required))
    best = next(
        (_comparison(wanted, chosen, title_of, currency) for wanted, chosen in choices if chosen is not None), None
    )
    return _comparison(required, cheapest, title_of, currency), best


def _currency(wish: Wish, offered: Offered) -> str:
    """The budget's currency, else the most frequent one of the offers (ties by code), else USD."""
    counts = sum((candidates.currencies for candidates in offered), Counter[str]())
    most_offered = min(counts, key=lambda code: (-counts[code], code), default=USD)
    return wish.limits[0].currency if wish.limits else most_offered


def needed(things: Iterable[WantedThing]) -> list[WantedThing]:
    """The things that no answer may leave out."""
    return [thing for thing in things if not thing.optional]


def cheapest_choice(things: Sequence[WantedThing], wish: Wish) -> list[Fit] | None:
    """The cheapest fit for each thing; None if they cost more than the budget, or a thing has none."""
    chosen = best_choice(things, by_worth=False)
    is_over = chosen is not None and wish.budget is not None and total_of(things, chosen) > wish.budget.value
    return None if is_over else chosen


_Nearest = tuple[Sequence[WantedThing], list[Fit]]


def _lacking(wish: Wish, shop: _Shop, things: Sequence[WantedThing]) -> tuple[Lack, _Nearest | None]:
    """The first limit whose removal makes a basket possible, with the cheapest of these; or what else is missing."""
    required = [number for number, want in enumerate(wish.wants) if not want.optional]
    if not all(shop.offered[number] or shop.unsure[number] for number in required):
        return "not_sold", None
    # If nothing suits a want, the price is not what is missing.
    if any(things[at].fits and all(fit.price is None for fit in things[at].fits) for at in required):
        return "no_price", None
    for lack in _LIMITS:
        if (nearest := _without(lack, wish, shop)) is not None:
            return lack, nearest
    return "no_basket", None


_LIMITS: tuple[Lack, ...] = (*("too_dear", "not_said", "unsafe", "demands", "sold_out", "no_such_option", "owned"),)
"""What may prevent a basket, in the order in which it is named."""
_UNDEMANDING: Mapping[str, object] = {
    **dict.fromkeys(("must", "must_not", "brands_wanted", "brands_unwanted"), ()),
    **dict.fromkeys(("rating_min", "ratings_min", "price_min")),
}
_WITHOUT: dict[Lack, tuple[Mapping[str, object], Mapping[str, object]]] = {
    "too_dear": ({"price_max": None}, {"budget": None}),
    "demands": (_UNDEMANDING, {}),
    "no_such_option": ({"options": {}}, {}),
    "owned": ({"not_owned": False}, {}),
}
"""What to remove from the wants, and from the wish, to see whether it prevents a basket."""


def _without(lack: Lack, wish: Wish, shop: _Shop) -> _Nearest | None:
    """The cheapest basket without one limit; None if there is none even so."""
    freed = wish
    if lack == "not_said":
        things = [thing.model_copy(update={"fits": thing.fits + thing.undecided}) for thing in shop.things(wish)]
    elif lack == "unsafe":
        things = replace(shop, decisions=shop.decisions.without_facts()).things(wish)
    elif lack == "sold_out":
        things = replace(shop, offered=[candidates.restocked for candidates in shop.offered]).things(wish)
    else:
        of_want, of_wish = _WITHOUT[lack]
        wants = tuple(want.model_copy(update=of_want) for want in wish.wants)
        freed = wish.model_copy(update={**of_wish, "wants": wants})
        things = shop.things(freed)
    required = needed(things)
    chosen = cheapest_choice(required, freed)
    return None if chosen is None else (required, chosen)


def _comparison(
    things: Sequence[WantedThing], chosen: Sequence[Fit], title_of: Callable[[str], str], currency: str
) -> FoundBasket:
    items = tuple(
        BasketItem(
            thing=thing.name,
            offer_id=fit.offer_id,
            title=variant_title(title_of(fit.product_id), fit.name),
            price=fit.price or "",
            quantity=thing.quantity,
        )
        for thing, fit in zip(things, chosen, strict=True)
    )
    total = Money.of(total_of(things, chosen), currency)
    return FoundBasket(items=items, total=total, worth=sum(fit.worth for fit in chosen))


def _proof(wish: Wish, reference: Reference, could_be: Offered, shop: _Shop) -> Proof:
    """The proof for a wish whose baskets are in ``reference``.

    It looks at every offer that could be of the kinds. Unknown values count as the best, and open demands as met: if
    even so something is missing, no basket exists.
    """
    if reference.best is not None:
        return Proof(state="refuted")
    lack: Because | None = next((reason for reason in REASONS if reason == reference.lack), None)
    may_be = [
        [listing for listing in candidates if shop.decisions.may_be(want, listing)]
        for want, candidates in zip(wish.wants, could_be, strict=True)
    ]
    return Proof(state="proved" if _least_cost(wish, may_be, shop) is None else "open", lack=lack)


def _least_cost(wish: Wish, may_be: Sequence[Sequence[Listing]], shop: _Shop) -> Decimal | None:
    """The least possible cost of the wish if all unknown values are the best; None if it can't be met even so."""
    total, currency = Decimal(0), None if wish.budget is None else wish.budget.currency
    for want, listings in zip(wish.wants, may_be, strict=True):
        # An unknown price counts 0, and one pack is enough.
        costs = [
            (priced_in(listing, offer, currency) or Decimal(0))
            * (1 if pieces_in(listing.product.title) > 1 else want.quantity)
            for listing in listings
            if not (want.not_owned and listing.product.product_id in shop.owned)
            and listing.product.product_id not in shop.decisions.excluded
            and is_within(want, listing, unknown_does=True)
            for offer in offers_for(want, listing)
        ]
        if want.optional:
            continue
        if not costs:
            return None
        total += min(costs)
    return None if wish.budget is not None and total > wish.budget.value else total

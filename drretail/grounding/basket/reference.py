"""The baskets by which reports on a query are measured, from what the shop offers of each wanted thing."""

from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal

from drretail.grounding.basket.best import Worths, best_basket, worth_of, worths
from drretail.grounding.basket.cheapest import Basket, Slot, Terms, candidates, cheapest_basket, currency_of
from drretail.grounding.constraints.listing import folded
from drretail.records.money import Money
from drretail.records.query import BasketItem, Constraints, Fit, FoundBasket, Lack, Query, Reference, WantedThing


def reference_of(query: Query, slots: Sequence[Slot], bought: Collection[str] = ()) -> Reference:
    """The cheapest and the best basket for a query, and everything that would do for each of its things.

    ``slots`` are the things that it asks for, with all that the shop has of them; ``bought`` are products that are not
    wanted a second time, beside those that the query itself says are owned.
    """
    constraints = _without(query.constraints, bought)
    cheapest = cheapest_basket(slots, constraints) if query.is_typed else None
    worth = [worths(slot.offers, constraints) for slot in slots]
    best = None if cheapest is None else best_basket(slots, constraints, worth)
    terms = Terms.of(constraints, currency_of(slots))
    offered = {listing.product.product_id for slot in slots for listing in slot.offers}
    return Reference(
        query_id=query.query_id,
        things=tuple(_thing(slot, constraints, terms, of_slot) for slot, of_slot in zip(slots, worth, strict=True)),
        cheapest=None if cheapest is None else _found(cheapest, worth),
        best=None if best is None else _found(best, worth),
        lack=_lack(query, slots, constraints) if cheapest is None else None,
        left_out=tuple(sorted(offered & {*constraints.owned})),
    )


def _without(constraints: Constraints, bought: Collection[str]) -> Constraints:
    return constraints.model_copy(update={"owned": tuple(sorted({*constraints.owned, *bought}))})


def _lack(query: Query, slots: Sequence[Slot], constraints: Constraints) -> Lack:
    if not query.is_typed:
        return "not_typed"
    if not slots:
        return "no_things"
    if not all(slot.offers for slot in slots):
        return "nothing_offered"
    terms = Terms.of(constraints, currency_of(slots))
    # Where nothing would do, what is in the way is something else than the price.
    would_do = [candidates(slot, constraints) or slot.offers for slot in slots]
    if any(all(terms.price_of(offer) is None for offer in offers) for offers in would_do):
        return "no_price"
    for lack, without in _WITHOUT.items():
        freed = constraints.model_copy(update=without)
        if cheapest_basket(slots, freed, currency=terms.currency) is not None:
            return lack
    return "no_basket"


_WITHOUT: Mapping[Lack, Mapping[str, object]] = {
    "too_dear": {"budget": None},
    "no_such_brand": {"brands_wanted": ()},
    "demands": {"must": (), "must_not": (), "brands_unwanted": ()},
    "owned": {"owned": ()},
}
"""What to leave out of the constraints to see whether it is in the way, in this order."""


def _thing(slot: Slot, constraints: Constraints, terms: Terms, worth: Mapping[str, int]) -> WantedThing:
    brands = frozenset(map(folded, constraints.brands_wanted))
    fits = {
        listing.product.product_id: Fit(
            product_id=listing.product.product_id,
            price=None if (price := terms.price_of(listing)) is None else _written(price),
            worth=worth[listing.product.product_id],
            wanted_brand=bool(brands & listing.makers),
        )
        for listing in candidates(slot, constraints)
    }
    return WantedThing(name=slot.name, quantity=slot.quantity, fits=tuple(fits[key] for key in sorted(fits)))


def _found(basket: Basket, worth: Worths) -> FoundBasket:
    items = tuple(
        BasketItem(
            thing=pick.slot,
            product_id=pick.product_id,
            title=pick.title,
            price=_written(pick.price),
            quantity=pick.quantity,
        )
        for pick in basket.picks
    )
    return FoundBasket(items=items, total=Money.of(basket.total, basket.currency), worth=worth_of(basket, worth))


def _written(price: Decimal) -> str:
    """Exact, without zeros at the end: "24", "9.5"."""
    return f"{price.normalize():f}"

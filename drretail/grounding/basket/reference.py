"""The reference baskets of a query, and the proof whether the shop can meet its wish."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal

from drretail.grounding.basket.choice import best_choice, cheapest_choice, total_of, worths
from drretail.grounding.constraints.fits import fitting, is_too_dear, is_within, leaves_open, not_borne_out, priced_in
from drretail.grounding.constraints.listing import Listing, listing_of, pieces_in
from drretail.records.money import USD, Money
from drretail.records.query import BasketItem, Fit, FoundBasket, Lack, Proof, Query, Reference, WantedThing
from drretail.records.reading import Because
from drretail.records.shop import Product
from drretail.records.wish import Wish

Offered = Sequence[Sequence[Listing]]
"""For each want, all products of its kinds in the shop."""

REASONS: dict[Lack, Because] = {
    "nothing_offered": "not_sold",
    "no_price": "no_price",
    "too_dear": "too_dear",
    "no_such_brand": "no_such_brand",
    "demands": "demands",
    "owned": "owned",
}


def reference_of(
    query: Query,
    offered: Offered,
    bought: Collection[str] = (),
    *,
    could_be: Offered | None = None,
    orders: Collection[str] = (),
) -> Reference:
    """The cheapest and the best basket for a query, and all products that suit each of its wants.

    ``bought`` are products that the shopper has ordered; they suit only wants for one more of them. With ``could_be``,
    all products that may be of each want's kinds, and the ids of the shopper's ``orders``, it also holds the proof
    whether the shop can meet the wish.
    """
    wish = query.wish
    if wish is None or not wish.wants:
        return Reference(query_id=query.query_id, lack="not_typed" if wish is None else "no_things")
    owned = {*wish.owned, *bought}
    things = _things(wish, offered, owned)
    titles = {one.product.product_id: one.product.title for of_want in offered for one in of_want}
    currency = _currency(wish, offered)
    cheapest, best = _baskets(things, wish, titles, currency)
    lifted = _lifted(wish, offered, owned) if cheapest is None else {}
    left_out = owned & titles.keys() if not all(want.again for want in wish.wants) else set[str]()
    reference = Reference(
        query_id=query.query_id,
        things=tuple(things),
        cheapest=cheapest,
        best=best,
        lack=_lack(wish, offered, owned, lifted) if cheapest is None else None,
        left_out=tuple(sorted(left_out)),
    )
    if could_be is None:
        return reference
    freed: dict[Because, FoundBasket] = {REASONS[lack]: _found(*one, titles, currency) for lack, one in lifted.items()}
    proof = _proof(wish, reference, could_be, owned, orders, freed)
    return reference.model_copy(update={"proof": proof})


def at_other_prices(reference: Reference, wish: Wish, products: Mapping[str, Product]) -> Reference:
    """The reference at the prices of these products, without those that are out of stock.

    Products that only a lower price would bring under a want's limit are not added, since they did not suit it before.
    """
    listed = {key: listing_of(product) for key, product in products.items() if product.availability != "out of stock"}
    currency = _currency(wish, [list(listed.values())])
    things: list[WantedThing] = []
    for want, thing in zip(wish.wants, reference.things, strict=True):
        offers = [(fit, listed[fit.product_id]) for fit in thing.fits if fit.product_id in listed]
        fits = (
            fit.model_copy(update={"price": _exact(priced_in(listing, currency))})
            for fit, listing in offers
            if not is_too_dear(want, listing)
        )
        things.append(thing.model_copy(update={"fits": tuple(fits)}))
    titles = {key: product.title for key, product in products.items()}
    cheapest, best = _baskets(things, wish, titles, currency)
    lack: Lack | None = None if best else "no_basket"
    found = {"things": tuple(things), "lack": lack, "cheapest": cheapest, "best": best}
    return reference.model_copy(update=found)


def _baskets(
    things: Sequence[WantedThing], wish: Wish, titles: Mapping[str, str], currency: str
) -> tuple[FoundBasket | None, FoundBasket | None]:
    """The cheapest and the best basket within the budget."""
    needed = [thing for thing in things if not thing.optional]
    cheapest = _within(needed, cheapest_choice(needed), wish)
    best = None if cheapest is None else _best(things, wish)
    return (
        None if cheapest is None else _found(needed, cheapest, titles, currency),
        None if best is None else _found(*best, titles, currency),
    )


def _exact(price: Decimal | None) -> str | None:
    """A price without trailing zeros: "24", "9.5"."""
    return None if price is None else f"{price.normalize():f}"


def _things(wish: Wish, offered: Offered, owned: Collection[str]) -> list[WantedThing]:
    currency = _currency(wish, offered)
    things: list[WantedThing] = []
    for want, of_kind in zip(wish.wants, offered, strict=True):
        worth, unproved = worths(of_kind), not_borne_out(want, of_kind)
        fits = {
            listing.product.product_id: Fit(
                product_id=listing.product.product_id,
                price=_exact(priced_in(listing, currency)),
                worth=worth[listing.product.product_id],
                open=leaves_open(want, listing),
                is_pack=pieces_in(listing.product.title) > 1,
            )
            for listing in fitting(want, of_kind, owned)
        }
        own = tuple(fits[key] for key in sorted(fits))
        thing = WantedThing(name=want.name, quantity=want.quantity, optional=want.optional, open=unproved, fits=own)
        things.append(thing)
    return things


def _currency(wish: Wish, offered: Offered) -> str:
    """The budget's currency, else the most frequent one of the offers (ties by code), else USD."""
    counts = Counter(offer.product.currency for of_want in offered for offer in of_want)
    most_offered = min(counts, key=lambda code: (-counts[code], code), default=USD)
    return wish.limits[0].currency if wish.limits else most_offered


def _within(things: Sequence[WantedThing], chosen: list[Fit] | None, wish: Wish) -> list[Fit] | None:
    """The choice, if it is within the budget."""
    is_over = chosen is not None and wish.budget is not None and total_of(things, chosen) > wish.budget.value
    return None if is_over else chosen


def _best(things: Sequence[WantedThing], wish: Wish) -> tuple[Sequence[WantedThing], list[Fit]] | None:
    """The things in the best basket, and the product for each.

    Optional things are included if the budget allows; products that clearly meet all demands come before others.
    """
    budget = None if wish.budget is None else wish.budget.value
    needed = [thing for thing in things if not thing.optional]
    for chosen_things in (things, needed):
        outright = [
            # Only fits that leave no more demands open than all fits of the thing do.
            thing.model_copy(update={"fits": tuple(fit for fit in thing.fits if set(fit.open) <= set(thing.open))})
            for thing in chosen_things
        ]
        for wanted in (outright, chosen_things):
            chosen = best_choice(wanted, budget)
            if chosen is not None:
                return chosen_things, chosen
    return None


def _lack(wish: Wish, offered: Offered, owned: Collection[str], lifted: Collection[Lack]) -> Lack:
    needed = [number for number, want in enumerate(wish.wants) if not want.optional]
    if not all(offered[number] for number in needed):
        return "nothing_offered"
    currency = _currency(wish, offered)
    # If nothing suits the want, the price is not what is missing.
    would_do = [fitting(wish.wants[at], offered[at], owned) or offered[at] for at in needed]
    if any(all(priced_in(offer, currency) is None for offer in offers) for offers in would_do):
        return "no_price"
    in_the_way: list[Lack] = [lack for lack in _WITHOUT if lack in lifted]
    return in_the_way[0] if in_the_way else "no_basket"


def _lifted(
    wish: Wish, offered: Offered, owned: Collection[str]
) -> dict[Lack, tuple[Sequence[WantedThing], list[Fit]]]:
    """The cheapest basket without a limit, for each limit whose removal makes one possible."""
    found: dict[Lack, tuple[Sequence[WantedThing], list[Fit]]] = {}
    for lack, (of_want, of_wish) in _WITHOUT.items():
        wants = tuple(want.model_copy(update=of_want) for want in wish.wants)
        freed = wish.model_copy(update={**of_wish, "wants": wants})
        things = [thing for thing in _things(freed, offered, owned) if not thing.optional]
        chosen = _within(things, cheapest_choice(things), freed)
        if chosen is not None:
            found[lack] = things, chosen
    return found


_WITHOUT: dict[Lack, tuple[Mapping[str, object], Mapping[str, object]]] = {
    "too_dear": ({"price_max": None}, {"budget": None}),
    "no_such_brand": ({"brands_wanted": ()}, {}),
    "demands": ({"must": (), "must_not": (), "brands_unwanted": (), "rating_min": None, "ratings_min": None}, {}),
    "owned": ({"again": True}, {}),
}
"""What to remove from the wants, and from the wish, to see whether it prevents a basket; in this order."""


def _found(
    things: Sequence[WantedThing], chosen: Sequence[Fit], titles: Mapping[str, str], currency: str
) -> FoundBasket:
    items = tuple(
        BasketItem(
            thing=thing.name,
            product_id=fit.product_id,
            title=titles[fit.product_id],
            price=fit.price or "",
            quantity=thing.quantity,
        )
        for thing, fit in zip(things, chosen, strict=True)
    )
    total = Money.of(total_of(things, chosen), currency)
    return FoundBasket(items=items, total=total, worth=sum(fit.worth for fit in chosen))


def _proof(
    wish: Wish,
    reference: Reference,
    could_be: Offered,
    owned: Collection[str],
    orders: Collection[str],
    without: Mapping[Because, FoundBasket],
) -> Proof:
    """The proof for a wish whose baskets are in ``reference``; ``without`` are the cheapest baskets with one limit
    removed.

    It is optimistic: unknown values count as the best, every product with all words of a kind counts as one, and
    demands on what a product must or must not be count as met. If even so something is missing, no basket exists. It
    decides by prices, brands, stars, numbers of ratings, owned products, quantities and order ids.
    """
    everything = {listing.product.product_id: listing for of_want in could_be for listing in of_want}
    unpriced = sum(listing.price is None for listing in everything.values())
    refuted = Proof(state="refuted", looked_at=len(everything), unpriced=unpriced, cheapest_without=dict(without))
    if not set(wish.orders) <= set(orders):
        return refuted.model_copy(update={"state": "proved", "lack": "no_such_order"})
    if reference.best is not None:
        return refuted
    lack = None if reference.lack is None else REASONS.get(reference.lack)
    if _least_cost(wish, could_be, owned) is None:
        return refuted.model_copy(update={"state": "proved", "lack": lack})
    undecided = tuple(
        want.name for want, of_want in zip(wish.wants, could_be, strict=True) if not want.optional and of_want
    )
    return refuted.model_copy(update={"state": "open", "lack": lack, "undecided": undecided})


def _least_cost(wish: Wish, could_be: Offered, owned: Collection[str]) -> Decimal | None:
    """The least possible cost of the wish if all unknown values are the best; None if it can't be met even so."""
    total, currency = Decimal(0), None if wish.budget is None else wish.budget.currency
    for want, of_want in zip(wish.wants, could_be, strict=True):
        # An unknown price counts 0, and one pack is enough.
        costs = [
            (priced_in(listing, currency) or Decimal(0))
            * (1 if pieces_in(listing.product.title) > 1 else want.quantity)
            for listing in of_want
            if (want.again or listing.product.product_id not in owned) and is_within(want, listing, unknown_does=True)
        ]
        if want.optional:
            continue
        if not costs:
            return None
        total += min(costs)
    return None if wish.budget is not None and total > wish.budget.value else total

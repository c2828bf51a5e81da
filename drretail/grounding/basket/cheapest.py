"""The cheapest basket: one product for each wanted thing, none twice.

Exact. With n things, only the n cheapest fits of a thing can be in a cheapest basket, since the others use up fewer
than n of them. Among these a depth-first search with the sum of the cheapest remaining fits as its bound decides: at
most n^n baskets, of which the bound leaves about n for the two to five things that a shopper asks for.
"""

from collections.abc import Collection, Sequence
from decimal import Decimal

from drretail.records.query import Fit, WantedThing


def priced(thing: WantedThing) -> list[Fit]:
    """What would do and has a known price, the cheapest first, ties by id."""
    return sorted((fit for fit in thing.fits if fit.price is not None), key=lambda fit: (fit.cost, fit.product_id))


def cheapest_choice(things: Sequence[WantedThing]) -> list[Fit] | None:
    """A fit for each thing, of the least total; None where some thing has none. The same input gives the same fits."""
    offers = [priced(thing)[: len(things)] for thing in things]
    if not all(offers):
        return None
    remaining = [Decimal(0)]
    for thing, fits in zip(reversed(things), reversed(offers), strict=True):
        remaining.append(remaining[-1] + fits[0].cost * thing.quantity)
    remaining.reverse()
    best: list[Fit] | None = None
    least = Decimal("Infinity")

    def extend(chosen: list[Fit], used: Collection[str], cost: Decimal) -> None:
        nonlocal best, least
        if cost + remaining[len(chosen)] >= least:
            return
        if len(chosen) == len(things):
            best, least = chosen, cost
            return
        for fit in offers[len(chosen)]:
            if fit.product_id not in used:
                extend([*chosen, fit], {*used, fit.product_id}, cost + fit.cost * things[len(chosen)].quantity)

    extend([], set(), Decimal(0))
    return best


def total_of(things: Sequence[WantedThing], chosen: Sequence[Fit]) -> Decimal:
    """What the fits cost together, each in the quantity of its thing."""
    return sum((fit.cost * thing.quantity for thing, fit in zip(things, chosen, strict=True)), Decimal(0))

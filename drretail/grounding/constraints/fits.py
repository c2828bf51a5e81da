"""Which products of a kind suit a want, decided by their records only.

An unknown brand, rating or number of ratings does not suit; an unknown price does, since only a basket needs it. A
product whose record says nothing of a demand does not suit either; it is undecided.
"""

from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal

from drretail.grounding.constraints.decisions import UNDECIDED, Decisions
from drretail.grounding.constraints.listing import Listing, is_of_brand, listing_of, pieces_in
from drretail.records.criteria import State
from drretail.records.reading import Pick
from drretail.records.shop import Product
from drretail.records.wish import Want, Wish


def fitting(
    want: Want,
    of_kind: Sequence[Listing],
    owned: Collection[str] = (),
    decisions: Decisions = UNDECIDED,
    *,
    state: State = "met",
) -> list[Listing]:
    """The products of a kind that keep a want's limits and demands; ``owned`` are products that the shopper has.

    With ``state="open"``, those that keep the limits and break no demand, but whose records leave one open.
    """
    return [
        listing
        for listing in of_kind
        if (want.again or listing.product.product_id not in owned)
        and listing.product.product_id not in decisions.excluded
        and is_within(want, listing)
        and decisions.state(want, listing) == state
    ]


def is_within(want: Want, listing: Listing, *, unknown_does: bool = False) -> bool:
    """True if a product keeps the limits of brand, stars, number of ratings and price; ``unknown_does`` accepts unknown
    values.
    """
    may_be_of_any = not want.brands_wanted or (unknown_does and not listing.makers)
    return (
        not any(is_of_brand(listing, brand) for brand in want.brands_unwanted)
        and (may_be_of_any or any(is_of_brand(listing, brand) for brand in want.brands_wanted))
        and not is_below(listing.product.average_rating, want.rating_min, unknown=not unknown_does)
        and not is_below(listing.product.rating_number, want.ratings_min, unknown=not unknown_does)
        and not is_too_dear(want, listing)
    )


def is_below(known: float | None, least: float | None, *, unknown: bool) -> bool:
    """True if a number is below the required least; ``unknown`` is the result for an unknown number."""
    if least is None:
        return False
    return unknown if known is None else known < least


def is_too_dear(want: Want, listing: Listing) -> bool:
    """True if a piece is known to cost more than allowed; in a pack, each piece costs its share."""
    if want.price_max is None:
        return False
    price = priced_in(listing, want.price_max.currency)
    return price is not None and price > want.price_max.value * pieces_in(listing.product.title)


def priced_in(listing: Listing, currency: str | None) -> Decimal | None:
    """The price of one piece in a currency, or in its own; None if it is not known exactly."""
    return listing.price if currency in (None, listing.product.currency) else None


def is_over_budget(wish: Wish, picks: Sequence[Pick], products: Mapping[str, Product]) -> bool:
    """True if the known prices of the picks exceed the wish's budget. ``products`` has the known ones by id."""
    if wish.budget is None:
        return False
    known = ((pick, listing_of(products[pick.product])) for pick in picks if pick.product in products)
    costs = ((priced_in(listing, wish.budget.currency) or Decimal(0)) * pick.quantity for pick, listing in known)
    return sum(costs, Decimal(0)) > wish.budget.value

"""Which of the products of a kind would do for a want, decided on their records alone.

An unknown brand, rating or number of ratings does not do; an unknown price does, which only a basket needs. Where some
product of the kind keeps a demand, one whose record is silent does not do; where none does, only what breaks it is left
out. Of what must not be, silence does: few records list what a product is without.
"""

from collections.abc import Collection, Sequence
from decimal import Decimal

from drretail.grounding.constraints.demands import stance, stance_against
from drretail.grounding.constraints.listing import Listing, is_of_brand, pieces_in
from drretail.records.wish import Want


def fitting(want: Want, of_kind: Sequence[Listing], owned: Collection[str] = ()) -> list[Listing]:
    """Those of the products of a kind that would do; ``owned`` are products that the shopper has."""
    borne_out = set(want.must).difference(not_borne_out(want, of_kind))
    return [
        listing
        for listing in of_kind
        if (want.again or listing.product.product_id not in owned)
        and is_within(want, listing)
        and all(stance(listing.words, demand) == "kept" for demand in borne_out)
        and all(stance(listing.words, demand) != "broken" for demand in want.must)
        and all(stance_against(listing.words, demand) != "broken" for demand in want.must_not)
    ]


def not_borne_out(want: Want, of_kind: Sequence[Listing]) -> tuple[str, ...]:
    """The demands that no record of the kind bears out: they are left out, and shown."""
    return tuple(one for one in want.must if not any(stance(listing.words, one) == "kept" for listing in of_kind))


def is_within(want: Want, listing: Listing, *, unknown_does: bool = False) -> bool:
    """True when a product keeps to the brands, stars, numbers of ratings and price; ``unknown_does`` takes unknown ones
    for what is asked for."""
    may_be_of_any = not want.brands_wanted or (unknown_does and not listing.makers)
    return (
        not any(is_of_brand(listing, brand) for brand in want.brands_unwanted)
        and (may_be_of_any or any(is_of_brand(listing, brand) for brand in want.brands_wanted))
        and not is_below(listing.product.average_rating, want.rating_min, unknown=not unknown_does)
        and not is_below(listing.product.rating_number, want.ratings_min, unknown=not unknown_does)
        and not is_too_dear(want, listing)
    )


def is_below(known: float | None, least: float | None, *, unknown: bool) -> bool:
    """True when a number is less than the least that is asked for; ``unknown`` says what an unknown one is."""
    if least is None:
        return False
    return unknown if known is None else known < least


def is_too_dear(want: Want, listing: Listing) -> bool:
    """True when a piece is known to cost more than is asked for; of a pack each piece costs its share."""
    if want.price_max is None:
        return False
    price = priced_in(listing, want.price_max.currency)
    return price is not None and price > want.price_max.value * pieces_in(listing.product.title)


def priced_in(listing: Listing, currency: str | None) -> Decimal | None:
    """What one piece costs in a currency, or in its own; None where that is not known exactly."""
    return listing.price if currency in (None, listing.product.currency) else None


def leaves_open(want: Want, listing: Listing) -> tuple[str, ...]:
    """The demands on which a record is silent."""
    return (
        *(demand for demand in want.must if stance(listing.words, demand) == "open"),
        *(demand for demand in want.must_not if stance_against(listing.words, demand) == "open"),
    )

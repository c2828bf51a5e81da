"""Whether the shop can meet a wish, proved or left open; only what is proved is gold.

The look is optimistic: whatever is unknown of a product is taken for the best, every product that holds all words of a
kind counts as one, and what a product must be or must not be is met. Where even so something lacks, nobody can find a
basket. Decided are prices, brands, stars, numbers of ratings, what the shopper has, quantities and order ids.
"""

from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal

from drretail.grounding.constraints.fits import is_within, priced_in
from drretail.grounding.constraints.listing import Listing, pieces_in
from drretail.records.query import FoundBasket, Lack, Proof, Reference
from drretail.records.reading import Because
from drretail.records.wish import Wish

REASONS: dict[Lack, Because] = {
    "nothing_offered": "not_sold",
    "no_price": "no_price",
    "too_dear": "too_dear",
    "no_such_brand": "no_such_brand",
    "demands": "demands",
    "owned": "owned",
}


def proof_of(
    wish: Wish,
    reference: Reference,
    could_be: Sequence[Sequence[Listing]],
    *,
    owned: Collection[str] = (),
    orders: Collection[str] = (),
    without: Mapping[Because, FoundBasket] | None = None,
) -> Proof:
    """What is known of a wish whose baskets stand in ``reference``.

    ``could_be`` holds for each want every product that could be of its kinds; ``owned`` what the shopper has,
    ``orders`` the ids of all of the shopper's orders; ``without`` the cheapest baskets once a limit is lifted.
    """
    everything = {listing.product.product_id: listing for of_want in could_be for listing in of_want}
    unpriced = sum(listing.price is None for listing in everything.values())
    refuted = Proof(state="refuted", looked_at=len(everything), unpriced=unpriced, cheapest_without=dict(without or {}))
    if not set(wish.orders) <= set(orders):
        return refuted.model_copy(update={"state": "proved", "lack": "no_such_order"})
    if reference.best is not None:
        return refuted
    lack = None if reference.lack is None else REASONS.get(reference.lack)
    if _least(wish, could_be, owned) is None:
        return refuted.model_copy(update={"state": "proved", "lack": lack})
    undecided = tuple(
        want.name for want, of_want in zip(wish.wants, could_be, strict=True) if not want.optional and of_want
    )
    return refuted.model_copy(update={"state": "open", "lack": lack, "undecided": undecided})


def _least(wish: Wish, could_be: Sequence[Sequence[Listing]], owned: Collection[str]) -> Decimal | None:
    """The least that the wish can cost, were all that is unknown the best; None where it can't be met even so."""
    total, currency = Decimal(0), None if wish.budget is None else wish.budget.currency
    for want, of_want in zip(wish.wants, could_be, strict=True):
        # An unknown price is nothing, and one pack is enough.
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

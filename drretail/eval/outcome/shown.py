"""Whether a run made the searches by which it could know that the shop can't meet a wish.

For a limit of price: of each want its kind by price ascending, or with a highest price, so that what the cheapest cost
together is known to be above the limit. For a kind that is not sold, a brand or other demands: a search for the kind of
which no hit would do. For an order that was never made: that order asked for, or the list of orders.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from drretail.grounding.constraints.fits import fitting
from drretail.grounding.constraints.kinds import holds_words, is_of_kind
from drretail.grounding.constraints.listing import Listing, listing_of
from drretail.records.query import Reference
from drretail.records.run import Step
from drretail.records.shop import Product
from drretail.records.wish import Want, Wish

_CENT = Decimal("0.01")
_MOST_WORDS = 8
"""Of a search for one thing; what holds the words of a whole question shows nothing of any of its things."""
SEARCH, ORDER, ORDERS = "product_catalog_search", "get_order_details", "get_user_orders"


def is_shown(
    wish: Wish, reference: Reference, steps: Sequence[Step], known: Mapping[str, Product], user_id: str | None
) -> bool:
    """``known`` are the records of all that the run was handed, by id."""
    calls = [step for step in steps if step.kind == "tool"]
    lack = None if reference.proof is None else reference.proof.lack
    if lack == "no_such_order":
        return any(_asks_for_orders(step, wish, user_id) for step in calls)
    wants = [want for want in wish.wants if not want.optional]
    searches = [(step.args or {}, _hits(step, known)) for step in calls if step.name == SEARCH and step.error is None]
    if lack == "too_dear":
        least = [_least(want, searches) for want in wants]
        bounds = [bound for bound in least if bound is not None]
        limit = None if wish.budget is None else wish.budget.value
        is_above = limit is None or sum(bounds, Decimal(0)) > limit
        return bool(bounds) and is_above and (limit is not None or len(bounds) == len(least))
    return any(_finds_none(want, searches) for want in wants)


def _hits(step: Step, known: Mapping[str, Product]) -> list[Listing]:
    ids = (key.removeprefix("P:") for key in step.evidence if key.startswith("P:"))
    return [listing_of(known[key]) for key in ids if key in known]


def _about(
    want: Want, searches: Sequence[tuple[Mapping[str, Any], list[Listing]]]
) -> Iterator[tuple[Any, list[Listing]]]:
    """The searches for a kind of a want, by its words or its category, and for little else."""
    for args, hits in searches:
        text, category = str(args.get("query", "")), str(args.get("category", ""))
        is_about_it = any(holds_words(text, kind) or holds_words(category, kind) for kind in want.kinds)
        if is_about_it and len(text.split()) <= _MOST_WORDS:
            yield args, hits


def _least(want: Want, searches: Sequence[tuple[Mapping[str, Any], list[Listing]]]) -> Decimal | None:
    """What the want costs at least by the run's own searches; None where none of them bounds it."""
    bounds: list[Decimal] = []
    for args, hits in _about(want, searches):
        prices = [it.price for it in hits if it.price is not None and _is_wanted(want, it)]
        if args.get("sort_by") == "price" and args.get("order") in (None, "asc") and not args.get("offset") and prices:
            bounds.append(min(prices))
        elif args.get("price_max") is not None and not prices and not args.get("offset"):
            bounds.append(Decimal(str(args["price_max"])) + _CENT)  # nothing costs as little
    return max(bounds) * want.quantity if bounds else None


def _finds_none(want: Want, searches: Sequence[tuple[Mapping[str, Any], list[Listing]]]) -> bool:
    """True where a search for the kind brought nothing that would do."""
    return any(
        not fitting(want, [hit for hit in hits if _is_wanted(want, hit)]).listings
        for args, hits in _about(want, searches)
        if not args.get("offset")
    )


def _is_wanted(want: Want, listing: Listing) -> bool:
    return any(is_of_kind(listing.product, kind) for kind in want.kinds)


def _asks_for_orders(step: Step, wish: Wish, user_id: str | None) -> bool:
    args = step.args or {}
    if step.name == ORDER:
        return str(args.get("order_id", "")).removeprefix("O:") in wish.orders
    return step.name == ORDERS and step.error is None and args.get("user_id") == user_id

"""Whether a run made the searches by which it could know that the shop can't meet a wish.

For a limit of price: of each want its kind by price ascending, or with a highest price, so that what the cheapest cost
together is known to be above the limit. For a kind that is not sold, a brand or other demands: a search for the kind of
which no hit would do. For an order that was never made: that order asked for, or the list of orders.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from drretail.grounding.constraints.kinds import holds_words
from drretail.grounding.constraints.listing import listing_of
from drretail.records.query import Reference, WantedThing
from drretail.records.run import Step
from drretail.records.shop import Product
from drretail.records.wish import Want, Wish

_CENT = Decimal("0.01")
_MOST_WORDS = 8
"""Of a search for one thing; what holds the words of a whole question shows nothing of any of its things."""
_ORDERS_SHOWN = 20
"""Orders that the tool lists where no limit is given."""
SEARCH, ORDER, ORDERS = "product_catalog_search", "get_order_details", "get_user_orders"


def is_shown(
    wish: Wish, reference: Reference, steps: Sequence[Step], known: Mapping[str, Product], user_id: str | None
) -> bool:
    """``known`` are the records of all that the run was handed, by id."""
    calls = [step for step in steps if step.kind == "tool" and step.error is None]
    lack = None if reference.proof is None else reference.proof.lack
    if lack == "no_such_order":
        asked = (step for step in steps if step.kind == "tool")
        return any(_asks_for_orders(step, wish, user_id) for step in asked)
    searches = [_Search.of(step, known) for step in calls if step.name == SEARCH]
    things = [(want, thing) for want, thing in zip(wish.wants, reference.things, strict=True) if not want.optional]
    if lack == "too_dear":
        bounds = [_least(want, thing, searches) for want, thing in things]
        known_bounds = [bound for bound in bounds if bound is not None]
        if wish.budget is not None:
            return sum(known_bounds, Decimal(0)) > wish.budget.value
        return bool(bounds) and len(known_bounds) == len(bounds)
    return any(_finds_none(want, thing, searches) for want, thing in things)


@dataclass(frozen=True, slots=True)
class _Search:
    """One search from its first hit on, with the records of its hits."""

    args: Mapping[str, Any]
    hits: tuple[Product, ...]

    @classmethod
    def of(cls, step: Step, known: Mapping[str, Product]) -> "_Search":
        ids = (key.removeprefix("P:") for key in step.evidence if key.startswith("P:"))
        return cls(step.args or {}, tuple(known[key] for key in ids if key in known))

    def is_about(self, want: Want) -> bool:
        """True for a search for a kind of the want that hides nothing of it.

        It is for little else, begins with its first hit, leaves no cheap product and no rating out that the want takes,
        and asks for all words only where these are the want's own.
        """
        text, category = str(self.args.get("query", "")), str(self.args.get("category", ""))
        kinds = [kind for kind in want.kinds if holds_words(text, kind) or holds_words(category, kind)]
        is_loose = self.args.get("match", "any") == "any" or any(
            holds_words(kind, text) for kind in (*kinds, want.name)
        )
        is_whole = not self.args.get("offset") and not self.args.get("price_min")
        stars = float(self.args.get("rating_min") or 0)
        return (
            bool(kinds)
            and len(text.split()) <= _MOST_WORDS
            and is_loose
            and is_whole
            and stars <= (want.rating_min or 0)
        )


def _least(want: Want, thing: WantedThing, searches: Sequence[_Search]) -> Decimal | None:
    """What the want costs at least by the run's own searches; None where none of them bounds it.

    By price ascending that is the first hit that would do, or the last one seen where none would; with a highest price
    and no hit that would do, more than that price.
    """
    would_do = {fit.product_id for fit in thing.fits}
    bounds: list[Decimal] = []
    for search in searches:
        if not search.is_about(want):
            continue
        known = ((listing_of(hit).price, hit.product_id in would_do) for hit in search.hits)
        prices = [(price, does) for price, does in known if price is not None]
        fitting = [price for price, does in prices if does]
        is_ascending = search.args.get("sort_by") == "price" and search.args.get("order") in (None, "asc")
        if is_ascending and search.args.get("price_max") is None:
            bounds += [min(fitting)] if fitting else [price for price, _ in prices][-1:]
        elif search.args.get("price_max") is not None and not fitting:
            bounds.append(Decimal(str(search.args["price_max"])) + _CENT)
    return max(bounds) * want.quantity if bounds else None


def _finds_none(want: Want, thing: WantedThing, searches: Sequence[_Search]) -> bool:
    """True where a search for the kind, whatever it costs, brought nothing that would do."""
    would_do = {fit.product_id for fit in thing.fits}
    return any(
        search.is_about(want)
        and search.args.get("price_max") is None
        and not any(hit.product_id in would_do for hit in search.hits)
        for search in searches
    )


def _asks_for_orders(step: Step, wish: Wish, user_id: str | None) -> bool:
    """True for a look at an order that the wish names, or at a list of orders that ends before its limit."""
    args = step.args or {}
    if step.name == ORDER:
        return str(args.get("order_id", "")).removeprefix("O:") in wish.orders
    if step.name != ORDERS or step.error is not None or args.get("user_id") != user_id:
        return False
    shown = sum(key.startswith("O:") for key in step.evidence)
    return not args.get("offset") and not args.get("status") and shown < int(args.get("limit", _ORDERS_SHOWN))

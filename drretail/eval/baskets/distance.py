"""What the whole cart of a report comes to beside the cheapest and the best basket that keep to the wish."""

from collections.abc import Mapping
from dataclasses import dataclass

from drretail.grounding.basket.cart import Cart
from drretail.grounding.text.wording import format_money
from drretail.records.money import USD
from drretail.records.query import NOT_TYPED, Lack, Reference
from drretail.records.wish import Wish

LACKS: Mapping[Lack, str] = {
    "not_typed": NOT_TYPED,
    "no_things": "nothing is to be bought",
    "nothing_offered": "the shop has nothing of a kind that is wanted",
    "no_price": "the shop names no price of what would do, or none in the currency of the budget",
    "too_dear": "what keeps to the wish costs more than its budget",
    "no_such_brand": "nothing of the wanted brand keeps to the wish",
    "demands": "nothing in the shop is said to be what is demanded",
    "owned": "the user has all that keeps to the wish",
    "no_basket": "no basket in the shop keeps to the wish",
}
NO_REFERENCE = "the experiment was opened without baskets: run it again, and they are found"
NO_DECISION = "the report declares no picks"
NOT_REQUIRED = "nothing has to be bought"


@dataclass(frozen=True, slots=True)
class Measured:
    """One measure of a report; ``value`` is None where there is nothing to measure, and ``reason`` says why."""

    value: float | None
    reason: str
    notes: tuple[str, ...] = ()


def not_measured(wish: Wish | None, reference: Reference) -> str | None:
    """Why the carts of a query's reports can't be measured; None where they can."""
    if wish is None:
        return NOT_TYPED
    if reference.proof is not None and reference.proof.state == "proved":
        return "the shop provably can't meet the wish (see Outcome)"
    if reference.best is None:
        return LACKS[reference.lack or "no_basket"]
    return None


def covered(cart: Cart) -> Measured:
    """The share of the wants that have their quantity; those that may be left out don't count."""
    needed = [number for number, thing in enumerate(cart.things) if not thing.optional]
    if not needed:
        return Measured(None, NOT_REQUIRED)
    return Measured(sum(map(cart.is_covered, needed)) / len(needed), described(cart))


def within_budget(cart: Cart) -> Measured:
    """1 where the whole cart is known to cost no more than the wish allows, else 0."""
    if not cart.wish.counts_money:
        return Measured(None, "the query limits no price")
    if not cart.picks:
        return Measured(None, "nothing is picked")
    return Measured(float(cart.keeps_to_money), described(cart))


def feasible(cart: Cart) -> Measured:
    """1 where the cart covers every want and keeps to the money, and nothing is besides, else 0.

    Where nothing has to be bought and nothing is, that is no fault, and no merit either.
    """
    if not cart.picks and all(thing.optional for thing in cart.things):
        return Measured(None, NOT_REQUIRED)
    return Measured(float(cart.is_feasible), described(cart))


def cost_ratio(cart: Cart) -> Measured:
    """What the whole cart costs over what the cheapest basket costs: 1 is the least."""
    cheapest = cart.reference.cheapest
    if cart.left_out or not cart.picks:
        return Measured(None, "not everything that is wanted is covered")
    if cheapest is None or not cheapest.total.value:
        return Measured(None, NOT_REQUIRED)
    if cart.total is None:
        return Measured(None, "the price of a pick is unknown")
    return Measured(float(cart.total / cheapest.total.value), described(cart))


def utility_ratio(cart: Cart) -> Measured:
    """What the cart is worth over what the best basket is worth, from 0 to 1.

    Nothing is worth anything where the cart does not keep to the money; what is besides takes its share of the pieces
    away.
    """
    worth = worth_ratio(cart)
    if worth is None:
        return Measured(None, NOT_REQUIRED)
    return Measured(worth * cart.share_wanted if cart.keeps_to_money else 0.0, described(cart))


def worth_ratio(cart: Cart) -> float | None:
    """What stands for the wants over what the best basket has for them, at most 1; None where nothing has to be bought.

    A want that is left out is worth nothing, and so is a pick without a known price; a want that may be left out counts
    only where something is picked for it.
    """
    best, worths = cart.reference.best, {fit.product_id: fit.worth for thing in cart.things for fit in thing.fits}
    counted = {thing.name for thing, taken in zip(cart.things, cart.taken, strict=True) if taken or not thing.optional}
    most = sum(worths[item.product_id] for item in (best.items if best else ()) if item.thing in counted)
    return min(1.0, cart.worth / most) if most else None


def described(cart: Cart) -> str:
    """ "bird feeder: B0…; nothing for nest box; besides: B0…; $36.99 together"."""
    picks = [
        f"{thing.name}: {', '.join(_counted(part.fit.product_id, part.pieces) for part in taken)}"
        for thing, taken in zip(cart.things, cart.taken, strict=True)
        if taken
    ]
    lacks = [f"nothing for {thing.name}" for thing, taken in zip(cart.things, cart.taken, strict=True) if not taken]
    besides = ", ".join(_counted(product, pieces) for product, pieces in cart.besides.items())
    unpriced = ", ".join(cart.unpriced)
    best = cart.reference.best
    total = f"{format_money(cart.known_cost, USD if best is None else best.total.currency)} together"
    more = [besides and f"besides: {besides}", unpriced and f"of unknown price: {unpriced}"]
    return "; ".join(filter(None, [*picks, *lacks, *more, total if cart.picks else ""]))


def _counted(product: str, pieces: int) -> str:
    return product if pieces == 1 else f"{pieces} × {product}"


MEASURES = {
    "covered": covered,
    "within_budget": within_budget,
    "feasible": feasible,
    "cost_ratio": cost_ratio,
    "utility_ratio": utility_ratio,
}
"""By variant, in the order of tables."""

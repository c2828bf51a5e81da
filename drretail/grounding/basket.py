"""The cheapest basket that keeps to a query's constraints: one product for each wanted thing.

Exact. With n slots, only the n cheapest offers of a slot (and the n cheapest of the wanted brands) can be in a
cheapest basket, since the other slots use up fewer than n of them. Among these a depth-first search with the sum
of the cheapest remaining offers as its bound decides: at most (2n)^n baskets, of which the bound leaves about n for
the two to five things that a shopper asks for; choosing the offers takes O(m log m) for m offers.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal

from drretail.grounding.listing import Listing, folded, fulfils, is_ruled_out
from drretail.records.money import USD
from drretail.records.query import Constraints


@dataclass(frozen=True, slots=True)
class Slot:
    """A wanted thing, as many of it as ``quantity``; each of ``offers`` is one."""

    name: str
    offers: tuple[Listing, ...]
    quantity: int = 1


@dataclass(frozen=True, slots=True)
class Pick:
    """What fills a slot; ``price`` is that of one piece."""

    slot: str
    product_id: str
    title: str
    price: Decimal
    quantity: int

    @property
    def cost(self) -> Decimal:
        return self.price * self.quantity


@dataclass(frozen=True, slots=True)
class Basket:
    """One pick for each slot, in the order of the slots; no product twice."""

    picks: tuple[Pick, ...]
    currency: str

    @property
    def total(self) -> Decimal:
        return sum((pick.cost for pick in self.picks), Decimal(0))


@dataclass(frozen=True, slots=True)
class _Offer:
    product_id: str
    title: str
    price: Decimal
    wanted_brand: bool


def cheapest_basket(slots: Sequence[Slot], constraints: Constraints, *, currency: str = USD) -> Basket | None:
    """The basket with the least total; None where no basket keeps to the constraints.

    Kept are the budget (of the whole, or of each piece), what products must and must not be, unwanted brands, and
    that nothing owned is bought; one pick at least is of a wanted brand, where any is named. A demand binds the slots
    of which some offer meets it ("hypoallergenic" the sheets, and not the lamp beside them); one that no offer at all
    meets leaves no basket. Only exact prices count, in the budget's currency, or ``currency`` where there is no
    budget. The same input gives the same basket.
    """
    budget = constraints.budget
    each = budget.value if budget is not None and constraints.budget_scope == "per_item" else None
    total = budget.value if budget is not None and each is None else None
    currency = currency if budget is None else budget.currency
    if not all(any(meets(slot, demand) for slot in slots) for demand in constraints.must):
        return None
    offers = [_eligible(slot, constraints, currency, each, len(slots)) for slot in slots]
    found = _search(slots, offers, needs_brand=bool(constraints.brands_wanted))
    if found is None:
        return None
    picks = (
        Pick(slot.name, offer.product_id, offer.title, offer.price, slot.quantity)
        for slot, offer in zip(slots, found, strict=True)
    )
    basket = Basket(tuple(picks), currency)
    return None if total is not None and basket.total > total else basket


def candidates(slot: Slot, constraints: Constraints) -> list[Listing]:
    """The offers that are not owned, of no unwanted brand, nothing that they must not be, and all that binds them."""
    unwanted = frozenset(map(folded, constraints.brands_unwanted))
    binding = [demand for demand in constraints.must if meets(slot, demand)]
    if not (unwanted or binding or constraints.must_not or constraints.owned):
        return list(slot.offers)
    return [
        listing
        for listing in slot.offers
        if listing.product.product_id not in constraints.owned
        and not (unwanted & listing.makers)
        and all(fulfils(listing, demand) for demand in binding)
        and not any(is_ruled_out(listing, text) for text in constraints.must_not)
    ]


def meets(slot: Slot, demand: str) -> bool:
    """True when some offer is what is demanded."""
    return any(fulfils(listing, demand) for listing in slot.offers)


def _eligible(slot: Slot, constraints: Constraints, currency: str, each: Decimal | None, n: int) -> list[_Offer]:
    """The offers of a slot that may be in a cheapest basket, the cheapest first, ties by id."""
    brands = frozenset(map(folded, constraints.brands_wanted))
    kept = (
        _Offer(listing.product.product_id, listing.product.title, listing.price, bool(brands & listing.makers))
        for listing in candidates(slot, constraints)
        if listing.price is not None
        and listing.product.currency == currency
        and (each is None or listing.price <= each)
    )
    ranked = sorted({offer.product_id: offer for offer in kept}.values(), key=lambda it: (it.price, it.product_id))
    of_brand = [offer for offer in ranked if offer.wanted_brand][:n]
    cheapest = ranked[:n]
    return cheapest + [offer for offer in of_brand if offer not in cheapest]


def _search(slots: Sequence[Slot], offers: Sequence[Sequence[_Offer]], *, needs_brand: bool) -> list[_Offer] | None:
    """The cheapest choice of one offer for each slot, no product twice; None where there is none."""
    if not slots or not all(offers):
        return None
    remaining = [Decimal(0)]
    for slot, of_slot in zip(reversed(slots), reversed(offers), strict=True):
        remaining.append(remaining[-1] + of_slot[0].price * slot.quantity)
    remaining.reverse()
    best: list[_Offer] | None = None
    least = Decimal("Infinity")

    def extend(chosen: list[_Offer], used: Collection[str], cost: Decimal) -> None:
        nonlocal best, least
        if cost + remaining[len(chosen)] >= least:
            return
        if len(chosen) == len(slots):
            if not needs_brand or any(offer.wanted_brand for offer in chosen):
                best, least = chosen, cost
            return
        quantity = slots[len(chosen)].quantity
        for offer in offers[len(chosen)]:
            if offer.product_id not in used:
                extend([*chosen, offer], {*used, offer.product_id}, cost + offer.price * quantity)

    extend([], set(), Decimal(0))
    return best

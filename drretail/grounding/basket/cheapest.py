"""The cheapest basket that keeps to a query's constraints: one product for each wanted thing.

Exact. With n slots, only the n cheapest offers of a slot (and the n cheapest of the wanted brands) can be in a
cheapest basket, since the other slots use up fewer than n of them. Among these a depth-first search with the sum
of the cheapest remaining offers as its bound decides: at most (2n)^n baskets, of which the bound leaves about n for
the two to five things that a shopper asks for; choosing the offers takes O(m log m) for m offers.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal

from drretail.grounding.constraints.listing import Listing, folded, fulfils, is_ruled_out
from drretail.grounding.constraints.scope import is_said_of
from drretail.records.money import USD
from drretail.records.query import Constraints, Demand


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
class Offer:
    """A product that may fill a slot, at the price of one piece."""

    product_id: str
    title: str
    price: Decimal
    wanted_brand: bool


@dataclass(frozen=True, slots=True)
class Terms:
    """What a basket must keep to in money: ``each`` bounds the price of a piece, ``total`` that of the whole."""

    currency: str
    each: Decimal | None
    total: Decimal | None

    @classmethod
    def of(cls, constraints: Constraints, currency: str) -> "Terms":
        """``currency`` counts where there is no budget to name one."""
        budget = constraints.budget
        if budget is None:
            return cls(currency, None, None)
        is_each = constraints.budget_scope == "per_item"
        return cls(budget.currency, budget.value if is_each else None, None if is_each else budget.value)

    def price_of(self, listing: Listing) -> Decimal | None:
        """What one piece costs; None where that is not known exactly, or in another currency."""
        return listing.price if listing.product.currency == self.currency else None


def currency_of(slots: Sequence[Slot]) -> str:
    """The currency in which most is offered, ties by its code; USD where nothing is."""
    counts = Counter(offer.product.currency for slot in slots for offer in slot.offers)
    return min(counts, key=lambda code: (-counts[code], code), default=USD)


def cheapest_basket(slots: Sequence[Slot], constraints: Constraints, *, currency: str | None = None) -> Basket | None:
    """The basket with the least total; None where no basket keeps to the constraints.

    Kept are the budget (of the whole, or of each piece), what products must and must not be, unwanted brands, and
    that nothing owned is bought; one pick at least is of a wanted brand, where any is named. A demand binds the slot of
    the thing that it is said of; one that is said of none binds those of which some offer meets it ("hypoallergenic"
    the sheets, and not the lamp beside them), and where no offer at all meets it, there is no basket.
    Only exact prices count, in the budget's currency; without a budget in ``currency``, by default that of the offers.
    The same input gives the same basket.
    """
    terms = Terms.of(constraints, currency or currency_of(slots))
    eligible = eligible_offers(slots, constraints, terms)
    if eligible is None:
        return None
    found = _search(slots, [_cheapest(offers, len(slots)) for offers in eligible], bool(constraints.brands_wanted))
    if found is None:
        return None
    basket = basket_of(slots, found, terms)
    return None if terms.total is not None and basket.total > terms.total else basket


def basket_of(slots: Sequence[Slot], offers: Sequence[Offer], terms: Terms) -> Basket:
    """The basket that fills each slot with its offer."""
    picks = (
        Pick(slot.name, offer.product_id, offer.title, offer.price, slot.quantity)
        for slot, offer in zip(slots, offers, strict=True)
    )
    return Basket(tuple(picks), terms.currency)


def eligible_offers(slots: Sequence[Slot], constraints: Constraints, terms: Terms) -> list[list[Offer]] | None:
    """The offers of each slot that keep to the constraints, but for the total, the cheapest first, ties by id.

    None where some demand is met by no offer at all.
    """
    if any(is_unmet(slots, demand) for demand in constraints.must):
        return None
    return [_eligible(slot, constraints, terms) for slot in slots]


def candidates(slot: Slot, constraints: Constraints) -> list[Listing]:
    """The offers that are not owned, of no unwanted brand, nothing that they must not be, and all that binds them."""
    unwanted = frozenset(map(folded, constraints.brands_unwanted))
    binding = [it.property for it in constraints.must if is_said_of(it, slot.name) and (it.of or meets(slot, it))]
    ruled_out = [it.property for it in constraints.must_not if is_said_of(it, slot.name)]
    if not (unwanted or binding or ruled_out or constraints.owned):
        return list(slot.offers)
    return [
        listing
        for listing in slot.offers
        if listing.product.product_id not in constraints.owned
        and not (unwanted & listing.makers)
        and all(fulfils(listing, demand) for demand in binding)
        and not any(is_ruled_out(listing, text) for text in ruled_out)
    ]


def meets(slot: Slot, demand: Demand) -> bool:
    """True when some offer is what is demanded."""
    return any(fulfils(listing, demand.property) for listing in slot.offers)


def is_unmet(slots: Sequence[Slot], demand: Demand) -> bool:
    """True when the demand is on some of the slots, and no offer of theirs is what is demanded."""
    concerned = [slot for slot in slots if is_said_of(demand, slot.name)]
    return bool(concerned) and not any(meets(slot, demand) for slot in concerned)


def _eligible(slot: Slot, constraints: Constraints, terms: Terms) -> list[Offer]:
    brands = frozenset(map(folded, constraints.brands_wanted))
    kept = (
        Offer(listing.product.product_id, listing.product.title, price, bool(brands & listing.makers))
        for listing in candidates(slot, constraints)
        if (price := terms.price_of(listing)) is not None and (terms.each is None or price <= terms.each)
    )
    return sorted({offer.product_id: offer for offer in kept}.values(), key=lambda it: (it.price, it.product_id))


def _cheapest(ranked: Sequence[Offer], n: int) -> list[Offer]:
    """The offers of a slot that may be in a cheapest basket of n slots, the cheapest first, ties by id."""
    of_brand = [offer for offer in ranked if offer.wanted_brand][:n]
    cheapest = list(ranked[:n])
    return cheapest + [offer for offer in of_brand if offer not in cheapest]


def _search(slots: Sequence[Slot], offers: Sequence[Sequence[Offer]], needs_brand: bool) -> list[Offer] | None:
    """The cheapest choice of one offer for each slot, no product twice; None where there is none."""
    if not slots or not all(offers):
        return None
    remaining = [Decimal(0)]
    for slot, of_slot in zip(reversed(slots), reversed(offers), strict=True):
        remaining.append(remaining[-1] + of_slot[0].price * slot.quantity)
    remaining.reverse()
    best: list[Offer] | None = None
    least = Decimal("Infinity")

    def extend(chosen: list[Offer], used: Collection[str], cost: Decimal) -> None:
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

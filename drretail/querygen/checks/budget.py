"""Whether the shop can sell what a query asks for, at the price that it sets."""

from collections.abc import Iterator

from drretail.grounding.basket.cheapest import Basket, Slot, candidates, cheapest_basket, is_unmet
from drretail.grounding.constraints.listing import Listing
from drretail.grounding.constraints.scope import is_said_of
from drretail.grounding.text.wording import format_money
from drretail.querygen.checks.case import Case, found
from drretail.records.evidence import Finding
from drretail.records.query import Constraints

CODES = {
    "budget_unreachable": "the cheapest products that keep to the constraints cost more than the budget",
    "budget_unpriced": "the shop knows no price of a wanted thing in the budget's currency",
    "demand_unmet": "no product of a wanted thing is said to be what the query demands",
    "brand_not_offered": "no product of the wanted things is of a wanted brand",
}

_OWNED = "nothing that is owned"


def check(case: Case) -> Iterator[Finding]:
    """Each trouble is reported once: where a demand is not met, no budget is asked after."""
    slots = [slot for slot in case.slots if slot.offers]
    constraints = case.constraints
    unmet = list(_unmet(slots, constraints))
    yield from unmet
    if slots and not unmet and constraints.budget is not None and case.basket is None:
        yield _failure(slots, constraints)


def _unmet(slots: list[Slot], constraints: Constraints) -> Iterator[Finding]:
    """Demands that no offer meets; else things of which no offer meets all that it must and must not be."""
    nowhere = [demand for demand in constraints.must if is_unmet(slots, demand)]
    for demand in nowhere:
        names = ", ".join(slot.name for slot in slots if is_said_of(demand, slot.name))
        yield found("demand_unmet", demand.property, f"no offer is said to be so: {names}")
    for slot in slots if not nowhere else ():
        if not candidates(slot, constraints):
            told = _demands(constraints, slot.name)
            yield found("demand_unmet", told, f"none of {len(slot.offers)} offers: {slot.name}")


def told(basket: Basket) -> str:
    """ "$43.97: $24.99 bird feeder [B0…] + 2 × $9.49 birdhouse [B0…]"."""
    parts = (
        f"{f'{pick.quantity} × ' if pick.quantity > 1 else ''}{format_money(pick.price, basket.currency)} "
        f"{pick.slot} [{pick.product_id}]"
        for pick in basket.picks
    )
    return f"{format_money(basket.total, basket.currency)}: {' + '.join(parts)}"


def _failure(slots: list[Slot], constraints: Constraints) -> Finding:
    budget = constraints.budget
    assert budget is not None, "only a budget can fail"
    said = format_money(budget.value, budget.currency) + (" each" if constraints.budget_scope == "per_item" else "")
    free = constraints.model_copy(update={"budget": None})
    cheapest = cheapest_basket(slots, free, currency=budget.currency)
    if cheapest is not None:
        return found("budget_unreachable", said, f"the cheapest basket costs {told(cheapest)}")
    unbranded = free.model_copy(update={"brands_wanted": ()})
    if constraints.brands_wanted and cheapest_basket(slots, unbranded, currency=budget.currency) is not None:
        return found("brand_not_offered", " or ".join(constraints.brands_wanted), "none of the offers is of it")
    names = slots_without(slots, constraints, budget.currency)
    return found("budget_unpriced", said, f"no price in {budget.currency} is known of {names}")


def slots_without(slots: list[Slot], constraints: Constraints, currency: str) -> str:
    """The things of which no offer that may be bought has a price; says so where one that is owned has."""

    def is_priced(listing: Listing) -> bool:
        return listing.price is not None and listing.product.currency == currency

    names = [
        f"{slot.name}{' beside what is owned' if any(map(is_priced, slot.offers)) else ''}"
        for slot in slots
        if not any(map(is_priced, candidates(slot, constraints)))
    ]
    return ", ".join(names) or "enough different products"


def _demands(constraints: Constraints, thing: str) -> str:
    must = [it.property for it in constraints.must if is_said_of(it, thing)]
    must_not = [it.property for it in constraints.must_not if is_said_of(it, thing)]
    return ", ".join([*must, *(f"not {text}" for text in (*must_not, *constraints.brands_unwanted))]) or _OWNED

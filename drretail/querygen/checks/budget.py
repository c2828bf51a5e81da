"""Whether the shop can sell what a query asks for at the price that it sets."""

from collections.abc import Iterator, Sequence

from drretail.grounding.basket.cheapest import Basket, Slot, cheapest_basket
from drretail.grounding.text.amounts import find_money
from drretail.grounding.text.wording import format_money
from drretail.querygen.checks.case import Case, found
from drretail.records.evidence import Finding
from drretail.records.money import Money
from drretail.records.query import Constraints

CODES = {
    "budget_not_in_text": "the typed budget is no amount of the text",
    "budget_unreachable": "the cheapest products of the wanted things cost more than the budget",
    "currency_foreign": "the budget is in a currency in which the shop sells nothing that is wanted",
}

_OWNED = "nothing that is owned"


def check(case: Case) -> Iterator[Finding]:
    """Each trouble is reported once, and only prices count.

    What a product must be its texts may say in other words, and what is owned may be wanted again.
    """
    stated = case.query.constraints
    slots, budget = [slot for slot in case.slots if slot.offers], stated.budget
    if budget is None:
        return
    amounts = {it.high for it in find_money(case.query.text)}
    if amounts and budget.value not in amounts:
        said = ", ".join(format_money(amount, budget.currency) for amount in sorted(amounts))
        yield found("budget_not_in_text", _told(budget), f"the text says {said}")
    offered = {it.product.currency for slot in slots for it in slot.offers}
    if slots and budget.currency not in offered:
        yield found("currency_foreign", budget.currency, f"the offers are in {', '.join(sorted(offered))}")
    elif slots and not any(_is_had(slot, case) for slot in slots):
        yield from _prices(slots, stated, budget)


def told(basket: Basket) -> str:
    """ "$43.97: $24.99 bird feeder [B0…] + 2 × $9.49 birdhouse [B0…]"."""
    parts = (
        f"{f'{pick.quantity} × ' if pick.quantity > 1 else ''}{format_money(pick.price, basket.currency)} "
        f"{pick.slot} [{pick.product_id}]"
        for pick in basket.picks
    )
    return f"{format_money(basket.total, basket.currency)}: {' + '.join(parts)}"


def _is_had(slot: Slot, case: Case) -> bool:
    """True where the words fit nothing but what the user has: "the silicone slow feeder I got, with suction"."""
    had = case.constraints.owned
    return bool(had) and all(it.product.product_id in had for it in slot.offers)


def _prices(slots: Sequence[Slot], constraints: Constraints, budget: Money) -> Iterator[Finding]:
    """Nothing where no price is known: then nobody can say what the budget buys."""
    bare = Constraints(budget=budget, budget_scope=constraints.budget_scope)
    if cheapest_basket(slots, bare) is None:
        cheapest = cheapest_basket(slots, Constraints(), currency=budget.currency)
        if cheapest is not None:
            yield found("budget_unreachable", _told(budget), f"the cheapest basket costs {told(cheapest)}")


def _told(budget: Money) -> str:
    return format_money(budget.value, budget.currency)

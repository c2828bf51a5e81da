"""The arithmetic of the report, as calculator expressions, and where each was computed."""

from dataclasses import dataclass
from decimal import Decimal

from drretail.llm.offline.shopper.choosing import Option
from drretail.llm.offline.shopper.facts import pieces_in
from drretail.llm.offline.shopper.situation import CALCULATOR, Situation
from drretail.llm.offline.shopper.study import Study


@dataclass(frozen=True, slots=True)
class Sums:
    """Expressions; None where there is nothing to compute."""

    total: str | None
    left: str | None


def sums_of(study: Study) -> Sums:
    """The basket's total, and what the budget leaves; products without a price are in neither.

    Neither where one of the needs will be bought: nobody pays their sum.
    """
    if study.one_of:
        return Sums(None, None)
    basket, limits = study.basket, study.limits
    terms = [
        f"{need.quantity}*{plain(pick.product.price)}" if need.quantity > 1 else plain(pick.product.price)
        for need, pick in zip(study.needs, basket.picks, strict=True)
        if pick is not None and pick.product.price is not None
    ]
    total = "+".join(terms)
    is_sum = len(terms) > 1 or "*" in total
    left = None if limits.total is None or not terms else f"{plain(limits.total)}-{plain(basket.total)}"
    return Sums(total if is_sum else None, left)


def unit_expression(option: Option) -> str | None:
    """The price of one piece, where the listing says how many there are."""
    pieces = pieces_in(option.product)
    price = option.product.price
    return None if pieces is None or price is None else f"{plain(price)}/{pieces.number}"


def computed(situation: Situation, expression: str | None) -> str | None:
    """The evidence id under which the calculator gave this expression's value."""
    for lookup in situation.found(CALCULATOR):
        if expression is not None and lookup.args.get("expression") == expression:
            return lookup.value.get("evidence")
    return None


def plain(amount: Decimal | None) -> str:
    """An amount as a calculator reads it: 19.99, 60."""
    assert amount is not None
    return format(amount.normalize(), "f")

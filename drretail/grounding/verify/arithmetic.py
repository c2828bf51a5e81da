"""The numbers that calculations and prices come to: terms, products and sums, any of which a report may name.

Who cites the calculation ``40-2*19.49 = 1.02`` may mean its result, and as well ``2*19.49``, one of its terms.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import product

from drretail.grounding.text.expressions import steps
from drretail.grounding.verify.records import Ledger

_MOST_TERMS = 6
"""So many prices are combined in all ways; of more, only each one and all together are taken."""
_DOZEN = range(13)
_MOST_BY_DOZENS = 3
"""So many products are each taken up to a dozen times; of more, each as often as the query or a pick says."""


def numbers_of(ids: Iterable[str], ledger: Ledger) -> frozenset[Decimal] | None:
    """All that the terms, products and sums of these calculations, and of these products' prices, come to.

    With them goes what they leave of the budget and of other amounts of the query. None where an id stands for
    something else, or for a product whose price is not known.
    """
    found: set[Decimal] = set()
    prices: dict[str, Decimal] = {}
    whole: list[Decimal] = []
    for key in ids:
        calculation, price = ledger.calculations.get(key), ledger.price(key.removeprefix("P:"))
        if calculation is not None:
            found |= steps(calculation.expression) | {abs(calculation.result)}
            whole.append(calculation.result)
        elif price is not None:
            prices[key] = price
        else:
            return None
    found |= {abs(it) for it in _combined([*whole, *prices.values()], (-1, 0, 1))} | _bought(prices, ledger)
    limits = {it.low for it in ledger.asked if it.kind == "money"} | {ledger.limit or Decimal(0)}
    return frozenset(abs(limit - number) for limit in {*limits, Decimal(0)} for number in found)


def _bought(prices: Mapping[str, Decimal], ledger: Ledger) -> set[Decimal]:
    """What products cost together, each in any likely quantity."""
    if len(prices) <= _MOST_BY_DOZENS:
        return set(_combined(list(prices.values()), _DOZEN))
    named = {int(it.low) for it in ledger.asked if it.kind == "number" and 1 < it.low < 100 and not it.places}
    named |= {pick.quantity for pick in ledger.picks or ()}
    return set(_combined(list(prices.values()), sorted({0, 1, *named})[:4]))


def _combined(numbers: Sequence[Decimal], times: Sequence[int]) -> Iterator[Decimal]:
    """The sums of numbers, each taken so many times; of many numbers, each alone and all together."""
    if len(numbers) > _MOST_TERMS:
        yield from (*numbers, sum(numbers, Decimal(0)))
        return
    for taken in product(times, repeat=len(numbers)):
        yield sum((number * count for number, count in zip(numbers, taken, strict=True)), Decimal(0))

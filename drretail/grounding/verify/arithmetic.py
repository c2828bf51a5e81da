"""The numbers that calculations and prices come to: terms, products and sums, any of which a report may name.

Who cites the calculation ``40-2*19.49 = 1.02`` may mean its result, and as well ``2*19.49``, one of its terms.
"""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import product

from drretail.grounding.text.amounts import find_amounts
from drretail.grounding.text.expressions import steps
from drretail.grounding.text.words import NUMBERS, words
from drretail.grounding.verify.records import Ledger

_MOST_TERMS = 6
"""So many prices are combined in all ways; of more, only each one and all together are taken."""
_DOZEN = range(1, 13)
_MOST_QUANTITIES = 3
"""So many quantities of a product beside none and one are tried in sums of several products."""


def numbers_of(ids: Iterable[str], ledger: Ledger, counts: Iterable[int] = ()) -> frozenset[Decimal] | None:
    """All that the terms, products and sums of these calculations, and of these products' prices, come to.

    With them goes what they leave of the budget and of other amounts of the query. ``counts`` are the numbers said
    beside, in which several products may be bought. None where an id stands for something else, or for a product whose
    price is not known.
    """
    found: set[Decimal] = set()
    prices: dict[str, Decimal] = {}
    results: list[Decimal] = []
    for key in ids:
        calculation, price = ledger.calculations.get(key), ledger.price(key.removeprefix("P:"))
        if calculation is not None:
            found |= steps(calculation.expression) | {abs(calculation.result)}
            results.append(calculation.result)
        elif price is not None:
            prices[key] = price
        else:
            return None
    found |= {abs(one) for one in _combined([*results, *prices.values()], (-1, 0, 1))}
    found |= _bought(list(prices.values()), ledger, counts)
    limits = {amount.low for amount in ledger.asked if amount.kind == "money"} | {ledger.limit or Decimal(0)}
    left = {limit - number for limit in limits for number in found if number <= limit}
    return frozenset(found | left)


def small_numbers(text: str) -> set[int]:
    """The whole numbers below a hundred in a text, in digits or in words."""
    digits = (
        amount.low
        for amount in find_amounts(text)
        if amount.kind == "number" and not amount.places and 1 < amount.low < 100
    )
    return {*map(int, digits), *(NUMBERS[word] for word in words(text) if word in NUMBERS)}


def _bought(prices: Sequence[Decimal], ledger: Ledger, counts: Iterable[int]) -> set[Decimal]:
    """What products cost together in quantities that somebody names; up to a dozen of one, or of the whole set."""
    named = [*(pick.quantity for pick in ledger.picks or ()), *counts, *sorted(small_numbers(ledger.query_text))]
    times = list(dict.fromkeys(one for one in named if one > 1))[:_MOST_QUANTITIES]
    dozens = {number * count for number in (*prices, sum(prices, Decimal(0))) for count in _DOZEN}
    return dozens | set(_combined(prices, (0, 1, *times)))


def _combined(numbers: Sequence[Decimal], times: Sequence[int]) -> Iterator[Decimal]:
    """The sums of numbers, each taken so many times; of many numbers, each alone and all together."""
    if len(numbers) > _MOST_TERMS:
        yield from (*numbers, sum(numbers, Decimal(0)))
        return
    for taken in product(times, repeat=len(numbers)):
        yield sum((number * count for number, count in zip(numbers, taken, strict=True)), Decimal(0))

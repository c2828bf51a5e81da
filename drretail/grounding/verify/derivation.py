"""What an amount of money may follow from: prices, their sums and multiples, the budget, calculations and their terms.

A writer who cites the calculation ``40-2*19.49 = 1.02`` may mean its result, or ``2*19.49``, one of its terms.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache, partial
from itertools import combinations, product

from drretail.grounding.text.amounts import Amount, find_amounts
from drretail.grounding.text.arithmetic import steps
from drretail.grounding.text.wording import format_money
from drretail.grounding.text.words import NUMBERS, words
from drretail.grounding.verify.records import Calculation, Ledger, all_words_of

CENTS = 2
"""Decimal places of an exact amount."""
_DOZEN = range(1, 13)
"""Multiples of a price that are tried even if nobody names the number."""
# The most prices combined in all ways, the most quantities besides none and one, the most prices that are added up.
_MOST_TERMS, _MOST_QUANTITIES, _MOST_SUMMED = 6, 3, 12


def fits(amount: Amount, record: Decimal | None) -> bool:
    """True if an amount equals a record's number, as exactly as it is written."""
    return record is not None and amount.agreement(record) in ("equal", "rounded", "bounded")


def result_shown(amounts: Iterable[Amount], calculation: Calculation) -> Amount | None:
    """The amount that is a calculation's result: its absolute value, in per cent, or in cents."""
    for amount in amounts:
        result = abs(calculation.result) * (100 if amount.kind == "percent" and abs(calculation.result) < 1 else 1)
        how = amount.agreement(result)
        if how is not None and (how != "bounded" or _is_near(amount, result)):
            return amount
    return None


def title_numbers(near: Iterable[str], ledger: Ledger) -> set[Decimal]:
    """The whole numbers in the titles of products, by which a price may be divided: "6 Pack"."""
    titles = " ".join(item.title for key in near if (item := ledger.products.get(key)) is not None)
    return {amount.low for amount in amounts_in(titles) if amount.kind == "number" and not amount.places}


def derivation(
    amount: Amount, ledger: Ledger, near: Collection[str], counts: Collection[Decimal] = (), *, is_left: bool = False
) -> str | None:
    """How an amount of money follows from records, in words; None without an explanation.

    ``near`` are the products cited around it, ``counts`` the numbers beside it. What several pieces of one product
    leave of the budget explains the amount only if it ``is_left``: otherwise it would explain too much by chance.
    """
    if ledger.names(amount.low):
        return "named by the query"
    for key, calculation in ledger.calculations.items():
        if replace(amount, relation="is").agreement(abs(calculation.result)) in ("equal", "rounded"):
            return f"{key}: {calculation.expression}"
    for explanation, number in _derived(ledger, near, counts, is_left=is_left):
        how = amount.agreement(number)
        # An amount without cents may also be a limit or range around the number.
        if how in ("equal", "rounded") or (how == "bounded" and amount.places < CENTS and _is_near(amount, number)):
            return explanation
    texts = [all_words_of(ledger.products[key]) for key in near if key in ledger.products]
    in_records = (other for text in texts for other in amounts_in(text))
    is_in_record = any(other.kind == "money" and fits(amount, other.low) for other in in_records)
    return "stands in the record" if is_in_record else None


def _derived(
    ledger: Ledger, near: Collection[str], counts: Collection[Decimal], *, is_left: bool
) -> Iterator[tuple[str, Decimal]]:
    """The numbers that can be derived from the prices, with words."""
    prices = {key: price for key in near if (price := ledger.price(key)) is not None}
    limit, total, money = ledger.limit, ledger.total, partial(format_money, currency=ledger.currency)
    if total is not None:
        yield "the picks together", total
        if limit is not None:
            yield "the budget and the picks together", abs(limit - total)
    for price in prices.values():
        for number in sorted({*map(Decimal, _DOZEN[1:]), *counts}):
            yield f"{number} x {money(price)}", number * price
            if limit is not None and is_left:
                yield f"the budget and {number} x {money(price)}", abs(limit - number * price)
        for number in counts:
            if number > 1:
                yield f"{money(price)} / {number}", price / number
        for named in ledger.asked:
            if named.kind == "money" and named.low != price:
                yield f"{money(named.low)} and {money(price)}", abs(named.low - price)
    for one, other in combinations(prices.values(), 2):
        yield f"{money(one)} + {money(other)}", one + other
        yield f"{money(max(one, other))} - {money(min(one, other))}", abs(one - other)


def numbers_of(ids: Iterable[str], ledger: Ledger, counts: Iterable[int] = ()) -> frozenset[Decimal]:
    """What calculations and prices may come to.

    Terms, products and sums; what any of these leaves of the query's limits, or exceeds them by; prices of one piece or
    of several, and how far two products are apart in these. ``counts`` are the numbers beside them, in which products
    may be bought or packed. Ids of other sources are passed over.
    """
    ids = list(ids)
    numbers: set[Decimal] = set()
    calculations = [ledger.calculations[key] for key in ids if key in ledger.calculations]
    for calculation in calculations:
        numbers |= steps(calculation.expression) | {abs(calculation.result)}
    keys = dict.fromkeys(key.removeprefix("P:") for key in ids)
    prices = [price for key in keys if (price := ledger.price(key)) is not None]
    numbers |= _sums([*(calculation.result for calculation in calculations), *prices], (-1, 0, 1))
    # In the quantities that are named; up to a dozen of one product, or of the whole set.
    named = [*(pick.quantity for pick in ledger.picks or ()), *counts, *sorted(small_numbers(ledger.query_text))]
    times = list(dict.fromkeys(count for count in named if count > 1))[:_MOST_QUANTITIES]
    numbers |= _sums(prices, (0, 1, *times))
    numbers |= {number * count for number in (*prices, sum(prices, Decimal(0))) for count in _DOZEN}
    limits = {amount.low for amount in ledger.asked if amount.kind == "money"} | {ledger.limit or Decimal(0)}
    numbers |= {abs(limit - number) for limit in limits for number in numbers}
    pieces = {*title_numbers(keys, ledger), *map(Decimal, named)} - {Decimal(0)}
    by_price = [{price * count for count in (1, 2, *times)} | {price / piece for piece in pieces} for price in prices]
    apart = (abs(one - other) for pair in combinations(by_price, 2) for one, other in product(*pair))
    return frozenset(numbers.union(*by_price, apart))


def small_numbers(text: str) -> set[int]:
    """The whole numbers below a hundred in a text, in digits or in words."""
    whole = (amount.low for amount in find_amounts(text) if amount.kind == "number" and not amount.places)
    digits = {int(number) for number in whole if 1 < number < 100}
    return digits | {NUMBERS[word] for word in words(text) if word in NUMBERS}


def _sums(numbers: Sequence[Decimal], times: Sequence[int]) -> set[Decimal]:
    """The absolute sums of numbers, each taken so many times; with many numbers, only each alone and all together."""
    if len(numbers) > _MOST_SUMMED:
        return {*map(abs, numbers), abs(sum(numbers, Decimal(0)))}
    sums, times = {Decimal(0)}, times if len(numbers) <= _MOST_TERMS else (0, 1)
    for number in numbers:
        sums = {total + number * count for total in sums for count in times}
    return set(map(abs, sums))


def _is_near(amount: Amount, number: Decimal) -> bool:
    """True if a number is close to a limit or a range: "over $50" fits 50.90, "up to $25" not 6.05."""
    return min(abs(end - number) for end in (amount.low, amount.high)) * 10 <= number


@lru_cache(maxsize=512)
def amounts_in(text: str) -> tuple[Amount, ...]:
    """The amounts of a record, cached, since a report with many figures asks for them at each one."""
    return tuple(find_amounts(text))

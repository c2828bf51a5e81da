"""Amounts of money in running text, with ranges read as one amount."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from drretail.records.money import Money

_CURRENCIES = {
    "$": "USD", "us$": "USD", "usd": "USD", "dollar": "USD", "dollars": "USD", "bucks": "USD",
    "€": "EUR", "eur": "EUR", "euro": "EUR", "euros": "EUR",
    "£": "GBP", "gbp": "GBP", "quid": "GBP",
}  # fmt: skip
_NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d{1,7})(?:\.\d{1,2})?(?![.,]?\d)(?:k\b)?"
_SIGN = r"(?:us\$|\$|€|£|\b(?:usd|eur|gbp)\s)"
# "pounds" is a weight more often than money.
_UNIT = r"(?:dollars?|bucks|usd|euros?|eur|€|gbp|£|quid)(?!\w)"
_START = r"(?<![\w.,])"
_AMOUNT = re.compile(
    rf"""
    (?: (?P<low_sign>{_SIGN})\s? | {_START} ) (?P<low>{_NUMBER}) (?:\s?{_UNIT})?   # the lower end of a range
    \s?(?:-|–|—|to|and)\s?
    (?: (?P<high_sign>{_SIGN})\s? )? (?P<high>{_NUMBER}) (?!\s?%|[\w-]) (?:\s?(?P<high_unit>{_UNIT}))?
    | (?P<sign>{_SIGN})\s? (?P<signed>{_NUMBER}) (?![\w])
    | {_START} (?P<counted>{_NUMBER}) [ -]?(?P<unit>{_UNIT})
    """,
    re.VERBOSE | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount and its place; of a range the upper end, over the place of the whole range."""

    money: Money
    start: int
    end: int
    is_range: bool = False


def find_amounts(text: str) -> Iterator[Amount]:
    """Every amount with a currency, in text order; "pounds" count as a weight."""
    position = 0
    while match := _AMOUNT.search(text, position):
        amount = _range(match) if match["low"] else _single(match)
        # Two numbers without any currency are no range of money: look again behind the first.
        position = match.end() if amount else match.end("low")
        if amount:
            yield amount


def money_of(number: str, currency: str | None) -> Money:
    """Money from a written number such as "1,200", "19.99" or "2k" and a sign or word of a currency."""
    digits = number.casefold().replace(",", "").strip()
    thousands = digits.endswith("k")
    value = Decimal(digits.rstrip("k").strip()) * (1000 if thousands else 1)
    return Money.of(value, _CURRENCIES[(currency or "$").casefold().strip()])


def _single(match: re.Match[str]) -> Amount:
    money = money_of(match["signed"] or match["counted"], match["sign"] or match["unit"])
    return Amount(money, match.start(), match.end())


def _range(match: re.Match[str]) -> Amount | None:
    currency = match["high_sign"] or match["high_unit"] or match["low_sign"]
    if currency is None:
        return None
    return Amount(money_of(match["high"], currency), match.start(), match.end(), is_range=True)

"""What a figure says of a record's number by the bound that a reader typed: "about 2 kg", "up to 14 bar", "from €30".

Without a bound, as in reports, English words beside the figure tell it. A figure with a typed bound agrees only as far
as its digits say: "2 kg" may be 2.4 kg rounded, which one digit leaves open, and "up to 14 bar" is not said of 11 bar.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal

from drretail.records.reading import Relation
from drretail.records.shop import Offer
from drretail.reports.text.amounts import Amount
from drretail.reports.text.numerals import Numeral
from drretail.shopping.verify.records import equals

_MINUS = re.compile(r"(?<![\w)\]])[-−–]\Z")
"""A sign of a number, but not that of a range or of a word."""
_DAYS = {"h": Decimal(1) / 24, "week": Decimal(7)}
_UNFIXED = frozenset({"s", "min", "month", "y"})
_FEWEST_DIGITS = 2
"""A figure of fewer digits shows no rounding."""


def agrees(amount: Amount, number: Decimal, bound: Relation | None) -> bool | None:
    """Whether a figure gives a record's number; None where rounding may explain that they differ."""
    if bound is None:
        return equals(amount, number) or (None if amount.agreement(number) else False)
    how = replace(amount, relation="about" if bound == "about" else "is").agreement(number)
    if how == "equal" or (how and bound == "about"):
        return True
    is_beyond = number > amount.high if bound == "at_most" else bound == "at_least" and number < amount.low
    if how is None or is_beyond:
        return False
    return True if how == "rounded" and len(amount.low.as_tuple().digits) >= _FEWEST_DIGITS else None


def is_one_of(amounts: Iterable[Amount], numbers: Sequence[Decimal], bound: Relation | None = None) -> bool:
    """True if one of these amounts, which is no range, gives one of these numbers."""
    return any(agrees(amount, number, bound) for amount in amounts if not amount.is_range for number in numbers)


def fitting(
    figures: Iterable[Amount], lines: Iterable[tuple[Decimal, str]], bound: Relation | None, is_negative: bool
) -> tuple[list[str], bool]:
    """The lines of a record, each with its number, that a figure gives in one of its readings; and whether rounding may
    explain that none does.
    """
    sign, readings = -1 if is_negative else 1, [*figures]
    fits = [(agrees(figure, sign * number, bound), line) for number, line in lines for figure in readings]
    return [line for is_right, line in fits if is_right], any(is_right is None for is_right, _ in fits)


def signed(numerals: Iterable[Numeral], text: str) -> Iterator[Numeral]:
    """The numerals of a text, those behind a minus as negative ones."""
    for numeral in numerals:
        is_negative = _MINUS.search(text, max(0, numeral.start - 1), numeral.start) is not None
        yield replace(numeral, number=-numeral.number) if is_negative else numeral


def in_days(numerals: Sequence[Numeral]) -> list[Decimal]:
    """Times as days, such as working days; none where a unit has no fixed number of them, such as a month."""
    units = [numeral.unit or numerals[-1].unit for numeral in numerals]  # "2–4 weeks"
    if not _UNFIXED.isdisjoint(units):
        return []
    return [numeral.number * _DAYS.get(unit, 1) for numeral, unit in zip(numerals, units, strict=True)]


def lasts(days: Iterable[Decimal], record: Iterable[Decimal], bound: Relation | None) -> bool:
    """Whether days are those of a policy: its own ones, its longest for "at most", its shortest for "at least"; "about"
    or without a bound any between.
    """
    said, (first, *_, last) = {*days}, sorted([*record] * 2)
    if bound in (None, "about"):
        return all(first <= day <= last for day in said)
    return said == {first if bound == "at_least" else last} if bound != "is" else said == {first, last}


def reduced_by(offers: Iterable[Offer]) -> set[Decimal | None]:
    """By how many percent offers are below their list price; None for one of which that is unknown."""
    pairs = ((offer.list_price, offer.price) for offer in offers)
    return {None if not before or price is None else (before - price) / before * 100 for before, price in pairs}

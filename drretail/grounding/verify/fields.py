"""What a product's record says of the measures in a text, by unit, figure and the field's own name.

A figure is confirmed if the record states it in this unit or another. It is contradicted if the text names a field of
its dimension ("a capacity of 12 ounces") and nothing in the record comes to it: not one measure, not two together, and
not as many as a number of the title says. Else a part may be meant that no field speaks of ("a 5 lb plate").
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from drretail.grounding.text.amounts import ENGLISH, Amount, Notation, find_amounts
from drretail.grounding.text.numerals import conversion, find_numerals
from drretail.grounding.text.words import content_stems
from drretail.records.shop import LIST_PRICE, STOCK, Product

State = Literal["confirmed", "contradicted"]
_NO_FIELD = (STOCK, LIST_PRICE)
_OF_ALL = frozenset(content_stems("item product"))
"""What names of fields say of every product."""
_CONVERTED = Decimal("0.03")
"""How far a figure may be from the record's: sellers round when they convert."""
# A side of several ("4 x 6 in"), an end of a range, a part of a number or of a fraction.
_BEFORE = re.compile(r"(?:[\dx×*/–-]|\b(?:by|to|and|or|bis|à))\s?$", re.IGNORECASE)
_BEHIND = re.compile(r"\s?(?:[x×*/](?!\w)|[-–]\s?\d|to \d|by \d|\d|\w+er\b)", re.IGNORECASE)
# Figures of a condition, a denial, a comparison or another thing say nothing of this product.
_OTHER = re.compile(
    r"\b(?:if|unless|not|no|never|than|more|less|over|under|per|each|every|your?|other|another|\w+n[’']t"
    r"|wenn|falls|nicht|kein\w*|als|mehr|weniger|pro|je|si|pas|non|ni|plus|moins|que|más|menos|por|par)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class FieldStatement:
    """``text[start:end]`` is a measure, which a line of the record confirms or contradicts."""

    start: int
    end: int
    number: Decimal
    state: State
    field: str
    """The field with its value ("Capacity: 15 Ounces"), or words of the record."""


def field_statements(text: str, item: Product, notation: Notation = ENGLISH) -> Iterator[FieldStatement]:
    """The measures of a text that the product's record decides."""
    amounts = {amount.start: amount for amount in find_amounts(text, notation)}
    for numeral in find_numerals(text):
        amount, unit = amounts.get(numeral.start), numeral.unit
        if amount is None or amount.low != numeral.number or amount.relation not in ("is", "about"):
            continue
        measures = sorted(_measures(item), key=lambda measure: measure[1] != unit)
        converted = ((number, conversion(written, unit), line) for number, written, line in measures)
        known = [(number * factor, line) for number, factor, line in converted if factor is not None]
        if not known:
            continue
        fitting = next((line for number, line in known if _fits(amount, number)), None)
        if fitting is not None:
            yield FieldStatement(numeral.start, numeral.stop, amount.low, "confirmed", fitting)
            continue
        named = next((line for _, line in known if _names(text, line)), None)
        if named and not _is_other(text, numeral.start, numeral.stop) and not _is_composed(amount, known, item):
            yield FieldStatement(numeral.start, numeral.stop, amount.low, "contradicted", named)


def decided_by_field(text: str, item: Product) -> State | None:
    """Whether the product's record confirms or contradicts a text; None where it leaves a part of it open.

    One contradiction decides. A text is confirmed if it names the fields of all its figures, and these hold them.
    """
    found = list(field_statements(text, item))
    if any(one.state == "contradicted" for one in found):
        return "contradicted"
    named = {one.start for one in found if _names(text, one.field)}
    return "confirmed" if named and named == {numeral.start for numeral in find_numerals(text)} else None


def _names(text: str, line: str) -> bool:
    """True if a text has the words of a field's name; "Item Weight" is named by "weight"."""
    name, is_field, _ = line.partition(":")
    own = set(content_stems(name)) - _OF_ALL
    return bool(is_field and own) and own.issubset(content_stems(text))


def _is_other(text: str, start: int, end: int) -> bool:
    clauses = re.split(r"[;:,.()](?!\d)", f"{text[:start]}\0{text[end:]}")
    clause = next(clause for clause in clauses if "\0" in clause)
    return bool(_BEFORE.search(text[max(0, start - 6) : start]) or _BEHIND.match(text, end) or _OTHER.search(clause))


def _fits(amount: Amount, number: Decimal) -> bool:
    is_rounded = amount.agreement(number) in ("equal", "rounded", "loose" if amount.relation == "about" else "equal")
    return is_rounded or abs(number - amount.low) <= number * _CONVERTED


def _is_composed(amount: Amount, known: list[tuple[Decimal, str]], item: Product) -> bool:
    """True for two measures of the record together, and for one of them times or by a number of the title."""
    numbers = {number for number, _ in known}
    counts = {numeral.number for numeral in find_numerals(item.title) if numeral.number}
    sums = {one + other for one in numbers for other in numbers}
    packs = {one for number in numbers for count in counts for one in (number * count, number / count)}
    return any(_fits(amount, one) for one in sums | packs)


@lru_cache(maxsize=512)
def _measures(item: Product) -> tuple[tuple[Decimal, str, str], ...]:
    """The numbers of a record with unit and line, fields first; in "10 x 15 x 6 inches" all three are in inches."""
    fields = [f"{name}: {value}" for name, value in item.details.items() if name not in _NO_FIELD]
    found: list[tuple[Decimal, str, str]] = []
    for line in (*fields, item.title, *item.features, *item.description):
        unit = ""
        for numeral in reversed(list(find_numerals(line))):
            unit = unit if numeral.unit in ("x", "×", "by", "l", "w", "h", "d") and unit else numeral.unit
            if numeral.number is not None:
                found.append((numeral.number, unit, line))
    return tuple(found)

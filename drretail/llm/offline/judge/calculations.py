"""Claims that rest on calculations alone: their amounts stand in the sums, whatever words stand around them."""

import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

_CALCULATION = re.compile(r"[\d\s.,+\-*/()^eE×÷]+=\s*-?[\d.,eE+-]+")
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def are_calculations(sources: Sequence[str]) -> bool:
    """True when every source is an expression with its value, such as "40.99+85.99 = 126.98"."""
    return bool(sources) and all(_CALCULATION.fullmatch(source.strip()) for source in sources)


def amounts_in(text: str) -> list[Decimal]:
    """The numbers of a text, in order."""
    found: list[Decimal] = []
    for said in _NUMBER.findall(text):
        try:
            found.append(Decimal(said.replace(",", "")))
        except InvalidOperation:
            continue
    return found


def borne_out(amounts: Sequence[Decimal], sources: Sequence[str]) -> list[bool]:
    """For each amount, whether a calculation holds it, to the cent where it was rounded."""
    known = [number for source in sources for number in amounts_in(source)]
    return [any(amount == number or amount == round(number, 2) for number in known) for amount in amounts]

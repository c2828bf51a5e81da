"""Sums that a text writes out: ``2 × $18.95 + $12 = $49.90``, whose result arithmetic alone can check."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

from drretail.grounding.text.amounts import Amount

_AROUND = r"[\s*_\\]*"
# Behind a figure what it counts may be named: "4 packs × $12.49".
_JOINT = re.compile(rf"(?:\s?[^\W\d_]+){{0,2}}{_AROUND}(?P<sign>[+×x*÷/−–=-]){_AROUND}")
_SIGNS = {"×": "*", "x": "*", "÷": "/", "−": "-", "–": "-"}
# What stands before, or behind the result, goes on with it: a term in words, another equation; a
# list's bullet does not.
_OPEN_BEFORE = re.compile(r"[^\s*_][ *_]*[+×÷/−–=-][ *_]*$")
_REACH = 20
_CENTS = 2
_OPEN_BEHIND = re.compile(rf"{_AROUND}(?:[+×÷/−=]|[-–]\s)")


@dataclass(frozen=True, slots=True)
class Equation:
    """Figures that are joined by signs, and what they are said to come to."""

    expression: str
    operands: tuple[Amount, ...]
    value: Decimal
    """What they do come to."""
    result: Amount

    @property
    def holds(self) -> bool:
        return self.result.agreement(self.value) is not None


def find_equations(text: str, amounts: Sequence[Amount]) -> Iterator[Equation]:
    """The equations about money among a text's amounts, in text order; what has brackets or words for terms is none."""
    run: list[Amount] = []
    signs: list[str] = []
    for amount, following in pairwise(amounts):
        joint = _JOINT.fullmatch(text, amount.end, following.start)
        if joint is None or any(it.is_range or it.kind == "percent" for it in (amount, following)):
            run, signs = [], []
            continue
        run = run or [amount]
        sign = _SIGNS.get(joint["sign"], joint["sign"])
        if sign != "=":
            run.append(following)
            signs.append(sign)
            continue
        is_whole = not _OPEN_BEFORE.search(
            text[max(0, run[0].start - _REACH) : run[0].start]
        ) and not _OPEN_BEHIND.match(text, following.end)
        value = _worked_out([it.low for it in run], signs) if signs and is_whole else None
        is_of_money = any(it.kind == "money" or it.places == _CENTS for it in run)
        if value is not None and is_of_money and "money" in {it.kind for it in (*run, following)}:
            terms = [f"{sign}{it.low:f}" for sign, it in zip(["", *signs], run, strict=True)]
            yield Equation("".join(terms), tuple(run), value, following)
        run, signs = [], []


def _worked_out(numbers: Sequence[Decimal], signs: Sequence[str]) -> Decimal | None:
    """Products and quotients first; None where a divisor is zero."""
    terms = [numbers[0]]
    for sign, number in zip(signs, numbers[1:], strict=True):
        if sign == "/" and not number:
            return None
        if sign in "*/":
            terms[-1] = terms[-1] * number if sign == "*" else terms[-1] / number
        else:
            terms.append(number if sign == "+" else -number)
    return sum(terms, Decimal(0))

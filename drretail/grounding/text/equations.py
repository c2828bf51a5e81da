"""Sums that a text writes out: ``2 × $18.95 + $12 = $49.90``, whose result arithmetic alone can check."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

from drretail.grounding.text.amounts import Amount
from drretail.grounding.text.expressions import value_of

_AROUND = r"[\s*_\\]*"
_WORDS = r"(?:[^\W\d_][\w'’-]*\s?){0,3}"
# Behind a figure what it counts may be named, before it what it is the price of: "4 packs × $12.49", "+ the lid $5".
_JOINT = re.compile(
    rf"(?:\s?[^\W\d_]+){{0,2}}(?:\s\([^\W\d][^()\d]{{0,40}}\))?{_AROUND}(?P<close>\)?){_AROUND}"
    rf"(?P<sign>[+×x*÷/−–=-]){_AROUND}(?P<open>\(?){_AROUND}(?:(?<![−–-] ){_WORDS})?"
)
_SIGNS = {"×": "*", "x": "*", "÷": "/", "−": "-", "–": "-"}
# What stands before, or behind the last figure, goes on with it: a term in words; a list's bullet does not.
_OPEN_BEFORE = re.compile(rf"[^\s*_][ *_]*(?:[+×÷/−–=-][ *_]*|[+×÷=] ?{_WORDS})$")
_OPENED = re.compile(r"\([ *_]*$")
_REACH = 30
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


@dataclass(slots=True)
class _Side:
    """What stands on one side of an equals sign: figures, and between them signs and brackets."""

    expression: str
    figures: list[Amount]


def find_equations(text: str, amounts: Sequence[Amount]) -> Iterator[Equation]:
    """The equations about money among a text's amounts, in text order; what has words for terms is none."""
    for chain in _chains(text, amounts):
        for left, right in pairwise(chain):
            whole, single = (left, right) if len(right.figures) == 1 else (right, left)
            result, operands = single.figures[0], tuple(whole.figures)
            kinds = {one.kind for one in (*operands, result)}
            # "a 9 x 13 pan = $12.99" is no product.
            is_of_money = any(operand.kind == "money" or operand.places == _CENTS for operand in operands)
            is_of_money = is_of_money and ("money" in kinds or result.places == _CENTS)
            expression = whole.expression
            if expression.count("(") > expression.count(")"):  # "(2 × $3 = $6)"
                expression = expression.removeprefix("(")
            value = value_of(expression) if len(operands) > 1 == len(single.figures) and is_of_money else None
            if value is not None:
                yield Equation(expression, operands, value, result)


def _chains(text: str, amounts: Sequence[Amount]) -> Iterator[list[_Side]]:
    """The sides of each run of figures that signs join and nothing goes on with."""
    chain: list[_Side] = []
    for amount, following in pairwise([*amounts, None]):
        if amount is None or amount.is_range or amount.kind == "percent":
            chain = []
            continue
        if not chain:
            opened = "(" if _OPENED.search(text[max(0, amount.start - _REACH) : amount.start]) else ""
            chain = [_Side(f"{opened}{amount.low:f}", [amount])]
        joint = None if following is None else _JOINT.fullmatch(text, amount.end, following.start)
        if following is not None and joint is not None:
            sign = _SIGNS.get(joint["sign"], joint["sign"])
            chain[-1].expression += joint["close"]
            if sign == "=":
                chain.append(_Side(f"{joint['open']}{following.low:f}", [following]))
            else:
                chain[-1].expression += f"{sign}{joint['open']}{following.low:f}"
                chain[-1].figures.append(following)
            continue
        first = chain[0].figures[0].start
        is_open = _OPEN_BEFORE.search(text[max(0, first - _REACH) : first]) or _OPEN_BEHIND.match(text, amount.end)
        if len(chain) > 1 and not is_open:
            yield chain
        chain = []

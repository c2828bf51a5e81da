"""Arithmetic as calculators and reports write it: the value of an expression, and the sums that a text writes out."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, DecimalException
from functools import lru_cache
from itertools import combinations, pairwise
from math import prod

from drretail.grounding.text.amounts import Amount

_MOST_TERMS = 6
"""Up to so many terms or factors are combined in all ways; of more, only each one and the whole count."""
# Every part is bounded, so that long words and wide gaps between figures cost little.
_AROUND = r"[\s*_\\]{0,12}"
_WORDS = r"(?:[^\W\d_][\w'’-]{0,40}\s?){0,3}"
# A figure may be followed by what it counts, and preceded by what it is the price of: "4 packs × $12.49", "the lid $5".
# The hyphen of "8-ounce" and the x of "3 xl" are no signs.
_JOINT = re.compile(
    rf"(?:\s?[^\W\d_]{{1,40}}){{0,2}}(?:\s\([^\W\d][^()\d]{{0,40}}\))?{_AROUND}(?P<close>\)?){_AROUND}"
    rf"(?P<sign>[+×x*÷/−–=-]|(?:makes?|equals?|comes? to)\b)(?!(?<=[x−–-])[^\W\d_])"
    rf"{_AROUND}(?P<open>\(?){_AROUND}(?:(?<![−–-] ){_WORDS})?"
)
_SIGNS = {"×": "*", "x": "*", "÷": "/", "−": "-", "–": "-"}
# The text before, or after the last figure, continues the expression by a term in words; a list's bullet does not.
_OPEN_BEFORE = re.compile(rf"[^\s*_][ *_]*(?:[+×÷/−–=-][ *_]*|[+×÷=] ?{_WORDS})$")
_OPENED = re.compile(r"\([ *_]*$")
_REACH = 30
_CENTS = 2
_OPEN_BEHIND = re.compile(rf"{_AROUND}(?:[+×÷/−=]|[-–]\s)")


def value_of(expression: str) -> Decimal | None:
    """The value of an expression; None if it is invalid, divides by zero or uses a function."""
    return _read(expression)[0]


def steps(expression: str) -> frozenset[Decimal]:
    """The absolute values of all numbers, products and sums in an expression; empty if it is invalid."""
    return _read(expression)[1]


@lru_cache(maxsize=1024)
def _read(expression: str) -> tuple[Decimal | None, frozenset[Decimal]]:
    plain = expression.replace("$", "").replace(",", "").replace("{", "(").replace("}", ")")
    try:
        value, results = _worked_out(ast.parse(plain, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, DecimalException):
        return None, frozenset()
    return value, frozenset(map(abs, results))


def _worked_out(node: ast.expr) -> tuple[Decimal | None, set[Decimal]]:
    """The value of a part of an expression, None if it uses a function, and the numbers on the way."""
    match node:
        case ast.Constant(value=int() | float() as number):
            value, results = Decimal(str(number)), set[Decimal]()
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand):
            value, results = _worked_out(operand)
            value = -value if value is not None and isinstance(sign, ast.USub) else value
        case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult()):
            combine = prod if isinstance(node.op, ast.Mult) else sum
            parts = [(sign, *_worked_out(part)) for part, sign in _parts(node, isinstance(node.op, ast.Mult))]
            results = {number for _, _, inner in parts for number in inner}
            known = [sign * value for sign, value, _ in parts if value is not None]
            if len(known) <= _MOST_TERMS:
                results |= {
                    Decimal(combine(some)) for size in range(2, len(known)) for some in combinations(known, size)
                }
            value = Decimal(combine(known)) if len(known) == len(parts) else None
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            (above, results), (below, more) = _worked_out(left), _worked_out(right)
            value, results = above / below if above is not None and below else None, results | more
        case _:
            value = None
            inside = (_worked_out(inner)[1] for inner in ast.iter_child_nodes(node) if isinstance(inner, ast.expr))
            results = {number for numbers in inside for number in numbers}
    return value, results if value is None else {*results, value}


def _parts(node: ast.expr, of_product: bool, sign: int = 1) -> Iterator[tuple[ast.expr, int]]:
    """The terms of a sum with their signs, or the factors of a product."""
    kinds = (ast.Mult,) if of_product else (ast.Add, ast.Sub)
    if isinstance(node, ast.BinOp) and isinstance(node.op, kinds):
        yield from _parts(node.left, of_product, sign)
        yield from _parts(node.right, of_product, -sign if isinstance(node.op, ast.Sub) else sign)
    else:
        yield node, sign


@dataclass(frozen=True, slots=True)
class Equation:
    """Figures joined by signs: their value, and the result written beside them."""

    expression: str
    operands: tuple[Amount, ...]
    value: Decimal
    result: Amount

    @property
    def holds(self) -> bool:
        return self.result.agreement(self.value) is not None


@dataclass(slots=True)
class _Side:
    """One side of an equals sign."""

    expression: str
    figures: list[Amount]


def find_equations(text: str, amounts: Sequence[Amount]) -> Iterator[Equation]:
    """The equations about money among a text's amounts, in text order; terms in words are not supported."""
    for chain in _chains(text, amounts):
        for left, right in pairwise(chain):
            whole, single = (left, right) if len(right.figures) == 1 else (right, left)
            result, operands = single.figures[0], tuple(whole.figures)
            kinds = {one.kind for one in (*operands, result)}
            # "a 9 x 13 pan = $12.99" is not a product.
            is_of_money = any(operand.kind == "money" or operand.places == _CENTS for operand in operands)
            is_of_money = is_of_money and ("money" in kinds or result.places == _CENTS)
            expression = whole.expression
            if expression.count("(") > expression.count(")"):  # "(2 × $3 = $6)"
                expression = expression.removeprefix("(")
            value = value_of(expression) if len(operands) > 1 == len(single.figures) and is_of_money else None
            if value is not None:
                yield Equation(expression, operands, value, result)


def _chains(text: str, amounts: Sequence[Amount]) -> Iterator[list[_Side]]:
    """The sides of each run of figures joined by signs that no further term continues."""
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
            sign = "=" if len(joint["sign"]) > 1 else _SIGNS.get(joint["sign"], joint["sign"])
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

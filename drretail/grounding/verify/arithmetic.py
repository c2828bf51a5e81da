"""The numbers that calculations and prices come to: terms, products and sums, any of which a report may name.

Who cites the calculation ``40-2*19.49 = 1.02`` may mean its result, and as well ``2*19.49``, one of its terms.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal, DecimalException
from functools import lru_cache
from itertools import combinations, product
from math import prod

from drretail.grounding.verify.records import Ledger

_MOST_TERMS = 6
"""So many terms are combined in all ways; of more, only the terms and the whole are taken."""
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


@lru_cache(maxsize=1024)
def steps(expression: str) -> frozenset[Decimal]:
    """The sizes of all numbers, products and sums within an expression, and of the whole; empty if it is none."""
    plain = expression.replace("$", "").replace(",", "").replace("{", "(").replace("}", ")")
    try:
        _, found = _worked_out(ast.parse(plain, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, DecimalException):
        return frozenset()
    return frozenset(map(abs, found))


def _worked_out(node: ast.expr) -> tuple[Decimal | None, set[Decimal]]:
    """What a part of an expression comes to, None where that takes a function, and the numbers on the way there."""
    match node:
        case ast.Constant(value=int() | float() as number):
            value, found = Decimal(str(number)), set[Decimal]()
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand):
            value, found = _worked_out(operand)
            value = -value if value is not None and isinstance(sign, ast.USub) else value
        case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult()):
            value, found = _of_chain(node)
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            (above, found), (below, more) = _worked_out(left), _worked_out(right)
            value, found = above / below if above is not None and below else None, found | more
        case _:
            value = None
            inside = (_worked_out(inner)[1] for inner in ast.iter_child_nodes(node) if isinstance(inner, ast.expr))
            found = {number for numbers in inside for number in numbers}
    return value, found if value is None else {*found, value}


def _of_chain(node: ast.BinOp) -> tuple[Decimal | None, set[Decimal]]:
    """Of terms, or of factors, all sums or products of some of them."""
    combine = prod if isinstance(node.op, ast.Mult) else sum
    parts = [(sign, *_worked_out(part)) for part, sign in _parts(node, isinstance(node.op, ast.Mult))]
    found = {it for _, _, inner in parts for it in inner}
    known = [sign * value for sign, value, _ in parts if value is not None]
    if len(known) <= _MOST_TERMS:
        found |= {Decimal(combine(some)) for size in range(2, len(known)) for some in combinations(known, size)}
    return Decimal(combine(known)) if len(known) == len(parts) else None, found


def _parts(node: ast.expr, of_product: bool, sign: int = 1) -> Iterator[tuple[ast.expr, int]]:
    """The terms of a sum with their signs, or the factors of a product."""
    kinds = (ast.Mult,) if of_product else (ast.Add, ast.Sub)
    if isinstance(node, ast.BinOp) and isinstance(node.op, kinds):
        yield from _parts(node.left, of_product, sign)
        yield from _parts(node.right, of_product, -sign if isinstance(node.op, ast.Sub) else sign)
    else:
        yield node, sign

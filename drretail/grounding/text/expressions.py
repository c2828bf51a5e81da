"""Arithmetic as calculators and reports write it: what an expression comes to, and its terms, products and sums."""

import ast
from collections.abc import Iterator
from decimal import Decimal, DecimalException
from functools import lru_cache
from itertools import combinations
from math import prod

_MOST_TERMS = 6
"""So many terms or factors are combined in all ways; of more, only each one and the whole are taken."""


def value_of(expression: str) -> Decimal | None:
    """What an expression comes to; None where it is none, divides by zero or takes a function."""
    return _read(expression)[0]


def steps(expression: str) -> frozenset[Decimal]:
    """The sizes of all numbers, products and sums within an expression, and of the whole; empty if it is none."""
    return _read(expression)[1]


@lru_cache(maxsize=1024)
def _read(expression: str) -> tuple[Decimal | None, frozenset[Decimal]]:
    plain = expression.replace("$", "").replace(",", "").replace("{", "(").replace("}", ")")
    try:
        value, found = _worked_out(ast.parse(plain, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, DecimalException):
        return None, frozenset()
    return value, frozenset(map(abs, found))


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
    found = {number for _, _, inner in parts for number in inner}
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

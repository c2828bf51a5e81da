"""Arithmetic from text: a parser with bounds, no ``eval``.

    sum     := product (("+" | "-") product)*
    product := signed (("*" | "/") signed)*
    signed  := ("+" | "-") signed | power
    power   := atom ("**" signed)?
    atom    := number | "pi" | "e" | name group | group
    group   := "(" sum ")" | "{" sum "}"

Numbers stay exact fractions (prices add to the cent) until a function or a size bound makes them floats.
"""

import math
import re
from collections.abc import Callable
from fractions import Fraction
from operator import add, mul, sub, truediv
from typing import NamedTuple

from drretail.errors import DrretailError, quoted

Number = Fraction | float

MAX_LENGTH = 500
MAX_DEPTH = 50
MAX_DIGITS = 300
"""Of a numerator or denominator; a float of 15 digits takes its place beyond that."""
_MAX_EXACT = 10**MAX_DIGITS
_MAX_BITS = _MAX_EXACT.bit_length()
_TOKEN = re.compile(
    r"\s*(?:"
    r"(?P<number>\$?\s*(?:[0-9]+(?:,[0-9]+)*(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>[A-Za-z]+)"
    r"|(?P<symbol>\*\*|[-+*/(){}×÷−])"
    r"|(?P<end>$)"
    r"|(?P<other>\S))"
)
_GROUPED = re.compile(r"[0-9]{1,3}(,[0-9]{3})+$")
_PLAIN = {"×": "*", "÷": "/", "−": "-"}
_CLOSING = {"(": ")", "{": "}"}
CONSTANTS = {"pi": math.pi, "e": math.e}


class ArithmeticProblem(DrretailError):
    """The expression is not arithmetic, is too large, or has no value; the message is one sentence."""


class Token(NamedTuple):
    kind: str
    text: str
    at: int
    """The character it begins at, from 1."""


def evaluate(expression: str) -> Number:
    """The value of an arithmetic expression; ArithmeticProblem where it has none."""
    if len(expression) > MAX_LENGTH:
        raise ArithmeticProblem(f"The expression has {len(expression)} characters; at most {MAX_LENGTH} are allowed.")
    parser = _Parser(_tokens(expression))
    value = parser.sum()
    parser.expect("end")
    return value


def as_json_number(value: Number) -> int | float:
    """A whole value as int, any other rounded to 15 significant digits."""
    if isinstance(value, Fraction) and value.denominator == 1:
        return value.numerator
    rounded = float(f"{float(value):.15g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 2**53 else rounded


def _tokens(expression: str) -> list[Token]:
    tokens: list[Token] = []
    at = 0
    while not tokens or tokens[-1].kind != "end":
        found = _TOKEN.match(expression, at)
        assert found is not None, "the last alternative takes any character"
        kind = str(found.lastgroup)
        text = found[kind]
        token = Token(kind, _PLAIN.get(text, text), found.start(kind) + 1)
        if kind == "other":
            raise ArithmeticProblem(_unknown_character(token))
        tokens.append(token)
        at = found.end()
    return tokens


def _unknown_character(token: Token) -> str:
    hint = {
        "%": "write 0.15 for 15 percent",
        "^": "write ** for powers",
        "[": "use ( ) or { }",
        "$": "a $ may only stand before a number",
        ",": "a comma may only separate thousands, as in 1,200",
    }.get(token.text, "use numbers, + - * / ** ( ) and the named functions")
    return f"Unexpected {quoted(token.text)} at character {token.at}: {hint}."


class _Parser:
    """Reads and computes at once; ``depth`` bounds the recursion."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._next = 0
        self._depth = 0

    def sum(self) -> Number:
        value = self._product()
        while sign := self._take("+", "-"):
            right = self._product()
            value = _finite(add if sign == "+" else sub, value, right)
        return value

    def expect(self, wanted: str) -> None:
        token = self._tokens[self._next]
        if wanted not in (token.kind, token.text):
            raise self._unexpected(f"expected {wanted!r}" if wanted != "end" else "expected an operator or the end")
        self._next += 1

    def _product(self) -> Number:
        value = self._signed()
        while sign := self._take("*", "/"):
            right = self._signed()
            value = _finite(mul, value, right) if sign == "*" else _quotient(value, right)
        return value

    def _signed(self) -> Number:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ArithmeticProblem(f"The expression is nested more than {MAX_DEPTH} deep.")
        sign = self._take("+", "-")
        value = self._power() if sign is None else self._signed()
        self._depth -= 1
        return -value if sign == "-" else value

    def _power(self) -> Number:
        base = self._atom()
        return _power(base, self._signed()) if self._take("**") else base

    def _atom(self) -> Number:
        token = self._tokens[self._next]
        if token.kind == "number":
            self._next += 1
            return _literal(token)
        if token.kind == "name":
            self._next += 1
            return self._named(token)
        return self._group("expected a number, a function or '('")

    def _named(self, token: Token) -> Number:
        name = token.text.lower()
        if name in CONSTANTS:
            return CONSTANTS[name]
        function = FUNCTIONS.get(name)
        if function is None:
            known = ", ".join([*FUNCTIONS, *CONSTANTS])
            raise ArithmeticProblem(f"Unknown name {quoted(token.text)} at character {token.at}; known are {known}.")
        return _finite(function, self._group(f"expected '(' after {name}"))

    def _group(self, otherwise: str) -> Number:
        opening = self._take("(", "{")
        if opening is None:
            raise self._unexpected(otherwise)
        value = self.sum()
        self.expect(_CLOSING[opening])
        return value

    def _take(self, *symbols: str) -> str | None:
        token = self._tokens[self._next]
        if token.kind != "symbol" or token.text not in symbols:
            return None
        self._next += 1
        return token.text

    def _unexpected(self, wanted: str) -> ArithmeticProblem:
        token = self._tokens[self._next]
        if token.kind == "end":
            return ArithmeticProblem(f"The expression ends too early: {wanted}.")
        return ArithmeticProblem(f"Unexpected {quoted(token.text)} at character {token.at}: {wanted}.")


def _literal(token: Token) -> Fraction:
    text = token.text.lstrip("$ \t\n")
    whole = re.split(r"[.eE]", text, maxsplit=1)[0]
    if "," in whole and not _GROUPED.match(whole):
        raise ArithmeticProblem(f"{quoted(text)} at character {token.at} is not a number: a comma separates thousands.")
    mantissa, _, exponent = text.replace(",", "").lower().partition("e")
    # Fraction("1e999999999") would fill the memory.
    if len(mantissa) > MAX_DIGITS or len(exponent) > 4 or abs(int(exponent or "0")) > MAX_DIGITS:
        raise ArithmeticProblem(f"The number at character {token.at} is too large or too long.")
    return Fraction(mantissa) * Fraction(10) ** int(exponent or "0")


def _quotient(left: Number, right: Number) -> Number:
    if right == 0:
        raise ArithmeticProblem("Division by zero has no value.")
    return _finite(truediv, left, right)


def _power(base: Number, exponent: Number) -> Number:
    if base == 0 and exponent < 0:
        raise ArithmeticProblem("Zero to a negative power has no value.")
    if isinstance(base, Fraction) and isinstance(exponent, Fraction) and exponent.denominator == 1:
        bits = max(base.numerator.bit_length(), base.denominator.bit_length())
        if bits * abs(exponent.numerator) <= _MAX_BITS:
            return base**exponent.numerator
    if base < 0 and exponent != math.floor(exponent):
        raise ArithmeticProblem("A negative number to a fractional power has no real value.")
    return _finite(math.pow, base, exponent)


def _finite(operation: Callable[..., Number], *operands: Number) -> Number:
    """What the operation gives, as a float when it is too long; ArithmeticProblem when that is too large."""
    try:
        value = operation(*operands)
        if isinstance(value, Fraction) and max(abs(value.numerator), value.denominator) >= _MAX_EXACT:
            value = float(value)
    except OverflowError:
        raise ArithmeticProblem("The result is too large.") from None
    if isinstance(value, float) and not math.isfinite(value):
        raise ArithmeticProblem("The result is too large.")
    return value


def _sqrt(value: Number) -> Number:
    if value < 0:
        raise ArithmeticProblem("The square root of a negative number has no real value.")
    if isinstance(value, Fraction):
        root = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
        if root * root == value:
            return root
    return math.sqrt(value)


def _logarithm(function: Callable[[float], float]) -> Callable[[Number], Number]:
    def of(value: Number) -> Number:
        if value <= 0:
            raise ArithmeticProblem("The logarithm is defined for numbers above 0 only.")
        return function(float(value))

    return of


FUNCTIONS: dict[str, Callable[[Number], Number]] = {
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "log": _logarithm(math.log10),
    "ln": _logarithm(math.log),
    "sqrt": _sqrt,
    "abs": abs,
}

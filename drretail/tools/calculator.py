"""The tool that computes: arithmetic from text, by a parser with bounds, no ``eval``.

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
from typing import Annotated, NamedTuple

from annotated_types import MaxLen, MinLen

from drretail.env.session import Session
from drretail.errors import DrretailError, ToolError, quoted
from drretail.grounding.report.evidence_ids import calculation_evidence_id, normalise_expression
from drretail.records.evidence import Source
from drretail.tools.tool import ToolResult

Number = Fraction | float

MAX_LENGTH = 500
MAX_DEPTH = 50
MAX_DIGITS = 300
"""The most digits of a numerator or denominator; a longer fraction becomes a float of 15 digits."""
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
CONSTANTS = {"pi": math.pi, "e": math.e}
HINTS = {
    "%": "write 0.15 for 15 percent",
    "^": "write ** for powers",
    "[": "use ( ) or { }",
    "$": "a $ may only stand before a number",
    ",": "a comma may only separate thousands, as in 1,200",
}
"""What to write instead of a character that the parser does not take."""


class ArithmeticProblem(DrretailError):
    """The expression is not arithmetic, is too large, or has no value; the message is one sentence."""


def calculator(session: Session, expression: Annotated[str, MinLen(1), MaxLen(MAX_LENGTH)]) -> ToolResult:
    """Computes the exact value of an arithmetic expression, such as the total of a basket.

    Understood are + - * / ** and parentheses, the functions sin, cos, tan (in radians), log (base 10), ln, sqrt and
    abs with their argument in ( ) or { }, and the constants pi and e. Amounts may be written as in $1,299.50.
    Percent signs, variables and comparisons are not understood.

    Args:
        expression: What to compute, e.g. "3 * $12.99 + 4.50" or "sqrt{2} * (1 + 0.08)".

    Returns:
        evidence (the evidence id to cite the calculation by), the expression, and its value as a number, not rounded to
        cents.
    """
    del session
    expression = expression.strip().removesuffix("=").rstrip()
    try:
        value = as_json_number(evaluate(expression))
    except ArithmeticProblem as problem:
        raise ToolError("invalid_argument", str(problem), field="expression") from None
    evidence = calculation_evidence_id(expression)
    source = Source(
        id=evidence,
        kind="calculation",
        key=normalise_expression(expression),
        title=expression,
        form="record",
        text=f"{expression} = {value}",
    )
    return ToolResult({"evidence": evidence, "expression": expression, "value": value}, (source,))


class Token(NamedTuple):
    kind: str
    text: str
    at: int
    """The position of its first character, from 1."""


def evaluate(expression: str) -> Number:
    """The value of an arithmetic expression. Raises ArithmeticProblem if it has none."""
    if len(expression) > MAX_LENGTH:
        raise ArithmeticProblem(f"The expression has {len(expression)} characters; at most {MAX_LENGTH} are allowed.")
    parser = _Parser(_tokens(expression))
    value = parser.sum()
    parser.expect("end")
    return value


def as_json_number(value: Number) -> int | float:
    """A whole value as int; any other as a float of 15 significant digits."""
    if isinstance(value, Fraction) and value.denominator == 1:
        return value.numerator
    rounded = float(f"{float(value):.15g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 2**53 else rounded


def _tokens(expression: str) -> list[Token]:
    tokens: list[Token] = []
    at = 0
    while not tokens or tokens[-1].kind != "end":
        match = _TOKEN.match(expression, at)
        assert match is not None, "the last alternative takes any character"
        kind = str(match.lastgroup)
        text = match[kind]
        token = Token(kind, _PLAIN.get(text, text), match.start(kind) + 1)
        if kind == "other":
            hint = HINTS.get(token.text, "use numbers, + - * / ** ( ) and the named functions")
            raise ArithmeticProblem(f"Unexpected {quoted(token.text)} at character {token.at}: {hint}.")
        tokens.append(token)
        at = match.end()
    return tokens


class _Parser:
    """A recursive-descent parser that computes while it reads; ``_depth`` bounds the recursion."""

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
            if sign == "/" and right == 0:
                raise ArithmeticProblem("Division by zero has no value.")
            value = _finite(mul if sign == "*" else truediv, value, right)
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
        token = self._tokens[self._next]
        if token.kind in ("number", "name"):
            self._next += 1
            base = _literal(token) if token.kind == "number" else self._named(token)
        else:
            base = self._group("expected a number, a function or '('")
        return _power(base, self._signed()) if self._take("**") else base

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
        self.expect({"(": ")", "{": "}"}[opening])
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
    # Fraction("1e999999999") would use up the memory.
    if len(mantissa) > MAX_DIGITS or len(exponent) > 4 or abs(int(exponent or "0")) > MAX_DIGITS:
        raise ArithmeticProblem(f"The number at character {token.at} is too large or too long.")
    return Fraction(mantissa) * Fraction(10) ** int(exponent or "0")


def _power(base: Number, exponent: Number) -> Number:
    if base == 0 and exponent < 0:
        raise ArithmeticProblem("Zero to a negative power has no value.")
    if isinstance(base, Fraction) and isinstance(exponent, Fraction) and exponent.denominator == 1:
        # Exact only if the result stays within MAX_DIGITS: computing a huge power first would use up the memory.
        bits = max(base.numerator.bit_length(), base.denominator.bit_length())
        if bits * abs(exponent.numerator) <= _MAX_BITS:
            return base**exponent.numerator
    if base < 0 and exponent != math.floor(exponent):
        raise ArithmeticProblem("A negative number to a fractional power has no real value.")
    return _finite(math.pow, base, exponent)


def _finite(operation: Callable[..., Number], *operands: Number) -> Number:
    """The operation's result, as a float if the exact fraction is too long.

    Raises ArithmeticProblem if the float is too large or not a number.
    """
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

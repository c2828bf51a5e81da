"""The tool that computes: arithmetic from text. Python parses it, and only what is arithmetic is computed.

Numbers stay exact fractions (prices add to the cent) until a function or a size bound makes them floats.
"""

import ast
import math
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from operator import add, mul, sub, truediv
from typing import Annotated

from annotated_types import MaxLen, MinLen

from drretail.env.session import Session
from drretail.errors import DrretailError, ToolError, quoted
from drretail.records.evidence import Source
from drretail.reports.text.evidence_ids import calculation_evidence_id, normalise_expression
from drretail.tools.tool import ToolResult

Number = Fraction | float

MAX_LENGTH = 500
MAX_DIGITS = 300
"""The most digits of a numerator or denominator; a longer fraction becomes a float of 15 digits."""
_MAX_EXACT = 10**MAX_DIGITS
_MAX_BITS = _MAX_EXACT.bit_length()
_TOKEN = re.compile(
    r"(?P<number>(?:\$\s*)?(?:[0-9]+(?:,[0-9]+)*(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>[A-Za-z]+)"
    r"|(?P<sign>\*\*(?![*/×÷])|[*/×÷](?![*/×÷])|[-+(){}−])"
    r"|(?P<space>\s)"
    r"|(?P<other>.)"
)
_GROUPED = re.compile(r"[0-9]{1,3}(,[0-9]{3})+$")
_AS_PYTHON = str.maketrans("{}×÷−", "()*/-")
CONSTANTS = {"pi": math.pi, "e": math.e}
HINTS = {
    "%": "write 0.15 for 15 percent",
    "^": "write ** for powers",
    "[": "use ( ) or { }",
    "$": "a $ may only stand before a number",
    ",": "a comma may only separate thousands, as in 1,200",
}
"""What to write instead of a character that is not taken."""
USAGE = "use numbers, + - * / ** ( ) and the named functions with their argument in ( )"


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


def evaluate(expression: str) -> Number:
    """The value of an arithmetic expression. Raises ArithmeticProblem if it has none."""
    if len(expression) > MAX_LENGTH:
        raise ArithmeticProblem(f"The expression has {len(expression)} characters; at most {MAX_LENGTH} are allowed.")
    text, numbers = _as_python(expression.strip())
    try:
        return _value(ast.parse(text, mode="eval").body, numbers)
    except SyntaxError as problem:
        raise _unreadable(problem.offset or 1) from None
    except (RecursionError, MemoryError):
        raise ArithmeticProblem("The expression is nested too deeply.") from None


def as_json_number(value: Number) -> int | float:
    """A whole value as int; any other as a float of 15 significant digits."""
    if isinstance(value, Fraction) and value.denominator == 1:
        return value.numerator
    rounded = float(f"{float(value):.15g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 2**53 else rounded


def _as_python(expression: str) -> tuple[str, dict[int, Fraction]]:
    """The expression in Python's spelling, with a name of the same length for each number; the numbers by place."""
    text, numbers = "", dict[int, Fraction]()
    for match in _TOKEN.finditer(expression):
        token, at = match[0], match.start()
        if match["other"] is not None:
            hint = HINTS.get(token, USAGE)
            raise ArithmeticProblem(f"Unexpected {quoted(token)} at character {at + 1}: {hint}.")
        if match["name"] is not None and token.lower() not in (*FUNCTIONS, *CONSTANTS):
            names = ", ".join([*FUNCTIONS, *CONSTANTS])
            raise ArithmeticProblem(f"Unknown name {quoted(token)} at character {at + 1}; known are {names}.")
        if match.lastgroup in ("number", "name") and text[-1:].isidentifier():
            raise _unreadable(at + 1)
        if match["number"] is not None:
            numbers[at], token = _literal(token, at + 1), "_" * len(token)
        text += " " if match["space"] is not None else token.lower().translate(_AS_PYTHON)
    return text, numbers


def _value(node: ast.expr, numbers: Mapping[int, Fraction]) -> Number:
    match node:
        case ast.Name() if node.col_offset in numbers:
            return numbers[node.col_offset]
        case ast.Name() if node.id in CONSTANTS:
            return CONSTANTS[node.id]
        case ast.UnaryOp(op=ast.USub()):
            return -_value(node.operand, numbers)
        case ast.UnaryOp(op=ast.UAdd()):
            return _value(node.operand, numbers)
        case ast.BinOp() if type(node.op) in _OPERATIONS:
            return _OPERATIONS[type(node.op)](_value(node.left, numbers), _value(node.right, numbers))
        case ast.Call(func=ast.Name(name), args=[argument], keywords=[]) if name in FUNCTIONS:
            return _finite(FUNCTIONS[name], _value(argument, numbers))
        case _:
            raise _unreadable(node.col_offset + 1)


def _unreadable(at: int) -> ArithmeticProblem:
    return ArithmeticProblem(f"The expression is no arithmetic at character {at}: {USAGE}.")


def _literal(token: str, at: int) -> Fraction:
    text = token.lstrip("$").strip()
    whole = re.split(r"[.eE]", text, maxsplit=1)[0]
    if "," in whole and not _GROUPED.match(whole):
        raise ArithmeticProblem(f"{quoted(text)} at character {at} is not a number: a comma separates thousands.")
    mantissa, _, exponent = text.replace(",", "").lower().partition("e")
    # Fraction("1e999999999") would use up the memory.
    if len(mantissa) > MAX_DIGITS or len(exponent) > 4 or abs(int(exponent or "0")) > MAX_DIGITS:
        raise ArithmeticProblem(f"The number at character {at} is too large or too long.")
    return Fraction(mantissa) * Fraction(10) ** int(exponent or "0")


def _quotient(dividend: Number, divisor: Number) -> Number:
    if divisor == 0:
        raise ArithmeticProblem("Division by zero has no value.")
    return _finite(truediv, dividend, divisor)


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

    Raises ArithmeticProblem if the float is too large, too small or not a number.
    """
    try:
        value = operation(*operands)
        if isinstance(value, Fraction) and max(abs(value.numerator), value.denominator) >= _MAX_EXACT:
            value = float(value)
    except OverflowError:
        raise ArithmeticProblem("The result is too large.") from None
    if isinstance(value, float) and not math.isfinite(value):
        raise ArithmeticProblem("The result is too large.")
    if operation in (mul, truediv, math.pow) and value == 0 and all(operands):
        raise ArithmeticProblem("The result is too small.")
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
_OPERATIONS: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: partial(_finite, add),
    ast.Sub: partial(_finite, sub),
    ast.Mult: partial(_finite, mul),
    ast.Div: _quotient,
    ast.Pow: _power,
}

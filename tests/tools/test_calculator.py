import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.env.session import Session
from drretail.tools.calculator import ArithmeticProblem, as_json_number, evaluate
from drretail.tools.toolkit import Toolkit
from tests.tools.conftest import error_of


def value(expression: str) -> int | float:
    return as_json_number(evaluate(expression))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("0.1 + 0.2", 0.3),
        ("1/3", 0.333333333333333),
        ("1/3*3", 1),
        ("2 + 3 * 4", 14),
        ("2 ** 3 ** 2", 512),
        ("-2 ** 2", -4),
        ("2 ** -1", 0.5),
        ("sqrt{9}", 3),
        ("sqrt(2) ** 2", 2),
        ("ln{e}", 1),
        ("SIN(0) + cos{0}", 1),
        ("sin(-700)", -0.543970523363376),
        ("cos(2)", -0.416146836547142),
        ("tan{1}", 1.5574077246549),
        ("ln(10)", 2.30258509299405),
        ("ln(0.5)", -0.693147180559945),
        ("sqrt(2)", 1.4142135623731),
        ("abs(-2.5)", 2.5),
        ("1,200.50 + 1", 1201.5),
        ("$1,299,000", 1299000),
        ("1e3 + .5", 1000.5),
        ("3 × 4 ÷ 2 − 1", 5),
        ("0 ** 0", 1),
    ],
)
def test_values(expression: str, expected: float) -> None:
    found = value(expression)
    assert found == expected
    assert isinstance(found, type(expected))


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("", "ends too early"),
        ("1 2", "'2' at character 3"),
        ("1 + * 2", "'*' at character 5"),
        ("(1 + 2", "expected ')'"),
        ("__import__('os')", "Unexpected '_'"),
        ("sqrt 9", "expected '(' after sqrt"),
        ("foo(2)", "Unknown name 'foo'"),
        ("15%", "0.15 for 15 percent"),
        ("2^3", "write ** for powers"),
        ("1,20", "a comma separates thousands"),
        ("1 / 0", "Division by zero"),
        ("0 ** -1", "Zero to a negative power"),
        ("sqrt(-1)", "square root"),
        ("ln(0)", "logarithm"),
        ("(-8) ** (1/3)", "fractional power"),
        ("9 ** 9 ** 9", "too large"),
        ("1e999999999", "too large or too long"),
        ("(" * 100 + "1" + ")" * 100, "nested more than 50"),
        ("1+" * 300 + "1", "at most 500"),
    ],
)
def test_what_has_no_value_is_one_sentence_in_no_time(expression: str, message: str) -> None:
    began = time.process_time()
    with pytest.raises(ArithmeticProblem) as problem:
        evaluate(expression)
    assert time.process_time() - began < 1  # of this process; what is too large would take hours
    assert message in str(problem.value)
    assert "\n" not in str(problem.value)


@given(st.text(st.sampled_from("0123456789.,+-*/(){}$ epilnsqrt"), max_size=60) | st.text(max_size=40))
def test_any_text_is_a_number_or_a_sentence(expression: str) -> None:
    try:
        number = value(expression)
    except ArithmeticProblem:
        return
    assert math.isfinite(number)


def test_the_value_comes_with_the_expression_and_evidence(toolkit: Toolkit, session: Session) -> None:
    reply = toolkit.call("calculator", {"expression": " 2*$24.99 + 39.50 "})
    assert reply.value == {"evidence": reply.evidence[0], "expression": "2*$24.99 + 39.50", "value": 89.48}
    (entry,) = session.ledger.evidence()
    assert (entry.kind, entry.key) == ("calculation", "2*$24.99+39.50")
    assert entry.sources[0].text == "2*$24.99 + 39.50 = 89.48"
    spaced = toolkit.call("calculator", {"expression": "2 * $24.99+39.50 = "})
    assert (spaced.evidence, spaced.value["value"]) == (reply.evidence, 89.48), "the sign asks for the value"
    assert error_of(toolkit.call("calculator", {"expression": "1 + 2 = 3"}))["type"] == "invalid_argument"

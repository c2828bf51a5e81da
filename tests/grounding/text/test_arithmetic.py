"""Expressions with all that stands in them, and sums that a text writes out."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.grounding.text.amounts import find_amounts
from drretail.grounding.text.arithmetic import Equation, find_equations, steps, value_of


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        ("40-2*19.49", {"40", "2", "19.49", "38.98", "1.02"}),
        ("90-(60.99+15.95)", {"90", "60.99", "15.95", "76.94", "29.01", "74.05", "13.06"}),
        ("$1,299.50*2", {"1299.5", "2", "2599"}),
        ("19.95/2", {"19.95", "2", "9.975"}),
        ("sqrt{16}+3", {"16", "3"}),
        ("3*(12", set[str]()),
        ("1/0", {"1", "0"}),
    ],
)
def test_terms_products_and_sums_are_steps(expression: str, found: set[str]) -> None:
    assert steps(expression) == set(map(Decimal, found))


def test_what_is_no_number_has_no_value() -> None:
    assert [value_of(one) for one in ("2*(3+4)", "sqrt(4)", "1/0", "2+", "")] == [14, None, None, None, None]


@given(st.lists(st.integers(1, 999), min_size=2, max_size=6))
def test_every_partial_sum_is_a_step(terms: list[int]) -> None:
    assert {sum(terms[:2]), sum(terms[1:]), sum(terms)} <= steps("+".join(map(str, terms)))


NO_WHOLE_SUMS = (
    *("$42.95 + shipping = $50", "tea + $42.95 + $2 = $60", "$42.95 + $17.99 = $60.94 + tax"),
    *("tea + mugs $42.95 + $2 = $60", "Kettle $42.95 – towels $17.99 = $60", "$19–26 + $5 = $30"),
    *("20% + $5 = $30", "6 oz × 4 = 24 oz", "$5 / 0 = $1", "a 9 x 13 pan = $12.99", "3 × $12.99 ≈ $41"),
    "2 x $17.99 = $40 - more",
)


def equations_in(text: str) -> list[Equation]:
    return list(find_equations(text, find_amounts(text)))


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("In all (**$42.95** + **$17.99** = **$60.94**).", "42.95+17.99"),
        ("2 × $18.95 + $12 = $49.90", "2*18.95+12"),
        ("$75 − $60.94 = $14.06", "75-60.94"),
        ("$17.99 / 6 = $3.00", "17.99/6"),
        ("4 × 12,49 € = 49,96 €", "4*12.49"),
        ("(2 × $18.95) + $12 = $49.90", "(2*18.95)+12"),
        ("the kettle $42.95 + the towels $17.99 = $60.94", "42.95+17.99"),
        ("12.49 + 12.49 + 12.49 = 37.47", "12.49+12.49+12.49"),
        ("$37.47 = 3 × $12.49", "3*12.49"),
        *((text, None) for text in NO_WHOLE_SUMS),
    ],
)
def test_a_whole_sum_that_is_written_out_is_worked_out(text: str, expression: str | None) -> None:
    assert [(equation.expression, equation.holds) for equation in equations_in(text)] == (
        [] if expression is None else [(expression, True)]
    )


@given(st.lists(st.decimals(min_value=1, max_value=999, places=2), min_size=2, max_size=5))
def test_any_sum_holds_and_another_does_not(prices: list[Decimal]) -> None:
    text = " + ".join(f"${price}" for price in prices)
    value = sum(prices, Decimal(0))
    assert [one.holds for one in equations_in(f"{text} = ${value}")] == [True]
    assert [one.holds for one in equations_in(f"{text} = ${value + 3}")] == [False]

"""Expressions, with all that stands in them."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.grounding.text.expressions import steps, value_of


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

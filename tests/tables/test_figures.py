"""Numbers as text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.tables import figures

NUMBERS = st.floats(-1e6, 1e6, allow_nan=False)


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (0.676, 0.8, ".68–.80"),
        (0.631, 1.0, ".63–1"),
        (0.0, 0.37, "0–.37"),
        (-0.124, 0.3, "-.12 to .30"),
        (-1.0, 1.0, "-1 to 1"),
        (0.12, 1.58, "0.12–1.58"),
        (148.5, 327.24, "148.5–327.2"),
    ],
)
def test_an_interval_of_shares_has_no_zeros_in_front_and_any_other_has_its_figures(
    low: float, high: float, shown: str
) -> None:
    assert figures.interval(low, high) == shown


def test_where_there_is_no_interval_the_value_stands_alone() -> None:
    assert figures.with_interval(0.64, 0.61, 0.67) == "0.64 (.61–.67)"
    assert figures.with_interval(0.64, None, None) == "0.64"
    assert figures.with_interval(None, None, None) == figures.NOTHING


@given(NUMBERS)
def test_a_sign_stands_where_a_difference_can_be_seen(value: float) -> None:
    shown = figures.signed(value)
    assert float(shown.replace(",", "")) == pytest.approx(value, abs=0.051)
    assert shown.startswith(("+", "-")) == (float(shown.replace(",", "")) != 0)


@pytest.mark.parametrize(("p", "shown"), [(0.0004, "<.001"), (0.001, "0.001"), (0.0144, "0.014"), (None, "–")])
def test_a_p_value_has_three_digits_or_is_below_what_they_tell(p: float | None, shown: str) -> None:
    assert figures.p_value(p) == shown


def test_what_costs_little_has_more_digits() -> None:
    assert [figures.dollars(each) for each in (12.345, 1.0, 0.0123, 0.0)] == ["12.35", "1.00", "0.0123", "0.00"]


def test_a_deviation_has_the_digits_of_its_mean() -> None:
    assert figures.spread(19.52, 8.04) == "19.5 ± 8.0"
    assert figures.spread(1370.4, 58.2) == "1,370 ± 58"
    assert figures.spread(1370.4, None) == "1,370"


def test_a_small_share_is_not_nothing() -> None:
    assert [figures.fine_percent(each) for each in (0.0004, 0.0, 0.123)] == ["<0.1%", "0.0%", "12.3%"]

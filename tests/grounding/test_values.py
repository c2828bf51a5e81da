from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.grounding.values import Value, compare, find_values, read_cell
from drretail.grounding.wording import format_money

CENTS = st.decimals(min_value=Decimal("0.01"), max_value=Decimal("99999.99"), places=2)


def read(text: str) -> list[tuple[str, str]]:
    """Kind and number (or text) of all values."""
    return [(value.kind, value.text or str(value.number)) for value in find_values(text)]


@given(CENTS)
def test_every_amount_that_is_written_is_read_back(amount: Decimal) -> None:
    (value,) = find_values(f"It costs {format_money(amount)}, and no more.")
    assert (value.kind, value.number, value.bound) == ("money", amount, "exact")
    assert compare(value, amount) == "equal"


@given(CENTS, CENTS)
def test_an_amount_agrees_with_no_other_amount_of_cents(one: Decimal, other: Decimal) -> None:
    (value,) = find_values(f"It costs {format_money(one)}.")
    expected = "equal" if one == other else "differs"
    if one != one.to_integral_value():
        assert compare(value, other) == expected


@given(st.integers(0, 50), st.integers(1, 999_999))
def test_every_rating_with_its_count_is_read_back(tenths: int, count: int) -> None:
    rating = Decimal(tenths) / 10
    text = f"rated {rating} out of 5 from {count:,} ratings"
    assert [(value.kind, value.number) for value in find_values(text)] == [("rating", rating), ("count", count)]


@given(st.text(max_size=200))
def test_values_lie_apart_and_in_order_in_any_text(text: str) -> None:
    values = find_values(text)
    assert all(one.end <= two.start for one, two in pairwise(values))
    assert all(0 <= value.start < value.end <= len(text) for value in values)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4.5-star rating from 2,067 reviews", [("rating", "4.5"), ("count", "2067")]),
        ("**Rating:** 4.5/5 (2,067 reviews)", [("rating", "4.5"), ("count", "2067")]),
        ("4.6★ (1,204)", [("rating", "4.6"), ("count", "1204")]),
        ("⭐ 4.6", [("rating", "4.6")]),
        ("rated 4.4 out of 5 against 4.6", [("rating", "4.4"), ("rating", "4.6")]),
        ("Reviews: 389", [("count", "389")]),
        ("costs \\$43.99 today", [("money", "43.99")]),
        ("60 dollars or 1,299 USD", [("money", "60"), ("money", "1299")]),
        ("on 22 June 2020, June 22, 2020 and 2020-06-22", [("date", "2020-06-22")] * 3),
        ("product B0BTXEK6H3 in order 0526194960", [("id", "B0BTXEK6H3"), ("id", "0526194960")]),
    ],
)
def test_the_usual_forms_are_read(text: str, expected: list[tuple[str, str]]) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "4/5 inch",
        "3 five-star reviews",
        "12 negative reviews",
        "340 reviews mention it",
        "2023-02-30",
        "3 of 5 picks",
        "at 2 meters",
    ],
)
def test_what_only_looks_like_a_value_is_none(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize(
    ("text", "truth", "expected"),
    [
        ("about $45", "43.99", "equal"),
        ("about $60", "43.99", "differs"),
        ("over 2,000 ratings", "2067", "equal"),
        ("over 2,100 ratings", "2067", "differs"),
        ("2,000+ ratings", "2067", "equal"),
        ("under $50", "43.99", "equal"),
        ("under $40", "43.99", "differs"),
        ("2.1k ratings", "2067", "equal"),
        ("2.2k ratings", "2067", "differs"),
        ("$40–$50", "43.99", "equal"),
        ("$44", "43.99", "rounded"),
        ("$43", "43.99", "differs"),
        ("$43.9", "43.99", "differs"),
        ("4.5 stars", "4.46", "rounded"),
        ("5 stars", "4.6", "differs"),
        ("2,070 ratings", "2067", "differs"),
    ],
)
def test_words_around_a_number_say_how_exact_it_is(text: str, truth: str, expected: str) -> None:
    (value,) = find_values(text)
    assert compare(value, Decimal(truth)) == expected


def test_a_fall_in_price_is_no_range() -> None:
    (value,) = find_values("from $20 to $15")
    assert (value.number, value.low) == (Decimal(15), None)


@pytest.mark.parametrize(
    ("text", "kind", "number"), [(" 4.6 ", "rating", "4.6"), ("**1,204**", "count", "1204"), ("$9.99", "money", "9.99")]
)
def test_a_cell_may_hold_a_bare_number(text: str, kind: str, number: str) -> None:
    value = read_cell(text, kind)  # type: ignore[arg-type] — a kind, from the list above
    assert isinstance(value, Value)
    assert value.number == Decimal(number)


def test_a_cell_with_two_prices_has_no_one_price() -> None:
    assert read_cell("$9.99 / $12.99", "money") is None

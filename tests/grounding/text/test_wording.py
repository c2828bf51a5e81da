from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.grounding.text.wording import format_money, short_title


@pytest.mark.parametrize(
    ("value", "currency", "text"),
    [
        (1234.56, "USD", "$1,234.56"),
        (12, "EUR", "€12.00"),
        ("0.5", "GBP", "£0.50"),
        (2.675, "USD", "$2.68"),
        (Decimal("-3"), "USD", "-$3.00"),
        (1200, "JPY", "¥1,200"),
        (9.9, "CHF", "9.90 CHF"),
    ],
)
def test_money_is_written_with_its_sign_and_two_decimals(value: float, currency: str, text: str) -> None:
    assert format_money(value, currency) == text


@pytest.mark.parametrize(
    ("title", "limit", "short"),
    [
        ("Bruma Dog Bed", 60, "Bruma Dog Bed"),
        ("Bruma Dog Bed, Large, with Washable Cover and Non-Slip Bottom", 30, "Bruma Dog Bed, Large"),
        ("Bruma Oil Set | Natural Scents for Every Room", 30, "Bruma Oil Set"),
        (
            "Bruma Dog Bed (36 inch, Gray) with Memory Foam and a Cover for Dogs",
            50,
            "Bruma Dog Bed (36 inch, Gray) with Memory Foam",
        ),
        ("Bruma Dog Bed (36 inch, Gray) with Memory Foam", 22, "Bruma Dog Bed"),
        ("Washable Cover for the Bruma Dog Bed", 24, "Washable Cover"),
        ("Bruma   Dog\nBed", 60, "Bruma Dog Bed"),
        ("Supercalifragilistic", 8, "Supercal"),
    ],
)
def test_a_title_is_cut_where_a_reader_would_cut_it(title: str, limit: int, short: str) -> None:
    assert short_title(title, limit) == short


@given(st.text(st.sampled_from("aB1 ,()[]|-–:&éx"), min_size=1, max_size=120), st.integers(8, 60))
def test_a_short_title_is_a_tidy_front_of_the_title(title: str, limit: int) -> None:
    short = short_title(title, limit)
    words = " ".join(title.split())
    assert words.startswith(short)
    assert len(short) <= limit
    if short != words:
        assert short == short.strip()

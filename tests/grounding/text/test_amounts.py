"""Amounts and dates in the spellings that reports use; expressions, and sums that a text writes out."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.grounding.text.amounts import find_amounts, find_dates, notation_of
from drretail.grounding.text.numerals import Equation, find_equations, work_out


@pytest.mark.parametrize(
    ("text", "number", "currency", "relation"),
    [
        ("US$1,299.00.", "1299.00", "USD", "is"),
        ("**$20**", "20", "USD", "is"),
        ("a bit over $38 apiece", "38", "USD", "about"),
        ("$40 or less", "40", "USD", "at_most"),
        ("up to **$40**", "40", "USD", "at_most"),
        ("4 stars or better", "4", None, "at_least"),
        ("4,5 von 5", "4.5", None, "is"),
        ("under$50", "50", "USD", "at_most"),
        ("1.299 €", "1299", "EUR", "is"),
        ("C$ 12.50", "12.50", "CAD", "is"),
    ],
)
def test_an_amount_has_a_currency_and_a_relation(text: str, number: str, currency: str | None, relation: str) -> None:
    amount = find_amounts(text)[0]
    assert (amount.low, amount.currency, amount.relation) == (Decimal(number), currency, relation)


def test_a_range_is_one_amount_and_dates_words_and_fractions_are_none() -> None:
    for text in ("$19-26", "$19–$26", "19 to 26 dollars", "between $19 and $26", "USD 19 – 26"):
        (amount,) = find_amounts(text)
        assert (amount.low, amount.high, amount.currency, amount.relation) == (19, 26, "USD", "range")
    for text in ("in 2023", "on March 3, 2022", "B12", "W8", "24/7", "32oz", "3rd", "B50EUR"):
        assert find_amounts(text) == []


def _written(number: Decimal, thousands: str, point: str) -> str:
    return f"{number:,}".translate(str.maketrans({",": thousands, ".": point}))


_WAYS = st.sampled_from(
    [("", "."), (",", "."), ("", ","), (".", ","), ("\u202f", ","), (" ", ","), ("'", "."), ("’", ".")]
)
_PLACES = st.sampled_from(
    [
        *("$#", "$ #", "US$#", "USD#", "usd #", "#$", "# USD", "#USD", "# dollars"),
        *("€#", "€ #", "EUR#", "#€", "# €", "#EUR", "# euros", "£#", "CHF #", "# CHF"),
    ]
)


@given(st.decimals(min_value=0, max_value=9_999_999, places=2), _WAYS, _PLACES)
def test_any_written_amount_is_read_back(number: Decimal, way: tuple[str, str], place: str) -> None:
    (amount,) = find_amounts(f"It costs {place.replace('#', _written(number, *way))} today")
    assert (amount.low, amount.kind) == (number, "money")


@pytest.mark.parametrize(
    ("message", "record", "fit"),
    [
        ("$43", "42.95", "rounded"),
        ("$42", "42.95", "loose"),
        ("$42.90", "42.95", None),
        ("just under $18", "17.99", "rounded"),
        ("just under $6", "17.99", None),
        ("nearly 450", "447", "rounded"),
        ("450", "447", "loose"),
        ("over 400", "447", "bounded"),
        ("$38–62", "38.49", "bounded"),
        ("$38–62", "62", "bounded"),
        ("4.5", "4.4", None),
    ],
)
def test_how_an_amount_fits_a_record(message: str, record: str, fit: str | None) -> None:
    assert find_amounts(message)[0].agreement(Decimal(record)) == fit


def test_a_date_is_as_long_as_it_is_said_and_a_side_is_no_year() -> None:
    said = {"September 5, 2023": "2023-09-05", "on the 10th of March 2019": "2019-03-10", "back in 2020": "2020"}
    for text, iso in said.items():
        assert [date.iso for date in find_dates(text)] == [iso]
    for text in ("1920 x 1200 pixels", "at 1200 × 1920", "2000x1200"):
        assert find_dates(text) == []


OTHER = notation_of("Die Auswahl ist nach den Angaben im Laden getroffen und gilt ohne Versand. " * 4)


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("kostet 1.250,00 € statt 1.299 €", [("1250.00", "EUR", 2), ("1299", "EUR", 0)]),
        ("4,5/5 (1.415)", [("4.5", None, 1), ("1415", None, 0)]),
        ("1 250 € et 1 250,50 €", [("1250", "EUR", 0), ("1250.50", "EUR", 2)]),
        ("12,99 euroa, 5 евро", [("12.99", "EUR", 2), ("5", "EUR", 0)]),
        ("価格は12,800円です", [("12800", "JPY", 0)]),
        ("售价128元，评分4.6（203条评价）", [("128", None, 0), ("4.6", None, 1), ("203", None, 0)]),
        ("AB12 3D 16cm", []),
    ],
)
def test_amounts_of_other_languages_are_read(text: str, amounts: list[tuple[str, str | None, int]]) -> None:
    assert [(str(one.low), one.currency, one.places) for one in find_amounts(text, OTHER)] == amounts


def test_a_day_of_other_languages_is_read() -> None:
    days = (
        *("12. März 2024", "12 de marzo de 2024", "12 mars 2024", "12.03.2024", "2024年3月12日", "2024年03月12日"),
        *("2024. március 12.", "2024년 3월 12일", "12 marca 2024 r.", "12 марта 2024 г.", "2024 m. kovo 12 d."),
        *("12 d’març de 2024", "12. helmikuuta 2024"),
    )
    for text in days:
        month = "02" if "helmi" in text else "03"
        assert [date.iso for date in find_dates(f"xx {text} xx", OTHER)] == [f"2024-{month}-12"], text


def test_a_date_that_may_be_of_two_months_is_found_as_both() -> None:
    assert {date.iso for date in find_dates("03/04/2024", OTHER)} == {"2024-04-03", "2024-03-04"}
    assert [date.iso for date in find_dates("13/04/2024", OTHER)] == ["2024-04-13"]
    assert [date.iso for date in find_dates("zu 12 Marken 2024", OTHER)] == ["2024"]


def test_the_parts_of_an_expression_are_its_steps() -> None:
    for expression, found in (
        ("90-(60.99+15.95)", "90 60.99 15.95 76.94 13.06"),
        ("$1,299.50*2", "1299.5 2 2599"),
        ("19.95/2", "19.95 2 9.975"),
        ("sqrt{16}+3", "16 3"),
        ("3*(12", ""),
        ("1/0", "1 0"),
    ):
        assert work_out(expression)[1] == set(map(Decimal, found.split())), expression
    assert [work_out(one)[0] for one in ("2*(3+4)", "sqrt(4)", "1/0", "2+", "")] == [14, None, None, None, None]


NO_WHOLE_SUMS = (
    *("$42.95 + shipping = $50", "tea + $42.95 + $2 = $60", "$42.95 + $17.99 = $60.94 + tax"),
    *("tea + mugs $42.95 + $2 = $60", "Kettle $42.95 – towels $17.99 = $60", "$19–26 + $5 = $30"),
    *("20% + $5 = $30", "6 oz × 4 = 24 oz", "$5 / 0 = $1", "a 9 x 13 pan = $12.99", "3 × $12.99 ≈ $41"),
    *("2 x $17.99 = $40 - more", "Two 8-ounce bags for $18.30 make $1.14 an ounce", "2 xl shirts for $18 make $9.00"),
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
        ("12.49 + 12.49 + 12.49 = 37.47", "12.49+12.49+12.49"),
        ("$37.47 = 3 × $12.49", "3*12.49"),
        ("three at $16.50 each come to 3 x $16.50 = $49.50", "3*16.50"),
        *((text, None) for text in NO_WHOLE_SUMS),
    ],
)
def test_a_whole_sum_that_is_written_out_is_worked_out(text: str, expression: str | None) -> None:
    assert [(equation.expression, equation.holds) for equation in equations_in(text)] == (
        [] if expression is None else [(expression, True)]
    )


def test_figures_of_any_length_are_compared() -> None:
    (equation,) = equations_in(f"${'9' * 40} + $1 = $5.00")
    assert not equation.holds

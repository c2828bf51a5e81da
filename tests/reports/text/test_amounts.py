"""Amounts and dates in the spellings that reports use. other_notation: tests/eval/claims/test_claims.py."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from drretail.reports.text.amounts import find_amounts, find_dates, notation_of

OTHER = notation_of("Die Auswahl ist nach den Angaben im Laden getroffen und gilt ohne Versand. " * 4)


def test_an_amount_has_a_currency_and_a_relation() -> None:
    rows = {
        "US$1,299.00.": ("1299.00", "USD", "is"),
        "a bit over $38 apiece": ("38", "USD", "about"),
        "$40 or less": ("40", "USD", "at_most"),
        "up to **$40**": ("40", "USD", "at_most"),
        "4 stars or better": ("4", None, "at_least"),
        "under$50": ("50", "USD", "at_most"),
        "1.299 €": ("1299", "EUR", "is"),
    }
    for text, expected in rows.items():
        amount = find_amounts(text)[0]
        assert (f"{amount.low}", amount.currency, amount.relation) == expected, text


def test_a_range_is_one_amount_and_dates_words_and_fractions_are_none() -> None:
    for text in ("$19-26", "$19–$26", "19 to 26 dollars", "between $19 and $26", "USD 19 – 26"):
        (amount,) = find_amounts(text)
        assert (amount.low, amount.high, amount.currency, amount.relation) == (19, 26, "USD", "range")
    for text in ("in 2023", "on March 3, 2022", "B12", "W8", "24/7", "32oz", "3rd", "B50EUR"):
        assert find_amounts(text) == []


WAYS = [("", "."), (",", "."), ("", ","), (".", ","), ("\u202f", ","), (" ", ","), ("'", "."), ("’", ".")]
PLACES = "$# | $ # | US$# | USD# | usd # | #$ | # USD | #USD | # dollars | €# | € # | EUR# | #€ | # € | #EUR | # euros"


@given(
    st.decimals(min_value=0, max_value=9_999_999, places=2),
    st.sampled_from(WAYS),
    st.sampled_from([*PLACES.split(" | "), "£#", "CHF #", "# CHF"]),
)
def test_any_written_amount_is_read_back(number: Decimal, way: tuple[str, str], place: str) -> None:
    written = f"{number:,}".translate(str.maketrans(dict(zip(",.", way, strict=True))))
    (amount,) = find_amounts(f"It costs {place.replace('#', written)} today")
    assert (amount.low, amount.kind) == (number, "money")


def test_how_an_amount_fits_a_record() -> None:
    rows = {
        ("$43", "42.95"): "rounded",
        ("$42", "42.95"): "loose",
        ("just under $18", "17.99"): "rounded",
        ("nearly 450", "447"): "rounded",
        ("$38–62", "38.49"): "bounded",
        ("$38–62", "62"): "bounded",
    }
    found = {(words, record): find_amounts(words)[0].agreement(Decimal(record)) for words, record in rows}
    assert found == rows


def test_amounts_of_other_languages_are_read() -> None:
    rows: dict[str, list[tuple[str, str | None, int]]] = {
        "kostet 1.250,00 € statt 1.299 €": [("1250.00", "EUR", 2), ("1299", "EUR", 0)],
        "4,5/5 (1.415)": [("4.5", None, 1), ("1415", None, 0)],
        "1 250 € et 1 250,50 €": [("1250", "EUR", 0), ("1250.50", "EUR", 2)],
        "12,99 euroa, 5 евро": [("12.99", "EUR", 2), ("5", "EUR", 0)],
        "価格は12,800円です": [("12800", "JPY", 0)],
        "售价128元，评分4.6（203条评价）": [("128", None, 0), ("4.6", None, 1), ("203", None, 0)],
        "AB12 3D 16cm": [],
    }
    for text, amounts in rows.items():
        assert [(str(one.low), one.currency, one.places) for one in find_amounts(text, OTHER)] == amounts


def test_a_day_of_other_languages_is_read_and_one_that_may_be_of_two_months_is_found_as_both() -> None:
    days = (
        *("2024. március 12.", "2024년 3월 12일", "12 marca 2024 r.", "12 марта 2024 г.", "2024 m. kovo 12 d."),
        *("12 d’març de 2024", "12. helmikuuta 2024"),
    )
    for text in days:
        month = "02" if "helmi" in text else "03"
        assert [date.iso for date in find_dates(f"xx {text} xx", OTHER)] == [f"2024-{month}-12"], text
    assert {date.iso for date in find_dates("03/04/2024", OTHER)} == {"2024-04-03", "2024-03-04"}
    assert [date.iso for date in find_dates("13/04/2024", OTHER)] == ["2024-04-13"]
    assert [date.iso for date in find_dates("zu 12 Marken 2024", OTHER)] == ["2024"]

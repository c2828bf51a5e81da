"""Money, titles and lists in words."""

from decimal import Decimal

import pytest
from pydantic import ValidationError

from drretail.records.shop import Money
from drretail.reports.text.wording import format_money, listed, short_title, split_words


def test_money_is_written_with_its_sign_and_two_decimals_and_what_no_shop_asks_short() -> None:
    assert [format_money(value) for value in (1234.56, 2.675, Decimal(-3))] == ["$1,234.56", "$2.68", "-$3.00"]
    assert (format_money(1200, "JPY"), format_money(9.9, "CHF")) == ("¥1,200", "9.90 CHF")
    assert format_money("9" * 60) == "$1.00E+60"
    with pytest.raises(ValidationError, match="not an amount of money"):
        Money(amount="1e27")


def test_a_title_is_cut_where_a_reader_would_cut_it() -> None:
    bed = "Bruma Dog Bed (36 inch, Gray) with Memory Foam"
    rows = {
        ("Bruma Dog Bed", 60): "Bruma Dog Bed",
        ("Bruma Oil Set | Natural Scents for Every Room", 30): "Bruma Oil Set",
        (f"{bed} and a Cover for Dogs", 50): bed,
        (bed, 22): "Bruma Dog Bed",
        ("Washable Cover for the Bruma Dog Bed", 24): "Washable Cover",
        ("Supercalifragilistic", 8): "Supercal",
    }
    assert {row: short_title(*row) for row in rows} == rows


def test_things_are_listed_as_they_are_read_aloud() -> None:
    assert [listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"], "or")] == ["a", "a and b", "a, b or c"]


def test_words_are_what_white_space_separates_and_in_scripts_without_it_each_sign_is_one() -> None:
    counts = {"# Feeders\n\n- Take the tube, or wait – or not.": 11, "水壶容量为1.7升，很安静。": 12, "": 0}
    assert {text: len(split_words(text)) for text in counts} == counts

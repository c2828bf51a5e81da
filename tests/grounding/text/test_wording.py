"""Money, titles and wishes in words, and the products that a text names."""

from decimal import Decimal

import pytest
from pydantic import ValidationError

from drretail.grounding.text.wording import (
    article,
    format_money,
    listed,
    products_named,
    short_title,
    want_line,
    wish_lines,
)
from drretail.records.shop import Money
from drretail.records.wish import Demand, Want, Wish


def test_a_product_is_named_by_its_title_or_by_words_that_are_its_alone() -> None:
    titles = {
        "one": "Hand Grinder One",
        "pro": "Hand Grinder Pro",
        "blend": "House Blend Coffee",
        "kettle": "Gooseneck Kettle 1 L",
        "electric": "Electric Gooseneck Kettle 0.8 L",
    }
    rows = [
        ("The hand grinder pro and two House Blends", ["pro", "blend"]),
        ("the Electric Gooseneck Kettle", ["electric"]),
        ("The Gooseneck Kettle 1 L holds a litre", ["kettle"]),
        ("A Hand Grinder", []),  # of two
        ("a gooseneck kettle", []),  # any of that sort
    ]
    assert [[one.product_id for one in products_named(words, titles)] for words, _ in rows] == [ids for _, ids in rows]


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


def test_things_get_articles_and_are_listed_as_they_are_read_aloud() -> None:
    things = ("bird feeder", "electric shaver", "LED nail lamp", "USB fan")
    assert [article(thing) for thing in things] == ["a", "an", "an", "a"]
    assert [listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"], "or")] == ["a", "a and b", "a, b or c"]


BLANKET = Want(name="swaddle blanket", kinds=("swaddle blanket",))


def test_every_limit_of_a_want_stands_in_its_line() -> None:
    long = Demand(say="at least 4 feet", field="Length", least=4, unit="ft")
    loose = Demand(say="without tools", field="Assembly", any_of=("no tools", "tool-free"), none_of=("tool-free lid",))
    demands = {"must": (Demand(say="cotton"), long, loose), "must_not": (Demand(say="zips"),)}
    demands |= {"rating_min": 4, "ratings_min": 1200}
    brands = {"brands_wanted": ("Nordlys", "Ostrava"), "brands_unwanted": ("Tallow",)}
    limits = {"kinds": ("swaddle blanket", "Swaddles"), "quantity": 2, "optional": True, "again": True}
    limits |= {"price_max": Money.of(20), **demands, **brands}
    assert want_line(BLANKET.model_copy(update=limits)) == (
        "2 × swaddle blanket: of the kind Swaddles; only if it is worth buying; may be a product that the shopper has; "
        'must meet "cotton", "at least 4 feet" (Length: at least 4 ft), "without tools" (Assembly: no tools or '
        'tool-free, not tool-free lid); must not be or have "zips"; at least 4 stars; at least 1,200 ratings; at most '
        "$20.00 a piece; by Nordlys or Ostrava; not by Tallow"
    )


def test_what_holds_for_all_comes_behind_the_wants_and_a_wish_for_nothing_says_so() -> None:
    bag = Want(name="bag", kinds=("diaper bag",), rating_min=4.5)
    limits = {"budget": Money.of("69.5", "EUR"), "room": True, "deadline": "before Friday", "owned": ("B0A", "B0B")}
    assert wish_lines(Wish.model_validate({"wants": (BLANKET, bag), **limits})) == [
        *("swaddle blanket", "bag: of the kind diaper bag; at least 4.5 stars", "budget: €69.50 in total"),
        *("more may be added within the budget", "deadline: before Friday", "owned: B0A, B0B"),
    ]
    assert wish_lines(Wish()) == ["nothing is to be bought"]
    assert wish_lines(Wish(wants=(BLANKET,), room=True)) == ["swaddle blanket", "more may be added"]

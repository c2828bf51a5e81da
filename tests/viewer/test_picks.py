from decimal import Decimal

from drretail.records.money import Money
from drretail.viewer.cart import Cart, CartLine
from drretail.viewer.picks import compare_picks


def line(product: str, quantity: int = 1, price: str | None = "10", rating: float | None = 4.5) -> CartLine:
    money = None if price is None else Money.of(Decimal(price), "USD")
    return CartLine(product, f"Title of {product}", quantity, money, rating=rating, ratings=1200)


def test_products_that_most_pick_come_first_with_price_rating_and_who_picks_them() -> None:
    table = compare_picks([("a", Cart((line("one"), line("two", 3)))), ("b", Cart((line("two"),)))])
    assert table is not None
    assert [(row.product, row.pieces) for row in table.rows] == [("two", (3, 1)), ("one", (1, 0))]
    assert (table.rows[0].price, table.rows[0].rating) == ("$10.00", "4.5 (1,200)")
    assert table.totals == ("$40.00", "$10.00")


def test_a_price_that_one_run_did_not_see_is_told_by_another_and_missing_from_the_total() -> None:
    table = compare_picks([("a", Cart((line("one", price=None), line("two")))), ("b", Cart((line("one"),)))])
    assert table is not None
    assert {row.product: row.price for row in table.rows} == {"one": "$10.00", "two": "$10.00"}
    assert table.totals == ("$10.00 + ?", "$10.00")


def test_answers_whose_picks_are_not_known_are_named_and_those_that_pick_nothing_have_a_column() -> None:
    table = compare_picks([("a", Cart((line("one"),))), ("b", None), ("c", Cart(()))])
    assert table is not None
    assert (table.names, table.unknown, table.totals) == (("a", "c"), ("b",), ("$10.00", "nothing"))


def test_there_is_no_table_where_nobody_picks_anything() -> None:
    assert compare_picks([("a", Cart(())), ("b", None)]) is None

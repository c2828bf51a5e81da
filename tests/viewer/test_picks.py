from decimal import Decimal

from drretail.records.money import Money
from drretail.viewer.cart import Cart, CartLine, compare_picks


def line(product: str, quantity: int = 1, price: str | None = "10", rating: float | None = 4.5) -> CartLine:
    money = None if price is None else Money.of(Decimal(price), "USD")
    return CartLine(product, f"Title of {product}", quantity, money, rating=rating, ratings=1200)


def cells(*carts: tuple[str, Cart | None]) -> list[list[str]]:
    """The table's rows behind the names of products."""
    table = compare_picks(carts)
    assert table is not None
    return [[cell.text if cell else "" for cell in row.cells] for row in table.rows]


def test_products_that_most_pick_come_first_with_price_rating_who_picks_them_and_totals() -> None:
    assert cells(("a", Cart((line("one"), line("two", 3)))), ("b", Cart((line("two"),)))) == [
        ["two", "$10.00", "4.5 (1,200)", "✓ × 3", "✓"],
        ["one", "$10.00", "4.5 (1,200)", "✓", "–"],
        ["", "", "", "$40.00", "$10.00"],
    ]


def test_a_price_that_one_run_did_not_see_is_told_by_another_and_missing_from_the_total() -> None:
    *rows, total = cells(("a", Cart((line("one", price=None), line("two")))), ("b", Cart((line("one"),))))
    assert {row[0]: row[1] for row in rows} == {"one": "$10.00", "two": "$10.00"}
    assert total[-2:] == ["$10.00 + ?", "$10.00"]


def test_answers_whose_picks_are_not_known_are_named_and_those_that_pick_nothing_have_a_column() -> None:
    table = compare_picks([("a", Cart((line("one"),))), ("b", None), ("c", Cart(()))])
    assert table is not None
    assert [column.name for column in table.columns[-2:]] == ["a", "c"]
    assert table.notes == ("Not known what these pick: b.",)
    assert [cell and cell.text for cell in table.rows[-1].cells[-2:]] == ["$10.00", "nothing"]


def test_there_is_no_table_where_nobody_picks_anything() -> None:
    assert compare_picks([("a", Cart(())), ("b", None)]) is None

"""What is said of a user's orders, and which purchases may be shown. Also tests records/shop.py."""

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drretail.env.profile import MOST_IDS, PriceSpan, summarise
from drretail.records.shop import ORDER_STATUSES, VOID_STATUSES, Order, OrderStatus, Product, ProfileSummary
from tests.goods import GOODS, KETTLE, MUGS, PROFILE, TOWELS, USER

NOW = datetime(2023, 9, 1, tzinfo=UTC)
DAY = 86_400_000
JANUARY = 1_672_531_200_000  # 2023-01-01


def an_order(number: int, product_id: str, days: int, status: OrderStatus = "Delivered", quantity: int = 1) -> Order:
    placed = {"order_id": f"{number:010}", "timestamp": JANUARY + days * DAY, "quantity": quantity}
    return Order.model_validate(placed | {"user_id": USER, "product_id": product_id, "order_status": status})


def summary_of(*orders: Order, shelf: dict[str, Product] = GOODS, **prices: PriceSpan) -> ProfileSummary:
    return summarise(PROFILE, orders, shelf, NOW, prices)


def texts(summary: ProfileSummary, code: str) -> list[str]:
    return [statement.text for statement in summary.statements if statement.code == code]


ORDERS = (
    an_order(1, KETTLE.product_id, 0),
    an_order(2, TOWELS.product_id, 40, quantity=2),
    an_order(3, KETTLE.product_id, 90),
    an_order(4, MUGS.product_id, 100, "Returned"),
)


def test_the_whole_summary_of_a_user_with_four_orders() -> None:
    assert summary_of(*ORDERS).text.splitlines() == [
        "- Mara Ellwood of Norman, OK, US.",
        "- 3 orders between 2023-01-01 and 2023-04-01; 1 more came to nothing (cancelled or returned).",
        "- The last order was 153 days before today, 2023-09-01.",
        "- 1.01 orders a month between the first and the last.",
        "- Home and Kitchen: 3 orders on 3 days, last on 2023-04-01.",
        "- 67% (2 of 3) of the orders are in Kettles.",
        "- 67% (2 of 3) of the orders are of the brand Harrowgill.",
        "- 2 of 2 items bought have a known price, today $17.99 to $42.95, in the median $30.47.",
        "- Ordered 2 times, last on 2023-04-01: Harrowgill Gooseneck Kettle, 0.9 L, Stainless Steel [B0KITCHENK].",
        "- Bought on 2023-04-01: Harrowgill Gooseneck Kettle, 0.9 L, Stainless Steel [B0KITCHENK] ($42.95).",
        "- Bought on 2023-02-10: 2 of Linnetwick Kitchen Towels, Cotton, 6 Pack [B0KITCHENT] ($17.99).",
        "- Bought on 2023-01-01: Harrowgill Gooseneck Kettle, 0.9 L, Stainless Steel [B0KITCHENK] ($42.95).",
        "- Returned on 2023-04-11: Fennick Stoneware Mugs, Set of 4, 12 oz [B0KITCHENM] ($27.00).",
    ]


def test_a_user_with_one_order_none_or_nothing_kept_has_a_summary_and_a_product_that_left_is_still_a_purchase() -> None:
    codes = [statement.code for statement in summary_of(ORDERS[0]).statements]
    assert codes == ["person", "history", "recency", "domain", "price_level", "recent_purchase"]
    assert summary_of().text.endswith("There is no order yet.")
    assert "nothing was kept" in summary_of(an_order(1, KETTLE.product_id, 0, "Cancelled")).text
    left = summary_of(*ORDERS, an_order(9, "B0GONE0000", 5))
    assert "a product that the shop has no more [B0GONE0000]" in left.text


def test_the_type_of_shopper_names_domains_only_as_far_as_the_orders_stand_out() -> None:
    names = {"a": "Pet_Supplies", "b": "Baby_Products", "c": "Office_Products"}
    shelf = {key: KETTLE.model_copy(update={"product_id": key, "category": name}) for key, name in names.items()}

    def type_of(products: str) -> list[str]:
        orders = [an_order(number, key, 0) for number, key in enumerate(products)]
        return [re.sub(r", \d+ of .*", "", text) for text in texts(summary_of(*orders, shelf=shelf), "shopper_type")]

    assert type_of("aaabbbbc") == ["In short: a shopper, above all in Baby Products and Pet Supplies"]
    assert type_of("aaaaaab") == [], "seven orders make no type"


def test_usually_takes_eight_items_and_a_clear_majority() -> None:
    for prices, unpriced, word in (
        ([1] * 6 + [30] * 2, 0, "below"),
        ([30] * 8, 8, "above"),
        ([1] * 5 + [30] * 3, 0, None),
        ([30] * 8, 9, None),  # most of what was bought has no price
    ):
        made = [*prices, *[None] * unpriced]
        shelf = {
            f"B{at}": KETTLE.model_copy(update={"product_id": f"B{at}", "price": of}) for at, of in enumerate(made)
        }
        orders = [an_order(number, key, number, quantity=20) for number, key in enumerate(shelf)]
        bought = summary_of(*orders, shelf=shelf, **{"Kettles": PriceSpan(5, 10, 20, "USD")})
        text = "".join(texts(bought, "shopper_type"))
        assert ("usually" in text) == (word is not None), (prices, unpriced)
        assert word is None or f"usually {word} the median price of the category" in text, (prices, unpriced)


@pytest.mark.parametrize("question", ["", "A coffee grinder, please.", "How long do pregnancy tests keep?"])
def test_an_intimate_purchase_is_counted_and_named_only_where_the_question_names_it(question: str) -> None:
    path = ("Health", "Pregnancy & Fertility Tests", "Strips")
    kind = {"product_id": "B0TEST", "title": "Clarity Strips", "store": "Cl", "categories": path}
    test = KETTLE.model_copy(update=kind)
    orders = [an_order(number, "B0TEST", number * 30) for number in range(3)]
    shelf = GOODS | {"B0TEST": test}
    summary = summarise(PROFILE, (*orders, *ORDERS[:2]), shelf, NOW, question=question)
    words = summary.text
    named = any(word in words for word in ("Strips", "Pregnancy", "brand Cl", "B0TEST"))
    assert named == ("pregnancy" in question)
    assert "5 orders between" in summary.text


PRODUCTS, STATUSES = st.sampled_from([*GOODS, "B0GONE0000"]), st.sampled_from(ORDER_STATUSES)
ODD = st.lists(st.tuples(PRODUCTS, st.integers(-9000, 260), STATUSES, st.integers(1, 500)), max_size=30)


@settings(deadline=None)
@given(ODD, st.booleans())
def test_whatever_the_history_statements_rest_on_its_orders_and_void_ones_make_no_habit(
    rows: list[tuple[str, int, OrderStatus, int]], prices: bool
) -> None:
    shelf = GOODS if prices else {key: one.model_copy(update={"price": None}) for key, one in GOODS.items()}
    orders = [an_order(number, *row) for number, row in enumerate(rows)]
    summary = summarise(PROFILE, orders, shelf, NOW)
    assert summarise(PROFILE, orders[::-1], shelf, NOW) == summary
    by_id = {order.order_id: order for order in orders}
    for statement in summary.statements:
        assert set(statement.orders) <= set(by_id)
        assert len(statement.orders) <= MOST_IDS
        void = {by_id[key].order_status in VOID_STATUSES for key in statement.orders}
        assert statement.code in ("history", "void_order") or True not in void
    if not prices:
        assert texts(summary, "price_level") == []
    if all(order.order_status in VOID_STATUSES for order in orders):
        assert {one.code for one in summary.statements} <= {"person", "history", "void_order"}

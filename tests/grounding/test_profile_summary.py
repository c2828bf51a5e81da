from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from drretail.env.store.statistics import user_statistics
from drretail.grounding.profile_summary import summarise
from drretail.records.score import ProfileSummary
from drretail.records.shop import Order, OrderStatus
from tests.grounding.shelf import FEEDER, HOUSE, PROFILE, SEED, SHELF, USER

NOW = datetime(2023, 9, 1, tzinfo=UTC)
DAY = 86_400_000
JANUARY = 1_672_531_200_000  # 2023-01-01


def an_order(number: int, product_id: str, days: int, status: OrderStatus = "Delivered", quantity: int = 1) -> Order:
    return Order(
        order_id=f"{number:010}",
        user_id=USER,
        product_id=product_id,
        timestamp=JANUARY + days * DAY,
        quantity=quantity,
        order_status=status,
    )


def summary_of(*orders: Order) -> ProfileSummary:
    return summarise(PROFILE, orders, SHELF, user_statistics(USER, orders, SHELF), NOW)


ORDERS = (
    an_order(1, SEED.product_id, 0),
    an_order(2, FEEDER.product_id, 40, quantity=2),
    an_order(3, SEED.product_id, 90),
    an_order(4, HOUSE.product_id, 100, "Returned"),
)


def test_the_whole_summary_of_a_user_with_four_orders() -> None:
    assert summary_of(*ORDERS).text.splitlines() == [
        "- Mara Ellwood of Norman, OK, US.",
        "- 3 orders between 2023-01-01 and 2023-04-01; 1 more came to nothing (cancelled or returned).",
        "- The last order was 153 days before today, 2023-09-01.",
        "- 1.01 orders a month between the first and the last.",
        "- 100% (3 of 3) of the orders are in Birds.",
        "- 67% (2 of 3) of the orders are of the brand Brindlecote.",
        "- Items cost $47.98 in the middle (median of 3 at today's prices), $36.99 to $47.98.",
        "- Ordered 2 times, last on 2023-04-01: Brindlecote Sunflower Hearts for Wild Birds, 10 lb [B0SHELF003].",
        "- Bought on 2023-04-01: Brindlecote Sunflower Hearts for Wild Birds, 10 lb [B0SHELF003] ($47.98).",
        "- Bought on 2023-02-10: 2 of Ostrabel Panorama Tube Feeder, 2 lb, Green [B0SHELF002] ($36.99).",
        "- Bought on 2023-01-01: Brindlecote Sunflower Hearts for Wild Birds, 10 lb [B0SHELF003] ($47.98).",
        "- Returned on 2023-04-11: Marlowick Cedar Nest Box with Clean-Out Door [B0SHELF004] ($28.50).",
    ]


def test_every_statement_but_the_person_names_its_orders() -> None:
    for statement in summary_of(*ORDERS).statements:
        assert bool(statement.orders) == (statement.code != "person")
    shares = next(item for item in summary_of(*ORDERS).statements if item.code == "brand")
    assert shares.orders == ("0000000001", "0000000003")


def test_street_email_and_telephone_are_nowhere() -> None:
    text = summary_of(*ORDERS).text
    for secret in (PROFILE.email, PROFILE.phone_number, PROFILE.address.address1, PROFILE.address.zip):
        assert secret not in text


def test_what_one_order_cannot_tell_is_absent() -> None:
    codes = [statement.code for statement in summary_of(ORDERS[0]).statements]
    assert codes == ["person", "history", "recency", "category", "price_level", "recent_purchase"]


def test_a_user_without_orders_and_one_with_nothing_kept_have_a_summary() -> None:
    assert summary_of().text.endswith("There is no order yet.")
    assert "nothing was kept" in summary_of(an_order(1, SEED.product_id, 0, "Cancelled")).text


def test_a_product_that_left_the_shop_is_still_a_purchase() -> None:
    gone = an_order(9, "B0GONE0000", 5)
    statistics = user_statistics(USER, ORDERS, SHELF)
    text = summarise(PROFILE, (*ORDERS, gone), SHELF, statistics, NOW).text
    assert "a product that the shop has no more [B0GONE0000]" in text


@given(st.permutations(ORDERS))
def test_the_order_of_the_orders_makes_no_difference(orders: list[Order]) -> None:
    assert summary_of(*orders) == summary_of(*ORDERS)

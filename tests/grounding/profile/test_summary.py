from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from drretail.env.store.statistics import user_statistics
from drretail.grounding.profile.prices import PriceSpan
from drretail.grounding.profile.purchases import MOST_IDS
from drretail.grounding.profile.summary import summarise
from drretail.records.score import ProfileSummary, Statement
from drretail.records.shop import ORDER_STATUSES, VOID_STATUSES, Order, OrderStatus, Product
from tests.grounding.shelf import BATH, FEEDER, HOUSE, PACK, PROFILE, SEED, SHELF, USER

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


def summary_of(*orders: Order, shelf: dict[str, Product] = SHELF, **prices: PriceSpan) -> ProfileSummary:
    return summarise(PROFILE, orders, shelf, user_statistics(USER, orders, shelf), NOW, prices)


def said(summary: ProfileSummary, code: str) -> list[str]:
    return [statement.text for statement in summary.statements if statement.code == code]


ORDERS = (
    an_order(1, SEED.product_id, 0),
    an_order(2, FEEDER.product_id, 40, quantity=2),
    an_order(3, SEED.product_id, 90),
    an_order(4, HOUSE.product_id, 100, "Returned"),
)


def test_the_whole_summary_of_a_user_with_four_orders() -> None:
    assert summary_of(*ORDERS).text.splitlines() == [
        "- Mara Ellwood of Norman, OK, US.",
        "- In short: a steady shopper in Patio Lawn and Garden, often buying the same again.",
        "- 3 orders between 2023-01-01 and 2023-04-01; 1 more came to nothing (cancelled or returned).",
        "- The last order was 153 days before today, 2023-09-01.",
        "- 1.01 orders a month between the first and the last.",
        "- Patio Lawn and Garden: occasional (3 orders on 3 days, last on 2023-04-01).",
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
    assert codes == ["person", "history", "recency", "familiarity", "category", "price_level", "recent_purchase"]


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


def test_a_domain_is_new_with_one_order_and_regular_with_five_on_several_days() -> None:
    far = SEED.model_copy(update={"product_id": "B0PETS0001", "category": "Pet_Supplies"})
    shelf = SHELF | {far.product_id: far}
    garden = [an_order(number, SEED.product_id, number) for number in range(5)]
    summary = summary_of(*garden, an_order(9, far.product_id, 3), shelf=shelf)
    assert said(summary, "familiarity") == [
        "Patio Lawn and Garden: regular (5 orders on 5 days, last on 2023-01-05).",
        "Pet Supplies: new to it (1 order on 1 day, last on 2023-01-04).",
    ]
    one_day = [an_order(number, SEED.product_id, 0) for number in range(9)]
    assert "occasional (9 orders on 1 day" in said(summary_of(*one_day), "familiarity")[0]


def test_the_pause_between_orders_takes_several_of_them() -> None:
    orders = [an_order(number, SEED.product_id, days) for number, days in enumerate((0, 0, 30, 70, 90))]
    assert said(summary_of(*orders), "rhythm") == [
        "1.69 orders a month between the first and the last; of the pauses between days with orders, half last 30 days "
        "or less."
    ]


def test_the_type_of_shopper_names_domains_only_as_far_as_the_orders_stand_out() -> None:
    names = {"a": "Pet_Supplies", "b": "Baby_Products", "c": "Office_Products"}
    shelf = {key: SEED.model_copy(update={"product_id": key, "category": name}) for key, name in names.items()}

    def type_of(products: str) -> str:
        orders = [an_order(number, key, 0) for number, key in enumerate(products)]
        return said(summary_of(*orders, shelf=shelf), "shopper_type")[0]

    assert type_of("abc") == "In short: a shopper, in 3 domains."
    assert type_of("aab").startswith("In short: a shopper, mostly in Pet Supplies")
    assert type_of("aaabbbc").startswith("In short: a shopper, above all in Baby Products and Pet Supplies")
    assert said(summary_of(*[an_order(1, "a", 0), an_order(2, "b", 9)], shelf=shelf), "shopper_type") == []


def test_prices_are_set_against_the_shops_where_these_are_known() -> None:
    dear, cheap = PriceSpan(50, 60, 70, "USD"), PriceSpan(5, 10, 20, "USD")
    low, high = summary_of(*ORDERS, Birds=dear), summary_of(*ORDERS, Birds=cheap)
    assert "usually below the middle price" in said(low, "shopper_type")[0]
    assert "usually above the middle price" in said(high, "shopper_type")[0]
    assert said(low, "price_position") == [
        "Against the shop's prices in the same category, 3 of 3 items cost less than the middle; 3 are in the cheapest "
        "quarter, 0 in the dearest."
    ]
    assert said(summary_of(*ORDERS, Birds=PriceSpan(5, 10, 20, "EUR")), "price_position") == []
    assert said(summary_of(*ORDERS), "price_position") == []


def test_prices_that_are_unknown_or_only_a_lower_bound_make_no_level() -> None:
    summary = summary_of(*(an_order(number, it.product_id, number) for number, it in enumerate((BATH, PACK, PACK))))
    assert said(summary, "price_level") == []
    assert "(from $17.88)" in said(summary, "recent_purchase")[0]


def test_orders_are_named_up_to_a_number_and_the_rest_counted() -> None:
    orders = [an_order(number, SEED.product_id, number) for number in range(40)]
    (history,) = (it for it in summary_of(*orders).statements if it.code == "history")
    assert history.orders == tuple(order.order_id for order in orders[-MOST_IDS:])
    assert history.more_orders == 40 - MOST_IDS
    last = summary_of(*orders).text_with_orders.splitlines()[2]
    assert last.endswith(f"0000000039 and {40 - MOST_IDS} more)")
    assert Statement.model_validate({"code": "person", "text": "Mara."}).more_orders == 0


ODD = st.lists(
    st.builds(
        lambda product, days, status, quantity: (product, days, status, quantity),
        st.sampled_from([*SHELF, "B0GONE0000"]),
        st.integers(-9000, 260),
        st.sampled_from(ORDER_STATUSES),
        st.integers(1, 500),
    ),
    max_size=30,
)


@settings(deadline=None)
@given(ODD, st.booleans())
def test_whatever_the_history_statements_rest_on_its_orders_and_void_ones_make_no_habit(
    rows: list[tuple[str, int, OrderStatus, int]], prices: bool
) -> None:
    shelf = SHELF if prices else {key: it.model_copy(update={"price": None}) for key, it in SHELF.items()}
    orders = [an_order(number, *row) for number, row in enumerate(rows)]
    known = [order for order in orders if order.product_id in shelf]
    summary = summarise(PROFILE, orders, shelf, user_statistics(USER, known, shelf), NOW)
    by_id = {order.order_id: order for order in orders}
    for statement in summary.statements:
        assert set(statement.orders) <= set(by_id)
        assert len(statement.orders) <= MOST_IDS
        void = {by_id[key].order_status in VOID_STATUSES for key in statement.orders}
        assert statement.code in ("history", "void_order") or True not in void
    if not prices:
        assert said(summary, "price_level") == []
    if all(order.order_status in VOID_STATUSES for order in orders):
        assert {it.code for it in summary.statements} <= {"person", "history", "void_order"}


def test_ten_thousand_orders_have_a_summary_of_bounded_length() -> None:
    endless = "An Endless Name " * 200
    shelf = {
        f"B{number:09}": HOUSE.model_copy(
            update={
                "product_id": f"B{number:09}",
                "title": endless,
                "store": f"{number % 90} {endless}",
                "categories": (f"{number % 70} {endless}",),
                "category": f"{number % 50}_{endless}",
            }
        )
        for number in range(900)
    }
    orders = [an_order(number, f"B{number * 7 % 900:09}", number % 240) for number in range(10_000)]
    summary = summary_of(*orders, shelf=shelf)
    assert len(summary.text) < 5_000
    assert len(summary.text_with_orders) < 10_000

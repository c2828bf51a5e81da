from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from drretail.env.counterfactual import traits_of, unlikeness
from drretail.grounding.profile.prices import PriceSpan
from drretail.grounding.profile.purchases import Purchases
from drretail.records.counterfactual import ProfileTraits
from drretail.records.shop import Order
from tests.two_tastes import BEGAN, PRODUCTS

KNOWN = {product.product_id: product for product in PRODUCTS}
SPANS = {"Bird Feeders": PriceSpan(11, 12, 13, "USD")}
counts = st.dictionaries(st.sampled_from("abcd"), st.integers(1, 5), max_size=3)


def bought(*product_ids: str, status: str = "Delivered") -> Purchases:
    orders = [
        Order.model_validate(
            {"order_id": str(n), "user_id": "A", "product_id": one, "timestamp": BEGAN + n, "order_status": status}
        )
        for n, one in enumerate(product_ids)
    ]
    return Purchases.of(orders, KNOWN, datetime(2024, 1, 1, tzinfo=UTC))


def test_traits_count_orders_by_name_and_place_prices_in_quarters() -> None:
    found = traits_of("A", bought("B0BIRD0000", "B0BIRD0003", "B0BIRD0004", "B0BIRD0004"), SPANS)
    assert (found.orders, found.domains, found.categories) == (4, {"Patio_Garden": 4}, {"Bird Feeders": 4})
    assert found.brands == {"Tanagrove": 4}
    assert found.products == ("B0BIRD0000", "B0BIRD0003", "B0BIRD0004")
    assert found.price_position == 0.5556  # of three items, however often ordered: 0, two thirds and 1


def test_too_few_prices_give_no_level_and_void_orders_no_traits() -> None:
    assert traits_of("A", bought("B0BIRD0000"), SPANS).price_position is None
    assert traits_of("A", bought("B0BIRD0000", status="Cancelled"), SPANS) == ProfileTraits(user_id="A", orders=0)


@given(counts, counts, st.none() | st.floats(0, 1), st.none() | st.floats(0, 1))
def test_unlikeness_is_between_0_and_1_and_the_same_both_ways(
    ours: dict[str, int], theirs: dict[str, int], here: float | None, there: float | None
) -> None:
    one = ProfileTraits(user_id="A", orders=1, domains=ours, categories=ours, brands=ours, price_position=here)
    two = ProfileTraits(user_id="B", orders=1, domains=theirs, categories=theirs, brands=theirs, price_position=there)
    assert 0 <= unlikeness(one, two) <= 1
    assert unlikeness(one, two) == unlikeness(two, one)
    if ours and here is not None:
        assert unlikeness(one, one) < 1e-9

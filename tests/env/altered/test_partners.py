"""Who stands in for whom: what is alike in two users, never the user, always the same, and as unlike as there is."""

from datetime import UTC, datetime
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from drretail.env.altered.counterfactual import Partners, choose_partner, traits_of, unlikeness
from drretail.env.world import open_world
from drretail.grounding.profile.prices import PriceSpan
from drretail.grounding.profile.purchases import Purchases
from drretail.records.counterfactual import ProfileTraits
from drretail.records.shop import Order
from tests.two_tastes import BEGAN, BIRDS, DOGS, PRODUCTS, build_shop

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
    assert traits_of("A", bought("B0BIRD0000"), SPANS).price_position is None, "of too few prices"
    assert traits_of("A", bought("B0BIRD0000", status="Cancelled"), SPANS) == ProfileTraits(user_id="A", orders=0)


@st.composite
def traits(draw: st.DrawFn) -> ProfileTraits:
    names = draw(counts)
    return ProfileTraits(
        user_id=draw(st.sampled_from([f"U{n}" for n in range(6)])),
        orders=sum(names.values()),
        domains=names,
        categories=draw(counts),
        brands=draw(counts),
        price_position=draw(st.none() | st.floats(0, 1)),
    )


@given(traits(), traits())
def test_unlikeness_is_between_0_and_1_and_the_same_both_ways(one: ProfileTraits, two: ProfileTraits) -> None:
    assert 0 <= unlikeness(one, two) <= 1
    assert unlikeness(one, two) == unlikeness(two, one)
    if one.categories and one.brands and one.domains and one.price_position is not None:
        assert unlikeness(one, one) < 1e-9


def test_the_partner_is_the_other_user_with_the_traits_of_both(tmp_path: Path) -> None:
    with open_world(build_shop(tmp_path / "w")) as shop:
        found = Partners(shop, "42").counterfactual(BIRDS)
        assert found == Partners(shop, "42").counterfactual(BIRDS)
    assert found.partner is not None
    assert (found.partner.user_id, found.partner.orders) == (DOGS, 4)
    assert found.own.categories == {"Bird Feeders": 3}
    assert found.partner.brands == {"Napperly": 4}
    assert found.unlikeness == 0.875  # nothing in common, and too few prices to compare


@given(traits(), st.lists(traits(), max_size=8))
def test_no_other_candidate_is_a_tenth_less_like_in_any_order(
    own: ProfileTraits, candidates: list[ProfileTraits]
) -> None:
    found = choose_partner(own, candidates, "42")
    others = [candidate for candidate in candidates if candidate.user_id != own.user_id and candidate.orders]
    assert (found is None) == (not others)
    if found is not None:
        assert found.user_id != own.user_id
        rich = [other for other in others if other.orders >= 3] or others
        assert round(unlikeness(own, found), 1) == max(round(unlikeness(own, each), 1) for each in rich)
    once = list({candidate.user_id: candidate for candidate in candidates}.values())
    assert choose_partner(own, once, "42") == choose_partner(own, once[::-1], "42")


def test_equally_unlike_partners_are_spread_over_users_and_seeds() -> None:
    batch = [ProfileTraits(user_id=f"C{n}", orders=3, brands={"x": 3}) for n in range(10)]
    users = [ProfileTraits(user_id=f"U{n}", orders=3, brands={"y": 3}) for n in range(20)]
    found = {choice.user_id for user in users if (choice := choose_partner(user, batch, "42")) is not None}
    assert len(found) > 4

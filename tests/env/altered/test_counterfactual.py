"""A user with other data: another user's both ways, or none to speak of; all else stays as it is. And who stands in for
whom: never the user, always the same, and as unlike as there is."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.env.altered.counterfactual import (
    Partners,
    bland_profile,
    choose_partner,
    traits_of,
    unlikeness,
    world_seen,
)
from drretail.env.summaries import Summaries
from drretail.env.world import World
from drretail.errors import NotFound, UserError
from drretail.grounding.profile.prices import PriceSpan
from drretail.grounding.profile.purchases import Purchases
from drretail.records.query import Counterfactual, ProfileTraits
from drretail.records.shop import Order
from tests.places import PLACES, Place, PlaceKind
from tests.two_tastes import BEGAN, BIRDS, DOGS, ORDERS, PRODUCTS


@pytest.fixture(scope="module", params=PLACES)
def shop(request: pytest.FixtureRequest, new_place: Callable[[PlaceKind], Place]) -> Iterator[World]:
    """Embedded, and on real servers where there are any."""
    made = new_place(request.param)
    made.write(PRODUCTS, ORDERS)
    with made.open() as opened:
        yield opened


@pytest.fixture
def frozen(shop: World) -> Counterfactual:
    return Partners(shop, "42").counterfactual(BIRDS)


def test_swapped_users_have_each_other_s_profile_orders_and_statistics(shop: World, frozen: Counterfactual) -> None:
    seen = world_seen(shop, "swap", frozen).store
    for one, other in ((BIRDS, DOGS), (DOGS, BIRDS)):
        real = shop.store.user(other)
        assert seen.user(one) == real.model_copy(update={"user_id": one})
        assert {order.user_id for order in seen.orders(one).orders} == {one}
        assert [each.order_id for each in seen.orders(one).orders] == [
            each.order_id for each in shop.store.orders(other).orders
        ]
        assert seen.statistics(one) == shop.store.statistics(other).model_copy(update={"user_id": one})
        for order in seen.orders(one, limit=2, offset=1).orders:
            assert seen.order(order.order_id) == order
    assert "Dog Beds" in Summaries(world_seen(shop, "swap", frozen)).of(BIRDS).text


def test_a_neutral_user_has_no_orders_and_a_name_that_says_nothing(shop: World, frozen: Counterfactual) -> None:
    seen = world_seen(shop, "neutral", frozen).store
    assert seen.user(BIRDS) == bland_profile(BIRDS)
    assert seen.orders(BIRDS).total == seen.statistics(BIRDS).orders == 0
    with pytest.raises(NotFound):
        seen.order("0000000100")
    assert seen.user(DOGS) == shop.store.user(DOGS)
    assert seen.orders(DOGS) == shop.store.orders(DOGS)
    assert seen.order("0000000200") == shop.store.order("0000000200")
    assert seen.statistics(DOGS) == shop.store.statistics(DOGS)
    alone = Counterfactual(user_id=BIRDS, rule="x", own=ProfileTraits(user_id=BIRDS, orders=3))
    assert world_seen(shop, "neutral", alone).store.orders(BIRDS).total == 0
    with pytest.raises(UserError, match="no second user"):
        world_seen(shop, "swap", alone)


@pytest.mark.parametrize("kind", ["swap", "neutral"])
def test_the_shop_itself_stays_as_it_is(shop: World, frozen: Counterfactual, kind: Literal["swap", "neutral"]) -> None:
    seen = world_seen(shop, kind, frozen)
    assert seen.manifest.fingerprint == shop.manifest.fingerprint
    assert seen.store.product("B0BIRD0000") == shop.store.product("B0BIRD0000")
    assert seen.store.products(["B0DOGS0001", "GONE"]) == shop.store.products(["B0DOGS0001"])
    assert seen.store.sample_users("1", 2) == shop.store.sample_users("1", 2)
    with pytest.raises(UserError):
        seen.store.save_user(bland_profile(BIRDS))
    seen.store.close()
    assert shop.store.orders(BIRDS).total == 3
    with pytest.raises(NotFound):
        seen.store.user("NOBODY")


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


def test_the_partner_is_the_other_user_with_the_traits_of_both(shop: World, frozen: Counterfactual) -> None:
    found = Partners(shop, "42").counterfactual(BIRDS)
    assert found == frozen
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

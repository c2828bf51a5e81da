"""A user with other data: another user's both ways, or none to speak of; all else stays as it is."""

from collections.abc import Callable, Iterator
from typing import Literal

import pytest

from drretail.env.altered.counterfactual import Partners, bland_profile, world_seen
from drretail.env.session import Session
from drretail.env.summaries import Summaries
from drretail.env.world import World
from drretail.errors import NotFound, UserError
from drretail.records.counterfactual import Counterfactual, ProfileTraits
from drretail.tools.toolkit import Toolkit
from tests.places import PLACES, Place, PlaceKind
from tests.two_tastes import BIRDS, DOGS, ORDERS, PRODUCTS


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


def test_a_partner_s_order_is_the_acting_user_s_own_even_under_scope(shop: World, frozen: Counterfactual) -> None:
    session = Session(world_seen(shop, "swap", frozen), user_id=BIRDS)
    with Toolkit(session) as toolkit:
        own = toolkit.call("get_order_details", {"order_id": "0000000200"})
        lost = toolkit.call("get_order_details", {"order_id": "0000000100"})
        orders = toolkit.call("get_user_orders", {"user_id": BIRDS})
    assert own.error is None
    assert own.value["user_id"] == BIRDS
    assert lost.error is not None  # it is the other's now
    assert orders.evidence[0] == "U:orders"
    assert "O:0000000200" in orders.evidence


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

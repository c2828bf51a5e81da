"""A user with other data: another user's both ways, or none to speak of; all else stays as it is. And who stands in for
whom: never the user, always the same, and as unlike as there is."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.env.altered import (
    FACTORS,
    WITHIN,
    Moves,
    Partners,
    bland_profile,
    choose_partner,
    moves_of,
    read_moves,
    traits_of,
    unlikeness,
    world_seen,
)
from drretail.env.summaries import Summaries
from drretail.env.world import World
from drretail.errors import NotFound, UserError
from drretail.grounding.profile import Purchases
from drretail.records.query import Counterfactual, ProfileTraits, Query
from drretail.records.run import MOVES, System
from drretail.records.shop import Order, Product
from drretail.records.trajectory import Trajectory
from tests.places import PLACES, Place, PlaceKind
from tests.shop import a_product
from tests.two_tastes import BEGAN, BIRDS, DOGS, ORDERS, PRODUCTS

NOW = datetime(2023, 6, 1, 10, tzinfo=UTC)
SHARES = {"prices": 0.2, "stock": 0.1}
MANY = [a_product(number, "Bird Feeder", 20.0) for number in range(2000)]


def changed(moves: Moves, calls: int) -> tuple[int, int]:
    """How many of the products have another price, and how many are out of stock."""
    after = [moves.at(product, calls) for product in MANY]
    return sum(product.price != 20.0 for product in after), sum(p.availability == "out of stock" for p in after)


def test_a_run_begins_with_the_prices_of_the_index_and_ends_with_a_share_of_others_each_changed_once() -> None:
    moves = Moves("q1", SHARES, NOW)
    assert changed(moves, 0) == (0, 0)
    prices, stock = changed(moves, WITHIN)
    assert prices == pytest.approx(400, abs=60)
    assert stock == pytest.approx(200, abs=45)
    assert changed(moves, 10 * WITHIN) == (prices, stock)
    assert {moves.at(product, WITHIN).price for product in MANY} == {20.0, *(round(20 * by, 2) for by in FACTORS)}
    for product in MANY[:200]:
        when = moves.last_change(product, WITHIN)
        offers = [(after.price, after.availability) for n in range(WITHIN + 1) for after in [moves.at(product, n)]]
        assert (when is None) == (len(set(offers)) == 1)
        assert when is None or (offers[when] != offers[when - 1] and set(offers[when:]) == {offers[when]})


def test_a_call_takes_a_minute_and_those_of_a_path_and_of_earlier_turns_count() -> None:
    after = Moves("q1", {"prices": 1.0}, NOW).at(a_product(1, "Feeder", None), 7)
    assert (after.price, after.as_of, after.availability) == (None, "2023-06-01T10:07", "in stock")
    trajectory = Trajectory()
    assert [trajectory.count_call(path) for path in ("0.1", "0.2", "0.1", "0.2", "0.2")] == [0, 0, 1, 1, 2]
    trajectory.seal()
    assert [trajectory.count_call(path) for path in ("0.3", "0.1", "0.3")] == [5, 5, 6]


def test_what_changes_depends_on_the_query_and_the_salt_and_on_nothing_else() -> None:
    def of(query_id: str, text: str) -> list[Product]:
        query = Query(query_id=query_id, text="A feeder", source="test")
        moves = moves_of(System(agent="react", models={}, options={MOVES: text}), query, NOW)
        assert moves is not None
        return [moves.at(product, 5) for product in MANY]

    first = of("q1", "prices:0.2")
    assert of("q1", "prices:0.2") == first
    assert of("q2", "prices:0.2") != first
    assert of("q1", "prices:0.2,salt:7") != first


@pytest.mark.parametrize(
    "text", ["prices", "prices:", "prices:2", "prices:0", "colour:.2", "salt:7", "prices:x", "", "stock:.1,stock:.2"]
)
def test_moves_that_say_no_share_are_refused_and_others_kept_in_one_form(text: str) -> None:
    with pytest.raises(UserError, match=r"write the share of products|write prices:0\.2|what moves|once each"):
        read_moves(text)
    assert read_moves("stock:.10, prices:0.2") == read_moves("prices:.2,stock:0.1") == "prices:0.2,stock:0.1"


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
    seen.store.close()
    assert shop.store.orders(BIRDS).total == 3
    with pytest.raises(NotFound):
        seen.store.user("NOBODY")


KNOWN = {product.product_id: product for product in PRODUCTS}
counts = st.dictionaries(st.sampled_from("abcd"), st.integers(1, 5), max_size=3)


def bought(*product_ids: str, status: str = "Delivered") -> Purchases:
    orders = [
        Order.model_validate(
            {"order_id": str(n), "user_id": "A", "product_id": one, "timestamp": BEGAN + n, "order_status": status}
        )
        for n, one in enumerate(product_ids)
    ]
    return Purchases.of(orders, KNOWN, datetime(2024, 1, 1, tzinfo=UTC))


def test_traits_count_orders_by_name() -> None:
    found = traits_of("A", bought("B0BIRD0000", "B0BIRD0003", "B0BIRD0004", "B0BIRD0004"))
    assert (found.orders, found.domains, found.categories) == (4, {"Patio_Garden": 4}, {"Bird Feeders": 4})
    assert found.brands == {"Tanagrove": 4}
    assert found.products == ("B0BIRD0000", "B0BIRD0003", "B0BIRD0004")
    assert traits_of("A", bought("B0BIRD0000", status="Cancelled")) == ProfileTraits(user_id="A", orders=0)


@st.composite
def traits(draw: st.DrawFn) -> ProfileTraits:
    names = draw(counts)
    return ProfileTraits(
        user_id=draw(st.sampled_from([f"U{n}" for n in range(6)])),
        orders=sum(names.values()),
        domains=names,
        categories=draw(counts),
        brands=draw(counts),
    )


@given(traits(), traits())
def test_unlikeness_is_between_0_and_1_and_the_same_both_ways(one: ProfileTraits, two: ProfileTraits) -> None:
    assert 0 <= unlikeness(one, two) <= 1
    assert unlikeness(one, two) == unlikeness(two, one)
    if one.categories and one.brands and one.domains:
        assert unlikeness(one, one) < 1e-9


def test_the_partner_is_the_other_user_with_the_traits_of_both(shop: World, frozen: Counterfactual) -> None:
    found = Partners(shop, "42").counterfactual(BIRDS)
    assert found == frozen
    assert found.partner is not None
    assert (found.partner.user_id, found.partner.orders) == (DOGS, 4)
    assert found.own.categories == {"Bird Feeders": 3}
    assert found.partner.brands == {"Napperly": 4}
    own = {**found.own.model_dump(mode="json"), "price_position": 0.5}
    older = {**found.model_dump(mode="json"), "own": own, "unlikeness": 0.875}  # as version 1.0 wrote it
    assert Counterfactual.model_validate(older) == found


@given(traits(), st.lists(traits(), max_size=8))
def test_no_other_is_a_tenth_less_like_in_any_order(own: ProfileTraits, candidates: list[ProfileTraits]) -> None:
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

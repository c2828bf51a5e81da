from collections.abc import Iterator
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.env.session import Session
from drretail.env.world import World
from drretail.querygen.shelf import Shelf, Wish, budget_for, rounded_up
from drretail.querygen.things import thing_named
from drretail.records.money import Money
from drretail.tools.toolkit import Toolkit
from tests.querygen.conftest import PER_KIND, MakeWorld, product_id, products


@pytest.fixture
def shelf(world: World) -> Iterator[Shelf]:
    with Toolkit(Session(world)) as toolkit:
        yield Shelf(toolkit)


def test_offers_are_products_of_the_very_kind(shelf: Shelf) -> None:
    offers = shelf.offers(thing_named("bird bath"))
    assert {offer.product_id for offer in offers} == {product_id("bird bath", number) for number in range(PER_KIND)}


def test_a_wish_leaves_out_what_lacks_the_demand_or_the_reviews(shelf: Shelf) -> None:
    thing = thing_named("bird bath")
    must = thing.talk.must[0]
    assert {offer.product_id for offer in shelf.offers_for(Wish(thing, must))} == {
        product_id("bird bath", 1),
        product_id("bird bath", 3),
    }
    assert all(offer.reviews >= 100 for offer in shelf.offers_for(Wish(thing, reviews=100)))
    assert not shelf.offers_for(Wish(thing, "made of moonlight"))


def test_a_total_buys_one_of_each_and_a_budget_per_item_any_of_them(shelf: Shelf) -> None:
    wishes = [Wish(thing_named(name)) for name in ("bird bath", "birdhouse")]
    assert budget_for(shelf, wishes, 0.5) == Money(amount="60")  # two at 24, a tenth more, rounded up
    assert budget_for(shelf, wishes, 0.5, per_item=True) == Money(amount="30")


def test_unknown_prices_give_no_budget(make_world: MakeWorld) -> None:
    with Toolkit(Session(make_world(products(prices=False), []))) as toolkit:
        assert budget_for(Shelf(toolkit), [Wish(thing_named("bird bath"))], 0.5) is None


@given(st.decimals(min_value=Decimal("0.01"), max_value=100_000, places=2))
def test_a_round_amount_is_never_below_what_it_was_made_from(amount: Decimal) -> None:
    rounded = rounded_up(amount)
    assert amount <= rounded < max(amount * Decimal("1.34"), amount + 5)
    assert rounded % 5 == 0

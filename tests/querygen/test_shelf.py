from collections.abc import Iterator
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.env.session import Session
from drretail.env.world import World
from drretail.querygen.checks.stock import Stock
from drretail.querygen.shelf import Shelf, budget_for, rounded_up
from drretail.querygen.things import thing_named
from drretail.records.money import Money
from drretail.records.query import Constraints
from drretail.tools.toolkit import Toolkit
from tests.querygen.conftest import BRANDS, PER_KIND, MakeWorld, product_id, products

BATH, HOUSE = thing_named("bird bath"), thing_named("birdhouse")


@pytest.fixture
def shelf(world: World) -> Iterator[Shelf]:
    with Toolkit(Session(world)) as toolkit:
        yield Shelf(Stock(toolkit.session.world))


def ids(shelf: Shelf, constraints: Constraints, without: frozenset[str] = frozenset()) -> set[int]:
    """The numbers of the bird baths that keep to the constraints."""
    kept = {offer.product.product_id for offer in shelf.kept(BATH, constraints, without)}
    return {number for number in range(PER_KIND) if product_id("bird bath", number) in kept}


def test_offers_are_products_of_the_very_kind(shelf: Shelf) -> None:
    offers = shelf.offers(BATH)
    assert {offer.product.product_id for offer in offers} == {product_id("bird bath", it) for it in range(PER_KIND)}


def test_kept_is_what_has_the_demanded_and_enough_reviews_and_is_of_no_unwanted_brand(shelf: Shelf) -> None:
    must = BATH.talk.must[0]
    assert ids(shelf, Constraints(must=(must,))) == {1, 3}
    assert ids(shelf, Constraints(must_not=("fewer than 90 reviews",))) == {3, 4}
    assert ids(shelf, Constraints(must=("at least 4 stars",))) == {2, 3, 4}
    assert ids(shelf, Constraints(brands_unwanted=(BRANDS[0],))) == {1, 2, 3, 4}
    assert ids(shelf, Constraints(), frozenset({product_id("bird bath", 0)})) == {1, 2, 3, 4}
    assert shelf.meets(BATH, must)
    assert not shelf.meets(BATH, "made of moonlight")


def test_what_the_user_owns_does_not_hide_offers_from_other_users(shelf: Shelf) -> None:
    assert ids(shelf, Constraints(owned=(product_id("bird bath", 0),)), frozenset({product_id("bird bath", 0)})) == {
        *range(1, PER_KIND)
    }
    assert ids(shelf, Constraints()) == {*range(PER_KIND)}


def test_there_is_enough_of_a_thing_only_besides_what_was_bought(shelf: Shelf) -> None:
    assert shelf.has(BATH)
    assert not shelf.has(BATH, without={product_id("bird bath", number) for number in range(PER_KIND - 1)})


def test_a_total_buys_one_of_each_and_a_budget_per_item_any_of_them(shelf: Shelf) -> None:
    offers = [shelf.offers(thing) for thing in (BATH, HOUSE)]
    assert budget_for(offers, 0.5) == Money(amount="60")  # two at 24, a tenth more, rounded up
    assert budget_for(offers, 0.5, dearest=True) == Money(amount="30")
    assert budget_for(offers[:1], 0.5, pieces=3) == Money(amount="80")


def test_unknown_prices_give_no_budget(make_world: MakeWorld) -> None:
    with Toolkit(Session(make_world(products(prices=False), []))) as toolkit:
        assert budget_for([Shelf(Stock(toolkit.session.world)).offers(BATH)], 0.5) is None


@given(st.decimals(min_value=Decimal("0.01"), max_value=100_000, places=2))
def test_a_round_amount_is_never_below_what_it_was_made_from(amount: Decimal) -> None:
    rounded = rounded_up(amount)
    assert amount <= rounded < max(amount * Decimal("1.34"), amount + 5)
    assert rounded % 5 == 0

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.env.session import Session
from drretail.env.world import World
from drretail.querygen.checks.stock import Stock
from drretail.querygen.rules.history import Purchase
from drretail.querygen.rules.naming import Thing
from drretail.querygen.rules.offers import Offers, budget_for, rounded_up
from drretail.records.money import Money
from drretail.records.query import Constraints, demands
from drretail.tools.toolkit import Toolkit
from tests.querygen.conftest import BRANDS, PER_KIND, MakeWorld, product_id, products

BATH, HOUSE = Thing("bird bath"), Thing("birdhouse")


@pytest.fixture
def offers(world: World) -> Iterator[Offers]:
    with Toolkit(Session(world, scope="any")) as toolkit:
        yield Offers(Stock(toolkit.session.world))


def ids(offers: Offers, constraints: Constraints, without: frozenset[str] = frozenset()) -> set[int]:
    """The numbers of the bird baths that keep to the constraints."""
    kept = {offer.product.product_id for offer in offers.kept(BATH, constraints, without)}
    return {number for number in range(PER_KIND) if product_id("bird bath", number) in kept}


def test_offers_are_products_of_the_very_kind(offers: Offers) -> None:
    assert {offer.product.product_id for offer in offers.of(BATH)} == {
        product_id("bird bath", it) for it in range(PER_KIND)
    }


def test_kept_is_what_has_the_demanded_and_enough_reviews_and_is_of_no_unwanted_brand(offers: Offers) -> None:
    assert ids(offers, Constraints(must=demands("heated"))) == {1, 3}
    assert ids(offers, Constraints(must_not=demands("fewer than 90 reviews"))) == {3, 4}
    assert ids(offers, Constraints(must=demands("at least 4 stars"))) == {2, 3, 4}
    assert ids(offers, Constraints(brands_unwanted=(BRANDS[0],))) == {1, 2, 3, 4}
    assert ids(offers, Constraints(), frozenset({product_id("bird bath", 0)})) == {1, 2, 3, 4}
    assert offers.meets(BATH, "heated")
    assert not offers.meets(BATH, "made of moonlight")


def test_what_the_user_owns_does_not_hide_offers_from_other_users(offers: Offers) -> None:
    assert ids(offers, Constraints(owned=(product_id("bird bath", 0),)), frozenset({product_id("bird bath", 0)})) == {
        *range(1, PER_KIND)
    }
    assert ids(offers, Constraints()) == {*range(PER_KIND)}


def test_there_is_enough_of_a_thing_only_besides_what_was_bought(offers: Offers) -> None:
    assert offers.has(BATH)
    assert not offers.has(BATH, without={product_id("bird bath", number) for number in range(PER_KIND - 1)})


def test_beside_a_purchase_stand_the_other_things_of_its_part_of_the_shop(offers: Offers) -> None:
    path = ("Everything", "Outdoor Living", "Bird Bath")
    bath = Purchase(product_id("bird bath", 1), BATH, date(2023, 1, 1), ("1",), 9.0, None, path)
    assert {it.name for it in offers.beside(bath)} == {"bird feeder", "garden hose"}
    assert BATH not in offers.beside(replace(bath, path=(), category="Home_and_Kitchen"))
    assert HOUSE not in offers.beside(bath)  # of one word: too little to tell it by


def test_a_total_buys_one_of_each_and_a_budget_per_item_any_of_them(offers: Offers) -> None:
    both = [offers.of(thing) for thing in (BATH, HOUSE)]
    assert budget_for(both, 0.5) == Money(amount="60")  # two at 24, a tenth more, rounded up
    assert budget_for(both, 0.5, dearest=True) == Money(amount="30")
    assert budget_for(both[:1], 0.5, pieces=3) == Money(amount="80")


def test_unknown_prices_give_no_budget(make_world: MakeWorld) -> None:
    with Toolkit(Session(make_world(products(prices=False), []), scope="any")) as toolkit:
        assert budget_for([Offers(Stock(toolkit.session.world)).of(BATH)], 0.5) is None


@given(st.decimals(min_value=Decimal("0.01"), max_value=100_000, places=2))
def test_a_round_amount_is_never_below_what_it_was_made_from(amount: Decimal) -> None:
    rounded = rounded_up(amount)
    assert amount <= rounded < max(amount * Decimal("1.34"), amount + 5)
    assert rounded % 5 == 0

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
from drretail.querygen.rules.offers import Assortment, budget_for, rounded_up
from drretail.records.money import Money
from drretail.records.shop import Product
from drretail.records.wish import Want
from drretail.tools.toolkit import Toolkit
from tests.querygen.conftest import BRANDS, PER_KIND, MakeWorld, bought, product_id, products

BATH, HOUSE = Thing("bird bath"), Thing("birdhouse")


@pytest.fixture
def assortment(world: World) -> Iterator[Assortment]:
    with Toolkit(Session(world, scope="any")) as toolkit:
        yield Assortment(Stock(toolkit.session.world))


def ids(assortment: Assortment, without: frozenset[str] = frozenset(), **limits: object) -> set[int]:
    """The numbers of the bird baths that would do."""
    want = Want.model_validate({**assortment.want_of(BATH).model_dump(), **limits})
    fitting = {offer.product.product_id for offer in assortment.fitting(want, without)}
    return {number for number in range(PER_KIND) if product_id("bird bath", number) in fitting}


def test_offers_are_products_of_the_very_kind(assortment: Assortment) -> None:
    assert {offer.product.product_id for offer in assortment.of(BATH)} == {
        product_id("bird bath", number) for number in range(PER_KIND)
    }


def test_a_want_names_the_leaf_category_too_where_all_of_it_is_that_thing(make_world: MakeWorld) -> None:
    def product(name: str, title: str, leaf: str) -> Product:
        path = ("Everything", "Birds", leaf)
        return Product(product_id=name, title=title, categories=path, category="Everything", price=9.0)

    baths = [product(f"P{number}", f"Tallow Bird Bath, {number} Inch", "Baths & Basins") for number in range(3)]
    rows = bought("ANNA", "planner")
    world = make_world(baths, [rows[0]._replace(product_id="P0")])
    assert Assortment(Stock(world)).want_of(BATH).kinds == ("bird bath", "Baths & Basins")
    mixed = make_world(
        [*baths, product("P9", "Tallow Foot Basin", "Baths & Basins")], [rows[0]._replace(product_id="P0")]
    )
    assert Assortment(Stock(mixed)).want_of(BATH).kinds == ("bird bath",)


def test_fitting_is_what_has_the_demanded_and_enough_ratings_and_is_of_no_unwanted_brand(
    assortment: Assortment,
) -> None:
    assert ids(assortment, must=["heated"]) == {1, 3}
    assert ids(assortment, ratings_min=90) == {3, 4}
    assert ids(assortment, rating_min=4) == {2, 3, 4}
    assert ids(assortment, brands_unwanted=[BRANDS[0]]) == {1, 2, 3, 4}
    assert ids(assortment, frozenset({product_id("bird bath", 0)})) == {1, 2, 3, 4}
    assert ids(assortment) == {*range(PER_KIND)}
    assert assortment.differ_in(BATH, "heated")
    assert not assortment.differ_in(BATH, "made of moonlight")


def test_there_is_enough_of_a_thing_only_besides_what_was_bought(assortment: Assortment) -> None:
    assert assortment.has(BATH)
    assert not assortment.has(BATH, without={product_id("bird bath", number) for number in range(PER_KIND - 1)})


def test_beside_a_purchase_stand_the_other_things_of_its_part_of_the_shop(assortment: Assortment) -> None:
    path = ("Everything", "Outdoor Living", "Bird Bath")
    bath = Purchase(product_id("bird bath", 1), BATH, date(2023, 1, 1), ("1",), 9.0, None, path)
    assert {it.name for it in assortment.beside(bath)} == {"bird feeder", "garden hose"}
    assert BATH not in assortment.beside(replace(bath, path=(), category="Home_and_Kitchen"))
    assert HOUSE not in assortment.beside(bath)  # of one word: too little to tell it by


def test_a_total_buys_one_of_each_and_a_budget_per_item_any_of_them(assortment: Assortment) -> None:
    both = [assortment.of(thing) for thing in (BATH, HOUSE)]
    assert budget_for(both, 0.5) == Money(amount="60")  # two at 24, a tenth more, rounded up
    assert budget_for(both, 0.5, dearest=True) == Money(amount="30")
    assert budget_for(both[:1], 0.5, pieces=3) == Money(amount="80")


def test_unknown_prices_give_no_budget(make_world: MakeWorld) -> None:
    with Toolkit(Session(make_world(products(prices=False), []), scope="any")) as toolkit:
        assert budget_for([Assortment(Stock(toolkit.session.world)).of(BATH)], 0.5) is None


@given(st.decimals(min_value=Decimal("0.01"), max_value=100_000, places=2))
def test_a_round_amount_is_never_below_what_it_was_made_from(amount: Decimal) -> None:
    rounded = rounded_up(amount)
    assert amount <= rounded < max(amount * Decimal("1.34"), amount + 5)
    assert rounded % 5 == 0

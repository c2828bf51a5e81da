"""What the shop could sell for a wish, and that a check shows the basket that reports are measured by."""

import pytest

from drretail.env.offers import Offers
from drretail.env.world import World
from drretail.querygen.lint import Linter
from drretail.records.money import Money
from drretail.records.query import Query, Reference
from drretail.records.shop import Product
from drretail.records.wish import Want, Wish
from tests.querygen.conftest import PER_KIND, MakeWorld, bought, product_id

BOTH = (Want(name="bird feeder", kinds=("bird feeder",)), Want(name="desk lamp", kinds=("desk lamp",)))
SHAMPOO = Want(name="shampoo", kinds=("shampoo",))


def query(wish: Wish | None, user: str | None = None) -> Query:
    return Query(query_id="q1", user_id=user, text="What should I buy?", wish=wish, source="t")


def found(world: World, *wants: Want, user: str | None = None, budget: Money | None = None) -> Reference:
    return Offers(world).reference(query(Wish(wants=wants, budget=budget), user))


def picks(reference: Reference) -> list[str]:
    assert reference.best is not None
    return [item.product_id for item in reference.best.items]


def test_every_want_has_its_best_product(world: World) -> None:
    reference = found(world, *BOTH)
    assert [(thing.name, len(thing.fits)) for thing in reference.things] == [
        ("bird feeder", PER_KIND),
        ("desk lamp", PER_KIND),
    ]
    assert picks(reference) == [product_id("bird feeder", 4), product_id("desk lamp", 4)]


def test_the_budget_holds_the_best_down(world: World) -> None:
    reference = found(world, *BOTH, budget=Money.of(60))
    assert picks(reference) == [product_id("bird feeder", 0), product_id("desk lamp", 4)]


def test_what_the_user_has_is_left_out_unless_one_more_of_it_is_wanted(world: World) -> None:
    had = product_id("shampoo", 1)
    assert found(world, SHAMPOO, user="ANNA").left_out == (had,)
    assert found(world, SHAMPOO.model_copy(update={"again": True}), user="ANNA").left_out == ()
    assert found(world, SHAMPOO).left_out == ()


@pytest.mark.parametrize(("wish", "lack"), [(None, "not_typed"), (Wish(), "no_things")])
def test_without_a_wish_and_without_wants_there_is_no_basket(world: World, wish: Wish | None, lack: str) -> None:
    reference = Offers(world).reference(query(wish))
    assert (reference.things, reference.lack) == ((), lack)


@pytest.mark.parametrize("again", [True, False])
def test_a_check_shows_the_basket_that_reports_are_measured_by(world: World, again: bool) -> None:
    had = product_id("shampoo", 1)
    want = SHAMPOO.model_copy(update={"again": again, "must": ("fragrance free",)})
    asked = query(Wish(wants=(want,), budget=Money.of(18)), "ANNA")
    shown, measured = Linter(world).check(asked).reference.cheapest, Offers(world).reference(asked).cheapest
    assert shown == measured
    assert (() if shown is None else tuple(item.product_id for item in shown.items)) == ((had,) if again else ())


def test_products_are_found_by_every_name_of_their_kind_and_by_their_leaf(make_world: MakeWorld) -> None:
    path = ("Patio", "Birds", "Birdhouses")
    titles = {
        "H1": "Wrenwick Wren Birdhouse, Pine",
        "H2": "Sundapple Outdoor Bird House for Purple Martins – Recycled Lumber",
        "H3": "Fernhollow Refill Bottle, 12 oz",
    }
    made = [
        Product(product_id=key, title=title, categories=path if key < "H3" else ("Patio",), category="Patio", price=9.0)
        for key, title in titles.items()
    ]
    offers = Offers(make_world(made, [bought("ANNA", "desk lamp")[0]._replace(product_id="H3")]))
    found = offers.of_want(Want(name="birdhouse", kinds=("birdhouse",)))
    assert [listing.product.product_id for listing in found] == ["H1", "H2"]

"""References found in a world: what a query's words ask for, without what its user has."""

import pytest

from drretail.env.world import World
from drretail.querygen.checks.stock import Stock
from drretail.querygen.lint import Linter, References
from drretail.querygen.rules.naming import Thing
from drretail.records.money import Money
from drretail.records.query import Constraints, Query, Reference, demands
from drretail.records.shop import Product
from tests.querygen.conftest import PER_KIND, MakeWorld, bought, product_id


def found(world: World, text: str, user: str | None = None, **constraints: object) -> Reference:
    given = Constraints.model_validate(constraints)
    return References(world).of(Query(query_id="q1", user_id=user, text=text, constraints=given, source="t"))


def picks(reference: Reference) -> list[str]:
    assert reference.best is not None
    return [item.product_id for item in reference.best.items]


def test_every_thing_that_is_asked_for_has_its_best_product(world: World) -> None:
    reference = found(world, "I need a bird feeder and a desk lamp.")
    assert [(thing.name, len(thing.fits)) for thing in reference.things] == [
        ("bird feeder", PER_KIND),
        ("desk lamp", PER_KIND),
    ]
    assert picks(reference) == [product_id("bird feeder", 4), product_id("desk lamp", 4)]


def test_the_budget_holds_the_best_down(world: World) -> None:
    reference = found(world, "I need a bird feeder and a desk lamp.", budget=Money.of(60))
    assert picks(reference) == [product_id("bird feeder", 0), product_id("desk lamp", 4)]


def test_what_the_user_has_is_left_out_unless_it_is_wanted_again(world: World) -> None:
    had = product_id("shampoo", 1)
    assert found(world, "Find me a shampoo.", "ANNA").left_out == (had,)
    assert found(world, "I'm running low on shampoo: find me some.", "ANNA").left_out == ()
    assert found(world, "Find me a shampoo.").left_out == ()


@pytest.mark.parametrize("categories", [(), ("Home_and_Kitchen",)])
def test_a_query_that_names_no_thing_has_no_basket_even_with_a_category(
    world: World, categories: tuple[str, ...]
) -> None:
    reference = found(world, "What should I read next?", categories=categories)
    assert (reference.things, reference.lack) == ((), "no_things")


def test_a_check_shows_the_basket_that_reports_are_measured_by(world: World) -> None:
    linter, references = Linter(world), References(world)
    had = product_id("shampoo", 1)
    for text in ("Find me a shampoo under $18.", "I'm running low on shampoo: find me some under $18."):
        query = Query(
            query_id="q1",
            user_id="ANNA",
            text=text,
            constraints=Constraints(budget=Money.of(18), must=demands("fragrance free")),
            source="t",
        )
        checked, reference = linter.check(query), references.of(query)
        shown = () if checked.basket is None else tuple(pick.product_id for pick in checked.basket.picks)
        measured = () if reference.cheapest is None else tuple(it.product_id for it in reference.cheapest.items)
        assert shown == measured == ((had,) if "low" in text else ())


def test_products_are_found_by_every_name_of_their_kind_and_by_their_leaf(make_world: MakeWorld) -> None:
    path = ("Patio", "Birds", "Birdhouse")
    titles = {
        "H1": "Wrenwick Wren Birdhouse, Pine",
        "H2": "Sundapple Outdoor Bird House for Purple Martins – Recycled Lumber",
        "H3": "Fernhollow Refill Bottle, 12 oz",
    }
    made = [
        Product(product_id=key, title=title, categories=path, category="Patio", price=9.0)
        for key, title in titles.items()
    ]
    stock = Stock(make_world(made, [bought("ANNA", "desk lamp")[0]._replace(product_id="H3")]))
    assert {it.product.product_id for it in stock.offers(Thing("birdhouse"))} == {"H1", "H2"}


def test_the_leaf_of_a_path_says_what_a_title_leaves_open(make_world: MakeWorld) -> None:
    feeder = Product(
        product_id="F1",
        title="Fernhollow 1.5 lb Platform Feeder for Wild Birds",
        categories=("Patio", "Birds", "Feeders"),
        category="Patio",
        price=9.0,
    )
    stock = Stock(make_world([feeder], [bought("ANNA", "desk lamp")[0]._replace(product_id="F1")]))
    assert [it.product.product_id for it in stock.offers(Thing("bird feeder"))] == ["F1"]

"""References found in a world: what a query's words ask for, without what its user has."""

import pytest

from drretail.env.world import World
from drretail.querygen.checks.stock import Stock
from drretail.querygen.phrases import phrase_of
from drretail.querygen.references import References
from drretail.querygen.things import Thing, thing_named
from drretail.records.basket import Reference
from drretail.records.money import Money
from drretail.records.query import Constraints, Query
from tests.querygen.conftest import PER_KIND, product_id


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


def test_a_phrase_that_spells_like_a_known_kind_hides_none_of_its_offers(world: World) -> None:
    stock = Stock(world)
    assert stock.offers(Thing(phrase_of("bird feeder"))) == ()
    assert len(stock.offers(thing_named("bird feeder"))) == PER_KIND

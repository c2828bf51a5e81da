"""The reference of a query: its things with all that would do, and the cheapest and the best basket."""

import pytest

from drretail.grounding.basket.cheapest import Slot
from drretail.grounding.basket.reference import reference_of
from drretail.grounding.constraints.query import asks_again
from drretail.records.money import Money
from drretail.records.query import Constraints, Query, Reference
from tests.grounding.basket.test_cheapest import product, slot


def found(*slots: Slot, bought: tuple[str, ...] = (), **constraints: object) -> Reference:
    query = Query(query_id="q1", text="?", constraints=Constraints.model_validate(constraints), source="t")
    return reference_of(query, slots, bought)


def ids(reference: Reference) -> tuple[list[str], list[str]]:
    assert reference.cheapest is not None
    assert reference.best is not None
    return [it.product_id for it in reference.cheapest.items], [it.product_id for it in reference.best.items]


CHEAP = product("A", 5, average_rating=3.0, rating_number=500)
GOOD = product("B", 9.50, average_rating=4.8, rating_number=500)
SCARF = product("C", 20, average_rating=5.0, rating_number=900)


def test_the_cheapest_and_the_best_are_told_apart_with_their_totals_and_worth() -> None:
    reference = found(slot("feeder", CHEAP, GOOD, quantity=2), budget=Money.of(20))
    assert ids(reference) == (["A"], ["B"])
    assert reference.cheapest is not None
    assert reference.best is not None
    assert (reference.cheapest.total, reference.best.total) == (Money.of(10), Money.of(19))
    assert (reference.best.items[0].price, reference.best.worth) == ("9.5", 478)


def test_everything_that_would_do_is_kept_with_what_it_is_worth_even_without_a_price() -> None:
    reference = found(slot("feeder", GOOD, CHEAP, product("D", None), product("E", 1, currency="EUR")))
    (thing,) = reference.things
    assert [(fit.product_id, fit.price) for fit in thing.fits] == [("A", "5"), ("B", "9.5"), ("D", None), ("E", None)]


def test_what_is_owned_or_bought_is_left_out_and_named() -> None:
    reference = found(slot("feeder", CHEAP, GOOD, SCARF), bought=("B", "Z"), owned=["C"])
    assert ids(reference) == (["A"], ["A"])
    assert reference.left_out == ("B", "C")
    assert [fit.product_id for fit in reference.things[0].fits] == ["A"]


@pytest.mark.parametrize(
    ("slots", "lack"),
    [
        ([], "no_things"),
        ([slot("feeder", CHEAP), slot("bath")], "nothing_offered"),
        ([slot("scarf", SCARF)], "too_dear"),
        ([slot("scarf", product("D", None))], "no_price"),
    ],
)
def test_why_there_is_no_basket(slots: list[Slot], lack: str) -> None:
    reference = found(*slots, budget=Money.of(10))
    assert (reference.lack, reference.cheapest, reference.best) == (lack, None, None)


def test_where_the_price_of_what_would_do_is_unknown_it_is_the_price_that_lacks() -> None:
    quiet = product("D", None, features=("Waterproof",))
    assert found(slot("feeder", CHEAP, quiet), must=["waterproof"]).lack == "no_price"


@pytest.mark.parametrize(
    ("constraints", "lack"),
    [
        ({"budget": Money.of(0)}, "too_dear"),
        ({"budget": Money.of(100, "EUR")}, "no_price"),
        ({"brands_wanted": ["Unheard Of"]}, "no_such_brand"),
        ({"must": ["waterproof"]}, "demands"),
        ({"must_not": ["feeder"]}, "demands"),
        ({"owned": ["A", "B"]}, "owned"),
        ({"owned": ["A", "B"], "must": ["waterproof"]}, "no_basket"),
        ({"owned": ["A"], "budget": Money.of(6)}, "too_dear"),
    ],
)
def test_the_one_constraint_that_stands_in_the_way_is_named(constraints: dict[str, object], lack: str) -> None:
    query = Query(query_id="q1", text="?", constraints=Constraints.model_validate(constraints), source="t")
    assert reference_of(query, [slot("feeder", CHEAP, GOOD)]).lack == lack


def test_it_is_the_same_after_a_round_trip() -> None:
    reference = found(slot("feeder", CHEAP, GOOD, product("D", None)), brands_wanted=["Tallow"])
    assert Reference.model_validate(reference.model_dump(mode="json", exclude_none=True)) == reference


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("I'm running low on soap.", True),
        ("I don't want to reorder the soap, but something new.", False),
        ("Running low on soap. Nothing I already own, please.", False),
        ("Which soap?", False),
    ],
)
def test_a_query_that_wants_more_of_what_is_had_says_so(text: str, again: bool) -> None:
    assert asks_again(text) is again


def test_without_a_budget_the_shops_own_currency_counts() -> None:
    reference = found(slot("feeder", product("A", 5, currency="EUR"), product("B", 7, currency="EUR")))
    assert reference.lack is None
    assert reference.cheapest is not None
    assert reference.cheapest.total == Money.of(5, "EUR")

"""The cheapest choice, against all choices there are."""

from collections.abc import Sequence
from decimal import Decimal
from itertools import product as combinations

from hypothesis import given

from drretail.grounding.basket.choice import cheapest_choice, total_of
from drretail.records.query import WantedThing
from tests.grounding.basket.things import fit, thing, things


def ids(chosen_of: Sequence[WantedThing]) -> list[str] | None:
    chosen = cheapest_choice(chosen_of)
    return None if chosen is None else [fit.product_id for fit in chosen]


def test_each_thing_is_bought_where_it_is_cheapest_in_its_quantity() -> None:
    wanted = [thing("a", fit("A1", "9"), fit("A2", "7")), thing("b", fit("B1", "3"), quantity=2)]
    chosen = cheapest_choice(wanted)
    assert chosen is not None
    assert [it.product_id for it in chosen] == ["A2", "B1"]
    assert total_of(wanted, chosen) == Decimal(13)


def test_no_product_is_bought_for_two_things() -> None:
    shared = fit("X", "5"), fit("Y", "20")
    assert ids([thing("a", *shared), thing("b", *shared, fit("Z", "6"))]) == ["X", "Z"]


def test_what_has_no_known_price_is_not_bought() -> None:
    assert ids([thing("a", fit("A", None), fit("B", "9"))]) == ["B"]
    assert ids([thing("a", fit("A", None))]) is None


def test_a_thing_for_which_nothing_would_do_leaves_no_choice_and_no_thing_an_empty_one() -> None:
    assert ids([thing("a", fit("A")), thing("b")]) is None
    assert ids([]) == []


def test_of_equal_prices_the_least_id_is_taken_in_whatever_order_they_come() -> None:
    assert ids([thing("a", fit("B"), fit("A"))]) == ids([thing("a", fit("A"), fit("B"))]) == ["A"]


@given(wanted=things())
def test_no_choice_is_cheaper(wanted: list[WantedThing]) -> None:
    priced = [[fit for fit in thing.fits if fit.price is not None] for thing in wanted]
    totals = [
        total_of(wanted, chosen)
        for chosen in combinations(*priced)
        if len({fit.product_id for fit in chosen}) == len(chosen)
    ]
    chosen = cheapest_choice(wanted)
    assert (None if chosen is None else total_of(wanted, chosen)) == min(totals, default=None)
    assert chosen is None or len({fit.product_id for fit in chosen}) == len(wanted)

"""The cheapest choice and the one of the greatest worth, against all choices there are."""

from collections.abc import Sequence
from decimal import Decimal
from itertools import product as combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.grounding.basket.choice import UNRATED, best_choice, cheapest_choice, total_of, worths
from drretail.grounding.constraints.listing import listing_of
from drretail.records.query import WantedThing
from tests.grounding.basket.things import fit, product, thing, things


def ids(budget: int | None, *wanted: WantedThing) -> list[str] | None:
    chosen = best_choice(wanted, None if budget is None else Decimal(budget))
    return None if chosen is None else [fit.product_id for fit in chosen]


def cheapest_ids(chosen_of: Sequence[WantedThing]) -> list[str] | None:
    chosen = cheapest_choice(chosen_of)
    return None if chosen is None else [fit.product_id for fit in chosen]


def test_each_thing_is_bought_where_it_is_cheapest_in_its_quantity() -> None:
    wanted = [thing("a", fit("A1", "9"), fit("A2", "7")), thing("b", fit("B1", "3"), quantity=2)]
    chosen = cheapest_choice(wanted)
    assert chosen is not None
    assert [one.product_id for one in chosen] == ["A2", "B1"]
    assert total_of(wanted, chosen) == Decimal(13)


def test_a_thing_for_which_nothing_would_do_leaves_no_choice_and_no_thing_an_empty_one() -> None:
    assert cheapest_ids([thing("a", fit("A")), thing("b")]) is None
    assert cheapest_ids([]) == []


def test_of_equal_prices_the_least_id_is_taken_in_whatever_order_they_come() -> None:
    assert cheapest_ids([thing("a", fit("B"), fit("A"))]) == cheapest_ids([thing("a", fit("A"), fit("B"))]) == ["A"]


CHOICE = (
    thing("a", fit("A", "1", 1), fit("B", "9", 2)),
    thing("b", fit("C", "9", 5), fit("D", "1", 1)),
)


DEAR_OR_GOOD = (thing("a", fit("A", "1", 5)), thing("b", fit("B", "1", 1), fit("C", "8", 3), quantity=3))
SHARED = fit("X", "1", 9), fit("Y", "1", 1)


@pytest.mark.parametrize(
    ("budget", "wanted", "chosen"),
    [
        (None, CHOICE, ["B", "C"]),
        (10, CHOICE, ["A", "C"]),
        (1, CHOICE, None),
        # every piece costs, and a thing is worth something once
        (20, [thing("a", fit("A", "9", 5), fit("B", "1", 4), quantity=3)], ["B"]),
        (24, DEAR_OR_GOOD, ["A", "B"]),
        # of equally good choices the cheapest, then the least id
        (None, [thing("a", fit("B", "9", 3), fit("A", "8", 3))], ["A"]),
        (None, [thing("a", fit("B", "7", 3), fit("A", "8", 3))], ["B"]),
        (None, [thing("a", fit("B", "8", 3), fit("A", "8", 3))], ["A"]),
        # no product for two things, and none of unknown price
        (None, [thing("a", *SHARED), thing("b", *SHARED, fit("Z", "1", 8))], ["X", "Z"]),
        (None, [thing("a", fit("A", None, 9), fit("B", "1", 1))], ["B"]),
    ],
)
def test_the_best_choice_within_a_budget(
    budget: int | None, wanted: Sequence[WantedThing], chosen: list[str] | None
) -> None:
    assert ids(budget, *wanted) == chosen


@given(wanted=things(), budget=st.none() | st.integers(1, 40))
def test_no_choice_is_worth_more_and_none_as_good_is_cheaper(wanted: list[WantedThing], budget: int | None) -> None:
    priced = [[fit for fit in thing.fits if fit.price is not None] for thing in wanted]
    ranked = [
        (-sum(fit.worth for fit in chosen), total_of(wanted, chosen), [fit.product_id for fit in chosen])
        for chosen in combinations(*priced)
        if len({fit.product_id for fit in chosen}) == len(chosen)
    ]
    within = [rank for rank in ranked if budget is None or rank[1] <= budget]
    chosen = best_choice(wanted, None if budget is None else Decimal(budget))
    found = None if chosen is None else (-sum(fit.worth for fit in chosen), total_of(wanted, chosen), [
        fit.product_id for fit in chosen
    ])  # fmt: skip
    assert found == min(within, default=None)
    cheapest = cheapest_choice(wanted)
    totals = [rank[1] for rank in ranked]
    assert (None if cheapest is None else total_of(wanted, cheapest)) == min(totals, default=None)
    affords = cheapest is not None and (budget is None or total_of(wanted, cheapest) <= budget)
    assert (chosen is not None) is affords


def test_a_mean_of_few_ratings_is_believed_less() -> None:
    many = listing_of(product("A", average_rating=4.6, rating_number=900))
    few = listing_of(product("B", average_rating=5.0, rating_number=1))
    unrated = listing_of(product("C"))
    found = worths([many, few, unrated])
    assert found["A"] == 460
    assert found["C"] == round(100 * (4.6 + 5.0) / 2)
    assert found["C"] < found["B"] < 500


def test_where_nothing_is_rated_everything_is_worth_the_middle_of_the_scale() -> None:
    listings = [listing_of(product("A")), listing_of(product("B", rating_number=500))]
    assert worths(listings) == {"A": 100 * UNRATED, "B": 100 * UNRATED}
    assert worths([]) == {}

"""The cheapest choice and the one of the greatest worth, against all choices there are."""

from decimal import Decimal
from itertools import product as combinations

from hypothesis import given
from hypothesis import strategies as st

from drretail.grounding.basket.choice import UNRATED, best_choice, cheapest_choice, total_of, worths
from drretail.grounding.constraints.listing import listing_of
from drretail.records.query import WantedThing
from tests.grounding.basket.things import product, things


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


def test_a_mean_of_few_ratings_is_believed_less_and_what_is_not_rated_is_worth_the_middle() -> None:
    many = listing_of(product("A", average_rating=4.6, rating_number=900))
    few = listing_of(product("B", average_rating=5.0, rating_number=1))
    unrated = listing_of(product("C"))
    found = worths([many, few, unrated])
    assert found["A"] == 460
    assert found["C"] == round(100 * (4.6 + 5.0) / 2)
    assert found["C"] < found["B"] < 500
    listings = [listing_of(product("A")), listing_of(product("B", rating_number=500))]
    assert worths(listings) == {"A": 100 * UNRATED, "B": 100 * UNRATED}
    assert worths([]) == {}

"""The solver for the best basket, against all baskets there are."""

from decimal import Decimal
from itertools import product as combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.grounding.basket.best import BRAND, best_basket, worth_of, worths
from drretail.grounding.basket.cheapest import Basket, cheapest_basket
from drretail.grounding.constraints.listing import listing_of
from drretail.records.money import Money
from drretail.records.query import Constraints
from tests.grounding.basket.test_cheapest import ids, product, slot

PRICES = st.sampled_from([1.0, 2.0, 2.5, 4.0, 8.0])
OFFERS = st.lists(
    st.tuples(st.integers(0, 6), PRICES, st.integers(0, 4), st.booleans()), max_size=6, unique_by=lambda it: it[0]
)


def solved(budget: str | None, *worth: dict[str, int], **prices: float) -> Basket | None:
    """Of one slot for each mapping, with the offers it names."""
    slots = [slot(str(number), *(product(name, prices[name]) for name in of)) for number, of in enumerate(worth)]
    return best_basket(slots, Constraints(budget=None if budget is None else Money.of(budget)), worth)


def test_without_a_budget_the_best_of_each_thing_is_taken() -> None:
    assert ids(solved(None, {"A": 1, "B": 2}, {"C": 5, "D": 4}, A=1, B=9, C=9, D=1)) == ["B", "C"]


def test_the_budget_is_spent_where_it_is_worth_most() -> None:
    assert ids(solved("10", {"A": 1, "B": 2}, {"C": 5, "D": 1}, A=1, B=9, C=9, D=1)) == ["A", "C"]
    assert solved("1", {"A": 1}, {"D": 1}, A=1, D=1) is None


@pytest.mark.parametrize(("second", "chosen"), [(9.0, "A"), (7.0, "B")])
def test_of_equally_good_baskets_the_cheapest_is_taken_then_the_least_id(second: float, chosen: str) -> None:
    assert ids(solved(None, {"A": 3, "B": 3}, A=8, B=second)) == [chosen]
    assert ids(solved(None, {"A": 3, "B": 3}, A=8, B=8)) == ["A"]


def test_no_product_fills_two_slots() -> None:
    shared = {"X": 9, "Y": 1}
    assert ids(solved(None, shared, {**shared, "Z": 8}, X=1, Y=1, Z=1)) == ["X", "Z"]


def test_one_pick_is_of_a_wanted_brand() -> None:
    slots = [slot("a", product("A"), product("B", store="Nordlys")), slot("b", product("C"))]
    found = best_basket(slots, Constraints(brands_wanted=("Nordlys",)), [{"A": 9, "B": 1}, {"C": 1}])
    assert ids(found) == ["B", "C"]


def test_a_mean_of_few_ratings_is_believed_less() -> None:
    many = listing_of(product("A", average_rating=4.6, rating_number=900))
    few = listing_of(product("B", average_rating=5.0, rating_number=1))
    unrated = listing_of(product("C"))
    found = worths([many, few, unrated], Constraints())
    assert found["A"] == 460
    assert found["C"] == round(100 * (4.6 + 5.0) / 2)
    assert found["C"] < found["B"] < 500


def test_a_wanted_brand_is_worth_half_a_star_and_nothing_rated_is_the_middle() -> None:
    found = worths([listing_of(product("A", store="Nordlys")), listing_of(product("B"))], Constraints())
    assert found == {"A": 300, "B": 300}
    wanted = worths([listing_of(product("A", store="Nordlys"))], Constraints(brands_wanted=("NORDLYS",)))
    assert wanted == {"A": 300 + BRAND}


@given(
    offers=st.lists(OFFERS, min_size=1, max_size=4),
    quantities=st.lists(st.integers(1, 3), min_size=4, max_size=4),
    budget=st.none() | st.integers(1, 30),
    per_item=st.booleans(),
    branded=st.booleans(),
)
def test_no_basket_is_worth_more_and_none_as_good_is_cheaper(
    offers: list[list[tuple[int, float, int, bool]]],
    quantities: list[int],
    budget: int | None,
    per_item: bool,
    branded: bool,
) -> None:
    slots = [
        slot(
            str(index),
            *(product(f"P{n}", price, store="Tallow" if brand else "Ostrava") for n, price, _, brand in row),
            quantity=count,
        )
        for index, (row, count) in enumerate(zip(offers, quantities, strict=False))
    ]
    constraints = Constraints(
        budget=None if budget is None else Money.of(budget),
        budget_scope="per_item" if per_item else "total",
        brands_wanted=("Tallow",) if branded else (),
    )
    worth = [{f"P{n}": value for n, _, value, _ in row} for row in offers]
    ranked = [
        (
            -sum(value for _, _, value, _ in chosen),
            sum(Decimal(str(price)) * count for (_, price, _, _), count in zip(chosen, quantities, strict=False)),
            [f"P{n}" for n, _, _, _ in chosen],
        )
        for chosen in combinations(*offers)
        if len({n for n, _, _, _ in chosen}) == len(chosen)
        and (not branded or any(brand for _, _, _, brand in chosen))
        and (budget is None or not per_item or all(price <= budget for _, price, _, _ in chosen))
    ]
    within = [it for it in ranked if budget is None or per_item or it[1] <= budget]
    found = best_basket(slots, constraints, worth)
    made = None if found is None else (-worth_of(found, worth), found.total, ids(found))
    assert made == min(within, default=None)
    assert (found is None) is (cheapest_basket(slots, constraints) is None)

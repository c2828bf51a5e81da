"""The measures of a report's picks, beside the cheapest and the best basket."""

import pytest

from drretail.eval.basket.distance import MEASURES, Distance
from drretail.grounding.basket.cheapest import Slot
from drretail.grounding.basket.reference import reference_of
from drretail.records.money import Money
from drretail.records.query import Constraints, Query
from tests.grounding.basket.test_cheapest import product, slot

FEEDERS = slot(
    "feeder",
    product("A", 10, average_rating=4.0, rating_number=10_000),
    product("B", 20, average_rating=5.0, rating_number=10_000),
    product("N", None, average_rating=5.0, rating_number=10_000),
)
BATHS = slot("bath", product("C", 15, average_rating=4.0, rating_number=10_000), quantity=2)


def measured(*recommended: str, slots: tuple[Slot, ...] = (FEEDERS, BATHS), **given: object) -> dict[str, float | None]:
    constraints = Constraints.model_validate({"budget": Money.of(50)} | given)
    query = Query(query_id="q1", text="?", constraints=constraints, source="t")
    distance = Distance.of(reference_of(query, slots), constraints, recommended)
    return {
        name: None if (value := measure(distance).value) is None else round(value, 3)
        for name, measure in MEASURES.items()
    }


def values(
    covered: float | None,
    within_budget: float | None,
    feasible: float | None,
    cost_ratio: float | None,
    utility_ratio: float | None,
) -> dict[str, float | None]:
    return dict(zip(MEASURES, (covered, within_budget, feasible, cost_ratio, utility_ratio), strict=True))


def test_the_best_basket_is_the_ceiling_and_costs_more_than_the_cheapest() -> None:
    assert measured("B", "C") == values(1, 1, 1, 1.25, 1)


def test_the_cheapest_costs_what_it_must_and_is_worth_less() -> None:
    assert measured("X", "C", "A") == values(1, 1, 1, 1, 0.889)


def test_nothing_recommended_is_0_and_has_no_price() -> None:
    assert measured() == values(0, None, 0, None, 0)
    assert measured("X") == measured()


def test_a_part_is_worth_its_part_and_is_no_whole_basket() -> None:
    assert measured("B") == values(0.5, 1, 0, None, 0.556)


def test_what_breaks_the_budget_is_worth_nothing_and_its_quantity_counts() -> None:
    assert measured("B", "C", budget=Money.of(45)) == values(1, 0, 0, 1.25, 0)
    assert measured("B", "C", budget=Money.of(15), budget_scope="per_item") == values(1, 0, 0, 1.25, 0)


def test_an_unknown_price_is_no_zero_and_no_basket() -> None:
    assert measured("N", "C") == values(1, None, 0, None, 0.444)
    assert measured("N", "C", budget=None) == values(1, None, 0, None, 0.444)


def test_without_a_budget_there_is_none_to_keep() -> None:
    assert measured("B", "C", budget=None) == values(1, None, 1, 1.25, 1)


def test_all_without_the_wanted_brand_is_no_basket() -> None:
    branded = slot("feeder", product("A", 10), product("B", 20, store="Nordlys"))
    assert measured("A", slots=(branded,), brands_wanted=["Nordlys"]) == values(1, 1, 0, 0.5, 0)
    assert measured("B", slots=(branded,), brands_wanted=["Nordlys"]) == values(1, 1, 1, 1, 1)


@pytest.mark.parametrize(
    ("slots", "why"),
    [
        ((), "no thing that is asked for could be read"),
        ((FEEDERS, slot("bowl")), "does not offer everything"),
        ((slot("bowl", product("D", 900)),), "what keeps to the query costs more than its budget"),
    ],
)
def test_without_a_basket_to_compare_with_nothing_applies_and_it_is_said_why(slots: tuple[Slot, ...], why: str) -> None:
    assert set(measured("B", "D", slots=slots).values()) == {None}
    query = Query(query_id="q1", text="?", constraints=Constraints(budget=Money.of(50)), source="t")
    distance = Distance.of(reference_of(query, slots), query.constraints, ["B"])
    assert all(why in measure(distance).reason for measure in MEASURES.values())


def test_the_reason_names_the_picks_and_what_lacks() -> None:
    query = Query(query_id="q1", text="?", source="t")
    distance = Distance.of(reference_of(query, (FEEDERS, BATHS)), query.constraints, ["A"])
    assert distance.covered().reason == "feeder: A; nothing for bath; $10.00 together"

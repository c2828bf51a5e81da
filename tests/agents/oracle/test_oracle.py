"""The ceiling: what it writes of the best basket, and that nobody else is told of it."""

import asyncio
import re

import pytest

from drretail.agents.registry import BUILT_IN, load_agent
from drretail.agents.running.runner import Recorded, Runner, task_for
from drretail.agents.running.system import SystemUnderTest
from drretail.env.world import World
from drretail.grounding.basket.cheapest import Slot
from drretail.grounding.basket.reference import reference_of
from drretail.grounding.constraints.listing import listing_of
from drretail.records.money import Money
from drretail.records.query import Constraints, Query, Reference, Task, demands
from drretail.records.run import NULL_AGENTS
from tests.shop import PRODUCTS, USER

FEEDERS, BATH = PRODUCTS[:3], PRODUCTS[3:]
WANTED = Constraints(budget=Money.of(120), must=demands("weatherproof"), quantities={"feeder": 2})


def slots() -> list[Slot]:
    return [Slot("bird feeder", tuple(map(listing_of, FEEDERS)), 2), Slot("bird bath", tuple(map(listing_of, BATH)))]


def asked(constraints: Constraints = WANTED) -> Query:
    return Query(
        query_id="q1", user_id=USER, text="Two feeders and a bath, under $120?", constraints=constraints, source="t"
    )


def answered(world: World, query: Query, reference: Reference | None) -> Recorded:
    player = SystemUnderTest.of("oracle", load_agent("oracle"), {}, world)
    return asyncio.run(Runner(world, "w").run(player, query, reference=reference))


def test_the_best_basket_is_written_down_with_everything_cited(world: World) -> None:
    made = answered(world, asked(), reference_of(asked(), slots()))
    report = made.run.report or ""
    assert "**Tanagrove Tube Bird Feeder, 18 inch**: the bird feeder, weatherproof, 2 × $24.99, 4.5 stars" in report
    # The record holds no 2: the number of pieces is the calculation's.
    assert re.search(r"2 × \$24\.99.* \[P:B0TEST0001\]\[C:\w+\]\.", report)
    assert re.search(r"\$55\.00.* \[P:B0TEST0004\]\.", report)
    assert "the bird bath, weatherproof, $55.00" in report
    assert "Total: $104.98 [C:" in report
    assert "Of $120.00, $15.02 is left [C:" in report
    assert {citation.type for citation in made.run.citations} == {"product", "internal"}
    assert all(step.error is None for step in made.run.steps)
    assert made.run.usage == {}


def test_a_single_piece_is_its_own_total_and_a_price_for_each_leaves_nothing_over(world: World) -> None:
    constraints = Constraints(budget=Money.of(60), budget_scope="per_item")
    query = asked(constraints)
    report = answered(world, query, reference_of(query, slots()[1:])).run.report or ""
    assert "Total: $55.00 [P:B0TEST0004]." in report
    assert "left" not in report


def test_where_there_is_no_basket_the_report_says_why(world: World) -> None:
    poor = asked(Constraints(budget=Money.of(10)))
    told = answered(world, poor, reference_of(poor, slots())).run
    assert told.status == "done"
    assert "the cheapest products that keep to the rest cost more than the budget" in (told.report or "")
    nothing = answered(world, poor, reference_of(poor, [])).run.report or ""
    assert "no thing that the shop could sell can be read" in nothing


def test_without_a_reference_its_run_fails_and_says_what_it_needs(world: World) -> None:
    run = answered(world, asked(), None).run
    assert run.status == "failed"
    assert run.error is not None
    assert "an experiment whose baskets were found when it opened" in run.error.message


@pytest.mark.parametrize("name", [*BUILT_IN, *NULL_AGENTS])
def test_no_other_agent_is_told_constraints_or_baskets(name: str) -> None:
    query = asked()
    task = task_for(load_agent(name), query, reference_of(query, slots()))
    assert task == Task(text=query.text, user_id=query.user_id)
    assert task.model_dump(exclude_none=True) == {"text": query.text, "user_id": USER}

"""An experiment's budget: who may start, who waits, and that the cap holds."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.llm.budget import ExperimentBudget
from drretail.llm.prices import read_prices
from drretail.records.models import Price
from drretail.records.run import Limits, RoleModel, System, Usage

SPEC = "openai:test"
PRICES = read_prices({SPEC: Price(input=1, output=1)})
SYSTEM = System(agent="react", models={"researcher": RoleModel(spec=SPEC, kind="llm")})


def took(dollars: float) -> dict[str, Usage]:
    return {"researcher": Usage(calls=1, input_uncached=int(dollars * 1_000_000))}


def test_the_first_run_of_a_system_goes_alone_and_then_as_many_as_fit() -> None:
    experiment_budget = ExperimentBudget(PRICES, dollars=1.0)
    assert [experiment_budget.begin("a", SYSTEM) for _ in range(2)] == ["yes", "wait"]
    experiment_budget.end("a", SYSTEM, took(0.3))
    assert [experiment_budget.begin("a", SYSTEM) for _ in range(3)] == ["yes", "yes", "wait"]


def test_a_run_that_would_not_fit_is_held_back_and_said() -> None:
    experiment_budget = ExperimentBudget(PRICES, dollars=1.0)
    experiment_budget.count("a", SYSTEM, took(0.6))
    assert experiment_budget.begin("a", SYSTEM) == "no"
    assert experiment_budget.closing is not None
    assert "cap of $1 leaves no room" in experiment_budget.closing
    assert "took $0.6000 and 600,000 tokens. Not started: 1." in experiment_budget.closing
    assert "a higher --max-dollars continues" in experiment_budget.closing


def test_tokens_are_capped_alike() -> None:
    experiment_budget = ExperimentBudget(PRICES, tokens=1_000_000)
    experiment_budget.count("a", SYSTEM, took(1.0))
    assert experiment_budget.begin("a", SYSTEM) == "no"
    assert "--max-tokens" in (experiment_budget.closing or "")


def test_a_runs_own_limit_stands_in_until_one_has_ended() -> None:
    limited = SYSTEM.model_copy(update={"limits": Limits(dollars=0.4)})
    experiment_budget = ExperimentBudget(PRICES, dollars=1.0)
    assert [experiment_budget.begin("a", limited) for _ in range(3)] == ["yes", "yes", "wait"]


def test_a_run_that_failed_before_its_first_answer_says_nothing_of_the_others() -> None:
    experiment_budget = ExperimentBudget(PRICES, dollars=1.0)
    assert experiment_budget.begin("a", SYSTEM) == "yes"
    experiment_budget.end("a", SYSTEM, {})
    assert [experiment_budget.begin("a", SYSTEM) for _ in range(2)] == ["yes", "wait"]


@pytest.mark.anyio
async def test_those_that_wait_start_when_one_in_flight_has_ended() -> None:
    experiment_budget = ExperimentBudget(PRICES, dollars=1.0)
    started: list[int] = []

    async def run(number: int) -> None:
        if await experiment_budget.admission("a", SYSTEM):
            started.append(number)
            await asyncio.sleep(0)
            experiment_budget.end("a", SYSTEM, took(0.3))

    await asyncio.wait_for(asyncio.gather(*(run(number) for number in range(6))), 5)
    assert len(started) == 3
    assert experiment_budget.refused == 3


@given(st.lists(st.floats(0.01, 0.5), min_size=1, max_size=30), st.floats(0.5, 3))
def test_the_cap_is_passed_by_no_more_than_runs_grow_dearer(costs: list[float], cap: float) -> None:
    """One after the other: only a run dearer than all before it can pass the cap, and only by the difference."""
    experiment_budget = ExperimentBudget(PRICES, dollars=cap)
    dearest = 0.0
    for cost in costs:
        if experiment_budget.begin("a", SYSTEM) != "yes":
            break
        experiment_budget.end("a", SYSTEM, took(cost))
        assert experiment_budget.spent["dollars"] <= cap + max(0.0, cost - dearest) + 1e-6
        dearest = max(dearest, cost)

"""An experiment's purse: who may start, who waits, and that the cap holds."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.llm.budget import Purse
from drretail.llm.prices import read_prices
from drretail.records.models import Price
from drretail.records.run import Limits, RoleModel, System, Usage

SPEC = "openai:test"
PRICES = read_prices({SPEC: Price(input=1, output=1)})
SYSTEM = System(agent="react", models={"researcher": RoleModel(spec=SPEC, kind="llm")})


def took(dollars: float) -> dict[str, Usage]:
    return {"researcher": Usage(calls=1, input_uncached=int(dollars * 1_000_000))}


def test_without_a_cap_every_run_starts() -> None:
    purse = Purse(PRICES)
    assert [purse.begin("a", SYSTEM) for _ in range(3)] == ["yes"] * 3
    assert purse.closing is None


def test_the_first_run_of_a_system_goes_alone_and_then_as_many_as_fit() -> None:
    purse = Purse(PRICES, dollars=1.0)
    assert [purse.begin("a", SYSTEM) for _ in range(2)] == ["yes", "wait"]
    purse.end("a", SYSTEM, took(0.3))
    assert [purse.begin("a", SYSTEM) for _ in range(3)] == ["yes", "yes", "wait"]


def test_a_run_that_would_not_fit_is_held_back_and_said() -> None:
    purse = Purse(PRICES, dollars=1.0)
    purse.count("a", SYSTEM, took(0.6))
    assert purse.begin("a", SYSTEM) == "no"
    assert purse.closing is not None
    assert "cap of $1 leaves no room" in purse.closing
    assert "took $0.6000 and 600,000 tokens. Not started: 1." in purse.closing
    assert "a higher --max-dollars goes on" in purse.closing


def test_tokens_are_capped_alike() -> None:
    purse = Purse(PRICES, tokens=1_000_000)
    purse.count("a", SYSTEM, took(1.0))
    assert purse.begin("a", SYSTEM) == "no"
    assert "--max-tokens" in (purse.closing or "")


def test_a_runs_own_limit_stands_in_until_one_has_ended() -> None:
    limited = SYSTEM.model_copy(update={"limits": Limits(dollars=0.4)})
    purse = Purse(PRICES, dollars=1.0)
    assert [purse.begin("a", limited) for _ in range(3)] == ["yes", "yes", "wait"]


def test_a_run_that_failed_before_its_first_answer_says_nothing_of_the_others() -> None:
    purse = Purse(PRICES, dollars=1.0)
    assert purse.begin("a", SYSTEM) == "yes"
    purse.end("a", SYSTEM, {})
    assert [purse.begin("a", SYSTEM) for _ in range(2)] == ["yes", "wait"]


@pytest.mark.anyio
async def test_those_that_wait_start_when_one_in_flight_has_ended() -> None:
    purse = Purse(PRICES, dollars=1.0)
    started: list[int] = []

    async def run(number: int) -> None:
        if await purse.admission("a", SYSTEM):
            started.append(number)
            await asyncio.sleep(0)
            purse.end("a", SYSTEM, took(0.3))

    await asyncio.wait_for(asyncio.gather(*(run(number) for number in range(6))), 5)
    assert len(started) == 3
    assert purse.refused == 3


@given(st.lists(st.floats(0.01, 0.5), min_size=1, max_size=30), st.floats(0.5, 3))
def test_the_cap_is_passed_by_no_more_than_runs_grow_dearer(costs: list[float], cap: float) -> None:
    """One after the other: only a run dearer than all before it can pass the cap, and only by the difference."""
    purse = Purse(PRICES, dollars=cap)
    dearest = 0.0
    for cost in costs:
        if purse.begin("a", SYSTEM) != "yes":
            break
        purse.end("a", SYSTEM, took(cost))
        assert purse.spent["dollars"] <= cap + max(0.0, cost - dearest) + 1e-6
        dearest = max(dearest, cost)

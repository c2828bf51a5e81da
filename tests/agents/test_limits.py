"""Limits of others' agents. Tests agents/running/outcomes.py, agents/running/runner.py and records/run.py."""

import asyncio
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable, RunnableLambda

from drretail.agents.registry import as_agent
from drretail.agents.running.estimate import estimate_left
from drretail.agents.running.outcomes import is_open
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import SystemUnderTest
from drretail.env.world import World
from drretail.errors import UserError
from drretail.experiments.run_file import Recorded
from drretail.llm.registry import build_model
from drretail.llm.spending import spending_of
from drretail.llm.usage import ExperimentBudget
from drretail.records.run import Limits, Usage
from tests.agents.conftest import QUERY, record, tally_of
from tests.agents.conftest import sut as of_name
from tests.build import known

ENDS = threading.Event()
"""Ends what hangs once the tests are over."""


def sleeps(question: str) -> str:
    ENDS.wait(60)
    return "Too late."


async def waits(question: str) -> str:
    await asyncio.Event().wait()
    return "Never."


async def blocks(question: str) -> str:
    ENDS.wait(60)
    return "Too late."


GRAPH: "Runnable[Any, Any]" = RunnableLambda(sleeps)


@pytest.fixture(autouse=True, scope="module")
def end_all() -> Any:
    yield
    ENDS.set()


def sut(world: World, answer: object, **limits: Any) -> SystemUnderTest:
    return SystemUnderTest.of("mine", known(as_agent(answer)), {}, world, limits=Limits(**limits))


@pytest.mark.parametrize("answers", [(sleeps, waits, GRAPH), (blocks, waits)], ids=["they wait", "one blocks"])
def test_an_agent_that_hangs_ends_at_its_limit_by_its_own_fault_and_the_next_one_answers(
    world: World, answers: tuple[object, ...]
) -> None:
    began, systems = time.monotonic(), [sut(world, answer, seconds=1) for answer in answers]

    async def side_by_side() -> list[Recorded]:
        return list(await asyncio.gather(*(Runner(world, "w").run(system, QUERY) for system in systems)))

    async def says_so(question: str) -> str:
        await asyncio.sleep(0)
        return "In time."

    for answer, system, recorded in zip(answers, systems, asyncio.run(side_by_side()), strict=True):
        run, error = recorded.run, known(recorded.run.error)
        assert (error.kind, error.message.startswith("it gave no answer within 1 second")) == ("timeout", True)
        assert ("make it a plain function (def)" in error.message) == (answer is blocks)
        assert ("blocks its event loop" in error.message) == (answer is blocks)
        assert is_open(run, system.system, ["failed"])
        assert not is_open(run, system.system, ["spoiled"])
    assert record(world, sut(world, says_so, seconds=30)).run.report == "In time."
    assert time.monotonic() - began < 20


def test_a_built_in_agent_has_a_limit_of_seconds_if_it_is_given(world: World) -> None:
    model = build_model("offline:shopper")
    assert [of_name(world, model, limits=limits).seconds for limits in (Limits(), Limits(seconds=9))] == [None, 9]
    assert sut(world, sleeps).seconds == 600


@pytest.mark.parametrize("limit", ["tokens", "dollars"])
def test_a_limit_that_cannot_hold_is_refused(world: World, limit: str) -> None:
    with pytest.raises(UserError, match=f"--vary {limit} can't hold for mine, which asks its models by itself"):
        sut(world, sleeps, **{limit: 5})


USED = Usage(input_uncached=1000, output=20)


def says(answer: object) -> Callable[[str], Any]:
    def answering(question: str) -> Any:
        return answer

    return answering


def of_messages(*used: tuple[int, int] | None) -> dict[str, Any]:
    counts = [each and {"input_tokens": each[0], "output_tokens": each[1], "total_tokens": sum(each)} for each in used]
    return {"messages": [AIMessage("Nothing.", usage_metadata=cast(Any, count)) for count in counts]}


@pytest.mark.parametrize(
    ("answer", "usage"),
    [
        ({"report": "Nothing.", "usage": {"input": 1000, "output": 20}}, USED),
        (of_messages((400, 10), (600, 10)), USED.model_copy(update={"calls": 2})),
        (of_messages((400, 10), None), None),  # one that is not counted leaves the sum unknown
        ("Nothing.", None),
    ],
)
def test_tokens_that_an_agent_reports_are_recorded_and_others_are_unknown(
    world: World, folder: Path, answer: object, usage: Usage | None
) -> None:
    system = sut(world, says(answer))
    tally_of(folder, world, system)
    (spent,) = spending_of(folder)
    assert (spent.is_known, spent.unknown, spent.document["total"] is None) == (bool(usage), not usage, not usage)
    assert spent.input.mean == (None if usage is None else 1000)
    assert (spent.calls.mean, spent.dollars.mean) == (usage.calls or None if usage else None, None)
    (likely,) = estimate_left(folder, [system], [QUERY], 3)
    assert (likely.input is None, likely.dollars) == (usage is None, None)


@pytest.mark.parametrize(
    ("answer", "caps", "started"),
    [
        ("Nothing.", {"tokens": 9000}, 1),
        ({"report": "Nothing.", "usage": {"input": 100, "output": 20}}, {"tokens": 9000}, 3),
        ({"report": "Nothing.", "usage": {"input": 100, "output": 20}}, {"dollars": 9.0}, 1),
        ({"report": "Nothing.", "usage": {"input": 0, "output": 0}}, {"dollars": 9.0}, 3),
    ],
)
def test_a_cap_stops_after_one_run_whose_cost_is_unknown(
    world: World, folder: Path, answer: object, caps: dict[str, Any], started: int
) -> None:
    budget = ExperimentBudget(**caps)
    tally = tally_of(folder, world, sut(world, says(answer)), repeats=3, experiment_budget=budget)
    assert (tally.done, tally.not_started, tally.is_complete) == (started, 3 - started, started == 3)
    told = f"--max-{next(iter(caps))} can't hold for mine: what a run of it took is unknown"
    assert (told in str(budget.closing)) == (started < 3)

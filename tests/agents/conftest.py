"""Models that say what a test scripts for them."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from drretail.agents.registry import load_agent
from drretail.agents.running.outcomes import Tally
from drretail.agents.running.run import Batch
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import SystemUnderTest, definition, varied
from drretail.env.world import World
from drretail.experiments.experiment import Experiment
from drretail.experiments.run_file import Recorded
from drretail.llm.registry import Model
from drretail.llm.scripted import Request, requests_of, scripted_model
from drretail.records.query import Query
from tests.shop import USER

Scripted = AIMessage | BaseException
QUERY = Query(query_id="q1", user_id=USER, text="Which bird feeder under $30?", source="test")


def reporting(text: str, *picks: str) -> AIMessage:
    """A report that declares these lines as its picks."""
    return AIMessage("\n".join([text, "", "```picks", *picks, "```"]))


def calls(*named: tuple[str, dict[str, Any]], text: str = "") -> AIMessage:
    """A model turn with tool calls."""
    return AIMessage(text, tool_calls=[{"name": name, "args": args, "id": "x"} for name, args in named])


def scripted(*turns: Scripted) -> tuple[Model, list[Request]]:
    """A model that plays the turns in order over all its runs, and what it was shown in each."""
    left = list(turns)
    model = scripted_model(play=lambda _: left.pop(0))
    return model, requests_of(model)


def sut(world: World, models: Model | Mapping[str, Model], agent: str = "react", **given: Any) -> SystemUnderTest:
    """The built-in agent with one model for all roles, or with one each."""
    by_role = {"": models} if isinstance(models, Model) else models
    return SystemUnderTest.of(agent, load_agent(agent), by_role, world, **given)


def under(
    system: SystemUnderTest, world: World, query: Query = QUERY, *, cross: bool = False, **values: str
) -> list[SystemUnderTest]:
    """The system under the values of conditions."""
    return varied([system], values, world, [query], cross=cross).systems


def record(world: World, system: SystemUnderTest, query: Query = QUERY, **given: Any) -> Recorded:
    """A run of the system; ``given`` as ``Runner`` and its ``run`` take it."""
    return asyncio.run(Runner(world, "w", **given).run(system, query))


def perform(world: World, *turns: Scripted, agent: str = "react", **given: Any) -> tuple[Recorded, list[Request]]:
    """A run of an agent by a scripted model, and what the model was shown."""
    model, shown = scripted(*turns)
    return record(world, sut(world, model, agent, **given)), shown


def run_in(experiment: Path) -> Path:
    """The file of its only run, and no other file beside it."""
    (here,) = experiment.glob("runs/*/*")
    return here


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "exp"


def tally_of(folder: Path, world: World, player: SystemUnderTest, runner: Runner | None = None, **given: Any) -> Tally:
    """What the runs of a system come to in an experiment, one after the other; ``given`` as ``run_all`` takes it."""
    queries, budget = given.pop("queries", (QUERY,)), given.pop("experiment_budget", None)
    with Experiment(folder, definition(world, queries, [player], "42")) as experiment:
        batch = Batch(runner or Runner(world, "w"), experiment, parallel=1, experiment_budget=budget)
        (tally,) = batch.run_all([player], queries, **given)
    return tally

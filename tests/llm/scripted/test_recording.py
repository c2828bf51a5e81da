"""What a model answered in an experiment, played again as a script somewhere else."""

import asyncio
import json
from pathlib import Path

import pytest
from langchain_core.messages import HumanMessage

from drretail.agents.registry import load_agent
from drretail.agents.running.runner import Recorded, Runner
from drretail.agents.running.system import SystemUnderTest, definition
from drretail.env.world import World
from drretail.errors import UserError
from drretail.eval.judging.session import Judge
from drretail.experiment import Experiment
from drretail.journal import Journal
from drretail.llm.models import Models
from drretail.llm.registry import open_model
from drretail.llm.scripted import record, scripted_model
from drretail.llm.scripted.recording import script_of
from drretail.records.query import Query
from drretail.records.trajectory import Trajectory
from tests.build import scored
from tests.shop import USER

QUERIES = (
    Query(query_id="q1", user_id=USER, text="Which bird feeder under $30?", source="test"),
    Query(query_id="q2", user_id=USER, text="Which bird bath, and which seed?", source="test"),
)
AGENTS = ("react", "plan_to_function", "hybrid_react", "grounded_hybrid")


def system(world: World, agent: str, spec: str) -> SystemUnderTest:
    return SystemUnderTest.of(agent, load_agent(agent), {"": open_model(spec)}, world)


@pytest.fixture(scope="module")
def experiment(world: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every agent by the offline shopper, scored by the offline judge."""
    folder = tmp_path_factory.mktemp("recording") / "exp"
    systems = [system(world, agent, "offline:shopper") for agent in AGENTS]

    async def run() -> None:
        with Experiment(folder, definition(world, QUERIES, systems, "1")) as opened:
            for one in systems:
                for query in QUERIES:
                    await Runner(world, "w").run_into(opened, one, query)

    asyncio.run(run())
    scored(folder, ["faithfulness", "quality"], Judge.of(open_model("offline:judge")), store=world.store)
    return folder


@pytest.mark.parametrize("agent", AGENTS)
def test_a_recorded_run_is_played_again_by_steps(world: World, experiment: Path, tmp_path: Path, agent: str) -> None:
    label = system(world, agent, "offline:shopper").label
    recording = record(experiment, tmp_path / "script.json", systems=[label])
    assert recording.answers > 2
    assert (recording.ambiguous, recording.failures) == (0, 0)
    again = system(world, agent, f"scripted:{tmp_path / 'script.json'}")
    for query in QUERIES:
        played: Recorded = asyncio.run(Runner(world, "w").run(again, query))
        kept = json.loads((experiment / "runs" / label / f"{query.query_id}-r1" / "run.json").read_text())
        assert played.run.report == kept["report"]
        assert [step.name for step in played.run.steps if step.kind == "tool"] == [
            step["name"] for step in kept["steps"] if step["kind"] == "tool"
        ]
        assert {role: usage.output for role, usage in played.run.usage.items()} == {
            role: usage["output"] for role, usage in kept["usage"].items()
        }


def test_a_judges_answers_are_recorded_where_it_is_named(world: World, experiment: Path, tmp_path: Path) -> None:
    recording = record(experiment, tmp_path / "judge.json", systems=["none"], judges=["offline-judge"])
    assert recording.answers > 5
    scripted = Judge.of(open_model(f"scripted:{tmp_path / 'judge.json'}"))
    scores = scored(experiment, "faithfulness", scripted, store=world.store)
    found, first = (
        {
            (each.variant, each.system, each.policy): each.value
            for each in scores.scores
            if (each.metric, each.judge) == ("faithfulness", judge)
        }
        for judge in (scripted.ref.spec, "offline:judge")
    )
    assert first
    assert found == first
    assert not any(judging.failed for judging in scores.judgings)
    with pytest.raises(UserError, match="no answer of a model to record"):
        record(experiment, tmp_path / "x.json", systems=["null_empty"])


def test_answers_that_differ_for_one_request_are_counted_and_the_first_is_kept(tmp_path: Path) -> None:
    text = iter(["one", "two", "two"])
    journal = Journal(tmp_path / "journal.jsonl")
    asked = Models({"report": scripted_model(play=lambda _: next(text))}, journal, Trajectory())
    for _ in range(3):
        asyncio.run(asked.call("report", [HumanMessage("Which?")]))
    journal.close()
    recording = script_of([tmp_path / "journal.jsonl"])
    assert (recording.answers, recording.ambiguous) == (1, 2)
    (rule,) = recording.script.rules
    assert rule.answer is not None
    assert rule.answer.text == "one"

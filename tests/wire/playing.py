"""Agents with the real clients at the fake provider, and what of their runs a provider must not change."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

from drretail.agents.registry import load_agent
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import SystemUnderTest
from drretail.env.world import World
from drretail.event_loop import run_loop
from drretail.experiments.run_file import Recorded
from drretail.llm.registry import Model, build_model
from drretail.records.query import Query
from drretail.records.run import Run, Step, WebMode
from tests.shop import USER
from tests.wire.server import WireServer

AGENTS = ("plan_to_function", "react", "hybrid_react", "grounded_hybrid")
MODELS = {"anthropic": "anthropic:claude-sonnet-4-6", "openai": "openai:gpt-4.1"}
"""By provider; both take a schema, so that all they are asked for goes over the wire in one."""
KEYS = {"ANTHROPIC_API_KEY": "sk-wire-0123456789", "OPENAI_API_KEY": "sk-wire-9876543210"}
QUERY = Query(
    query_id="q1", user_id=USER, text="Which bird feeder under $30? And how do I keep it clean?", source="test"
)


def model_at(server: WireServer, provider: str, **given: Any) -> Model:
    """A model of the provider's real client. Use it in one event loop: clients keep connections open."""
    url = server.openai_url if provider == "openai" else server.url
    settings: dict[str, Any] = {"timeout": 60, "max_retries": 5} | given
    return build_model(MODELS[provider], base_url=url, environ=KEYS, **settings)


def player(world: World, agent: str, model: Model, mode: WebMode = "snippets", **given: Any) -> SystemUnderTest:
    return SystemUnderTest.of(agent, load_agent(agent), {"": model}, world, web_mode=mode, **given)


def play(world: World, *players: SystemUnderTest, query: Query = QUERY) -> list[Recorded]:
    """A run of each of them, side by side."""

    async def all_of_them() -> list[Recorded]:
        runner = Runner(world, "w")
        return await asyncio.gather(*(runner.run(one, query) for one in players))

    return run_loop(all_of_them())


def offline(world: World, agent: str, mode: WebMode = "snippets") -> Recorded:
    """The run of the offline shopper in this process."""
    (recorded,) = play(world, player(world, agent, build_model("offline:shopper"), mode))
    return recorded


def gist(recorded: Recorded) -> dict[str, Any]:
    """What is the same whoever passes the model's words on."""
    run = recorded.run
    return {
        "ended": (run.status, run.stop, run.error),
        "report": run.report,
        "citations": run.citations,
        "steps": [
            (step.path, step.seq, step.kind, step.role, step.evidence, _said(recorded.texts, step))
            for step in run.steps
        ],
        "evidence": recorded.evidence,
        "remarks": (run.notes, run.failed_branches, run.repairs, run.struck),
        "calls": {role: usage.calls for role, usage in run.usage.items()},
    }


def _said(texts: Mapping[str, str], step: Step) -> Any:
    """What a step brought; answers in a schema as values, for the spaces between them are the provider's own."""
    text = texts.get(step.result_sha or "", "")
    return json.loads(text) if text.startswith("{") else text


def calls_of(runs: Sequence[Run]) -> int:
    """All answers of models that runs used, in every role."""
    return sum(usage.calls for run in runs for usage in run.usage.values())

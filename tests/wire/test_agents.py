"""Agents and the judge through the real clients, at a provider that answers well, badly, late, or denies."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage, SystemMessage

from drretail.agents.running.runner import Runner
from drretail.agents.running.system import definition
from drretail.env.world import World
from drretail.eval.judging.question import VerdictFile, judge_journals
from drretail.eval.judging.session import Again, Judge
from drretail.eval.scoring import score_experiment
from drretail.event_loop import run_loop
from drretail.experiment import Experiment, read_runs
from drretail.journal import read_effects
from drretail.llm.calling import Attempts, answer_of
from drretail.llm.providers import Retrying
from drretail.llm.registry import Model, build_model
from drretail.progress import Progress
from drretail.records.run import Usage, WebMode
from drretail.records.score import Scores
from drretail.run_file import JOURNAL
from drretail.tools.registry import openai_schemas
from tests.build import journal_usage
from tests.cli.commands import Command
from tests.wire.playing import (
    AGENTS,
    KEYS,
    MODELS,
    QUERY,
    calls_of,
    gist,
    model_at,
    offline,
    play,
    player,
)
from tests.wire.server import Json, Plan, WireServer


@pytest.mark.parametrize(("mode", "stream"), [("snippets", False), ("ws", True)])
@pytest.mark.parametrize("agent", AGENTS)
def test_a_real_client_changes_nothing_of_a_run_nor_do_answers_in_pieces(
    world: World, agent: str, mode: WebMode, stream: bool
) -> None:
    wanted = gist(offline(world, agent, mode))
    with WireServer() as server:
        chosen = [player(world, agent, model_at(server, provider, stream=stream), mode) for provider in MODELS]
        found = play(world, *chosen)
    assert wanted["report"]
    assert [gist(recorded) for recorded in found] == [wanted, wanted]
    assert server.seen.requests == calls_of([recorded.run for recorded in found])
    assert server.seen.streamed == (server.seen.requests if stream else 0)


MESSAGES = [
    SystemMessage("You shop."),
    HumanMessage("<query>\nWhich bird feeder under $30 should I buy?\n</query>\n<today>\n2026-11-01\n</today>"),
]


@pytest.mark.parametrize("provider", MODELS)
@pytest.mark.parametrize("fault", ["cut_body", "late_error", "broken_json"])
@pytest.mark.parametrize("tools", [True, False])
def test_what_goes_wrong_in_the_middle_of_a_stream_is_tried_again(provider: str, fault: str, tools: bool) -> None:
    attempts = Attempts()
    with WireServer(Plan(faults=[fault], times=1)) as server:
        model = model_at(server, provider, stream=True, retrying=Retrying(2, first=0.001))
        chat = model.chat.bind_tools(openai_schemas()) if tools else model.chat
        answer = run_loop(answer_of(model, MESSAGES, chat=chat, attempts=attempts))
        assert (server.seen.requests, len(attempts.failed)) == (2, 1)
    assert bool(answer.tool_calls) == tools


TWO = ("--agent", "react", "--agent", "hybrid_react")
MOST = 4
"""Runs side by side: so many calls may be under way when the first denial comes."""


@dataclass(frozen=True, slots=True)
class From(Plan):
    """All goes well for so many requests, and then never again."""

    well: int = 0
    came: list[Json] = field(default_factory=list[Json])

    def fault(self, body: Json, times: int) -> str | None:
        self.came.append(body)
        return None if len(self.came) <= self.well else self.faults[0]


@pytest.fixture
def server() -> Iterator[WireServer]:
    with WireServer() as opened:
        yield opened


def at(server: WireServer, provider: str) -> tuple[str, ...]:
    return "--base-url", server.openai_url if provider == "openai" else server.url


def one_sentence(stderr: str) -> str:
    """What the command ended with."""
    assert "Traceback" not in stderr
    (line,) = [line for line in stderr.splitlines() if line.startswith("Error: ")]
    return line


def test_nothing_is_asked_twice(server: WireServer, drretail: Command, shop: str, queries: str, tmp_path: Path) -> None:
    plan = server.plan = From(faults=("no credit",), well=25)
    command = ("run", "--no-floors", "--queries", queries, "--world", shop, "--to", "exp", "--repeats", "3", *TWO)
    given = ("--model", MODELS["anthropic"], *at(server, "anthropic"))
    done = drretail(*command, *given, **KEYS)
    assert (done.returncode, done.stdout) == (2, "")
    told = one_sentence(done.stderr)
    assert "ANTHROPIC_API_KEY" in told
    assert server.url in told
    assert KEYS["ANTHROPIC_API_KEY"] not in done.stderr
    assert len(plan.came) <= plan.well + MOST
    ended = [*read_runs(tmp_path / "exp")]
    assert ended
    assert all(run.status == "done" for run in ended)
    cut = [effect for path in tmp_path.glob(f"exp/runs/*/*{JOURNAL}") for effect in read_effects(path)]
    assert all(effect.error is None for effect in cut)
    kept = calls_of(ended) + sum(effect.kind == "model" for effect in cut)
    assert kept == plan.well
    server.plan = Plan()
    again = drretail(*command, *given, **KEYS)
    assert again.returncode == 0, again.stderr
    runs = [*read_runs(tmp_path / "exp")]
    assert len(runs) == 12
    assert server.seen.requests - len(plan.came) == calls_of(runs) - kept


def test_the_right_key_goes_on(server: WireServer, drretail: Command, shop: str, queries: str, tmp_path: Path) -> None:
    run = ("run", "--no-floors", "--queries", queries, "--world", shop, "--to", "exp")
    assert drretail(*run).returncode == 0
    plan = server.plan = From(faults=("wrong key",), well=6)
    score = ("score", "exp", "--judge", MODELS["anthropic"], *at(server, "anthropic"))
    done = drretail(*score, **KEYS)
    assert (done.returncode, done.stdout) == (2, "")
    assert "ANTHROPIC_API_KEY" in one_sentence(done.stderr)
    server.plan = Plan()
    first = server.seen.requests
    again = drretail(*score, **KEYS)
    assert again.returncode == 0, again.stderr
    held = (journal_usage(path).calls for path in judge_journals(tmp_path / "exp"))
    assert server.seen.requests - first + plan.well == sum(held) > plan.well


pytestmark = pytest.mark.anyio
METRICS = ("faithfulness", "quality")


@pytest.fixture
def folder(world: World, tmp_path: Path) -> Path:
    """An experiment with one report."""
    one = player(world, "react", build_model("offline:shopper"))
    with Experiment(tmp_path / "exp", definition(world, (QUERY,), [one], "42")) as experiment:
        asyncio.run(Runner(world, "w").run_into(experiment, one, QUERY))
    return tmp_path / "exp"


async def judge(folder: Path, world: World, *models: Model, again: Again = "nothing") -> Scores:
    table_key = [Judge.of(model) for model in models]
    return await score_experiment(folder, METRICS, table_key, store=world.store, progress=Progress(), again=again)


def said(folder: Path, model: Model) -> list[dict[str, Any]]:
    """What of verdicts is the same whoever passed the judge's words on; rules are asked for no ratings."""
    files = sorted((folder / "verdicts").glob(f"*/{Judge.of(model).slug}/*/*-r1.jsonl"))
    assert [file.parts[-4] for file in files] == [*METRICS][: 1 if model.info.kind == "rule_based" else None]
    verdicts = [verdict for file in files for verdict in VerdictFile(file).lasts()]
    shared = [verdict for verdict in verdicts if verdict.metric == "faithfulness"]
    return [verdict.model_dump(exclude={"judge", "attempt"}) for verdict in shared]


def used(folder: Path, model: Model) -> Usage:
    total = Usage()
    for journal in (folder / "verdicts").glob(f"*/{Judge.of(model).slug}/*/*.journal.jsonl"):
        total = total + journal_usage(journal)
    return total


async def test_a_real_client_changes_nothing_of_a_verdict(world: World, folder: Path) -> None:
    offline = build_model("offline:judge")
    with WireServer() as server:
        models = [model_at(server, provider) for provider in MODELS]
        await judge(folder, world, offline, *models)
        wanted = said(folder, offline)
        assert {verdict["state"] for verdict in wanted} <= {"scored", "na"}
        assert [said(folder, model) for model in models] == [wanted, wanted]
        assert server.seen.requests == sum(used(folder, model).calls for model in models)

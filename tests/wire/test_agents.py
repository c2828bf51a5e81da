"""Agents through the real clients, at a provider that answers well, badly, or denies. Tests llm/calling.py and
doors/protocols.py."""

from pathlib import Path

import pytest
from langchain_core.messages import HumanMessage, SystemMessage

from drretail.env.world import World
from drretail.event_loop import run_loop
from drretail.experiment import read_runs
from drretail.journal import read_effects
from drretail.llm.calling import Attempts, answer_of
from drretail.llm.providers import Retrying
from drretail.records.run import WebMode
from drretail.run_file import JOURNAL
from drretail.tools.registry import openai_schemas
from tests.cli.commands import Command
from tests.wire.playing import AGENTS, KEYS, MODELS, calls_of, gist, model_at, offline, play, player
from tests.wire.server import NO_CREDIT, WireServer


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
    with WireServer(fault, wrong=[0]) as server:
        model = model_at(server, provider, stream=True, retrying=Retrying(2, first=0.001))
        chat = model.chat.bind_tools(openai_schemas()) if tools else model.chat
        answer = run_loop(answer_of(model, MESSAGES, chat=chat, attempts=attempts))
        assert (server.seen.requests, len(attempts.failed)) == (2, 1)
    assert bool(answer.tool_calls) == tools


def test_nothing_is_asked_twice(drretail: Command, shop: str, queries: str, tmp_path: Path) -> None:
    answered = 25
    command = ("run", "--no-floors", "--queries", queries, "--world", shop, "--to", "exp", "--repeats", "3")
    command += ("--agent", "react", "--agent", "hybrid_react")
    with WireServer(NO_CREDIT, wrong=range(answered, 10_000)) as server:
        given = ("--model", MODELS["anthropic"], "--base-url", server.url)
        done = drretail(*command, *given, **KEYS)
        assert (done.returncode, done.stdout) == (2, "")
        assert "Traceback" not in done.stderr
        (told,) = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
        assert "ANTHROPIC_API_KEY" in told
        assert server.url in told
        assert KEYS["ANTHROPIC_API_KEY"] not in done.stderr
        came = server.seen.requests
        assert came <= answered + 4, "so many runs are side by side, whose calls may be under way at the first denial"
        ended = [*read_runs(tmp_path / "exp")]
        assert ended
        assert all(run.status == "done" for run in ended)
        cut = [effect for path in tmp_path.glob(f"exp/runs/*/*{JOURNAL}") for effect in read_effects(path)]
        assert all(effect.error is None for effect in cut)
        kept = calls_of(ended) + sum(effect.kind == "model" for effect in cut)
        assert kept == answered
        server.wrong = ()
        again = drretail(*command, *given, **KEYS)
        assert again.returncode == 0, again.stderr
        runs = [*read_runs(tmp_path / "exp")]
        assert len(runs) == 12
        assert server.seen.requests - came == calls_of(runs) - kept

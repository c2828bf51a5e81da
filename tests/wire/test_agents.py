"""Agents through the real clients, at a provider that answers well or badly. Tests llm/calling.py and
doors/protocols.py."""

import pytest
from langchain_core.messages import HumanMessage, SystemMessage

from drretail.env.world import World
from drretail.event_loop import run_loop
from drretail.llm.calling import Attempts, answer_of
from drretail.llm.providers import Retrying
from drretail.records.run import WebMode
from drretail.tools.registry import openai_schemas
from tests.wire.playing import AGENTS, MODELS, calls_of, gist, model_at, offline, play, player
from tests.wire.server import WireServer


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

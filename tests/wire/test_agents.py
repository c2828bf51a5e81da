"""All four agents through the real clients, at a provider that answers well, badly, late, or not at all."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from drretail.agents.registry import load_agent
from drretail.agents.running.system import SystemUnderTest
from drretail.env.world import World
from drretail.errors import ModelErrorKind
from drretail.event_loop import run_loop
from drretail.llm.calling import Attempts, answer_of
from drretail.llm.retries_and_rates import Retrying
from drretail.llm.usage import usage_of
from drretail.records.run import Usage, WebMode
from drretail.tools.registry import openai_schemas
from tests.build import known
from tests.wire.playing import AGENTS, MODELS, STALL, InTurn, calls_of, gist, model_at, offline, play, player
from tests.wire.server import LASTING, PASSING, Plan, WireServer

KINDS: dict[str, ModelErrorKind] = {
    "refusal": "refusal", "context_overflow": "context_overflow", "max_tokens": "unusable",
}  # fmt: skip
"""Of lasting faults; "model" for all others."""
ASKED = {"max_tokens": 2}
"""How often, of lasting faults; the others once."""
PAID = ("refusal", "max_tokens")
"""Faults that come as an answer with a count of tokens."""


@pytest.mark.parametrize(("mode", "stream"), [("snippets", False), ("ws", False), ("ws", True)])
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


@pytest.mark.parametrize("provider", MODELS)
def test_what_passes_is_tried_again_and_leaves_its_count_alone_in_the_run(world: World, provider: str) -> None:
    wanted = gist(offline(world, "hybrid_react"))
    with WireServer(InTurn(faults=PASSING, stall=STALL)) as server:
        (recorded,) = play(world, player(world, "hybrid_react", model_at(server, provider)))
    assert len(server.seen.faults) >= len(PASSING) - 1  # one each request: a short run may not come to the last
    assert gist(recorded) == wanted
    assert server.seen.requests == calls_of([recorded.run]) + sum(server.seen.faults.values())
    assert known(recorded.run.setbacks).second_attempts == sum(server.seen.faults.values())


@pytest.mark.parametrize("fault", LASTING)
@pytest.mark.parametrize("provider", MODELS)
def test_what_lasts_is_asked_once_and_fails_the_run_with_its_cause(world: World, provider: str, fault: str) -> None:
    with WireServer(Plan(rate=1, faults=(fault,))) as server:
        (recorded,) = play(world, player(world, "react", model_at(server, provider)))
    run = recorded.run
    assert (run.status, run.stop, run.report) == ("failed", "error", None)
    assert run.error is not None
    assert run.error.kind == KINDS.get(fault, "model")
    assert server.seen.requests == ASKED.get(fault, 1)
    assert run.usage.keys() == ({"researcher"} if fault in PAID else set())
    assert [step.error for step in run.steps] == [run.error.message]


@pytest.mark.parametrize("fault", PAID)
@pytest.mark.parametrize("provider", MODELS)
def test_answers_in_a_schema_that_cannot_be_used_are_paid_for_as_well(world: World, provider: str, fault: str) -> None:
    with WireServer() as good, WireServer(Plan(rate=1, faults=(fault,))) as bad:
        models = {"": model_at(good, provider), "summariser": model_at(bad, provider)}
        one = SystemUnderTest.of("react", load_agent("react"), models, world, web_mode="ws")
        (recorded,) = play(world, one)
    pages = [step for step in recorded.run.steps if step.role == "summariser"]
    assert recorded.run.status == "done"
    assert all(step.error for step in pages)
    asked = ASKED.get(fault, 1) * len(pages)
    assert recorded.run.usage["summariser"].calls == bad.seen.requests == asked > 0
    assert recorded.run.usage["summariser"].output == 20 * asked
    cause = {"refusal": "refused", "max_tokens": "set max_tokens higher"}[fault]
    assert [note for note in recorded.run.notes if cause in note]


MESSAGES = [
    SystemMessage("You shop."),
    HumanMessage("<query>\nWhich bird feeder under $30 should I buy?\n</query>\n<today>\n2026-11-01\n</today>"),
]


@pytest.mark.parametrize("provider", MODELS)
def test_a_stream_put_together_is_the_answer_that_comes_whole(provider: str) -> None:
    async def said(server: WireServer, stream: bool, tools: bool) -> tuple[str, list[dict[str, Any]], Usage]:
        model = model_at(server, provider, stream=stream)
        chat = model.chat.bind_tools(openai_schemas()) if tools else model.chat
        answer: AIMessage = await answer_of(model, MESSAGES, chat=chat)
        assert bool(answer.tool_calls) == tools
        assert answer.text
        return answer.text, [{**call} for call in answer.tool_calls], usage_of(answer)

    with WireServer() as server:
        for tools in (True, False):
            whole, pieces = (run_loop(said(server, stream, tools)) for stream in (False, True))
            assert pieces == whole
        assert server.seen.streamed == 2


@pytest.mark.parametrize("provider", MODELS)
@pytest.mark.parametrize("fault", ["cut_body", "late_error", "broken_json"])
@pytest.mark.parametrize("tools", [True, False])
def test_what_goes_wrong_in_the_middle_of_a_stream_is_tried_again(provider: str, fault: str, tools: bool) -> None:
    attempts = Attempts()
    with WireServer(Plan(rate=1, faults=[fault], times=1)) as server:
        model = model_at(server, provider, stream=True, retrying=Retrying(2, first=0.001))
        chat = model.chat.bind_tools(openai_schemas()) if tools else model.chat
        answer = run_loop(answer_of(model, MESSAGES, chat=chat, attempts=attempts))
        assert (server.seen.requests, len(attempts.failed)) == (2, 1)
    assert bool(answer.tool_calls) == tools

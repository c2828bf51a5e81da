"""Answers read as they are written, by the real clients from a local server; a stream that ends early is no answer."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from drretail.llm.calling import Attempts, answer_of
from drretail.llm.registry import Model, open_model
from drretail.llm.retries_and_rates import Retrying
from drretail.llm.usage import usage_of
from drretail.records.run import Usage
from drretail.tools.registry import openai_schemas
from tests.wire.server import Plan, WireServer

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("provider", ["anthropic", "openai"])]
MESSAGES = [
    SystemMessage("You shop."),
    HumanMessage("<query>\nWhich bird feeder under $30 should I buy?\n</query>\n<today>\n2026-11-01\n</today>"),
]


def model_at(server: WireServer, provider: str, *, stream: bool = True, retries: int = 0) -> Model:
    pytest.importorskip(f"langchain_{provider}")
    return open_model(
        "anthropic:claude-sonnet-4-6" if provider == "anthropic" else "openai:local",
        base_url=server.url if provider == "anthropic" else server.openai_url,
        environ={"ANTHROPIC_API_KEY": "sk-test-0123456789"},
        timeout=5,
        stream=stream,
        retrying=Retrying(retries, first=0.001),
    )


def said(answer: AIMessage) -> tuple[str, list[tuple[str, dict[str, Any], str | None]], Usage]:
    calls = [(call["name"], call["args"], call["id"]) for call in answer.tool_calls]
    return answer.text, calls, usage_of(answer)


async def test_a_stream_put_together_is_the_answer_that_comes_whole(provider: str) -> None:
    answers: list[AIMessage] = []
    with WireServer() as server:
        for stream in (False, True):
            model = model_at(server, provider, stream=stream)
            answers.append(await answer_of(model, MESSAGES, chat=model.chat.bind_tools(openai_schemas())))
            answers.append(await answer_of(model, MESSAGES))
        assert server.seen.streamed == 2
    assert answers[0].tool_calls
    assert answers[1].text
    assert said(answers[2]) == said(answers[0])
    assert said(answers[3]) == said(answers[1])


@pytest.mark.parametrize("fault", ["cut_body", "late_error", "broken_json"])
@pytest.mark.parametrize("tools", [True, False])
async def test_what_goes_wrong_in_the_middle_is_tried_again(provider: str, fault: str, tools: bool) -> None:
    attempts = Attempts()
    with WireServer(Plan(rate=1, faults=[fault], times=1)) as server:
        model = model_at(server, provider, retries=2)
        chat = model.chat.bind_tools(openai_schemas()) if tools else model.chat
        answer = await answer_of(model, MESSAGES, chat=chat, attempts=attempts)
        assert (server.seen.requests, len(attempts.failed)) == (2, 1)
    assert bool(answer.tool_calls) == tools

"""The real Anthropic client against a local socket: what goes out, what comes back, and every way it fails."""

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from drretail.errors import CommandStopped, ModelError, ModelErrorKind
from drretail.llm.calling import answer_of
from drretail.llm.registry import Model, open_model
from drretail.llm.retries_and_rates import Retrying
from drretail.llm.usage import usage_of
from drretail.records.run import Usage

from .clients import KEY, TOOL
from .provider import Provider, Step, answers, fails

MESSAGES = [SystemMessage("You shop."), HumanMessage("Which dog bed?")]
pytestmark = pytest.mark.anyio


def model_at(url: str, name: str = "claude-sonnet-5", **given: Any) -> Model:
    retrying = Retrying(given.pop("max_retries", 2), first=0.01)
    settings: dict[str, Any] = {"timeout": 5, "retrying": retrying, "max_tokens": 700} | given
    return open_model(f"anthropic:{name}", base_url=url, environ={"ANTHROPIC_API_KEY": KEY}, **settings)


async def asked(*script: Step, tools: bool = False, **given: Any) -> tuple[AIMessage, Provider]:
    with Provider(*script) as provider:
        model = model_at(provider.url, **given)
        chat = model.chat.bind_tools([TOOL]) if tools else model.chat
        return await answer_of(model, MESSAGES, chat=chat), provider


async def failure(*script: Step, **given: Any) -> tuple[ModelError, int]:
    with Provider(*script) as provider:
        with pytest.raises(ModelError) as caught:
            await answer_of(model_at(provider.url, **given), MESSAGES)
        return caught.value, len(provider.seen)


async def test_the_request_names_model_length_system_and_tools_in_anthropics_form() -> None:
    _, provider = await asked(tools=True)
    request = provider.seen[0]
    assert request.path == "/v1/messages"
    assert request.body["model"] == "claude-sonnet-5"
    assert request.body["max_tokens"] == 700
    assert "You shop." in json.dumps(request.body["system"])
    assert request.body["messages"] == [{"role": "user", "content": "Which dog bed?"}]
    (tool,) = request.body["tools"]
    assert tool["name"] == "get_product_details"
    assert tool["input_schema"]["required"] == ["product_id"]
    assert KEY in request.headers.get("authorization", request.headers.get("x-api-key", ""))


@pytest.mark.parametrize(
    ("name", "sent"), [("claude-sonnet-5", None), ("claude-sonnet-4-6", 0), ("claude-unheard-9", None)]
)
async def test_temperature_goes_out_only_to_models_that_take_one(name: str, sent: int | None) -> None:
    _, provider = await asked(name=name)
    assert provider.seen[0].body.get("temperature") == sent


@pytest.mark.parametrize("step", [fails(429), fails(529), fails(500), Step(drop=True)])
async def test_what_passes_by_itself_is_tried_again(step: Step) -> None:
    answer, provider = await asked(step)
    assert answer.text == "hello"
    assert len(provider.seen) == 2


@pytest.mark.parametrize(
    ("step", "requests", "kind"),
    [
        (fails(529), 2, "model"),
        (fails(500), 2, "model"),
        (Step(502, b"<html>bad gateway</html>"), 2, "model"),
        (Step(drop=True), 2, "model"),
        (fails(400), 1, "model"),
        (fails(413), 1, "context_overflow"),
        (fails(400, "prompt is too long: 210000 tokens > 200000 maximum"), 1, "context_overflow"),
        (Step(200, b'{"id": "msg_1", "content": [{"ty'), 2, "model"),
        (Step(200, b""), 2, "model"),
    ],
)
async def test_what_stays_wrong_is_a_model_error_of_its_kind(step: Step, requests: int, kind: ModelErrorKind) -> None:
    error, seen = await failure(*[step] * 3, max_retries=1)
    assert error.kind == kind
    assert error.message
    assert seen == requests


async def test_a_stalled_server_is_a_timeout_after_all_attempts() -> None:
    error, seen = await failure(*[answers(pause=1.5)] * 2, timeout=0.6, max_retries=1)
    assert error.kind == "timeout"
    assert seen == 2


async def test_broken_json_once_is_tried_again() -> None:
    answer, provider = await asked(Step(200, b"{"))
    assert answer.text == "hello"
    assert len(provider.seen) == 2


@pytest.mark.parametrize(
    ("step", "kind"),
    [
        (answers({"type": "text", "text": "I"}, stop_reason="refusal"), "refusal"),
        (answers({"type": "text", "text": "Half a rep"}, stop_reason="max_tokens"), "unusable"),
        (answers({"type": "text", "text": "x"}, stop_reason="model_context_window_exceeded"), "context_overflow"),
        (answers({"type": "text", "text": " "}), "unusable"),
    ],
)
async def test_an_answer_that_did_not_end_of_itself_is_an_error(step: Step, kind: ModelErrorKind) -> None:
    error, seen = await failure(step, step)
    assert error.kind == kind
    assert seen == (2 if kind == "unusable" else 1)  # one that is empty or cut is asked for once more


async def test_tool_calls_are_kept_even_when_the_text_beside_them_was_cut() -> None:
    block = {"type": "tool_use", "id": "toolu_1", "name": "get_product_details", "input": {"product_id": "B1"}}
    answer, _ = await asked(answers(block, stop_reason="max_tokens"), tools=True)
    assert answer.tool_calls[0]["args"] == {"product_id": "B1"}


async def test_an_unheard_of_stop_reason_is_taken_for_an_end() -> None:
    answer, _ = await asked(answers(stop_reason="pause_turn"))
    assert answer.text == "hello"


async def test_no_error_message_holds_the_key() -> None:
    error, _ = await failure(fails(400, f"invalid key {KEY}"))
    assert KEY not in error.message
    assert "***" in error.message
    with pytest.raises(CommandStopped, match=r"\*\*\*") as caught:
        await failure(fails(401, f"invalid key {KEY}"))
    assert KEY not in str(caught.value)


async def test_the_cache_parts_of_the_input_are_counted_once() -> None:
    cached = {"cache_read_input_tokens": 100, "cache_creation_input_tokens": 40}
    answer, _ = await asked(answers(input_tokens=10, output_tokens=7, more=cached))
    assert usage_of(answer) == Usage(calls=1, input_uncached=10, cache_read=100, cache_creation=40, output=7)


async def test_cache_parts_with_stated_lifetimes_are_counted_once() -> None:
    creation = {"ephemeral_5m_input_tokens": 30, "ephemeral_1h_input_tokens": 10}
    cached = {"cache_creation_input_tokens": 40, "cache_creation": creation}
    answer, _ = await asked(answers(input_tokens=10, output_tokens=7, more=cached))
    assert usage_of(answer) == Usage(calls=1, input_uncached=10, cache_creation=40, output=7)


def test_an_answer_without_counts_is_one_call_of_unknown_size() -> None:
    assert usage_of(AIMessage("hello")) == Usage(calls=1)

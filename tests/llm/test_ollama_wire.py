"""The real Ollama client against a local server: what goes out, tools there and back, usage, and how it fails."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from drretail.errors import CommandStopped, ModelError, ModelErrorKind
from drretail.llm.calling import answer_of
from drretail.llm.faults import usage_of
from drretail.llm.registry import Model, open_model
from drretail.llm.structured import structured
from drretail.records.run import Usage

from .ollama import refuses, says
from .provider import Provider, Step
from .test_anthropic_wire import TOOL

pytest.importorskip("langchain_ollama")
pytestmark = pytest.mark.anyio
MESSAGES = [SystemMessage("You shop."), HumanMessage("Which dog bed?")]
CALL = {"name": "get_product_details", "args": {"product_id": "B1"}}


def model_at(provider: Provider, **given: Any) -> Model:
    settings: dict[str, Any] = {"base_url": provider.url, "timeout": 5, "max_tokens": 700} | given
    return open_model("ollama:qwen3:8b", **settings)


async def asked(*script: Step, **given: Any) -> tuple[AIMessage, Provider]:
    with Provider(*script) as provider:
        return await answer_of(model_at(provider, **given), MESSAGES), provider


async def test_the_request_holds_length_context_seed_and_temperature_0() -> None:
    answer, provider = await asked(says("Take it."), seed=7, context=16_384)
    assert answer.text == "Take it."
    (request,) = provider.seen
    assert (request.path, request.body["model"]) == ("/api/chat", "qwen3:8b")
    options = {"num_predict": 700, "num_ctx": 16_384, "temperature": 0, "seed": 7}
    assert request.body["options"] == options
    assert [message["role"] for message in request.body["messages"]] == ["system", "user"]


async def test_no_conversation_is_cut_at_the_few_thousand_tokens_of_the_servers_own_default() -> None:
    _, provider = await asked(says("Take it."))
    assert provider.seen[0].body["options"]["num_ctx"] == 32_768


async def test_a_round_with_a_tool_goes_there_and_back() -> None:
    with Provider(says("", CALL), says("Take it.")) as provider:
        model = model_at(provider)
        chat = model.chat.bind_tools([TOOL])
        first = await answer_of(model, MESSAGES, chat=chat)
        reply = ToolMessage('{"title":"Bed"}', tool_call_id=first.tool_calls[0]["id"])
        last = await answer_of(model, [*MESSAGES, first, reply], chat=chat)
    assert first.tool_calls[0]["args"] == {"product_id": "B1"}
    assert last.text == "Take it."
    assert provider.seen[0].body["tools"][0]["function"]["name"] == "get_product_details"
    sent = provider.seen[1].body["messages"][2:]
    assert [message["role"] for message in sent] == ["assistant", "tool"]
    assert sent[1]["content"] == '{"title":"Bed"}'


async def test_usage_is_what_the_server_counted() -> None:
    answer, _ = await asked(says("Take it.", prompt_eval_count=210, eval_count=12))
    assert usage_of(answer) == Usage(calls=1, input_uncached=210, output=12)


async def test_a_schema_goes_out_as_the_format() -> None:
    schema: dict[str, Any] = {"title": "A", "type": "object", "properties": {"n": {"type": "integer"}}}
    with Provider(says('{"n": 3}')) as provider:
        model = model_at(provider)
        bound = structured(model, schema)
        assert bound is not None
        answer = await answer_of(model, MESSAGES, chat=bound)
    assert answer.text == '{"n": 3}'
    assert provider.seen[0].body["format"] == schema


@pytest.mark.parametrize(
    ("step", "kind"),
    [
        (says("half", done_reason="length"), "unusable"),
        (says(""), "unusable"),
        (refuses(500, "out of memory"), "model"),
        (Step(200, b'{"model"'), "model"),
        (Step(drop=True), "model"),
    ],
)
async def test_failures_have_the_same_kinds_as_elsewhere(step: Step, kind: ModelErrorKind) -> None:
    with pytest.raises(ModelError) as caught:
        await asked(*[step] * 6, max_retries=0)
    assert caught.value.kind == kind


async def test_what_the_server_does_not_hold_is_named() -> None:
    with pytest.raises(CommandStopped, match="'qwen3:8b' not found"):
        await asked(refuses(404, "model 'qwen3:8b' not found"))


async def test_a_stalled_server_is_a_timeout() -> None:
    with pytest.raises(ModelError) as caught:
        await asked(*[says("late", pause=0.5)] * 3, timeout=0.2, max_retries=0)
    assert caught.value.kind == "timeout"

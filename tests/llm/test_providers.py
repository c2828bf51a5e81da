"""The real clients of all providers against a local server: what goes out and is cached, and how each fails."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from drretail.errors import ModelErrorKind
from drretail.experiments.journal import Journal
from drretail.llm.calling import answer_of
from drretail.llm.models import Models
from drretail.llm.registry import build_model
from drretail.llm.usage import usage_of
from drretail.records.run import Usage
from drretail.records.trajectory import Trajectory

from . import gemini, ollama
from .clients import CLIENTS, KEY, TOOL, called, opened
from .provider import Provider, Step, answers, completes, fails, streams

pytestmark = pytest.mark.anyio
MESSAGES = [SystemMessage("You shop."), HumanMessage("Which dog bed?")]
TOOLS: dict[str, Any] = {"messages": MESSAGES, "chat": lambda model: model.chat.bind_tools([TOOL])}
"""Of a call with a tool."""
CACHED = {"cache_read_input_tokens": 100, "cache_creation_input_tokens": 40}
LIFETIMES = {"ephemeral_5m_input_tokens": 30, "ephemeral_1h_input_tokens": 10}


@pytest.mark.parametrize(("name", "client"), CLIENTS.items())
async def test_a_round_with_a_tool_goes_there_and_back(name: str, client: Any) -> None:
    with Provider(client.calls, client.says("Take it.")) as provider:
        model = opened(name, provider)
        chat = model.chat.bind_tools([TOOL])
        first = await answer_of(model, MESSAGES, chat=chat)
        reply = ToolMessage('{"title":"Bed"}', tool_call_id=first.tool_calls[0]["id"])
        last = await answer_of(model, [*MESSAGES, first, reply], chat=chat)
    (call,) = first.tool_calls
    assert (call["name"], call["args"]) == ("get_product_details", {"product_id": "B1"})
    assert last.text == "Take it."
    assert [request.path.endswith(client.path) for request in provider.seen] == [True, True]
    assert client.declared(provider.seen[0].body) == "get_product_details"
    assert client.replied(provider.seen[1].body) == {"title": "Bed"}


async def test_a_call_whose_arguments_are_no_json_stays_a_call() -> None:
    """Its tool refuses it; a conversation that went on without a reply would be refused by the provider."""
    function = {"name": "get_product_details", "arguments": '{"product_id": "B1'}
    calls = [{"id": "call_1", "type": "function", "function": function}]
    (call,) = (await called("openai", completes({"content": None, "tool_calls": calls}), **TOOLS)).answer.tool_calls
    assert (call["name"], call["args"]) == ("get_product_details", {"unreadable": '{"product_id": "B1'})


async def test_anthropic_is_sent_length_system_message_tools_and_key() -> None:
    (request,) = (await called("anthropic", max_tokens=700, **TOOLS)).requests
    assert (request.body["model"], request.body["max_tokens"]) == ("claude-sonnet-5", 700)
    assert "temperature" not in request.body, "which this model refuses"
    assert "You shop." in json.dumps(request.body["system"])
    assert request.body["messages"] == [{"role": "user", "content": "Which dog bed?"}]
    assert request.body["tools"][0]["input_schema"]["required"] == ["product_id"]
    assert KEY in request.headers.get("authorization", request.headers.get("x-api-key", ""))


async def test_ollama_is_sent_length_context_seed_and_temperature_0() -> None:
    given: dict[str, Any] = {"seed": 7, "context": 16_384, "max_tokens": 700}
    (request,) = (await called("ollama", ollama.says("Take it."), messages=MESSAGES, **given)).requests
    body = request.body
    assert body["model"] == "qwen3:8b"
    assert body["options"] == {"num_predict": 700, "num_ctx": 16_384, "temperature": 0, "seed": 7}
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    # The server's own default is a few thousand tokens, and it cuts longer conversations without a word.
    (request,) = (await called("ollama", ollama.says("Take it."))).requests
    assert request.body["options"]["num_ctx"] == 32_768


async def test_google_is_sent_length_seed_temperature_0_the_key_in_a_header_and_that_nothing_may_be_called() -> None:
    given: dict[str, Any] = {"seed": 7, "max_tokens": 700, "messages": MESSAGES}
    given["chat"] = lambda model: model.chat.bind_tools([TOOL], tool_choice="none")
    (request,) = (await called("google", gemini.says(gemini.text("Take it.")), **given)).requests
    sent = request.body["generationConfig"]
    assert (sent["maxOutputTokens"], sent["temperature"], sent["seed"]) == (700, 0, 7)
    assert request.body["systemInstruction"]["parts"] == [{"text": "You shop."}]
    assert request.headers["x-goog-api-key"] == KEY
    assert request.body["toolConfig"]["functionCallingConfig"]["mode"] == "NONE"


CACHED_USAGE = Usage(calls=1, input_uncached=10, cache_read=100, cache_creation=40, output=7, served={"claude-test": 1})
GEMINI = {"gemini-test": 1}
RUNNING = streams({"content": "Take "}, {"content": "it."}, running=True)
"""Each piece counts the tokens up to there."""
THOUGHT = gemini.says(gemini.text("Take it."), prompt=40, candidates=6, thoughts=5, cached=10)


@pytest.mark.parametrize(
    ("name", "step", "usage"),
    [
        ("anthropic", answers(input_tokens=10, output_tokens=7, more=CACHED), CACHED_USAGE),
        (
            "anthropic",
            answers(input_tokens=10, output_tokens=7, more=CACHED | {"cache_creation": LIFETIMES}),
            CACHED_USAGE,
        ),
        ("google", THOUGHT, Usage(calls=1, input_uncached=30, cache_read=10, output=11, served=GEMINI)),
        ("openai", RUNNING, Usage(calls=1, input_uncached=30, output=5, served={"local": 1})),
    ],
)
async def test_tokens_are_counted_once_and_with_the_model_that_answered(name: str, step: Step, usage: Usage) -> None:
    call = await called(name, step, stream=step is RUNNING)
    assert call.attempts.usage_with(call.answer) == usage


@pytest.mark.parametrize("name", ["ollama", "google"])
async def test_a_schema_goes_out_as_one(name: str) -> None:
    schema: dict[str, Any] = {"title": "A", "type": "object", "properties": {"n": {"type": "integer"}}}
    call = await called(name, CLIENTS[name].says('{"n": 3}'), schema=schema)
    assert call.answer.text == '{"n": 3}'
    sent = call.requests[0].body
    assert (sent["format"] if name == "ollama" else sent["generationConfig"]["responseJsonSchema"]) == schema


@pytest.mark.parametrize(
    ("name", "step", "kind"),
    [
        ("anthropic", answers({"type": "text", "text": "I"}, stop_reason="refusal"), "refusal"),
        ("anthropic", answers(stop_reason="model_context_window_exceeded"), "context_overflow"),
        ("anthropic", fails(529), "model"),
        ("anthropic", Step(200, b""), "model"),
        ("openai", completes({"content": None, "refusal": "I can't."}), "refusal"),
        ("openai", Step(200, b'{"error": {"message": "no such model"}}'), "model"),
        ("ollama", ollama.refuses(500, "out of memory"), "model"),
        ("google", gemini.says(finish="SAFETY"), "refusal"),
        ("google", gemini.blocked(), "refusal"),
    ],
)
async def test_failures_have_the_same_kinds_everywhere(name: str, step: Step, kind: ModelErrorKind) -> None:
    assert (await called(name, *[step] * 6, retries=0)).problem.kind == kind


@pytest.mark.parametrize(("name", "client"), CLIENTS.items())
async def test_a_stalled_server_is_a_timeout(name: str, client: Any) -> None:
    late = replace(client.says("late"), pause=1.2)  # the first piece may take four times as long
    assert (await called(name, late, late, timeout=0.2, retries=0)).problem.kind == "timeout"


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("anthropic", fails(400, f"invalid key {KEY}")),
        ("anthropic", fails(401, f"invalid key {KEY}")),
        ("google", gemini.refuses(400, f"API key not valid: {KEY}")),
    ],
)
async def test_no_error_holds_the_key(name: str, step: Step) -> None:
    said = str((await called(name, step, retries=0)).outcome)
    assert "***" in said
    assert KEY not in said


@pytest.mark.parametrize("name", CLIENTS)
async def test_no_client_follows_a_server_that_sends_it_elsewhere(name: str) -> None:
    with Provider() as far:
        elsewhere = Step(307, headers=(("location", f"{far.url}/elsewhere"),))
        assert (await called(name, elsewhere, retries=0)).problem.kind == "model"
    assert far.seen == []


QUESTION = [HumanMessage("Which dog bed? " * 100)]
ESTIMATED = Usage(calls=1, input_uncached=375, output=1, estimated=1)
HOLDERS = {"anthropic": "usage", "openai": "usage", "google": "usageMetadata"}


def counting(name: str, count: object) -> Step:
    """A greeting whose tokens are so many, all counts alike; None = there are no counts."""
    lines = CLIENTS[name].says("hello").body.splitlines()
    return Step(body=b"\n".join(json.dumps(_counted(name, json.loads(line), count)).encode() for line in lines) + b"\n")


def _counted(name: str, body: dict[str, Any], count: object) -> dict[str, Any]:
    counts = body if name == "ollama" else body[HOLDERS[name]]
    for field in [field for field, value in counts.items() if isinstance(value, int) and not isinstance(value, bool)]:
        counts[field] = count
    if count is None:
        return {field: value for field, value in body.items() if field != HOLDERS.get(name) and value is not None}
    return body


@pytest.mark.parametrize("name", CLIENTS)
@pytest.mark.parametrize("count", [None, -50, 0, 10**12])
async def test_what_a_provider_does_not_count_or_counts_absurdly_is_estimated(name: str, count: object) -> None:
    answer = (await called(name, counting(name, count), messages=QUESTION)).answer
    assert (answer.text, usage_of(answer).model_copy(update={"served": {}})) == ("hello", ESTIMATED)


START: list[BaseMessage] = [SystemMessage("You shop."), HumanMessage("Which dog bed?")]
TURN = AIMessage("", tool_calls=[{"name": "get_product_details", "args": {"product_id": "B1"}, "id": "toolu_1"}])
LATER = [*START, TURN, ToolMessage('{"title":"Bed"}', tool_call_id="toolu_1")]


async def sent(
    messages: Sequence[BaseMessage], *, tools: bool = True, may_call: bool = True
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The body that went out, and the request that the journal holds."""
    with Provider(answers()) as provider:
        model = build_model("anthropic:claude-sonnet-5", base_url=provider.url, timeout=5, max_retries=0)
        journal = Journal()
        models = Models({"researcher": model}, journal, Trajectory())
        await models.call("researcher", messages, tools=[TOOL] if tools else [], may_call=may_call)
        return provider.seen[0].body, journal.effects[0].request


def marks(body: dict[str, Any]) -> list[str]:
    """Where marks stand: "system", and the places of messages."""
    found = ["system"] if "cache_control" in json.dumps(body["system"]) else []
    return found + [str(n) for n, message in enumerate(body["messages"]) if "cache_control" in json.dumps(message)]


@pytest.mark.parametrize(
    ("messages", "given", "places"),
    [
        (START, {}, ["system", "0"]),
        (LATER, {}, ["system", "0", "2"]),
        (START, {"tools": False}, ["system"]),
        (LATER, {"may_call": False}, ["system"]),
    ],
    ids=["first turn", "later: also where the one before ended", "nobody goes on", "the last, which nobody repeats"],
)
async def test_what_repeats_is_marked_for_the_cache(
    messages: list[BaseMessage], given: dict[str, bool], places: list[str]
) -> None:
    body, keyed = await sent(messages, **given)
    assert marks(body) == places
    assert "cache_control" not in json.dumps(keyed), "the journal is keyed by the request without marks"
    assert keyed["messages"][0] == {"role": "system", "content": "You shop."}

"""Requests to models as the providers' own clients send them, and their answers: model_door.py."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from anthropic import AsyncAnthropic
from langchain_core.messages import AIMessage
from openai import APIStatusError, AsyncOpenAI

from drretail.doors.doors import Doors
from drretail.env.world import World
from drretail.llm.registry import Model
from drretail.llm.scripted import ScriptedAnswer, requests_of, scripted_model
from drretail.records.run import CLIENT, Limits
from tests.doors.conftest import at_doors

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
CALL = AIMessage("Looking.", tool_calls=[{"name": "weather", "args": {"city": "Rome"}, "id": "x"}])
Said = tuple[str, list[tuple[str, Any]]]
"""What a client reads: the text, and the calls."""


async def chat(doors: Doors) -> list[Said]:
    client = AsyncOpenAI(base_url=f"{doors.place.here}/v1", api_key=doors.place.token)
    tool: Any = {"type": "function", "function": {"name": "weather", "parameters": SCHEMA, "strict": True}}
    messages: list[Any] = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Rome?"}]
    first = await client.chat.completions.create(model="gpt-4.1", messages=messages, tools=[tool])
    message: Any = first.choices[0].message
    said: list[Said] = [(message.content, [(c.function.name, c.function.arguments) for c in message.tool_calls])]
    messages += [message, {"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": "Sunny."}]
    async with client.chat.completions.stream(
        model="gpt-4.1", messages=messages, tools=[tool], stream_options={"include_usage": True}
    ) as stream:
        end = await stream.get_final_completion()
    assert end.usage is not None
    return [*said, (str(end.choices[0].message.content), [])]


async def responses(doors: Doors) -> list[Said]:
    client = AsyncOpenAI(base_url=f"{doors.place.here}/v1", api_key=doors.place.token)
    tool: Any = {"type": "function", "name": "weather", "parameters": SCHEMA, "strict": True}
    given: list[Any] = [{"role": "user", "content": "Rome?"}]
    first = await client.responses.create(model="gpt-4.1", instructions="Be brief.", input=given, tools=[tool])
    calls: list[Any] = [item for item in first.output if item.type == "function_call"]
    said: list[Said] = [(first.output_text, [(call.name, call.arguments) for call in calls])]
    given += [*first.output, {"type": "function_call_output", "call_id": calls[0].call_id, "output": "Sunny."}]
    async with client.responses.stream(model="gpt-4.1", instructions="Be brief.", input=given, tools=[tool]) as stream:
        end = await stream.get_final_response()
    return [*said, (end.output_text, [])]


async def messages(doors: Doors) -> list[Said]:
    client = AsyncAnthropic(base_url=f"{doors.place.here}/anthropic", api_key=doors.place.token)
    tool: Any = {"name": "weather", "input_schema": SCHEMA}
    said: list[Any] = [{"role": "user", "content": [{"type": "text", "text": "Rome?"}]}]
    about: dict[str, Any] = {"model": "claude", "max_tokens": 99, "system": "Be brief.", "tools": [tool]}
    first: Any = await client.messages.create(messages=said, **about)
    text, call = first.content
    result = {"type": "tool_result", "tool_use_id": call.id, "content": "Sunny."}
    said += [{"role": "assistant", "content": first.content}, {"role": "user", "content": [result]}]
    async with client.messages.stream(messages=said, **about) as stream:
        end = await stream.get_final_text()
    return [(text.text, [(call.name, '{"city": "Rome"}')]), (end, [])]


@pytest.mark.parametrize("protocol", [chat, responses, messages])
def test_a_providers_own_client_calls_a_tool_and_reads_a_stream(
    world: World, protocol: Callable[[Doors], Awaitable[list[Said]]]
) -> None:
    model = scripted_model(CALL, "Sunny.")

    async def use(doors: Doors) -> None:
        assert await protocol(doors) == [("Looking.", [("weather", '{"city": "Rome"}')]), ("Sunny.", [])]
        assert doors.models.calls == 2

    session = at_doors(world, use, model)
    second = requests_of(model)[1]
    assert [(message.type, message.text) for message in second.messages] == [
        ("system", "Be brief."),
        ("human", "Rome?"),
        ("ai", "Looking."),
        ("tool", "Sunny."),
    ]
    assert second.tools == ("weather",)
    steps = [(step.kind, step.role, step.name) for step in session.trajectory.steps()]
    assert steps == [("model", CLIENT, "scripted:test")] * 2
    assert [(effect.kind, effect.role, bool(effect.usage)) for effect in session.journal.effects] == [
        ("model", CLIENT, True)
    ] * 2


def asking(**given: Any) -> Callable[[Doors], Awaitable[Any]]:
    async def asked(doors: Doors) -> Any:
        client = AsyncOpenAI(base_url=f"{doors.place.here}/v1", api_key=doors.place.token)
        usual: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "x"}]}
        return await client.chat.completions.create(**(usual | given))

    return asked


FORM = {"type": "json_schema", "json_schema": {"name": "place", "schema": SCHEMA}}


@pytest.mark.parametrize(
    ("given", "answer", "text"),
    [
        ({"response_format": FORM}, ScriptedAnswer(structured={"city": "Rome"}), '{"city":"Rome"}'),
        ({"stop": ["END"]}, "One END two", "One "),
        ({"model": "another-name"}, "Yes.", "Yes."),
    ],
)
def test_schemas_stops_and_any_models_name_are_taken(
    world: World, given: dict[str, Any], answer: Any, text: str
) -> None:
    async def use(doors: Doors) -> None:
        assert (await asking(**given)(doors)).choices[0].message.content == text

    at_doors(world, use, scripted_model(answer))


@pytest.mark.parametrize(
    ("given", "limits", "model", "status", "kind"),
    [
        ({}, Limits(tokens=1), scripted_model("x"), 429, "insufficient_quota"),
        ({}, Limits(), None, 401, "authentication_error"),
        ({"tools": [{"type": "web_search"}]}, Limits(), scripted_model("x"), 400, "invalid_request_error"),
        ({"messages": "x"}, Limits(), scripted_model("x"), 400, "invalid_request_error"),
        ({}, Limits(), scripted_model(ScriptedAnswer(error="context_overflow")), 400, "context_length_exceeded"),
    ],
    ids=["cap", "no model", "their own tools", "no messages", "too long"],
)
def test_what_is_not_had_is_refused_as_the_provider_would(
    world: World, given: dict[str, Any], limits: Limits, model: Model | None, status: int, kind: str
) -> None:
    async def use(doors: Doors) -> None:
        with pytest.raises(APIStatusError) as problem:
            await asking(**given)(doors)
        assert (problem.value.status_code, problem.value.code) == (status, kind)
        assert doors.models.calls == (0 if model is None else 1)  # clients make no second attempt
        assert (doors.models.problem is not None) == (kind == "insufficient_quota")

    at_doors(world, use, model, limits)


def test_embeddings_are_of_providers_that_have_them(world: World) -> None:
    async def use(doors: Doors) -> None:
        client = AsyncOpenAI(base_url=f"{doors.place.here}/v1", api_key=doors.place.token)
        with pytest.raises(APIStatusError, match="has no embeddings"):
            await client.embeddings.create(model="e", input="x")

    at_doors(world, use, scripted_model("x"))

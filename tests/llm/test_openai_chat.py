"""Answers of servers that speak OpenAI's protocol loosely: what a call brings, whole and in pieces."""

import json
from typing import Any

import pytest

from drretail.errors import ModelError
from tests.llm.clients import TOOL, called
from tests.llm.provider import Step, completes, streams

pytestmark = pytest.mark.anyio

ARGUMENTS = '{"product_id": "B1"}'
SCHEMA: dict[str, Any] = {"title": "A", "type": "object", "properties": {"n": {"type": "integer"}}}


def calling(*calls: dict[str, Any]) -> Step:
    """An answer that calls the tool; each call is as usual but for its own fields."""
    usual = {"id": "c1", "type": "function", "function": {"name": "get_product_details", "arguments": ARGUMENTS}}
    made = [{name: value for name, value in (usual | call).items() if value is not None} for call in calls]
    return completes({"content": None, "tool_calls": made}, "tool_calls")


def is_stream(step: Step) -> bool:
    return dict(step.headers).get("content-type") == "text/event-stream"


def with_arguments(arguments: Any) -> Step:
    return calling({"function": {"name": "get_product_details", "arguments": arguments}})


LOOSE_CALL = {"index": 0, "function": {"name": "get_product_details", "arguments": ARGUMENTS}}


@pytest.mark.parametrize(
    ("step", "ids"),
    [
        (calling({"id": None}, {"id": None}), ["call_1_0", "call_1_1"]),
        (calling({"id": ""}), ["call_1_0"]),
        (calling({}, {}), ["c1", "call_1_1"]),
        (calling({"type": None}), ["c1"]),
        (with_arguments({"product_id": "B1"}), ["c1"]),
        (with_arguments(json.dumps(ARGUMENTS)), ["c1"]),
        (streams({"tool_calls": [LOOSE_CALL]}, finish="tool_calls"), ["call_1_0"]),
    ],
    ids=["no id", "empty id", "one id for two", "no type", "an object", "text in text", "a stream"],
)
async def test_a_call_that_is_written_loosely_is_read_and_has_an_id_of_its_own(step: Step, ids: list[str]) -> None:
    call = await called("openai", step, chat=lambda model: model.chat.bind_tools([TOOL]), stream=is_stream(step))
    assert [each["id"] for each in call.answer.tool_calls] == ids
    assert [each["args"] for each in call.answer.tool_calls] == [{"product_id": "B1"}] * len(ids)


TEXT = {"content": '{"n": 3}'}
THOUGHT = {"reasoning_content": "I think long."}


@pytest.mark.parametrize("schema", [None, SCHEMA], ids=["free", "in a schema"])
@pytest.mark.parametrize(
    ("step", "comes"),
    [
        (completes(TEXT | {"refusal": None, "annotations": [], "x": 1}), TEXT["content"]),
        (completes(TEXT | THOUGHT), TEXT["content"]),
        (completes({"content": ""} | THOUGHT), "only in the reasoning"),
        (completes({"content": f"<think>n is {{2}}.</think>\n{TEXT['content']}"}), TEXT["content"]),
        (completes({"content": f"n is {{2}}.\n</think>\n{TEXT['content']}"}), TEXT["content"]),
        (completes({"content": [{"type": "text", "text": f"<think>2</think>{TEXT['content']}"}]}), TEXT["content"]),
        (completes({"content": f"<think>n is {TEXT['content']}"}), "only in the reasoning"),
        (streams({"content": "<thi"}, {"content": "nk>n is 2"}), "only in the reasoning"),
        (completes({"content": None, "refusal": "I can't."}), "refused"),
        (completes({"content": ""}, "content_filter"), "refused"),
        (streams(TEXT), TEXT["content"]),
        (streams(TEXT, finish=None), TEXT["content"]),
        (streams(TEXT, finish=None, usage=False), "stream of the answer was cut"),
        (streams({"content": ""}, THOUGHT), "only in the reasoning"),
        (streams({"refusal": "I can't."}), "refused"),
        (Step(body=b"", headers=(("content-type", "text/event-stream"),)), "another form"),
        (Step(body=b'{"choices": []}'), "another form than its API's (IndexError) (no"),
    ],
)
async def test_what_an_answer_lacks_is_said_by_name(step: Step, comes: str, schema: dict[str, Any] | None) -> None:
    call = await called("openai", *[step] * 9, retries=0, schema=schema, stream=is_stream(step))
    said = call.outcome.message if isinstance(call.outcome, ModelError) else call.answer.text
    assert comes in said
    assert "think" not in said

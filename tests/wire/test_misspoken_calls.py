"""Misspoken tool calls through the real clients: each is answered with its error, and the run goes on."""

import json
from typing import Any

import pytest

from drretail.env.world import World
from drretail.llm.registry import open_model
from drretail.records.run import Run
from tests.llm.provider import Provider, Step, answers, completes
from tests.wire.playing import KEYS, MODELS, play, player

GOOD = ("calculator", {"expression": "2 + 3"})
MISSPOKEN: dict[str, tuple[str, Any, str]] = {
    "a missing argument": ("product_catalog_search", {}, "invalid_argument"),
    "one too many": ("calculator", {"expression": "1", "precision": 3}, "invalid_argument"),
    "the wrong type": ("product_catalog_search", {"query": ["feeder"]}, "invalid_argument"),
    "a tool that is not there": ("buy_product", {"product_id": "B0TEST0001"}, "unknown_tool"),
}
NO_JSON = '{"expression": "2 +'
REPORT = "It comes to 5."
DECLARED = f"{REPORT}\n\n```picks\n```"


def anthropic_turn(*calls: tuple[str, Any]) -> Step:
    blocks = [{"type": "tool_use", "id": f"t{n}", "name": name, "input": args} for n, (name, args) in enumerate(calls)]
    return answers(*blocks, stop_reason="tool_use")


def openai_turn(*calls: tuple[str, Any]) -> Step:
    def arguments(args: Any) -> str:
        return args if isinstance(args, str) else json.dumps(args)

    made = [
        {"id": f"t{n}", "type": "function", "function": {"name": name, "arguments": arguments(args)}}
        for n, (name, args) in enumerate(calls)
    ]
    return completes({"content": None, "tool_calls": made}, "tool_calls")


def told(world: World, provider: str, *calls: tuple[str, Any]) -> tuple[Run, list[Any]]:
    """The run of ``react`` whose first turn has these calls and whose second is the report; and what it was told."""
    turn, end = {
        "anthropic": (anthropic_turn, answers({"type": "text", "text": DECLARED})),
        "openai": (openai_turn, completes({"content": DECLARED})),
    }[provider]
    with Provider(turn(*calls), end) as server:
        url = f"{server.url}/v1" if provider == "openai" else server.url
        model = open_model(MODELS[provider], base_url=url, timeout=5, max_retries=0, environ=KEYS)
        (recorded,) = play(world, player(world, "react", model))
        assert len(server.seen) == 2
        messages = server.seen[1].body["messages"]
    if provider == "openai":
        replies = {message["tool_call_id"]: message["content"] for message in messages if message["role"] == "tool"}
    else:
        replies = {block["tool_use_id"]: block["content"] for block in messages[-1]["content"]}
    assert list(replies) == [f"t{n}" for n in range(len(calls))]
    return recorded.run, [json.loads(_text(reply)) for reply in replies.values()]


@pytest.mark.parametrize("wrong", MISSPOKEN)
@pytest.mark.parametrize("provider", MODELS)
def test_a_misspoken_call_is_told_what_is_wrong_beside_one_that_is_carried_out(
    world: World, provider: str, wrong: str
) -> None:
    name, args, error = MISSPOKEN[wrong]
    run, (good, bad) = told(world, provider, GOOD, (name, args))
    assert (run.status, run.report) == ("done", REPORT)
    assert good["value"] == 5
    assert bad["error"]["type"] == error
    assert [step.error is not None for step in run.steps if step.kind == "tool"] == [False, True]


def test_arguments_that_are_no_json_are_told_so_beside_a_call_that_is_carried_out(world: World) -> None:
    run, replies = told(world, "openai", GOOD, ("calculator", NO_JSON))
    assert (run.status, run.report) == ("done", REPORT)
    assert replies[0]["value"] == 5
    assert replies[1]["error"]["type"] == "invalid_argument"


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(block["text"] for block in content)

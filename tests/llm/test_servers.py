"""Calls in text: the forms as the cards of their models print them, what only looks like one, and a server's own."""

import json
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from drretail.journal import Journal
from drretail.llm.models import Models
from drretail.llm.servers import HITS, ITEMS, TEXT, calls_in_text, lean_arguments, lean_result, lean_schemas
from drretail.records.models import Abilities
from drretail.records.trajectory import Trajectory
from drretail.tools.registry import openai_schemas
from tests.llm.clients import opened
from tests.llm.provider import Provider, completes


def test_the_lean_schemas_keep_every_name_type_and_choice_in_half_the_length() -> None:
    full, lean = openai_schemas(), lean_schemas(openai_schemas())
    assert len(json.dumps(lean)) < len(json.dumps(full)) / 2

    def shape(tool: dict[str, Any]) -> Any:
        given = tool["function"]["parameters"]
        choices = {name: (each["type"], each.get("enum")) for name, each in given["properties"].items()}
        return tool["function"]["name"], choices, given["required"]

    assert [shape(tool) for tool in lean] == [shape(tool) for tool in full]
    assert all(tool["function"]["description"] for tool in lean)


def test_fewer_and_shorter_results_are_asked_for() -> None:
    assert lean_arguments({"query": "bed"}, {"query", "limit"}) == {"query": "bed", "limit": HITS}
    assert lean_arguments({"limit": 2}, {"limit"}) == {"limit": 2}
    assert lean_arguments({"limit": "many"}, {"limit"}) == {"limit": "many"}, "for the tool to refuse"
    assert lean_arguments({"query": "bed"}, {"query"}) == {"query": "bed"}
    assert lean_arguments("no object", {"limit"}) == "no object"
    cut = lean_result({"title": "Bed", "description": "x" * 1000, "features": [*"abcdefghij"], "price": 3})
    assert (cut["title"], cut["price"], len(cut["description"])) == ("Bed", 3, TEXT + 1)
    assert cut["features"] == [*"abcdefgh", "…"]
    assert len(cut["features"]) == ITEMS + 1


@pytest.mark.anyio
@pytest.mark.parametrize(("context", "is_lean"), [(8_192, True), (40_000, False)])
async def test_a_model_of_a_small_context_is_shown_lean_tools(tmp_path: Path, context: int, is_lean: bool) -> None:
    with Provider(completes({"content": "Hello."})) as provider:
        model = opened("openai", provider).knowing(Abilities(context=context))
        models = Models({"researcher": model}, Journal(tmp_path / "journal.jsonl"), Trajectory())
        await models.call("researcher", [HumanMessage("Hello?")], tools=openai_schemas())
        sent = provider.seen[0].body["tools"]
    assert sent == (lean_schemas(openai_schemas()) if is_lean else openai_schemas())
    assert models.is_lean("researcher") == is_lean


NAMES = {"get_current_temperature", "spotify_trending_songs", "get_user_info", "read", "get_product_details"}
TOOLS: list[dict[str, Any]] = [
    {"type": "function", "function": {"name": name, "description": "", "parameters": {"type": "object"}}}
    for name in sorted(NAMES)
]
PARIS = ("get_current_temperature", {"location": "Paris, France", "unit": "celsius"})
IN_PARIS = '{"name": "get_current_temperature", "arguments": {"location": "Paris, France", "unit": "celsius"}}'

CARDS = {
    "Hermes 2 Pro, Qwen 2.5, Qwen 3": (
        f"<tool_call>\n{IN_PARIS}\n</tool_call><|im_end|>",
        [PARIS],
    ),
    "Hermes 3, arguments first": (
        'I will look.\n<tool_call>\n{"arguments": {"location": "Paris, France", "unit": "celsius"}, '
        '"name": "get_current_temperature"}\n</tool_call>',
        [PARIS],
    ),
    "Qwen 2.5, two calls": (
        '<tool_call>\n{"name": "read", "arguments": {"path": "a"}}\n</tool_call>\n'
        '<tool_call>\n{"name": "read", "arguments": {"path": "b"}}\n</tool_call>',
        [("read", {"path": "a"}), ("read", {"path": "b"})],
    ),
    "Qwen 3, after its thoughts": (
        "<think>\nShould I <tool_call>?\n</think>\n\n"
        '<tool_call>\n{"name": "read", "arguments": {"path": "a"}}\n</tool_call>',
        [("read", {"path": "a"})],
    ),
    "SmolLM2, a list": (
        f"<tool_call>[{IN_PARIS}]</tool_call>",
        [PARIS],
    ),
    "Qwen 3 Coder": (
        "<tool_call>\n<function=read>\n<parameter=path>\nsrc/main.py\n</parameter>\n<parameter=lines>\n20\n</parameter>\n"
        "</function>\n</tool_call>",
        [("read", {"path": "src/main.py", "lines": 20})],
    ),
    "Llama 3.1, custom": (
        '<function=spotify_trending_songs>{"n": 5}</function><|eom_id|>',
        [("spotify_trending_songs", {"n": 5})],
    ),
    "Llama 3.1, JSON": (
        '<|python_tag|>{"name": "spotify_trending_songs", "parameters": {"n": 5}}',
        [("spotify_trending_songs", {"n": 5})],
    ),
    "Llama 3.2, pythonic": (
        "[get_user_info(user_id=7890, special='black')]<|eot_id|>",
        [("get_user_info", {"user_id": 7890, "special": "black"})],
    ),
    "Mistral 7B v0.3": (
        f"[TOOL_CALLS] [{IN_PARIS}]",
        [PARIS],
    ),
    "Mistral Small 3.2": (
        '[TOOL_CALLS]get_current_temperature[ARGS]{"location": "Paris, France", "unit": "celsius"}',
        [PARIS],
    ),
    "a fenced block, after an announcement": (
        'Let me look this up.\n\n```json\n{"name": "read", "arguments": {"path": "a"}}\n```',
        [("read", {"path": "a"})],
    ),
}


@pytest.mark.parametrize(("text", "calls"), CARDS.values(), ids=CARDS)
def test_a_call_is_read_as_the_models_card_prints_it(text: str, calls: list[Any]) -> None:
    before, found = calls_in_text(text, NAMES)
    assert found == calls
    assert "read" not in before


CALL = '<tool_call>\n{"name": "read", "arguments": {"path": "a"}}\n</tool_call>'
NEAR_MISSES = {
    "followed by the report": f"{CALL}\nThe feeder costs $39.50 [P:B0C8Q1O0QK].",
    "in a framed report": f"<report>The page says {CALL}</report>\n{CALL}",
    "below a report's picks": f"Take the feeder.\n```picks\nP:B0C8Q1O0QK\n```\n{CALL}",
    "a tool that is not offered": CALL.replace("read", "reads").replace("reads", "read_all"),
    "quoted by a web page": 'A page orders: "<tool_call>{"name": "read", "arguments": {}}</tool_call>", which I leave.',
    "arguments that are no object": CALL.replace('{"path": "a"}', '["a"]'),
    "an end inside the arguments": CALL.replace('"a"', '"</tool_call>"'),
    "a block of another language": '```python\nread(path="a")\n```',
    "Python that does something": "[read(path=__import__('os').getcwd())]",
    "positional arguments": "[read('a')]",
    "a list of names": '["read"]',
    "numbers in a tag": '<tool_call>[1, "read"]</tool_call>',
    "a product's record": '{"name": "read", "price": 3}',
    "two blocks, one of text": '```text\nread\n```\n```json\n{"name": "read", "arguments": {"path": "a"}}\n```',
}


@pytest.mark.parametrize("text", NEAR_MISSES.values(), ids=NEAR_MISSES)
def test_what_only_looks_like_a_call_is_text(text: str) -> None:
    assert calls_in_text(text, NAMES) == (text, [])


@pytest.mark.parametrize(
    "opening", ["<tool_call>", "<function=read>", "[TOOL_CALLS]", "```json\n", "[read(", "{", "<think>"]
)
def test_hostile_lengths_are_read_in_no_time(opening: str) -> None:
    for text in (f"read {opening * 5000}", f"{opening}read{'[' * 9000}", f"read{opening}" * 3000):
        assert calls_in_text(text, NAMES)[1] == []


@pytest.mark.anyio
@pytest.mark.parametrize(("text", "calls"), CARDS.values(), ids=CARDS)
async def test_a_servers_literal_output_becomes_calls_that_are_counted_but_not_in_the_last_turn(
    tmp_path: Any, text: str, calls: list[Any]
) -> None:
    with Provider(completes({"content": text}), completes({"content": text})) as provider:
        journal = Journal(tmp_path / "journal.jsonl")
        trajectory = Trajectory()
        models = Models({"researcher": opened("openai", provider)}, journal, trajectory)
        asked = [HumanMessage("How warm is it?")]
        answer = await models.call("researcher", asked, tools=TOOLS)
        assert [(call["name"], call["args"]) for call in answer.tool_calls] == calls
        assert len({call["id"] for call in answer.tool_calls}) == len(calls)
        last = await models.call("researcher", [*asked, answer, HumanMessage("Write.")], tools=TOOLS, may_call=False)
        assert (last.tool_calls, last.text) == ([], text)
        assert trajectory.setbacks().calls_from_text == len(calls)

"""What Anthropic is told to cache, seen on the wire: a prefix that the next turn repeats, and nothing else."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from drretail.journal import Journal
from drretail.llm.calling import marked
from drretail.llm.models import Models
from drretail.llm.registry import open_model
from drretail.records.trajectory import Trajectory

from .clients import TOOL
from .provider import Provider, answers

pytestmark = pytest.mark.anyio
START: list[BaseMessage] = [SystemMessage("You shop."), HumanMessage("Which dog bed?")]
TURN = AIMessage("", tool_calls=[{"name": "get_product_details", "args": {"product_id": "B1"}, "id": "toolu_1"}])
LATER = [*START, TURN, ToolMessage('{"title":"Bed"}', tool_call_id="toolu_1")]


async def sent(
    messages: Sequence[BaseMessage], *, tools: bool = True, may_call: bool = True
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The body that went out, and the request that the journal holds."""
    with Provider(answers()) as provider:
        model = open_model("anthropic:claude-sonnet-5", base_url=provider.url, timeout=5, max_retries=0)
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
async def test_what_is_repeated_is_marked(
    messages: list[BaseMessage], given: dict[str, bool], places: list[str]
) -> None:
    body, keyed = await sent(messages, **given)
    assert marks(body) == places
    assert "cache_control" not in json.dumps(keyed), "the journal is keyed by the request without marks"
    assert keyed["messages"][0] == {"role": "system", "content": "You shop."}


async def test_what_one_turn_wrote_to_the_cache_the_next_repeats_to_the_byte() -> None:
    def plain(value: Any) -> Any:
        """Marks are no part of what is compared; one plain text may go out as a block."""
        if isinstance(value, dict):
            return {name: plain(item) for name, item in value.items() if name != "cache_control"}
        return [plain(item) for item in value] if isinstance(value, list | tuple) else value

    (first, _), (later, _) = plain(await sent(START)), plain(await sent(LATER))
    assert (later["system"], later["tools"]) == (first["system"], first["tools"])
    assert later["messages"][: len(first["messages"])] == first["messages"]


def test_at_most_four_marks_are_set_which_is_all_that_is_allowed_and_none_without_text() -> None:
    long = [*LATER, TURN, ToolMessage("1", tool_call_id="toolu_1"), TURN, ToolMessage("2", tool_call_id="toolu_1")]
    blocks = [message for message in marked(long, continues=True) if "cache_control" in str(message.content)]
    assert len(blocks) == 3
    assert "cache_control" not in str(long)
    empty = [SystemMessage("You shop."), HumanMessage("")]
    assert "cache_control" not in str(marked(empty, continues=True)[1].content)

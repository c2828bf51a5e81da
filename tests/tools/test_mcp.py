"""The tools over MCP, by the official client in process."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, Literal, TypeVar

import pytest

from drretail.env.session import Session
from drretail.env.world import World
from drretail.tools.registry import TOOLS, json_schemas
from drretail.tools.toolkit import Toolkit
from tests.tools.conftest import ANNA, BORIS

pytest.importorskip("mcp", reason="no MCP: pip install mcp")

from mcp import Client
from mcp_types import CallToolResult, ElicitResult, TextContent

from drretail.tools.mcp import Connection, UnrecordedRun, mcp_server

T = TypeVar("T")
Mode = Literal["legacy", "auto"]
MODES: tuple[Mode, ...] = ("legacy", "auto")
"""Versions of the protocol that begin with a handshake, over memory streams, and the one of 2026, which has none."""


def asked(session: Session, ask: Callable[[Client], Awaitable[T]], mode: Mode = "legacy") -> T:
    async def visit() -> T:
        server = mcp_server(session, lambda: UnrecordedRun(session), "about this shop")
        async with Client(server, mode=mode) as client:
            return await ask(client)

    return asyncio.run(visit())


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def called(session: Session, name: str, mode: Mode = "legacy", **args: Any) -> CallToolResult:
    return asked(session, lambda client: client.call_tool(name, args), mode)


def test_a_client_is_told_of_the_nine_with_our_schemas_and_what_only_reads_or_overwrites(session: Session) -> None:
    listed = asked(session, lambda client: client.list_tools()).tools
    texts = [{"name": each.name, "description": each.description, "parameters": each.input_schema} for each in listed]
    assert texts == [{name: value for name, value in schema.items() if name != "access"} for schema in json_schemas()]
    hints = {each.name: each.annotations for each in listed}
    marked = {name: (one.read_only_hint, one.destructive_hint) for name, one in hints.items() if one is not None}
    assert marked == {name: (tool.access == "read", tool.access == "write") for name, tool in TOOLS.items()}
    assert {hint.open_world_hint for hint in hints.values() if hint is not None} == {False}  # the web is a sandbox here


CALLS = [
    ("product_catalog_search", {"query": "bird feeder", "price_max": 30}),
    ("get_product_details", {"product_id": "B0TOOLS001"}),
    ("get_user_profile", {"user_id": ANNA}),
    ("update_user_profile", {"user_id": ANNA, "first_name": "Änne"}),
    ("web_search", {"query": "how high to hang a feeder"}),
    ("get_user_profile", {"user_id": BORIS}),
    ("no_such_tool", {}),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("name", "args"), CALLS, ids=[f"{number}-{name}" for number, (name, _) in enumerate(CALLS)])
def test_a_clients_model_reads_what_our_agents_read(world: World, name: str, args: dict[str, Any], mode: Mode) -> None:
    with Toolkit(Session(world, user_id=ANNA)) as toolkit:
        reply = toolkit.call(name, args)
    result = called(Session(world, user_id=ANNA), name, mode, **args)
    assert (text_of(result), result.is_error) == (reply.text, reply.error is not None)
    assert result.structured_content == json.loads(reply.text)


@pytest.mark.parametrize("mode", MODES)
def test_a_connection_keeps_what_it_changed_and_the_next_sees_nothing_of_it(session: Session, mode: Mode) -> None:
    async def change(client: Client) -> str:
        await client.call_tool("update_user_profile", {"user_id": ANNA, "first_name": "Zoe"})
        return text_of(await client.call_tool("get_user_profile", {"user_id": ANNA}))

    assert "Zoe" in asked(session, change, mode)
    assert "Zoe" not in text_of(called(session, "get_user_profile", mode, user_id=ANNA))
    assert session.overlay == {}


def test_a_call_that_the_client_gave_up_is_recorded_all_the_same(session: Session) -> None:
    class Slow(UnrecordedRun):
        async def begin(self, client: str) -> Toolkit:
            self.toolkit = await super().begin(client)
            perform = self.toolkit.acall_all

            async def late(*args: Any, **given: Any) -> Any:
                await asyncio.sleep(0.2)
                return await perform(*args, **given)

            self.toolkit.acall_all = late  # pyright: ignore[reportAttributeAccessIssue]
            return self.toolkit

    async def impatient() -> list[str | None]:
        run = Slow(session)
        connection = Connection(run)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(connection.call("c", "calculator", {"expression": "1 + 1"}), 0.05)
        await connection.end()
        return [step.name for step in run.toolkit.session.trajectory.steps()]

    assert asyncio.run(impatient()) == ["calculator"]


def elicited(session: Session, answer: ElicitResult | None, *, elicits: bool = True) -> tuple[list[str], Any]:
    """The tools that a client is shown, and what asking the shopper brings it, who may answer like this."""

    async def respond(context: object, params: object) -> ElicitResult:
        assert answer is not None
        return answer

    async def visit() -> tuple[list[str], Any]:
        server = mcp_server(session, lambda: UnrecordedRun(session), "about", elicits=elicits)
        callback = None if answer is None else respond
        async with Client(server, mode="legacy", elicitation_callback=callback) as client:
            names = [each.name for each in (await client.list_tools()).tools]
            found = await client.call_tool("ask_shopper", {"topic": "budget", "question": "How much?"})
            return names, found.structured_content

    return asyncio.run(visit())


def test_the_person_at_the_client_is_asked_where_the_client_lets_them_be_and_it_is_wanted(session: Session) -> None:
    accepts = ElicitResult(action="accept", content={"answer": "Up to $40."})
    names, found = elicited(session, accepts)
    assert names == [*TOOLS, "ask_shopper"]
    assert found == {"evidence": "S:budget-1", "topic": "budget", "answer": "Up to $40.", "left": 5}
    assert elicited(session, ElicitResult(action="decline"))[1]["answer"] == "I don't mind."
    for answer, elicits in ((None, True), (accepts, False)):
        names, found = elicited(session, answer, elicits=elicits)
        assert names == [*TOOLS]
        assert found["error"]["type"] == "unknown_tool"

"""The tools over MCP, by the official client, and over HTTP. Also tests mcp_http.py and local_server.py."""

import asyncio
import json
import os
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any, Literal, TypeVar

import httpx
import pytest

from drretail.env.session import Session
from drretail.errors import ToolError
from drretail.tools.registry import TOOLS, json_schemas
from drretail.tools.tool import Tool, ToolResult
from drretail.tools.toolkit import Toolkit
from tests.tools.conftest import ANNA, BORIS

pytest.importorskip("mcp", reason="no MCP: pip install mcp")

from mcp import Client
from mcp_types import CallToolResult, TextContent
from starlette.testclient import TestClient

from drretail.tools.mcp import Connection, UnrecordedRun, mcp_server, serve_stdio
from drretail.tools.mcp_http import MOST_BYTES, http_app

T = TypeVar("T")
Mode = Literal["legacy", "auto"]
MODES: tuple[Mode, ...] = ("legacy", "auto")
"""Versions of the protocol that begin with a handshake, over memory streams, and the one of 2026, which has none."""


def asked(session: Session, ask: Callable[[Client], Awaitable[T]], mode: Mode = "legacy") -> T:
    async def visit() -> T:
        server = mcp_server(session, lambda: UnrecordedRun(session.settings), "about this shop")
        async with Client(server, mode=mode) as client:
            return await ask(client)

    return asyncio.run(visit())


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def test_a_client_is_told_of_the_nine_with_our_schemas_and_what_only_reads_or_overwrites(session: Session) -> None:
    listed = asked(session, lambda client: client.list_tools()).tools
    texts = [{"name": each.name, "description": each.description, "parameters": each.input_schema} for each in listed]
    assert texts == [{name: value for name, value in schema.items() if name != "access"} for schema in json_schemas()]
    hints = {each.name: each.annotations for each in listed}
    marked = {name: (one.read_only_hint, one.destructive_hint) for name, one in hints.items() if one is not None}
    assert marked == {name: (tool.access == "read", tool.access == "write") for name, tool in TOOLS.items()}
    told = {(hint.open_world_hint, hint.idempotent_hint) for hint in hints.values() if hint is not None}
    assert told == {(False, True)}  # the web is a sandbox here


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
def test_a_clients_model_reads_what_our_agents_read(session: Session, mode: Mode) -> None:
    async def call_all(client: Client) -> list[CallToolResult]:
        return [await client.call_tool(name, args) for name, args in CALLS]

    toolkit = Toolkit(session)
    replies = [toolkit.call(name, args) for name, args in CALLS]
    results = asked(Session(session.settings), call_all, mode)
    for (name, _), reply, result in zip(CALLS, replies, results, strict=True):
        assert (text_of(result), result.is_error) == (reply.text, reply.error is not None), name
        assert result.structured_content == json.loads(reply.text), name


def test_a_call_that_the_client_gave_up_is_recorded_all_the_same(session: Session) -> None:
    sessions: list[Session] = []

    def late(session: Session) -> ToolResult:
        """Takes its time."""
        sessions.append(session)
        time.sleep(0.2)
        return ToolResult({}, ())

    async def impatient() -> None:
        connection = Connection(UnrecordedRun(replace(session.settings, tools={"late": Tool("late", late, "read")})))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(connection.call("c", "late", {}), 0.1)
        await connection.end()

    asyncio.run(impatient())
    (own,) = sessions
    assert [step.name for step in own.trajectory.steps()] == ["late"]


def test_a_report_that_could_not_be_kept_can_be_handed_in_again(session: Session) -> None:
    class FullOnce(UnrecordedRun):
        """A run whose first report finds no place."""

        is_full = True

        async def hand_in(self, report: str) -> dict[str, Any]:
            if self.is_full:
                self.is_full = False
                raise ToolError("unavailable", "The disk is full.")
            return {"kept": report}

    async def hand_in_twice() -> dict[str, Any]:
        connection = Connection(FullOnce(session.settings))
        with pytest.raises(ToolError, match="disk is full"):
            await connection.hand_in("c", {"report": "A report."})
        return await connection.hand_in("c", {"report": "A report."})

    assert asyncio.run(hand_in_twice()) == {"kept": "A report."}


def test_bytes_on_stdin_that_are_no_text_are_told_and_do_not_end_the_server(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    reading, writing = os.pipe()
    os.write(writing, b"\xff\xfe\n")
    os.close(writing)
    server = mcp_server(session, lambda: UnrecordedRun(session.settings), "")
    with os.fdopen(reading, "rb") as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        asyncio.run(asyncio.wait_for(serve_stdio(server, told.append), 10))
    assert told == ["A line on stdin is no JSON-RPC message, and was left out: '��'."]


TOKEN, PORT = "a-token-of-the-tests", 8000
ADDRESS = f"http://127.0.0.1:{PORT}"
ALLOWED = {"authorization": f"Bearer {TOKEN}", "accept": "application/json, text/event-stream"}
Opened = Callable[..., AbstractContextManager[TestClient]]


def request(method: str, number: int = 1, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


HELLO = request(
    "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "by hand", "version": "1"}
)


@pytest.fixture
def opened(session: Session) -> Opened:
    @contextmanager
    def server(**limits: Any) -> Generator[TestClient]:
        app = http_app(mcp_server(session, lambda: UnrecordedRun(session.settings), ""), TOKEN, PORT, **limits)
        with TestClient(app, base_url=ADDRESS, headers=ALLOWED) as client:
            yield client

    return server


@pytest.fixture
def client(opened: Opened) -> Iterator[TestClient]:
    with opened() as client:
        yield client


def begun(client: TestClient) -> dict[str, str]:
    """The headers of a new session."""
    answer = client.post("/mcp", json=HELLO)
    assert answer.status_code == 200, answer.text
    headers = {"mcp-session-id": answer.headers["mcp-session-id"], "mcp-protocol-version": "2025-06-18"}
    client.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=headers)
    return headers


def called_over_http(client: TestClient, headers: dict[str, str], name: str, **args: Any) -> dict[str, Any]:
    answer = client.post("/mcp", json=request("tools/call", name=name, arguments=args), headers=headers)
    return answer.json()["result"]["structuredContent"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"authorization": ""}, 401),
        ({"authorization": "Bearer ünknown".encode()}, 401),
        ({"host": f"evil.example:{PORT}"}, 421),
        ({"host": "127.0.0.1:1"}, 421),
        ({"origin": "https://evil.example"}, 403),
        ({"content-length": "many"}, 413),
        ({"origin": ADDRESS}, 200),
        ({"host": f"localhost:{PORT}"}, 200),
        ({"authorization": f"bearer {TOKEN}"}, 200),
    ],
    ids=str,
)
def test_nobody_else_is_answered(client: TestClient, headers: dict[str, Any], status: int) -> None:
    assert client.post("/mcp", json=HELLO, headers=headers).status_code == status


def test_a_body_that_is_too_long_is_refused_whether_or_not_it_says_so(client: TestClient) -> None:
    long = b'{"x": "' + b"x" * MOST_BYTES + b'"}'
    typed = {"content-type": "application/json"}
    assert client.post("/mcp", content=long, headers=typed).status_code == 413
    assert client.post("/mcp", content=iter([long[:500_000], long[500_000:]]), headers=typed).status_code == 413
    most = long[: MOST_BYTES - 2] + b'"}'
    for content in (most, iter([most[:500_000], most[500_000:]])):
        assert client.post("/mcp", content=content, headers=typed).status_code == 400, "no message, and short enough"
    assert called_over_http(client, begun(client), "calculator", expression="1")["value"] == 1


def test_of_many_that_begin_at_once_no_more_are_let_in_than_there_are_places(opened: Opened) -> None:
    with opened(most=2) as client:

        async def all_at_once() -> list[int]:
            async with httpx.AsyncClient(
                transport=httpx.ASGITransport(client.app), base_url=ADDRESS, headers=ALLOWED
            ) as each:
                answers = await asyncio.gather(*(each.post("/mcp", json=HELLO) for _ in range(24)))
            return [answer.status_code for answer in answers]

        assert client.portal is not None
        assert Counter(client.portal.call(all_at_once)) == {200: 2, 503: 22}


def test_clients_that_vanish_free_their_places_once_others_need_them(opened: Opened) -> None:
    with opened(most=2, silent=0.3) as client:
        vanished, used = begun(client), begun(client)
        for headers in (vanished, used):
            called_over_http(client, headers, "calculator", expression="1")
        assert client.post("/mcp", json=HELLO).status_code == 503
        time.sleep(0.4)
        assert called_over_http(client, used, "calculator", expression="2 + 3")["value"] == 5
        begun(client)
        assert client.post("/mcp", json=request("tools/list"), headers=vanished).status_code == 404
        assert called_over_http(client, used, "calculator", expression="2 + 4")["value"] == 6


def test_clients_that_only_initialise_leave_room_for_the_next(opened: Opened) -> None:
    with opened(most=8) as client:
        used = begun(client)
        assert called_over_http(client, used, "calculator", expression="2 + 3")["value"] == 5
        first, *_ = [begun(client) for _ in range(20)]
        assert called_over_http(client, begun(client), "calculator", expression="2 + 4")["value"] == 6
        assert called_over_http(client, used, "calculator", expression="2 + 5")["value"] == 7
        assert client.post("/mcp", json=request("tools/list"), headers=first).status_code == 404


def test_a_session_without_requests_ends(opened: Opened) -> None:
    with opened(most=1, idle=0.3) as client:
        idle = begun(client)
        time.sleep(0.6)
        assert client.post("/mcp", json=request("tools/list"), headers=idle).status_code == 404
        begun(client)


def test_what_does_not_begin_a_session_leaves_none_open(opened: Opened) -> None:
    with opened(most=1) as client:
        for body in (request("tools/list"), {"no": "message"}, []):
            assert client.post("/mcp", json=body).status_code == 400
        version = {"mcp-protocol-version": "2026-07-28"}  # has no sessions
        answer = client.post("/mcp", json=request("server/discover"), headers=version)
        assert answer.status_code == 400
        assert "2025-11-25" in answer.json()["error"]["data"]["supported"]
        begun(client)

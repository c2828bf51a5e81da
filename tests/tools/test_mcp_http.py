"""Who is answered by the tools over HTTP, and how much."""

from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest

from drretail.env.session import Session

pytest.importorskip("mcp", reason="no MCP: pip install mcp")

from starlette.testclient import TestClient

from drretail.tools.mcp import UnrecordedRun, mcp_server
from drretail.tools.mcp_http import MOST_BYTES, http_app

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
        app = http_app(mcp_server(session, lambda: UnrecordedRun(session), ""), TOKEN, PORT, **limits)
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


def called(client: TestClient, headers: dict[str, str], name: str, **args: Any) -> dict[str, Any]:
    answer = client.post("/mcp", json=request("tools/call", name=name, arguments=args), headers=headers)
    return answer.json()["result"]["structuredContent"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"authorization": ""}, 401),
        ({"authorization": "Bearer another"}, 401),
        ({"authorization": "Bearer ünknown".encode()}, 401),
        ({"host": f"evil.example:{PORT}"}, 421),
        ({"host": "127.0.0.1:1"}, 421),
        ({"origin": "https://evil.example"}, 403),
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
    assert called(client, begun(client), "calculator", expression="1")["value"] == 1


def test_sessions_beyond_the_most_are_refused_until_one_ends(opened: Opened) -> None:
    with opened(most_sessions=2) as client:
        first, _ = begun(client), begun(client)
        assert client.post("/mcp", json=HELLO).status_code == 503
        assert client.delete("/mcp", headers=first).status_code == 200
        for ended in (first, {"mcp-session-id": "x"}):
            assert client.post("/mcp", json=request("tools/list"), headers=ended).status_code == 404
        begun(client)


def test_a_session_that_asks_for_nothing_ends(opened: Opened) -> None:
    import time

    with opened(idle=0.3, most_sessions=1) as client:
        headers = begun(client)
        time.sleep(0.8)
        assert client.post("/mcp", json=request("tools/list"), headers=headers).status_code == 404
        begun(client)


def test_clients_that_only_say_hello_leave_room(opened: Opened) -> None:
    with opened(unfinished=0.1, idle=3600, most_sessions=1) as client:
        for _ in range(10):
            assert any(client.post("/mcp", json=HELLO).status_code == 200 for _ in range(10_000))


def test_one_that_calls_nothing_makes_room_and_one_that_has_called_a_tool_does_not(opened: Opened) -> None:
    with opened(most_sessions=2, unused=0) as client:
        used, unused = begun(client), begun(client)
        called(client, used, "calculator", expression="2 + 3")
        other = begun(client)
        assert client.post("/mcp", json=request("tools/list"), headers=unused).status_code == 404
        called(client, other, "calculator", expression="2 + 3")
        assert client.post("/mcp", json=HELLO).status_code == 503
        assert called(client, used, "calculator", expression="2 + 4")["value"] == 6


def test_what_does_not_begin_a_session_leaves_none_open(opened: Opened) -> None:
    with opened(most_sessions=1) as client:
        for body in (request("tools/list"), {"no": "message"}, []):
            assert client.post("/mcp", json=body).status_code == 400
        version = {"mcp-protocol-version": "2026-07-28"}  # has no sessions
        answer = client.post("/mcp", json=request("server/discover"), headers=version)
        assert answer.status_code == 400
        assert "2025-11-25" in answer.json()["error"]["data"]["supported"]
        begun(client)


def test_a_client_that_leaves_amid_its_body_begins_nothing(opened: Opened, caplog: pytest.LogCaptureFixture) -> None:
    with opened(most_sessions=1) as client:
        left = [{"type": "http.request", "body": b'{"jsonrpc', "more_body": True}, {"type": "http.disconnect"}]

        async def receive() -> Any:
            return left.pop(0)

        async def send(message: Any) -> None:
            raise AssertionError("nobody is there to be answered")

        headers = [(name.encode(), value.encode()) for name, value in {**ALLOWED, "host": f"127.0.0.1:{PORT}"}.items()]
        scope = {"type": "http", "method": "POST", "path": "/mcp", "query_string": b"", "headers": headers}
        assert client.portal is not None
        client.portal.call(client.app, scope, receive, send)
        begun(client)
    assert not caplog.records

"""The tools over MCP's streamable HTTP, for clients on this machine with the token; each session has its own run."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import anyio
from anyio.abc import TaskGroup, TaskStatus
from mcp.server import Server
from mcp.server.streamable_http import StreamableHTTPServerTransport
from mcp_types import INTERNAL_ERROR, INVALID_REQUEST, UNSUPPORTED_PROTOCOL_VERSION, InitializeRequest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from drretail.parsing import json_or_none
from drretail.tools.local_server import TooLong, is_from_elsewhere, is_same, limited, refusal_of_strangers
from drretail.tools.mcp import Connection

ADDRESS = "/mcp"
MOST_BYTES = 1024 * 1024
"""The most bytes of a request's body; a report of a hundred pages is a third of it."""


MOST_SESSIONS = 64
IDLE = 30 * 60
"""Seconds without a request after which a session ends."""
SILENT = 5 * 60
"""Seconds without a request after which a session makes room for a new one, if all places are taken: TCP says nothing
of a client that vanished without closing.
"""


def http_app(
    server: Server[Connection],
    token: str,
    port: int,
    *,
    most: int = MOST_SESSIONS,
    idle: float = IDLE,
    silent: float = SILENT,
) -> Starlette:
    """The application at ``ADDRESS``. It answers only during its lifespan; the end of the lifespan ends all runs."""
    sessions = Sessions(server, most, idle, silent)

    @asynccontextmanager
    async def alive(_: Starlette) -> AsyncGenerator[None]:
        async with sessions.open():
            yield

    return Starlette(
        routes=[Route(ADDRESS, sessions)],
        middleware=[Middleware(BearerGuard, token=token, port=port)],
        lifespan=alive,
    )


@dataclass(frozen=True, slots=True)
class BearerGuard:
    """Lets through only requests from this machine that carry the token and come from no page of another address."""

    app: ASGIApp
    token: str
    port: int

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        refused = refusal_of_strangers(scope, self.port, MOST_BYTES) or self._refusal(scope)
        if refused is not None:
            await refused(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        if is_from_elsewhere(scope):
            return PlainTextResponse("This was sent by a page of another address.", 403)
        kind, _, token = Headers(scope=scope).get("authorization", "").partition(" ")
        if kind.casefold() != "bearer" or not is_same(token.strip(), self.token):
            message = 'Send the header "Authorization: Bearer …" with the token that drretail mcp has printed.'
            return PlainTextResponse(message, 401, {"www-authenticate": "Bearer"})
        return None


class Sessions:
    """All MCP sessions with the server's one token, each with its own connection to the server. A client's DELETE, or
    long silence, ends one. Where another client needs the place, a shorter silence does, and none is needed of a
    session in which no tool was listed or called: clients that only initialise take no place from others.

    The protocol version without sessions (2026-07-28) is refused, with a list of the versions that have them: only a
    session can give a client a world of its own to change.
    """

    def __init__(self, server: Server[Connection], most: int, idle: float, silent: float) -> None:
        self._server = server
        self._most = most
        self._idle = idle
        self._silent = silent
        self._open: dict[str, tuple[StreamableHTTPServerTransport, anyio.CancelScope]] = {}
        """By name, each with the scope whose deadline ends it."""
        self._unused: dict[str, None] = {}
        """The names of those that were begun, and in which no tool was listed or called; the oldest first."""
        self._group: TaskGroup | None = None

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[None]:
        async with anyio.create_task_group() as self._group:
            yield
            self._group.cancel_scope.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        version, name = headers.get("mcp-protocol-version"), headers.get("mcp-session-id")
        if version is not None and version not in HANDSHAKE_PROTOCOL_VERSIONS:
            supported, message = list(HANDSHAKE_PROTOCOL_VERSIONS), "This server keeps sessions: begin with initialize."
            versions: dict[str, Any] = {"supported": supported, "requested": version[:40]}
            await _refused(400, UNSUPPORTED_PROTOCOL_VERSION, message, **versions)(scope, receive, send)
            return
        try:
            whole = await _whole(limited(receive, MOST_BYTES))
        except TooLong:
            await PlainTextResponse("This is longer than anything that is asked here.", 413)(scope, receive, send)
            return
        if whole is None:
            return
        body, again = whole
        if name is None:
            await self._begin(scope, body, again, send)
        elif name in self._open:
            if name in self._unused and _is_of_tools(body):
                del self._unused[name]
            await self._answer(name, scope, again, send)
        else:
            await _refused(404, INVALID_REQUEST, "Session not found")(scope, receive, send)

    async def _begin(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        """Opens a session and lets it answer the request; the session ends at once if the answer is an error."""
        if len(self._open) >= self._most:
            self._make_room()
        if len(self._open) >= self._most or self._group is None:
            await _refused(503, INTERNAL_ERROR, "Too many open sessions")(scope, receive, send)
            return
        name = uuid4().hex
        # The server can ask a question only in an event stream; clients that take no questions get one JSON document.
        transport = StreamableHTTPServerTransport(name, is_json_response_enabled=not _declares_elicitation(body))
        # Taken before anything is awaited: of many that begin at once, no more are let in than there are places.
        self._open[name] = (transport, anyio.CancelScope(deadline=anyio.current_time() + self._idle))
        begun = False

        async def watched(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = message["status"] < 400
            await send(message)

        try:
            await self._group.start(self._serve, name)
            await self._answer(name, scope, receive, watched)
        finally:
            if begun and name in self._open:
                self._unused[name] = None
            elif not begun:
                with anyio.CancelScope(shield=True):
                    await transport.terminate()

    def _make_room(self) -> None:
        """Ends the oldest session that is unused or, without any, the one that was silent longest, if it was for
        ``silent`` seconds.
        """
        silent = min(self._open, key=lambda name: self._open[name][1].deadline)
        name = next(iter(self._unused), silent)
        silence = self._open[name][1]
        if name in self._unused or anyio.current_time() + self._idle - silence.deadline >= self._silent:
            self._unused.pop(name, None)
            del self._open[name]
            silence.cancel()

    async def _serve(self, name: str, *, task_status: TaskStatus[None]) -> None:
        transport, silence = self._open[name]
        try:
            async with transport.connect() as (read, written):
                task_status.started()
                with silence:
                    await self._server.run(read, written, self._server.create_initialization_options())
        finally:
            self._open.pop(name, None)
            self._unused.pop(name, None)
            with anyio.CancelScope(shield=True):
                await transport.terminate()

    async def _answer(self, name: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Lets the session answer a request; its time begins anew with each, and when it is answered."""
        transport, silence = self._open[name]
        silence.deadline = anyio.current_time() + self._idle
        await transport.handle_request(scope, receive, send)
        silence.deadline = anyio.current_time() + self._idle


async def _whole(receive: Receive) -> tuple[bytes, Receive] | None:
    """The request's body, and a ``receive`` that replays it. None if the client disconnected before the end.

    The whole body is read first, so that a body that is too long is refused before anything is done with it.
    """
    body, more = bytearray(), True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        more = message.get("more_body", False)
    left: list[Message] = [{"type": "http.request", "body": bytes(body), "more_body": False}]

    async def replayed() -> Message:
        return left.pop() if left else await receive()

    return bytes(body), replayed


def _is_of_tools(body: bytes) -> bool:
    """True for a request to list or to call tools."""
    request = json_or_none(body.decode("utf-8", "replace"))
    return isinstance(request, dict) and str(request.get("method")).startswith("tools/")


def _declares_elicitation(body: bytes) -> bool:
    """True if the body is an ``initialize`` of a client that can ask the person at it."""
    try:
        request = InitializeRequest.model_validate_json(body)
    except ValidationError:
        return False
    return request.params.capabilities.elicitation is not None


def _refused(status: int, code: int, message: str, **data: Any) -> Response:
    error = {"code": code, "message": message} | ({"data": data} if data else {})
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, status)

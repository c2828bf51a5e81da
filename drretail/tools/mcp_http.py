"""The tools over MCP's streamable HTTP, for clients on this machine with the token; each session has its own run."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal
from uuid import uuid4

import anyio
from anyio.abc import TaskGroup, TaskStatus
from mcp.server import Server, ServerRequestContext
from mcp.server.context import CallNext, HandlerResult
from mcp.server.streamable_http import StreamableHTTPServerTransport
from mcp.server.streamable_http_manager import RequestBodyLimitMiddleware
from mcp_types import INTERNAL_ERROR, INVALID_REQUEST, UNSUPPORTED_PROTOCOL_VERSION
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from drretail.tools.local_server import is_from_elsewhere, is_same, refusal_of_strangers
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
        routes=[Route(ADDRESS, RequestBodyLimitMiddleware(sessions, MOST_BYTES))],
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


@dataclass(slots=True)
class Place:
    """An open session."""

    transport: StreamableHTTPServerTransport
    silence: anyio.CancelScope
    """Its deadline ends the session; each request moves it."""
    state: Literal["beginning", "unused", "used"] = "beginning"
    """Unused until a tool is listed or called."""


class Sessions:
    """All MCP sessions with the server's one token, each with its own connection to the server. A client's DELETE, or
    long silence, ends one. Where another client needs the place, a shorter silence does, and none is needed of a
    session in which no tool was listed or called: clients that only initialise take no place from others.

    The SDK's own sessions share one lifespan, hence one run, and have no limit. The protocol version without sessions
    (2026-07-28) is refused, with a list of the versions that have them: only a session can give a client a world of its
    own to change.
    """

    def __init__(self, server: Server[Connection], most: int, idle: float, silent: float) -> None:
        self._server = server
        self._most = most
        self._idle = idle
        self._silent = silent
        self._open: dict[str, Place] = {}
        """By name, the oldest first."""
        self._group: TaskGroup | None = None
        server.middleware.append(self._note_use)

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
        elif name is None:
            await self._begin(scope, receive, send)
        elif name in self._open:
            await self._answer(self._open[name], scope, receive, send)
        else:
            await _refused(404, INVALID_REQUEST, "Session not found")(scope, receive, send)

    async def _begin(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Opens a session and lets it answer the request. After an error it stays unused, and makes room."""
        if len(self._open) >= self._most:
            self._make_room()
        if len(self._open) >= self._most or self._group is None:
            await _refused(503, INTERNAL_ERROR, "Too many open sessions")(scope, receive, send)
            return
        name = uuid4().hex
        transport = StreamableHTTPServerTransport(name, is_json_response_enabled=True)
        # Taken before anything is awaited: of many that begin at once, no more are let in than there are places.
        place = self._open[name] = Place(transport, anyio.CancelScope())
        try:
            await self._group.start(self._serve, name)
            await self._answer(place, scope, receive, send)
        finally:
            if place.state == "beginning":
                place.state = "unused"

    def _make_room(self) -> None:
        """Ends the oldest session that is unused or, without any, the one that was silent longest, if it was for
        ``silent`` seconds.
        """
        unused = (name for name, place in self._open.items() if place.state == "unused")
        name = next(unused, None) or min(self._open, key=lambda name: self._open[name].silence.deadline)
        silence = anyio.current_time() + self._idle - self._open[name].silence.deadline
        if self._open[name].state == "unused" or silence >= self._silent:
            self._open.pop(name).silence.cancel()

    async def _serve(self, name: str, *, task_status: TaskStatus[None]) -> None:
        place = self._open[name]
        try:
            async with place.transport.connect() as (read, written):
                task_status.started()
                with place.silence:
                    await self._server.run(read, written, self._server.create_initialization_options())
        finally:
            self._open.pop(name, None)
            with anyio.CancelScope(shield=True):
                await place.transport.terminate()

    async def _answer(self, place: Place, scope: Scope, receive: Receive, send: Send) -> None:
        """Lets the session answer a request; its time begins anew with each, and when it is answered."""
        place.silence.deadline = anyio.current_time() + self._idle
        await place.transport.handle_request(scope, receive, send)
        place.silence.deadline = anyio.current_time() + self._idle

    async def _note_use(self, ctx: ServerRequestContext[Connection], call_next: CallNext) -> HandlerResult:
        """Notes in which session a tool is listed or called."""
        name = "" if ctx.request is None else ctx.request.headers.get("mcp-session-id", "")
        if name in self._open and ctx.method.startswith("tools/"):
            self._open[name].state = "used"
        return await call_next(ctx)


def _refused(status: int, code: int, message: str, **data: Any) -> Response:
    error = {"code": code, "message": message} | ({"data": data} if data else {})
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, status)

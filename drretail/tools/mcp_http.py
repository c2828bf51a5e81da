"""The tools over MCP's streamable HTTP, for clients on this machine with the token; each session has its own run."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any
from uuid import uuid4

import anyio
from anyio.abc import TaskGroup, TaskStatus
from mcp.server import Server
from mcp.server.streamable_http import StreamableHTTPServerTransport
from mcp.shared.message import SessionMessage
from mcp_types import INTERNAL_ERROR, INVALID_REQUEST, UNSUPPORTED_PROTOCOL_VERSION, InitializeRequest, JSONRPCRequest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from drretail.tools.local_server import TooLong, is_from_elsewhere, is_same, limited, refusal_of_strangers
from drretail.tools.mcp import Connection

ADDRESS = "/mcp"
MOST_BYTES = 1024 * 1024
"""The most bytes of a request's body; a report of a hundred pages is a third of it."""


@dataclass(frozen=True, slots=True)
class SessionLimits:
    """How many sessions may be open, and the seconds after which they end."""

    most: int = 64
    idle: float = 30 * 60
    """Without a request."""
    unfinished: float = 30
    """If the client sent nothing but ``initialize``."""
    unused: float = 60
    """Without a request, of a session that has called no tool: if all places are taken, a new one may then end it."""
    silent: float = 5 * 60
    """The same of a session that has called tools, while it has no connection but an event stream whose client answers
    no ping: TCP says nothing of a client that vanished without closing. So often are such clients pinged.
    """
    gone: float = 60
    """If the client's event stream has closed and nothing is asked, since clients that live open it again at once; and
    in which a ping has to be answered.
    """


USUAL = SessionLimits()


def http_app(server: Server[Connection], token: str, port: int, limits: SessionLimits = USUAL) -> Starlette:
    """The application at ``ADDRESS``. It answers only during its lifespan; the end of the lifespan ends all runs."""
    sessions = Sessions(server, limits)

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
    """All MCP sessions, each with its own connection to the server. A client's DELETE, or long silence, ends one.

    A session whose client sends nothing after ``initialize`` is soon ended, and so is one whose client has vanished. A
    session that is initialised and calls no tool keeps its place until another needs it: programs open their servers
    when they start, and call a tool hours later.

    The protocol version without sessions (2026-07-28) is refused, with a list of the versions that have them: only a
    session can give a client a world of its own to change.
    """

    def __init__(self, server: Server[Connection], limits: SessionLimits) -> None:
        self._server = server
        self._limits = limits
        self._open: dict[str, _Open] = {}
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
            session = self._open[name]
            session.hear()
            if scope["method"] == "POST" and b'"method"' not in body:  # an answer, as to a ping, asks for nothing
                await session.transport.handle_request(scope, again, send)
                return
            session.patience = self._limits.idle
            session.is_used = session.is_used or b'"tools/call"' in body
            await session.handle_request(scope, again, send)
        else:
            await _refused(404, INVALID_REQUEST, "Session not found")(scope, receive, send)

    async def _begin(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        """Opens a session and lets it answer the request; the session ends at once if the answer is an error."""
        if len(self._open) >= self._limits.most:
            self._make_room()
        if len(self._open) >= self._limits.most or self._group is None:
            await _refused(503, INTERNAL_ERROR, "Too many open sessions")(scope, receive, send)
            return
        name = uuid4().hex
        # The server can ask a question only in an event stream; clients that take no questions get one JSON document.
        transport = StreamableHTTPServerTransport(name, is_json_response_enabled=not _declares_elicitation(body))
        session = self._open[name] = _Open(transport, self._limits.unfinished, self._limits.gone)
        begun = False

        async def watched(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = message["status"] < 400
            await send(message)

        try:
            await self._group.start(self._serve, name, session)
            await session.handle_request(scope, receive, watched)
        finally:
            if not begun:
                with anyio.CancelScope(shield=True):
                    await transport.terminate()

    def _make_room(self) -> None:
        """Ends the longest-silent session of those that have called no tool for ``unused`` seconds or, used and with no
        client to be heard of, were silent for ``silent`` seconds.
        """
        now = anyio.current_time()
        silent = [
            (session.active, name)
            for name, session in self._open.items()
            if now - session.active >= (self._limits.silent if session.is_used else self._limits.unused)
            and not (session.is_used and session.is_alive)
        ]
        if silent:
            self._open.pop(min(silent)[1]).silence.cancel()

    async def _serve(self, name: str, session: "_Open", *, task_status: TaskStatus[None]) -> None:
        try:
            async with session.transport.connect() as (read, written):
                task_status.started()
                with session.silence:
                    async with anyio.create_task_group() as beside:
                        beside.start_soon(session.ping, written.send, self._limits.silent)
                        await self._server.run(read, written, self._server.create_initialization_options())
                        beside.cancel_scope.cancel()
        finally:
            self._open.pop(name, None)
            with anyio.CancelScope(shield=True):
                await session.transport.terminate()


class _Open:
    """One session with its deadline: ``patience`` seconds after a request last began or was answered."""

    def __init__(self, transport: StreamableHTTPServerTransport, patience: float, gone: float) -> None:
        self.transport = transport
        self.patience = patience
        self.streams, self.connections = 0, 0
        """Event streams; these, and requests that are not yet answered."""
        self.is_heard = True
        """False once a ping was not answered."""
        self._heard = anyio.Event()
        self._gone = gone
        self.is_used = False
        """True once the client has called a tool."""
        self.active = anyio.current_time()
        """When a request last began or was answered."""
        self.silence = anyio.CancelScope(deadline=self.active + patience)

    async def handle_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._reset()
        is_stream = scope["method"] == "GET"
        self.connections += 1
        self.streams += is_stream
        try:
            await self.transport.handle_request(scope, receive, send)
        finally:
            self.connections -= 1
            self.streams -= is_stream
            if is_stream and not self.connections:
                self.patience = min(self.patience, self._gone)
            self._reset()

    @property
    def is_alive(self) -> bool:
        """True while a request is being answered, or an event stream is open whose client answers."""
        return self.connections > (0 if self.is_heard else self.streams)

    def hear(self) -> None:
        self.is_heard = True
        self._heard.set()

    async def ping(self, send: Callable[[SessionMessage], Awaitable[None]], interval: float) -> None:
        """Asks the client every ``interval`` seconds, through its event stream, whether it is still there."""
        for number in count(1):
            await anyio.sleep(interval)
            self._heard = anyio.Event()
            with anyio.move_on_after(self._gone):
                await send(SessionMessage(JSONRPCRequest(jsonrpc="2.0", id=f"ping-{number}", method="ping")))
                await self._heard.wait()
            self.is_heard = self._heard.is_set()

    def _reset(self) -> None:
        self.active = anyio.current_time()
        self.silence.deadline = self.active + self.patience


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

"""A server for this machine alone: its port, its start and end, and the checks of every request."""

import asyncio
import errno
import hmac
import logging
import socket
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, closing, contextmanager
from typing import TYPE_CHECKING, Any, cast

import uvicorn
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse, Response
from uvicorn.protocols.http.h11_impl import H11Protocol

from drretail.errors import UserError
from drretail.event_loop import meant_to_end

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Scope

HOST = "127.0.0.1"
Protocol = Callable[..., H11Protocol]
"""What answers one connection, made with uvicorn's arguments."""
_PATIENCE = 3
"""Seconds that open requests have when the server ends."""
HEAD = 30
"""Seconds in which the head of a request has to come."""


def bound(port: int) -> socket.socket:
    """A listening socket on the loopback address; port 0 takes a free one. Raises UserError for a port in use."""
    # By name, since asyncio switches Nagle's algorithm off only for this: a small answer took 40 ms with it.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen(64)
    except (OSError, OverflowError) as problem:
        listening.close()
        if getattr(problem, "errno", None) == errno.EADDRINUSE:
            raise UserError(f"Port {port} is in use: give --port another one, or 0 for any that is free.") from None
        raise UserError(f"Port {port} can't be opened: {problem}.") from problem
    return listening


def port_of(listening: socket.socket) -> int:
    return listening.getsockname()[1]


def serve(app: "ASGIApp", listening: socket.socket, begun: Callable[[], None], *, lifespan: bool = False) -> None:
    """Serves until Ctrl-C, the normal way to end it; ``begun`` is called once it listens.

    ``lifespan`` True sends the application ASGI's startup and shutdown events.
    """
    server = uvicorn.Server(_config(app, lifespan=lifespan))
    begun()
    # When it has ended, uvicorn raises the signals that it caught once more.
    with closing(listening), meant_to_end():
        server.run(sockets=[listening])


class _Beside(uvicorn.Server):
    """A server without signal handlers: the command that runs it has its own."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


class Impatient(H11Protocol):
    """A connection that is closed if the head of its next request does not come: thousands of them need no token."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        super().connection_made(transport)
        self.loop.call_later(HEAD, self._close_if_silent, None)

    def _close_if_silent(self, before: object) -> None:
        is_waiting = getattr(self.cycle, "response_complete", True)  # before the first request there is none
        if is_waiting and self.cycle is before:
            self.transport.close()
        elif not self.transport.is_closing():
            self.loop.call_later(HEAD, self._close_if_silent, self.cycle)


@asynccontextmanager
async def serving(app: "ASGIApp", *listening: socket.socket, http: Protocol = Impatient) -> AsyncGenerator[None]:
    """Serves during the block, in the running loop, and installs no signal handlers.

    The application gets ASGI's startup and shutdown events. ``http`` is the protocol of each connection.
    """
    server = _Beside(_config(app, lifespan=True, http=http))
    ending = asyncio.ensure_future(server.serve(sockets=[*listening]))
    try:
        yield
    finally:
        server.should_exit = True
        await asyncio.shield(ending)


def _config(app: "ASGIApp", *, lifespan: bool, http: Protocol = Impatient) -> uvicorn.Config:
    config = uvicorn.Config(
        app,
        http=cast(Any, http),
        ws="none",
        proxy_headers=False,
        log_level="error",
        access_log=False,
        lifespan="on" if lifespan else "off",
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=_PATIENCE,
    )
    logging.getLogger("uvicorn.error").addFilter(_tells_of_a_bug)
    return config


def _tells_of_a_bug(record: logging.LogRecord) -> bool:
    """False for clients that disconnected, or were cut off at the end."""
    problem = record.exc_info[1] if record.exc_info else None
    return problem is not None and not isinstance(problem, ClientDisconnect | asyncio.CancelledError)


def refusal_of_strangers(scope: "Scope", port: int, most_bytes: int) -> Response | None:
    """The response to a request for another host name (DNS rebinding) or with too long a body; None for any other."""
    headers = Headers(scope=scope)
    if headers.get("host", "") not in {f"{name}:{port}" for name in (HOST, "localhost")}:
        return PlainTextResponse("This server answers on this machine only.", 421)
    length = headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > most_bytes:
        return PlainTextResponse("This is longer than anything that is asked here.", 413)
    return None


def is_from_elsewhere(scope: "Scope") -> bool:
    """True if a page of another origin made the browser send the request; False if there is no Origin header."""
    headers = Headers(scope=scope)
    return headers.get("origin") not in (None, f"http://{headers.get('host', '')}")


def is_same(sent: str, token: str) -> bool:
    """Compares two secrets in constant time."""
    return hmac.compare_digest(sent.encode(), token.encode())

"""A server for this machine alone: its port, its beginning and end, and the checks that every door of it has."""

import asyncio
import errno
import hmac
import logging
import socket
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, closing, contextmanager
from typing import TYPE_CHECKING

import uvicorn
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse, Response

from drretail.errors import UserError
from drretail.event_loop import meant_to_end

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

HOST = "127.0.0.1"
_PATIENCE = 3
"""Seconds that open windows get to end what they asked."""


def bound(port: int) -> socket.socket:
    """A socket on this machine alone, on this port; 0 takes a free one. Raises UserError for a port in use."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
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
    """Answers until Ctrl-C, which is how it is meant to end; ``begun`` is called when it listens.

    ``lifespan`` True: the application is told of the server's beginning and end.
    """
    server = uvicorn.Server(_config(app, lifespan=lifespan))
    begun()
    # uvicorn raises what it has caught once more when all is ended.
    with closing(listening), meant_to_end():
        server.run(sockets=[listening])


@asynccontextmanager
async def serving(app: "ASGIApp", listening: socket.socket) -> AsyncGenerator[None]:
    """Answers within the block, beside whatever else the loop does, and leaves signals to whoever heeds them.

    The application is told of the server's beginning and end.
    """
    server = _Beside(_config(app, lifespan=True))
    ending = asyncio.ensure_future(server.serve(sockets=[listening]))
    try:
        yield
    finally:
        server.should_exit = True
        await asyncio.shield(ending)


class _Beside(uvicorn.Server):
    """One that takes no signals: they are those of the command that runs it."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


def _config(app: "ASGIApp", *, lifespan: bool) -> uvicorn.Config:
    config = uvicorn.Config(
        _forgiving(app),
        log_level="error",
        access_log=False,
        lifespan="on" if lifespan else "off",
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=_PATIENCE,
    )
    logging.getLogger("uvicorn.error").addFilter(_is_of_a_bug)
    return config


def _is_of_a_bug(record: logging.LogRecord) -> bool:
    """False of what uvicorn says where a client left in the midst, or had to be left when the server ended."""
    return record.exc_info is not None


def _forgiving(app: "ASGIApp") -> "ASGIApp":
    """The same, to which a client that leaves is no error, and neither is its own end while somebody waits."""

    async def served(scope: "Scope", receive: "Receive", send: "Send") -> None:
        started = False

        async def watched(message: "Message") -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await app(scope, receive, watched)
        except ClientDisconnect:
            pass
        except asyncio.CancelledError:
            if scope["type"] != "http" or started:
                raise
            await PlainTextResponse("The server has ended.", 503)(scope, receive, send)

    return served


def refusal_of_strangers(scope: "Scope", port: int, most_bytes: int) -> Response | None:
    """Why a request is not answered: by another name than this machine's (DNS rebinding), or with too long a body."""
    headers = Headers(scope=scope)
    if headers.get("host", "") not in {f"{name}:{port}" for name in (HOST, "localhost")}:
        return PlainTextResponse("This server answers on this machine only.", 421)
    length = headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > most_bytes:
        return PlainTextResponse("This is longer than anything that is asked here.", 413)
    return None


def is_from_elsewhere(scope: "Scope") -> bool:
    """True of what a page of another address made a browser send; False where nobody says which page it was."""
    headers = Headers(scope=scope)
    return headers.get("origin") not in (None, f"http://{headers.get('host', '')}")


def is_same(given: str, token: str) -> bool:
    """Whether two secrets are one, found in a time that tells nothing of either."""
    return hmac.compare_digest(given.encode(), token.encode())


class TooLong(Exception):
    """A body went on beyond what it said, or said nothing."""


def limited(receive: "Receive", most_bytes: int) -> "Receive":
    """The body, cut off with TooLong where it is longer than allowed: a length that was not told is counted here."""
    read = 0

    async def counted() -> "Message":
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        if read > most_bytes:
            raise TooLong
        return message

    return counted

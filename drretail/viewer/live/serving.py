"""The server's beginning and end: its port on this machine, its address, Ctrl-C."""

import errno
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

import uvicorn

from drretail.errors import UserError

if TYPE_CHECKING:
    from starlette.types import ASGIApp

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


def address_of(listening: socket.socket, token: str, path: str = "/") -> str:
    return f"http://{HOST}:{listening.getsockname()[1]}{path}?token={token}"


def serve(app: "ASGIApp", listening: socket.socket, begun: Callable[[], None]) -> None:
    """Answers until Ctrl-C, which is how it is meant to end; ``begun`` is called when it listens."""
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        lifespan="off",
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=_PATIENCE,
    )
    server = uvicorn.Server(config)
    begun()
    # The command line tells by this pipe that somebody interrupted it, and would call this end no clean one.
    pipe = signal.set_wakeup_fd(-1)
    try:
        # uvicorn raises what it has caught once more when all is ended.
        with suppress(KeyboardInterrupt):
            server.run(sockets=[listening])
    finally:
        signal.set_wakeup_fd(pipe, warn_on_full_buffer=False)
        listening.close()

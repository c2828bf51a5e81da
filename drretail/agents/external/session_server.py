"""A run's own session over MCP: on this machine, for whoever has its token, for as long as the run goes."""

import secrets
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from typing import Any

from drretail.agents.client_prompts import instructions
from drretail.env.session import Session
from drretail.errors import ToolError
from drretail.local_server import HOST, bound, port_of, serving
from drretail.tools.mcp import mcp_server
from drretail.tools.mcp_http import ADDRESS, http_app
from drretail.tools.toolkit import Toolkit


@dataclass(frozen=True, slots=True)
class Served:
    """Where the session is reached, and the token without which nobody is answered there."""

    url: str
    token: str = field(repr=False)


class _SharedRun:
    """What the calls of every connection go into: the agent may connect as often as it likes, it is one run."""

    def __init__(self, toolkit: Toolkit) -> None:
        self._toolkit = toolkit

    async def begin(self, client: str) -> Toolkit:
        return self._toolkit

    async def hand_in(self, report: str) -> dict[str, Any]:
        raise ToolError("unknown_tool", "The report is the answer to the question, and no call.")

    async def end(self) -> None:
        """The run goes on: it ends with the agent's answer."""


@asynccontextmanager
async def served(session: Session) -> AsyncGenerator[Served]:
    """The session's tools over MCP within the block, on a free port and with a new token."""
    token, listening = secrets.token_urlsafe(24), bound(0)
    with closing(listening), Toolkit(session) as toolkit:
        server = mcp_server(session, lambda: _SharedRun(toolkit), instructions(session))
        port = port_of(listening)
        async with serving(http_app(server, token, port), listening):
            yield Served(f"http://{HOST}:{port}{ADDRESS}", token)

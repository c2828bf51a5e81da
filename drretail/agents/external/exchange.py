"""The JSON that an external agent is asked with, what it may answer, and the run's own session over MCP."""

import json
import secrets
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from typing import Any

from drretail.agents.answers import read_answer
from drretail.agents.information import instructions, own_agent_instructions
from drretail.env.session import Session
from drretail.errors import ModelError, ToolError
from drretail.parsing import parse_json
from drretail.records.query import Task
from drretail.records.run import Answer, Limits
from drretail.tools.local_server import HOST, bound, port_of, serving
from drretail.tools.mcp import mcp_server
from drretail.tools.mcp_http import ADDRESS, http_app
from drretail.tools.toolkit import Toolkit

MOST_BYTES = 1024 * 1024
"""Bytes of an answer: a report of a hundred pages takes a third of it."""
LONGEST_WORDS = 1000
"""Characters of an agent's other output that a failure quotes: the last ones."""


@dataclass(frozen=True, slots=True)
class Served:
    """The address of the session's tools, and the token without which no request is answered there."""

    url: str
    token: str = field(repr=False)


class _SharedRun:
    """Puts the calls of every connection into one run: the agent may connect as often as it likes."""

    def __init__(self, toolkit: Toolkit) -> None:
        self._toolkit = toolkit

    async def begin(self, client: str) -> Toolkit:
        return self._toolkit

    async def hand_in(self, report: str) -> dict[str, Any]:
        raise ToolError("unknown_tool", "The report is the answer to the question, and no call.")

    async def end(self) -> None:
        """Does nothing: the run ends with the agent's answer, not with a connection."""


@asynccontextmanager
async def served(session: Session) -> AsyncGenerator[Served]:
    """Serves the session's tools over MCP within the block, on a free port and with a new token."""
    token, listening = secrets.token_urlsafe(24), bound(0)
    with closing(listening), Toolkit(session) as toolkit:
        server = mcp_server(session, lambda: _SharedRun(toolkit), instructions(session))
        port = port_of(listening)
        async with serving(http_app(server, token, port), listening):
            yield Served(f"http://{HOST}:{port}{ADDRESS}", token)


def question(task: Task, session: Session, tools: Served, limits: Limits) -> bytes:
    """The question as JSON: the query, its user, the form of the report, and the address of the tools."""
    document = {
        "query": task.question,
        "user": task.user_id,
        "today": session.settings.now.date().isoformat(),
        "instructions": own_agent_instructions(session, task),
        "mcp": {"url": tools.url, "token": tools.token},
        "seconds": limits.own_seconds,
    }
    return json.dumps(document, ensure_ascii=False).encode()


def answer_of(output: bytes, who: str) -> Answer:
    """The agent's answer: markdown with its block of picks, or ``{"report": …, "picks": […], "outcome": {…}}``.

    Raises ModelError for anything else.
    """
    try:
        text = output.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise ModelError("agent", f"{who} answered in another encoding than UTF-8: {problem}") from problem
    if not text.strip():
        raise ModelError("no_report", f"{who} answered nothing")
    return _json_of(text, who) if text.lstrip().startswith("{") else Answer(report=text)


def last_words(output: bytes | bytearray, token: str) -> str:
    """The end of an agent's other output, without the token."""
    text = bytes(output).decode("utf-8", "replace").replace(token, "…").strip()
    return text if len(text) <= LONGEST_WORDS else f"… {text[-LONGEST_WORDS:]}"


def _json_of(text: str, who: str) -> Answer:
    try:
        document: object = parse_json(text)
    except ValueError as problem:
        raise ModelError("agent", f"{who} answered what begins like JSON and is none: {problem}") from problem
    return read_answer(document, who)

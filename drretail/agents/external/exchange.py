"""The JSON that an external agent is asked with, what it may answer, and the run's own session over MCP."""

import json
import secrets
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from typing import Any, cast

from pydantic import ValidationError

from drretail.agents.information import instructions, own_agent_instructions
from drretail.env.session import Session
from drretail.errors import ModelError, ToolError, shortened
from drretail.grounding.report.picks import merged, take_picks
from drretail.local_server import HOST, bound, port_of, serving
from drretail.parsing import parse_json
from drretail.records.query import Task
from drretail.records.reading import Outcome, Pick
from drretail.records.run import PICKS_UNREADABLE, Answer, Limits
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
    asked = {
        "query": task.question,
        "user": task.user_id,
        "today": session.now.date().isoformat(),
        "instructions": own_agent_instructions(session, task),
        "mcp": {"url": tools.url, "token": tools.token},
        "seconds": limits.seconds,
    }
    return json.dumps(asked, ensure_ascii=False).encode()


def answer_of(given: bytes, who: str) -> Answer:
    """The agent's answer: markdown with its block of picks, or ``{"report": …, "picks": […], "outcome": {…}}``.

    Raises ModelError for anything else.
    """
    try:
        text = given.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise ModelError("agent", f"{who} answered in another encoding than UTF-8: {problem}") from problem
    if not text.strip():
        raise ModelError("no_report", f"{who} answered nothing")
    return _read_json(text, who) if text.lstrip().startswith("{") else Answer(report=text)


def last_words(output: bytes | bytearray, token: str) -> str:
    """The end of an agent's other output, without the token."""
    text = bytes(output).decode("utf-8", "replace").replace(token, "…").strip()
    return text if len(text) <= LONGEST_WORDS else f"… {text[-LONGEST_WORDS:]}"


def _read_json(text: str, who: str) -> Answer:
    try:
        found: Any = parse_json(text)
    except ValueError as problem:
        raise ModelError("agent", f"{who} answered what begins like JSON and is none: {problem}") from problem
    report = found.get("report")
    if not isinstance(report, str):
        known = shortened(", ".join(map(repr, found)))
        raise ModelError("agent", f'{who} answered JSON without a text under "report" (its keys: {known or "none"})')
    try:
        outcome = None if found.get("outcome") is None else Outcome.model_validate(found["outcome"])
        declared = found.get("picks")
        if not isinstance(declared, list | None):
            raise ValueError(f"picks are a list, not {type(declared).__name__}")
        given = None if declared is None else cast(Sequence[Any], declared)
        picks = None if given is None else merged(pick for each in given for pick in _read_pick(each))
        return Answer(report=report, picks=picks, outcome=outcome)
    except ValueError as problem:
        return Answer(report=report, notes=(f"{PICKS_UNREADABLE}: {problem}",))


def _read_pick(given: Any) -> tuple[Pick, ...]:
    """A pick as a line of a block ("P:B0… x 2") or as an object with ``product`` and, if not 1, ``quantity``."""
    if isinstance(given, dict):
        declared = cast(dict[str, Any], given)
        try:
            return (Pick.model_validate(declared | {"product": str(declared.get("product", "")).removeprefix("P:")}),)
        except ValidationError as problem:
            raise ValueError(f"{given!r:.80} is no pick: {problem.errors()[0]['msg']}") from problem
    found = take_picks(f"```picks\n{given}\n```") if isinstance(given, str) and "```" not in given else None
    if found is None or not found.picks:
        raise ValueError(f"{given!r:.80} is no pick")
    return found.picks

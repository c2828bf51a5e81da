"""The JSON that an agent of somebody else's is asked with, and what it may answer."""

import json
from collections.abc import Sequence
from typing import Any, cast

from pydantic import ValidationError

from drretail.agents.client_prompts import own_agent_instructions
from drretail.agents.external.session_server import Served
from drretail.env.session import Session
from drretail.errors import ModelError, shortened
from drretail.grounding.report.picks import merged, take_picks
from drretail.records.query import Task
from drretail.records.reading import Outcome, Pick
from drretail.records.run import PICKS_UNREADABLE, Answer, Limits

MOST_BYTES = 1024 * 1024
"""Of an answer: a report of a hundred pages is a third of it."""
LONGEST_WORDS = 1000
"""Characters of what an agent said besides that a failure tells: the last ones."""


def question(task: Task, session: Session, tools: Served, limits: Limits) -> bytes:
    """The question as JSON: what is asked, by whom, how the report is to be, and where the tools are."""
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
    """What is declared: markdown with its block of picks, or ``{"report": …, "picks": […], "outcome": {…}}``.

    Raises ModelError for what is neither.
    """
    try:
        text = given.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise ModelError("agent", f"{who} answered in another encoding than UTF-8: {problem}") from problem
    if not text.strip():
        raise ModelError("no_report", f"{who} answered nothing")
    return _read_json(text, who) if text.lstrip().startswith("{") else Answer(report=text)


def last_words(output: bytes | bytearray, token: str) -> str:
    """The end of what an agent said besides its answer, without the token."""
    text = bytes(output).decode("utf-8", "replace").replace(token, "…").strip()
    return text if len(text) <= LONGEST_WORDS else f"… {text[-LONGEST_WORDS:]}"


def _read_json(text: str, who: str) -> Answer:
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise ModelError("agent", f"{who} answered what begins like JSON and is none: {problem}") from problem
    report = found.get("report")
    if not isinstance(report, str):
        known = shortened(", ".join(map(repr, found)))
        raise ModelError("agent", f'{who} answered JSON without a text under "report" (its keys: {known or "none"})')
    try:
        outcome = None if found.get("outcome") is None else Outcome.model_validate(found["outcome"])
        picks = None if found.get("picks") is None else _read_picks(found["picks"])
        return Answer(report=report, picks=picks, outcome=outcome)
    except ValueError as problem:
        return Answer(report=report, notes=(f"{PICKS_UNREADABLE}: {problem}",))


def _read_picks(given: Any) -> tuple[Pick, ...]:
    """Picks as lines of a block ("P:B0… x 2") or as objects with ``product`` and, if not 1, ``quantity``."""
    if not isinstance(given, list):
        raise ValueError(f"picks are a list, not {type(given).__name__}")
    return merged(pick for each in cast(Sequence[Any], given) for pick in _read_pick(each))


def _read_pick(given: Any) -> tuple[Pick, ...]:
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

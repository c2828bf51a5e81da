"""An HTTP address as an agent: its question is posted as JSON, and the body of the response is its answer."""

import asyncio
from ipaddress import ip_address
from urllib.parse import urlsplit

import httpx2

from drretail.agents.base import Agent
from drretail.agents.external.exchange import MOST_BYTES, answer_of, last_words, question, served
from drretail.agents.information import own_agent_prompt
from drretail.env.session import Session
from drretail.errors import ModelError, UserError, quoted, shortened
from drretail.llm.models import Models
from drretail.records.query import Task
from drretail.records.run import Answer, Limits

CONNECTING = 10
"""Seconds within which the connection must be accepted."""
ASKING = 2
"""Seconds within which it must say its version."""
_HEADERS = {"content-type": "application/json", "accept": "application/json, text/markdown, text/plain"}


def agent_at(place: str) -> Agent:
    """The agent at an address.

    Raises UserError if the place is no address, or holds a password, which would be recorded.
    """
    host = _host(place)
    try:
        is_here = host == "localhost" or ip_address(host).is_loopback
    except ValueError:  # a name
        is_here = False

    async def answer(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
        del models
        async with served(session) as tools:
            request = question(task, session, tools, limits)
            try:
                async with asyncio.timeout(limits.own_seconds):
                    status, body = await _posted(place, request, through_proxy=not is_here)
            except TimeoutError as problem:
                raise ModelError(
                    "timeout", f"{place} gave no answer within {limits.own_seconds:,} seconds"
                ) from problem
            except httpx2.HTTPError as problem:
                reason = f"{type(problem).__name__}: {problem}".rstrip(": ")
                raise ModelError("agent", f"{place} cannot be asked: {reason}") from problem
        if len(body) > MOST_BYTES:
            raise ModelError("agent", f"{place} answered more than {MOST_BYTES:,} bytes")
        if not 200 <= status < 300:
            reason = last_words(body, tools.token)
            raise ModelError("agent", f"{place} answered with status {status}{f': {reason}' if reason else ''}")
        return answer_of(body, place)

    return Agent(
        answer,
        roles=(),
        prompts=lambda: (own_agent_prompt(),),
        heeds=frozenset(),
        place=place,
        version=lambda: _version(place, through_proxy=not is_here),
    )


def _version(address: str, *, through_proxy: bool) -> str | None:
    """What an address answers to GET under ``version``; None if it says nothing."""
    try:
        answer = httpx2.get(address, headers=_HEADERS, timeout=ASKING, trust_env=through_proxy)
        document = answer.json() if answer.is_success else None
    except (httpx2.HTTPError, ValueError):
        return None
    stated = document.get("version") if isinstance(document, dict) else None
    return shortened(str(stated), 80) if isinstance(stated, str | int | float) else None


async def _posted(address: str, request: bytes, *, through_proxy: bool) -> tuple[int, bytes]:
    """Status and body of the response; of a body that is too long, its beginning. Redirections are not followed."""
    waiting = httpx2.Timeout(None, connect=CONNECTING)
    body = bytearray()
    async with (
        httpx2.AsyncClient(timeout=waiting, trust_env=through_proxy) as client,
        client.stream("POST", address, content=request, headers=_HEADERS) as response,
    ):
        async for part in response.aiter_bytes():
            body += part
            if len(body) > MOST_BYTES:
                break
    return response.status_code, bytes(body)


def _host(place: str) -> str:
    try:
        parts = urlsplit(place)
        host, _ = parts.hostname, parts.port
    except ValueError as problem:
        raise UserError(f"{quoted(place)} is not an address: {problem}. Write http://HOST:PORT/.") from problem
    if not host or any(each.isspace() or not each.isprintable() for each in place):
        raise UserError(f"{quoted(place)} is not the address of an agent: write http://HOST:PORT/.")
    if parts.username is not None or parts.password is not None:
        raise UserError("An agent's address is recorded with its runs: leave the user and the password out of it.")
    return host

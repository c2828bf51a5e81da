"""External agents: commands and HTTP addresses, run by the same runner as the built-in ones.

Both are asked with the same JSON and call the tools over MCP; a command reads stdin, an address gets a POST.
"""

import asyncio
import json
import os
import re
import secrets
import shlex
import shutil
import signal
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from functools import partial
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

import httpx2

from drretail.agents.base import Agent, read_answer
from drretail.agents.information import instructions, own_agent_instructions, own_agent_prompts
from drretail.env.session import Session
from drretail.errors import KEY_NAMES, ModelError, ModelErrorKind, UserError, is_key, quoted, shortened, without_keys
from drretail.llm.models import Models
from drretail.parsing import parse_json, without_thoughts
from drretail.records.figures import counted
from drretail.records.query import Task
from drretail.records.run import Answer, Limits
from drretail.tools.local_server import HOST, bound, port_of, serving
from drretail.tools.mcp import UnrecordedRun, mcp_server
from drretail.tools.mcp_http import ADDRESS, http_app
from drretail.tools.toolkit import Toolkit

MOST_BYTES = 1024 * 1024
"""Bytes of an answer: a report of a hundred pages takes a third of it."""
LONGEST_WORDS = 1000
"""Characters of an agent's other output that a failure quotes: the last ones."""
_OBJECT = re.compile(r'^[ \t]*\{(?=\s*["}])|\{(?=\s*"report"\s*:)', re.MULTILINE)
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Served:
    """The address of the session's tools, and the token without which no request is answered there."""

    url: str
    token: str = field(repr=False)


@asynccontextmanager
async def served(session: Session) -> AsyncGenerator[Served]:
    """Serves the session's tools over MCP within the block, on a free port and with a new token."""
    token, listening = secrets.token_urlsafe(24), bound(0)
    toolkit = Toolkit(session)
    with closing(listening):
        # All connections share one run: the agent may connect as often as it likes.
        server = mcp_server(session, lambda: UnrecordedRun(session.settings, toolkit), instructions(session))
        port = port_of(listening)
        async with serving(http_app(server, token, port), listening):
            yield Served(f"http://{HOST}:{port}{ADDRESS}", token)


def question(task: Task, session: Session, tools: Served, limits: Limits) -> bytes:
    """The question as JSON: the messages up to it, its user, the form of the report, and the address of the tools."""
    document = {
        "query": task.question,
        "conversation": task.conversation,
        "messages": [*task.history, {"role": "user", "content": task.question}],
        "user": task.user_id,
        "today": session.settings.now.date().isoformat(),
        "instructions": own_agent_instructions(session, task),
        "mcp": {"url": tools.url, "token": tools.token},
        "seconds": limits.own_seconds,
    }
    return json.dumps(document, ensure_ascii=False).encode()


def _answer_of(output: bytes, who: str) -> Answer:
    """The agent's answer: markdown with its block of picks, or ``{"report": …, "picks": […], "outcome": {…}}``, beside
    which lines of a log may stand: they are no part of it, and noted.

    Raises ModelError for anything else, and if it can't be told which of several objects is the answer.
    """
    try:
        text = output.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise ModelError("agent", f"{who} answered in another encoding than UTF-8: {problem}") from problem
    if not text.strip():
        raise ModelError("no_report", f"{who} answered nothing")
    spoken = without_thoughts(text)
    objects, broken = _objects_in(spoken)
    answers = [(part, value) for part, value in objects if "report" in value]
    if len(answers) > 1:
        raise ModelError("agent", f"{who} answered {len(answers)} objects with a report: write one alone")
    if not answers and broken is not None:
        raise ModelError("agent", f"{who} answered what begins like JSON and is none: {broken}") from broken
    if not answers and not (objects and spoken.lstrip().startswith(objects[0][0])):
        return Answer(report=text)
    part, document = (answers or objects)[0]
    answer = read_answer(document, who)
    lines = sum(bool(line.strip()) for line in spoken.replace(part, "", 1).splitlines())
    note = f"{counted(lines, 'line')} beside the JSON that holds the report {'is' if lines == 1 else 'are'} left out"
    return answer.model_copy(update={"notes": (*answer.notes, note)}) if lines else answer


def _objects_in(text: str) -> tuple[list[tuple[str, dict[str, Any]]], ValueError | None]:
    """The JSON objects that begin a line or name a report first, each with its text. With them, the error of the first
    that is broken, if the text begins with it or names a report behind it.
    """
    objects: list[tuple[str, dict[str, Any]]] = []
    broken, last, at = None, text.rfind('"report"'), 0
    while (begin := _OBJECT.search(text, at)) is not None:
        start, at = begin.end() - 1, begin.end()
        try:
            _, end = _DECODER.raw_decode(text, start)
            objects.append((text[start:end], parse_json(text[start:end])))
            at = end
        except (ValueError, RecursionError) as problem:
            if broken is None and (start < last or not text[:start].strip()):
                broken = ValueError(str(problem))
    return objects, broken


def last_words(output: bytes | bytearray, token: str) -> str:
    """The end of an agent's other output, without the token."""
    text = without_keys(bytes(output).decode("utf-8", "replace").replace(token, "…")).strip()
    return text if len(text) <= LONGEST_WORDS else f"… {text[-LONGEST_WORDS:]}"


def _asked(
    output_for: Callable[[bytes, int, str], Awaitable[bytes]],
    who: str,
    place: str,
    version: Callable[[], str | None] | None = None,
) -> Agent:
    """The agent that gives this output for a request, within so many seconds; the token is in none of its errors."""

    async def answer(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
        del models
        async with served(session) as tools:
            request = question(task, session, tools, limits)
            output = await output_for(request, limits.own_seconds, tools.token)
        return _answer_of(output, who)

    return Agent(answer, roles=(), prompts=own_agent_prompts, heeds=frozenset(), place=place, version=version)


GRACE = 2.0
"""Seconds between SIGTERM and SIGKILL for a command that has not ended."""
_KEPT = 16 * 1024
"""Bytes of stderr that are kept: the last ones."""


def command_agent(place: str) -> Agent:
    """The agent behind ``cmd:COMMAND``. The words of the command are split as a shell does, but no shell runs.

    Raises UserError if there is no such command.
    """
    command = place.removeprefix("cmd:")
    try:
        words = shlex.split(command)
    except ValueError as problem:
        raise UserError(f"The command {quoted(command)} cannot be read: {problem}. Check its quotes.") from problem
    if not words:
        raise UserError("--agent cmd: needs a command behind it, as in cmd:./my-agent.")
    if shutil.which(words[0]) is None:
        raise UserError(
            f"There is no command {quoted(words[0])} here or on the PATH: check its name, or make the file executable."
        )

    return _asked(partial(_output_of, words), words[0], place)


class _Pipes(asyncio.SubprocessProtocol):
    """The process's output. ``ended`` is set once it exited or wrote too much, ``closed`` once nothing more comes."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.out, self.err = bytearray(), bytearray()
        self.ended: asyncio.Future[None] = loop.create_future()
        self.exited: asyncio.Future[None] = loop.create_future()
        self.closed: asyncio.Future[None] = loop.create_future()

    @property
    def has_too_much(self) -> bool:
        return len(self.out) > MOST_BYTES

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 2:
            self.err = (self.err + data)[-_KEPT:]
        elif not self.has_too_much:
            self.out += data
            if self.has_too_much:
                _set(self.ended)

    def process_exited(self) -> None:
        _set(self.exited)
        _set(self.ended)

    def connection_lost(self, exc: Exception | None) -> None:
        _set(self.closed)


def _environment() -> dict[str, str]:
    """The command's environment: no key of a provider or profile, unless DRRETAIL_PASS_ENV names its variable (commas
    between).
    """
    passed = os.environ.get("DRRETAIL_PASS_ENV", "").replace(" ", "").split(",")
    kept = {name: text for name, text in os.environ.items() if not KEY_NAMES.fullmatch(name) and not is_key(text)}
    return kept | {name: os.environ[name] for name in passed if name in os.environ}


async def _output_of(words: list[str], request: bytes, seconds: int, token: str) -> bytes:
    """What the command writes to stdout. No process of its process group is left running.

    Raises ModelError, with the end of its stderr but without the token, if it gives no answer.
    """
    loop = asyncio.get_running_loop()
    try:
        transport, pipes = await loop.subprocess_exec(_Pipes, *words, start_new_session=True, env=_environment())
    except OSError as problem:
        raise ModelError("agent", f"{words[0]} cannot be run: {problem}") from problem

    def failed(kind: ModelErrorKind, how: str) -> ModelError:
        last = last_words(pipes.err, token)
        return ModelError(kind, f"{words[0]} {how}{f'; its stderr ends: {last}' if last else ''}")

    try:
        stdin = transport.get_pipe_transport(0)
        assert isinstance(stdin, asyncio.WriteTransport)
        stdin.write(request)
        stdin.close()  # once all is written
        await asyncio.wait([pipes.ended], timeout=seconds)
        is_late = not pipes.ended.done()
    finally:
        await _end(transport, pipes)
    if is_late:
        raise failed("timeout", f"gave no answer within {seconds:,} seconds")
    if pipes.has_too_much:
        raise failed("agent", f"wrote more than {MOST_BYTES:,} bytes to stdout")
    code = transport.get_returncode() or 0
    if code:
        how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        raise failed("agent", how)
    if not pipes.out.strip():
        raise failed("no_report", "wrote nothing to stdout")
    return bytes(pipes.out)


async def _end(transport: asyncio.SubprocessTransport, pipes: _Pipes) -> None:
    """Ends the command's whole process group and reads what is left in its pipes.

    A command that has not exited gets SIGTERM first.
    """
    group = transport.get_pid()
    try:
        if not pipes.exited.done():
            _signal(group, signal.SIGTERM)
            await asyncio.wait([pipes.exited], timeout=GRACE)
    finally:
        _signal(group, signal.SIGKILL)
        try:
            # A process that left the group may hold the pipes open: it is not waited for.
            await asyncio.wait([pipes.exited, pipes.closed], timeout=GRACE)
        finally:
            transport.close()


def _signal(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):  # nobody is left in it
        os.killpg(group, number)


def _set(future: "asyncio.Future[None]") -> None:
    if not future.done():
        future.set_result(None)


CONNECTING = 10
"""Seconds within which the connection must be accepted."""
ASKING = 2
"""Seconds within which it must say its version."""
_HEADERS = {"content-type": "application/json", "accept": "application/json, text/markdown, text/plain"}


def endpoint_agent(place: str) -> Agent:
    """The agent at an address.

    Raises UserError if the place is no address, or holds a password, which would be recorded.
    """
    host = _host(place)
    try:
        is_here = host == "localhost" or ip_address(host).is_loopback
    except ValueError:  # a name
        is_here = False

    async def body_for(request: bytes, seconds: int, token: str) -> bytes:
        try:
            async with asyncio.timeout(seconds):
                status, body = await _posted(place, request, through_proxy=not is_here)
        except TimeoutError as problem:
            raise ModelError("timeout", f"{place} gave no answer within {seconds:,} seconds") from problem
        except httpx2.HTTPError as problem:
            reason = f"{type(problem).__name__}: {problem}".rstrip(": ")
            raise ModelError("agent", f"{place} cannot be asked: {reason}") from problem
        if len(body) > MOST_BYTES:
            raise ModelError("agent", f"{place} answered more than {MOST_BYTES:,} bytes")
        if not 200 <= status < 300:
            reason = last_words(body, token)
            raise ModelError("agent", f"{place} answered with status {status}{f': {reason}' if reason else ''}")
        return body

    return _asked(body_for, place, place, partial(_version, place, through_proxy=not is_here))


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
    if not host or any(char.isspace() or not char.isprintable() for char in place):
        raise UserError(f"{quoted(place)} is not the address of an agent: write http://HOST:PORT/.")
    if parts.username is not None or parts.password is not None:
        raise UserError("An agent's address is recorded with its runs: leave the user and the password out of it.")
    return host

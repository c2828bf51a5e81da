"""A command as an agent: it reads its question as JSON from stdin, and what it writes to stdout is its answer."""

import asyncio
import os
import shlex
import shutil
import signal
from contextlib import suppress

from drretail.agents.base import Agent
from drretail.agents.external.exchange import MOST_BYTES, answer_of, last_words, question, served
from drretail.agents.information import own_agent_prompt
from drretail.env.session import Session
from drretail.errors import ModelError, ModelErrorKind, UserError, quoted
from drretail.llm.models import Models
from drretail.records.query import Task
from drretail.records.run import Answer, Limits

GRACE = 2.0
"""Seconds between SIGTERM and SIGKILL for a command that has not ended."""
_KEPT = 16 * 1024
"""Bytes of stderr that are kept: the last ones."""


def agent_at(place: str) -> Agent:
    """The agent behind ``cmd:COMMAND``. The words of the command are split as a shell does, but no shell runs.

    Raises UserError if there is no such command.
    """
    words = _words(place)

    async def answer(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
        del models
        async with served(session) as tools:
            request = question(task, session, tools, limits)
            written = await _output_of(words, request, limits.own_seconds, tools.token)
        return answer_of(written, words[0])

    return Agent(answer, roles=(), prompts=lambda: (own_agent_prompt(),), heeds=frozenset(), place=place)


def _words(place: str) -> list[str]:
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
    return words


class _Pipes(asyncio.SubprocessProtocol):
    """The output of the process. ``ended`` is set once it has exited or written too much, ``closed`` once nothing more
    comes.
    """

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


async def _output_of(words: list[str], request: bytes, seconds: int, token: str) -> bytes:
    """What the command writes to stdout. No process of its process group is left running.

    Raises ModelError, with the end of its stderr but without the token, if it gives no answer.
    """
    loop = asyncio.get_running_loop()
    try:
        transport, pipes = await loop.subprocess_exec(_Pipes, *words, start_new_session=True)
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

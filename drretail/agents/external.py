"""Agents from outside: commands and HTTP addresses, run by the same runner as the built-in ones.

Both are asked with the same JSON, and find the run's doors: a command by its environment, an address in what is posted.
"""

import asyncio
import json
import os
import re
import shlex
import shutil
import signal
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from ipaddress import ip_address
from tempfile import TemporaryFile
from typing import Any
from urllib.parse import urlsplit

import httpx2

from drretail.agents.base import Agent, read_answer
from drretail.agents.information import instructions, own_agent_instructions, own_agent_prompts
from drretail.agents.picks import NO_BLOCK
from drretail.doors.doors import Doors, open_doors
from drretail.doors.sealing import Network, sealed, why_unsealed
from drretail.env.session import Session
from drretail.errors import ModelError, UserError, is_key, quoted, shortened, without_keys
from drretail.llm.models import Models
from drretail.parsing import parse_json, without_thoughts
from drretail.records.figures import counted
from drretail.records.query import Task
from drretail.records.run import CART_DECIDES, COMMAND, PICKS_UNASKED, Answer, Limits
from drretail.records.shop import SHOP_URL
from drretail.reports.picks import take_picks

MOST_BYTES = 1024 * 1024
"""Bytes of an answer: a report of a hundred pages takes a third of it."""
LONGEST_WORDS = 1000
"""Characters of an agent's other output that a failure quotes: the last ones."""
_REPORT, _OBJECT = re.compile(r'\{(?=\s*"report"\s*:)'), re.compile(r'\s*\{(?=\s*["}])')
_DECODER = json.JSONDecoder()


def question(task: Task, session: Session, doors: Doors, limits: Limits) -> bytes:
    """The question as JSON: the messages up to it, its user, the form of the report, and where the doors are."""
    document = {
        "query": task.question,
        "conversation": task.conversation,
        "messages": [*task.history, {"role": "user", "content": task.question}],
        "user": task.user_id,
        "today": session.settings.now.date().isoformat(),
        "instructions": own_agent_instructions(session, task),
        "mcp": {"url": doors.mcp, "token": doors.place.token},
        "environment": doors.environment("settings"),
        "seconds": limits.own_seconds,
    }
    return json.dumps(document, ensure_ascii=False).encode()


def _answer_of(output: bytes, who: str) -> Answer:
    """The agent's answer: markdown with its block of picks, or ``{"report": …, "picks": […], "outcome": {…}}``, beside
    which lines of a log may stand: they are no part of it, and noted. The object begins the output, or names its report
    first.

    Raises ModelError for anything else, and for several objects with a report.
    """
    try:
        text = output.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise ModelError("agent", f"{who} answered in another encoding than UTF-8: {problem}") from problem
    if not text.strip():
        raise ModelError("no_report", f"{who} answered nothing")
    spoken = without_thoughts(text)
    starts = [begin.start() for begin in _REPORT.finditer(spoken)]
    if not starts and (begin := _OBJECT.match(spoken)) is not None:
        starts = [begin.end() - 1]
    parts, end = list[str](), 0
    try:
        for start in starts:
            if start >= end:
                _, end = _DECODER.raw_decode(spoken, start)
                parts.append(spoken[start:end])
        documents = [parse_json(part) for part in parts]
    except (ValueError, RecursionError) as problem:
        raise ModelError("agent", f"{who} answered what begins like JSON and is none: {problem}") from problem
    if not documents:
        return Answer(report=text)
    if len(documents) > 1:
        raise ModelError("agent", f"{who} answered {len(documents)} objects with a report: write one alone")
    answer = read_answer(documents[0], who)
    lines = sum(bool(line.strip()) for line in spoken.replace(parts[0], "", 1).splitlines())
    note = f"{counted(lines, 'line')} beside the JSON that holds the report {'is' if lines == 1 else 'are'} left out"
    return answer.model_copy(update={"notes": (*answer.notes, note)}) if lines else answer


def last_words(output: bytes, token: str) -> str:
    """The end of an agent's other output, without the token."""
    text = without_keys(output.decode("utf-8", "replace").replace(token, "…")).strip()
    return text if len(text) <= LONGEST_WORDS else f"… {text[-LONGEST_WORDS:]}"


OutputFor = Callable[[bytes, int, Doors], Awaitable[bytes]]
"""The agent's output for a request, within so many seconds; the token is in none of its errors."""
NOTHING = "searched nothing through drretail"
LOOKING = 0.05
"""Seconds between two looks at whether a run can go on."""


def _asked(output_for: OutputFor, who: str, place: str, **fields: Any) -> Agent:
    """The agent that gives this output."""

    async def answer(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
        behind = models if models.by_role else None
        async with open_doors(session, behind, instructions(session)) as doors:
            output = asyncio.ensure_future(
                output_for(question(task, session, doors, limits), limits.own_seconds, doors)
            )
            try:
                while not (await asyncio.wait([output], timeout=LOOKING))[0]:
                    if doors.fatal is not None:
                        raise doors.fatal
                given = _answer_of(await output, who)
                if not doors.requests and place.startswith(COMMAND):  # an address may be a shop's own assistant
                    raise ModelError("agent", f"{who} {NOTHING}, and asked no model there: see docs/agents.md")
            except ModelError as problem:
                raise doors.fatal or doors.models.problem or problem from None
            finally:
                output.cancel()
                await asyncio.wait([output])
            if doors.fatal is not None:
                raise doors.fatal
            return _concluded(given, doors, models)

    return Agent(answer, roles=(), prompts=own_agent_prompts, heeds=frozenset(), place=place, **fields)


def _concluded(answer: Answer, doors: Doors, models: Models) -> Answer:
    """The answer with what the doors know of it: the cart, the budget, and what was asked of them."""
    notes = list(answer.notes)
    if not any(step.kind == "tool" for step in doors.world.session.trajectory.steps()):
        notes.append(f"it {NOTHING}")
    if doors.models.models is not None and not doors.models.calls:
        notes.append("it asked no model through drretail")
    if answer.usage is not None and doors.models.calls:
        notes.append("what it says of its tokens is left out: they were counted where its models were asked")
    if doors.world.refused:
        notes.append(f"refused, since this world has nothing there: {', '.join(sorted(doors.world.refused)[:20])}")
    kept: dict[str, Any] = {"usage": None if doors.models.calls else answer.usage}
    if doors.models.problem is not None:
        kept["stop"] = models.budget_stop or "token_budget"
    declared = take_picks(answer.report)
    if answer.picks is None and answer.outcome is None and declared.picks is None and declared.problem is None:
        kept["picks"] = doors.world.picks
        notes.append(CART_DECIDES if doors.world.picks else f"{PICKS_UNASKED}: {NO_BLOCK}")
    report = answer.report.replace(doors.place.here, SHOP_URL).replace(doors.place.token, "…")
    return answer.model_copy(update={"report": report, "notes": tuple(notes), **kept})


GRACE = 2.0
"""Seconds between SIGTERM and SIGKILL for a command that has not ended."""
MOST_OF_LOG = 64 * MOST_BYTES
"""Bytes that a command may write to stderr, of which the last ``_KEPT`` are read."""
_KEPT = 16 * 1024


def command_agent(place: str, network: Network | None = None, passed: Sequence[str] = ()) -> Agent:
    """The agent behind ``cmd:COMMAND``. The words of the command are split as a shell does, but no shell runs.

    ``network`` is how it reaches the doors: sealed where this machine can, else by proxy. ``passed`` are the variables
    with keys that it inherits. Raises UserError if there is no such command, or no such network here.
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
    if network == "sealed" and (reason := why_unsealed()) is not None:
        raise UserError(f"No command can be sealed here, since {reason}: take --network proxy.")
    if missing := [name for name in passed if name not in os.environ]:
        raise UserError(f"--pass-env names {missing[0]}, which is not set: set it, or leave it out.")
    network = network or ("proxy" if why_unsealed() else "sealed")
    output_for = partial(_output_of, words, network, passed)
    return _asked(output_for, words[0], place, network=network, takes_model=True)


_SECRET = re.compile(r"(?i)\w*(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|CUSTOM_HEADERS)")
_WITH_PASSWORD = re.compile(r"\w+://[^/@\s]*:[^/@\s]+@")


def environment(network: Network, passed: Sequence[str], doors: Doors) -> dict[str, str]:
    """The command's environment: no key, password or proxy but those of the run, and those that are passed."""
    own = doors.environment(network)
    left_out = doors.environment("proxy").keys() if network == "sealed" else {}
    inherited = {
        name: text
        for name, text in os.environ.items()
        if not (_SECRET.fullmatch(name) or is_key(text) or _WITH_PASSWORD.match(text) or name in left_out)
    }
    return inherited | own | {name: os.environ[name] for name in passed}


async def _output_of(
    words: Sequence[str], network: Network, passed: Sequence[str], request: bytes, seconds: int, doors: Doors
) -> bytes:
    """What the command writes to stdout. No process of its process group is left running.

    Raises ModelError, with the end of its stderr but without the token, if it gives no answer.
    """
    started = sealed(words, doors.place) if network == "sealed" else words
    loop = asyncio.get_running_loop()
    with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as err:
        given.write(request)
        given.seek(0)
        files: dict[str, Any] = {"stdin": given, "stdout": out, "stderr": err}
        try:
            env = environment(network, passed, doors)
            process = await asyncio.create_subprocess_exec(*started, **files, start_new_session=True, env=env)
        except OSError as problem:
            raise ModelError("agent", f"{words[0]} cannot be run: {problem}") from problem
        exited, ends = asyncio.ensure_future(process.wait()), loop.time() + seconds
        kind, how = "agent", ""
        try:
            while not how and not (await asyncio.wait([exited], timeout=LOOKING))[0]:
                if loop.time() > ends:
                    kind, how = "timeout", f"gave no answer within {seconds:,} seconds"
                for name, file, most in (("stdout", out, MOST_BYTES), ("stderr", err, MOST_OF_LOG)):
                    if os.fstat(file.fileno()).st_size > most:
                        kind, how = "agent", f"wrote more than {most:,} bytes to {name}"
        finally:
            await _end(process.pid, exited)
        output, code = os.pread(out.fileno(), MOST_BYTES + 1, 0), process.returncode or 0
        last = os.pread(err.fileno(), _KEPT, max(0, os.fstat(err.fileno()).st_size - _KEPT))
    if not how and len(output) > MOST_BYTES:
        how = f"wrote more than {MOST_BYTES:,} bytes to stdout"
    elif not how and code:
        how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
    elif not how and not output.strip():
        kind, how = "no_report", "wrote nothing to stdout"
    if how:
        text = last_words(last, doors.place.token)
        raise ModelError(kind, f"{words[0]} {how}{f'; its stderr ends: {text}' if text else ''}")
    return output


async def _end(group: int, exited: "asyncio.Future[int]") -> None:
    """Ends the command's whole process group. A command that has not exited gets SIGTERM first."""
    try:
        if not exited.done():
            _signal(group, signal.SIGTERM)
            await asyncio.wait([exited], timeout=GRACE)
    finally:
        _signal(group, signal.SIGKILL)
        await asyncio.wait([exited], timeout=GRACE)


def _signal(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):  # nobody is left in it
        os.killpg(group, number)


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

    async def body_for(request: bytes, seconds: int, doors: Doors) -> bytes:
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
            reason = last_words(body, doors.place.token)
            raise ModelError("agent", f"{place} answered with status {status}{f': {reason}' if reason else ''}")
        return body

    version = partial(_version, place, through_proxy=not is_here)
    return _asked(body_for, place, place, version=version, takes_model=True)


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

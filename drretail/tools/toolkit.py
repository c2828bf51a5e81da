"""The only door to the tools: validates, times out, records, and answers with text whatever happens."""

import asyncio
import inspect
import threading
from bisect import insort
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import groupby
from types import TracebackType
from typing import Any, Self, cast

from drretail.env.ledger import EvidenceCollision
from drretail.env.session import Attempt, Session
from drretail.errors import (
    ModelError,
    NotFound,
    ToolError,
    ToolErrorType,
    UserError,
    describe_error,
    nearest_names,
    quoted,
    suggestion,
)
from drretail.grounding.text.harmless import harmless_values
from drretail.grounding.text.serialisation import compact_json
from drretail.records.base import canonical_json
from drretail.records.evidence import Source
from drretail.records.run import Step
from drretail.tools.arguments import read_arguments, recordable
from drretail.tools.identifiers import explained, with_ids_read
from drretail.tools.privacy import OtherUser
from drretail.tools.registry import TOOLS, offered, openai_schemas
from drretail.tools.schema import read_schema
from drretail.tools.tool import Tool, ToolResult
from drretail.tools.workers import Workers
from drretail.trajectory import Place, path_key
from drretail.untrusted import cleaned

Call = tuple[str, object]
"""A tool's name and its arguments, as a model gave them."""


@dataclass(frozen=True, slots=True)
class ToolReply:
    """What a model gets for one call."""

    text: str
    """What it reads: the compact JSON of ``value``."""
    value: dict[str, Any]
    """What the tool gave back, or the error."""
    evidence: tuple[str, ...]
    """Ids of what the call handed out, to be cited."""
    error: ToolErrorType | None
    """The kind of what went wrong; None where nothing did."""
    seq: int
    """The call's place on its path."""


@dataclass(frozen=True, slots=True)
class Launch:
    """One call at its place in the run."""

    path: str
    seq: int
    role: str
    name: str
    args: object
    calls_before: int | None = None
    """How many tool calls came before it, counted in a shop that moves."""

    @property
    def place(self) -> Place:
        return Place(self.path, self.seq)


@dataclass(frozen=True, slots=True)
class Performed:
    """One call and what came of it, not recorded yet."""

    launch: Launch
    outcome: ToolResult | Exception


_PLACES = threading.Semaphore(64)
"""Of calls that run at once in this process. Without a bound 200 runs with four calls each share its one interpreter
lock among 800 threads, and searches that take 30 ms end with the time-out of 30 s."""


class Toolkit:
    """The tools of one session, with a thread pool of its own; a context manager that ends it.

    ``timeout`` is in seconds for one call. ``timeout``, ``threads`` and ``tools`` default to the session's: its tools
    are the nine without those that it leaves out, and those that its agent brought. ``others`` are names that are
    answered elsewhere. An error about an unknown tool lists them.
    """

    def __init__(
        self,
        session: Session,
        *,
        timeout: float | None = None,
        threads: int | None = None,
        tools: Mapping[str, Tool] | None = None,
        others: Sequence[str] = (),
    ) -> None:
        self.session = session
        self._others = others
        self.tools = offered(session) if tools is None else tools
        self._timeout = session.tool_timeout if timeout is None else timeout
        self._schemas = openai_schemas(self.tools)
        self._workers = Workers(session.tool_threads if threads is None else threads, _PLACES)
        self._writing = threading.Lock()
        self._noting = threading.Lock()
        self._mended: dict[Place, dict[str, str]] = {}

    def openai_schemas(self) -> list[dict[str, Any]]:
        """The schemas of this toolkit's tools, for a model to be bound to: the same ones at every turn."""
        return self._schemas

    def call(self, name: str, args: object, path: str = "0", *, role: str = "researcher") -> ToolReply:
        """The reply to one call; see ``call_all``."""
        return self.call_all([(name, args)], path, role=role)[0]

    def call_all(self, calls: Sequence[Call], path: str = "0", *, role: str = "researcher") -> list[ToolReply]:
        """The replies to one model turn's calls, in the order of the calls, as are ledger and trajectory.

        Reads run side by side; a write waits for what was called before it and holds up what was called after.
        Trouble with a tool is a reply with an error. Raises ModelError only where a replayed journal lacks an
        answer: such a run is another run.
        """
        launches = self._launches(calls, path, role)
        return self.record_all([performed for batch in self._batches(launches) for performed in self._run(batch)])

    async def acall_all(self, calls: Sequence[Call], path: str = "0", *, role: str = "researcher") -> list[ToolReply]:
        """``call_all`` for a task of an event loop, which goes on with other tasks meanwhile."""
        return self.record_all(await self.aperform_all(calls, path, role=role))

    async def aperform_all(
        self, calls: Sequence[Call], path: str = "0", *, role: str = "researcher"
    ) -> list[Performed]:
        """What came of one turn's calls, in their order; their places are taken, and nothing is recorded yet."""
        launches = self._launches(calls, path, role)
        return [performed for batch in self._batches(launches) for performed in await self._arun(batch)]

    def record_all(self, performed: Iterable[Performed]) -> list[ToolReply]:
        """The replies, once ledger and trajectory hold what came of the calls. Raises as ``call_all`` does."""
        ended = list(performed)
        replies = [self._record(each.launch, each.outcome) for each in ended]
        for each in ended:
            if isinstance(each.outcome, ModelError):
                raise each.outcome
        return replies

    def close(self) -> None:
        """Ends its threads."""
        self._workers.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _batches(self, launches: Iterable[Launch]) -> Iterator[list[Launch]]:
        """Neighbouring reads together, each write alone."""
        for writes, group in groupby(launches, key=self._writes):
            neighbours = list(group)
            yield from ([launch] for launch in neighbours) if writes else [neighbours]

    def _writes(self, launch: Launch) -> bool:
        tool = self.tools.get(launch.name)
        return tool is not None and tool.access == "write"

    def _launches(self, calls: Sequence[Call], path: str, role: str) -> list[Launch]:
        trajectory = self.session.trajectory
        counted = () if self.session.moves is None else offered(self.session)
        launches: list[Launch] = []
        for name, args in ((_name(call), args) for call, args in calls):
            before = trajectory.count_call(path) if name in counted else None
            launches.append(Launch(path, trajectory.reserve(path), role, name, args, before))
        return launches

    def _run(self, batch: Sequence[Launch]) -> list[Performed]:
        jobs = [self._workers.submit(partial(self._perform, launch)) for launch in batch]
        performed: list[Performed] = []
        for launch, job in zip(batch, jobs, strict=True):
            try:
                outcome = self._workers.wait(job, self._seconds(launch))
            # The boundary of a tool: a bug of ours in one call must not end the run; the step records it.
            except Exception as problem:  # noqa: BLE001
                outcome = self._readable(launch, problem)
            performed.append(Performed(launch, outcome))
        return performed

    async def _arun(self, batch: Sequence[Launch]) -> list[Performed]:
        loop = asyncio.get_running_loop()
        jobs = [self._workers.submit(partial(self._perform, launch), loop) for launch in batch]
        performed: list[Performed] = []
        for launch, job in zip(batch, jobs, strict=True):
            try:
                outcome = await self._workers.await_(job, self._seconds(launch))
            except Exception as problem:  # noqa: BLE001 — as above
                outcome = self._readable(launch, problem)
            performed.append(Performed(launch, outcome))
        return performed

    def _seconds(self, launch: Launch) -> float:
        """What a call may take."""
        tool = self.tools.get(launch.name)
        return self._timeout if tool is None else max(self._timeout, tool.seconds)

    def _readable(self, launch: Launch, problem: Exception) -> Exception:
        if isinstance(problem, TimeoutError):
            return ToolError("timeout", f"{launch.name} gave no answer within {self._seconds(launch):g} seconds.")
        return problem

    def _perform(self, launch: Launch) -> ToolResult:
        tool = self.tools.get(launch.name)
        if tool is None:
            names = (*self.tools, *self._others)
            hint = suggestion(nearest_names(launch.name, names), names)
            raise ToolError("unknown_tool", f"There is no tool {quoted(launch.name)}. {hint}", allowed=names)
        parameters = read_schema(tool.function).parameters
        given = read_arguments(parameters, launch.args)
        arguments, mended = with_ids_read(self.session, parameters, given)
        if mended:
            self._mended[launch.place] = mended
        arguments |= self._filled_in(tool, launch)
        try:
            # Parallel researchers may write at once, and an update reads before it writes.
            with self._writing if tool.access == "write" else nullcontext():
                return _checked(tool, tool.function(self.session, **arguments))
        except NotFound as problem:
            value = given.get(problem.field or "")
            raise explained(problem, self.session, parameters, value, launch.path) from problem

    def _filled_in(self, tool: Tool, launch: Launch) -> dict[str, Any]:
        """The keyword-only arguments, which no model sees."""
        known: dict[str, Callable[[], Any]] = {
            "effects": lambda: self.session.effects(launch.path, launch.seq),
            "place": lambda: launch.place,
            "calls_before": lambda: launch.calls_before,
        }
        return {name: known[name]() for name in _wanted(tool.function)}

    def _record(self, launch: Launch, outcome: ToolResult | Exception) -> ToolReply:
        evidence: tuple[str, ...] = ()
        if isinstance(outcome, ToolResult):
            try:
                evidence = self.session.ledger.add(outcome.sources, launch.path, launch.seq)
            except EvidenceCollision as collision:
                outcome = collision
        self._note_attempt(launch, outcome)
        error = None if isinstance(outcome, ToolResult) else _as_tool_error(launch.name, outcome)
        # An error names what is near what was asked for, such as categories, which sellers wrote.
        value = harmless_values(error.as_result()) if error else cast(ToolResult, outcome).value
        text = compact_json(value)
        step = Step(
            path=launch.path,
            seq=launch.seq,
            kind="tool",
            role=launch.role,
            name=recordable(launch.name),
            args=recordable(launch.args) if isinstance(launch.args, Mapping) else None,
            mended=self._mended.pop(launch.place, None),
            sent=recordable(self.session.sent.get(launch.place)),
            result_sha=self.session.trajectory.keep_text(text),
            calls_before=launch.calls_before,
            evidence=evidence,
            error=None if isinstance(outcome, ToolResult) else _as_recorded(outcome),
        )
        self.session.trajectory.add(step)
        return ToolReply(text, value, evidence, None if error is None else error.kind, launch.seq)

    def _note_attempt(self, launch: Launch, outcome: ToolResult | Exception) -> None:
        refused = isinstance(outcome, OtherUser)
        about = outcome.about if isinstance(outcome, ToolResult) else outcome.user_id if refused else None
        if about is not None and about != self.session.user_id:
            attempt = Attempt(launch.path, launch.seq, launch.name, about, refused)
            with self._noting:
                insort(self.session.attempts, attempt, key=lambda one: (path_key(one.path), one.seq))


@cache
def _wanted(function: Callable[..., ToolResult]) -> tuple[str, ...]:
    parameters = inspect.signature(function).parameters.values()
    return tuple(parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY)


def _name(given: object) -> str:
    """The name of a tool; of what is no text its type, which names no tool either and can be recorded."""
    return given if isinstance(given, str) else type(given).__name__


def _checked(tool: Tool, result: object) -> ToolResult:
    """The result, if a model can read it and the ledger hold it; of the nine that is known. Raises TypeError."""
    if not isinstance(result, ToolResult):
        raise TypeError(f"{tool.name} gave {type(result).__name__}, and no ToolResult")
    if TOOLS.get(tool.name) is not tool:
        canonical_json(result.value)
        value = cast(object, result.value)
        sources = cast(Iterable[object], result.sources)
        if not isinstance(value, dict) or not all(isinstance(source, Source) for source in sources):
            raise TypeError(f"{tool.name} gave a ToolResult whose value is no dict, or whose sources are no Source")
        # The nine clean what sellers and pages wrote; another tool may name sources of its own.
        return replace(result, value=harmless_values(value, cleaned))
    return result


def _as_tool_error(name: str, problem: Exception) -> ToolError:
    """What the model reads: its own mistakes in full, ours without a traceback."""
    if isinstance(problem, ToolError):
        return problem
    if isinstance(problem, UserError):  # the world is damaged, and no other call does better
        return ToolError("unavailable", "The shop's data cannot be read; `drretail world check` tells its owner more.")
    return ToolError("unavailable", f"{name} failed for an internal reason; another call may do.")


def _as_recorded(problem: Exception) -> str:
    return recordable(f"{problem.kind}: {problem}" if isinstance(problem, ToolError) else describe_error(problem))

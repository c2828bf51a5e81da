"""The only way to call a tool: validates, times out, records, and answers with text whatever happens."""

import inspect
import sys
import threading
from bisect import insort
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import groupby
from typing import Any, cast

from drretail.env.session import Attempt, EvidenceCollision, Session
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
from drretail.records.base import canonical_json
from drretail.records.evidence import Source
from drretail.records.run import Step
from drretail.records.trajectory import StepPlace, path_key, span
from drretail.reports.text.serialisation import compact_json
from drretail.reports.text.untrusted import cleaned, harmless_values
from drretail.tools.arguments import OtherUser, explained, read_arguments, recordable, with_ids_read
from drretail.tools.registry import TOOLS, offered, openai_schemas
from drretail.tools.tool import Tool, ToolResult, read_schema
from drretail.tools.workers import Workers

Call = tuple[str, object]
"""A tool's name and its arguments, as a model gave them."""


@dataclass(frozen=True, slots=True)
class ToolReply:
    """What a model gets for one call."""

    text: str
    """What the model reads: the compact JSON of ``value``."""
    value: dict[str, Any]
    """The tool's result, or the error."""
    evidence: tuple[str, ...]
    """The evidence ids that the call gave the model to cite."""
    error: ToolErrorType | None
    """The kind of error; None if there was none."""
    seq: int
    """The call's position on its path."""


@dataclass(frozen=True, slots=True)
class Launch:
    """One call at its place in the run."""

    path: str
    seq: int
    role: str
    name: str
    args: object
    turn: int | None = None
    """The first call of its turn, if that was a call of its own and not one of the same list."""

    @property
    def place(self) -> StepPlace:
        return StepPlace(self.path, self.seq)


@dataclass(frozen=True, slots=True)
class Performed:
    """One call and its outcome, not recorded yet."""

    launch: Launch
    outcome: ToolResult | Exception


_PLACES = threading.Semaphore(64)
"""Bounds the calls that run at once in this process. Without a bound, 200 runs with four calls each share one
interpreter lock among 800 threads, and searches that take 30 ms end with the time-out of 30 s.
"""


class Toolkit:
    """The tools of one session; a limit of its own says how many run at once.

    ``timeout`` is in seconds for one call. ``timeout``, ``threads`` and ``tools`` default to the session's: its tools
    are the nine without those that it leaves out, and those that its agent brought. ``others`` are the names of tools
    that are answered elsewhere; an error about an unknown tool lists them too.
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
        self._timeout = session.settings.tool_timeout if timeout is None else timeout
        self._schemas = openai_schemas(self.tools)
        self._workers = Workers(session.settings.tool_threads if threads is None else threads, _PLACES)
        self._writing = threading.Lock()
        self._noting = threading.Lock()
        self._mended: dict[StepPlace, dict[str, str]] = {}
        self._running: dict[str, set[int]] = defaultdict(set)
        """By path, the calls that are not recorded yet."""
        self._turns: dict[str, tuple[int, object]] = {}
        """By path, the first call of the last turn, and what its caller names it by."""

    def openai_schemas(self) -> list[dict[str, Any]]:
        """The schemas of this toolkit's tools, to bind a model to; the same list at every turn."""
        return self._schemas

    def call(
        self, name: str, args: object, path: str = "0", *, role: str = "researcher", turn: object = None
    ) -> ToolReply:
        """The reply to one call; see ``call_all``."""
        return self.call_all([(name, args)], path, role=role, turn=turn)[0]

    def call_all(
        self, calls: Sequence[Call], path: str = "0", *, role: str = "researcher", turn: object = None
    ) -> list[ToolReply]:
        """The replies to one model turn's calls. Replies, ledger and trajectory have the order of the calls.

        Reads run in parallel. A write waits for the calls before it, and the calls after it wait for the write. A
        failed tool gives a reply with an error. Calls of an equal ``turn`` are recorded as those of one model turn.

        Raises ModelError only if a replayed journal lacks an answer: the run would be another run.
        """
        launches = self._launches(calls, path, role, turn=turn)
        return self.record_all([performed for batch in self._batches(launches) for performed in self._run(batch)])

    async def acall_all(self, calls: Sequence[Call], path: str = "0", *, role: str = "researcher") -> list[ToolReply]:
        """``call_all`` for a task of an event loop, which runs other tasks meanwhile."""
        return self.record_all(await self.aperform_all(calls, path, role=role))

    async def aperform_all(
        self, calls: Sequence[Call], path: str = "0", *, role: str = "researcher"
    ) -> list[Performed]:
        """The outcomes of one turn's calls, in their order. Their places are taken, and nothing is recorded yet."""
        launches = self._launches(calls, path, role)
        return [performed for batch in self._batches(launches) for performed in await self._arun(batch)]

    def record_all(self, performed: Iterable[Performed]) -> list[ToolReply]:
        """Records the calls' outcomes in ledger and trajectory, and returns the replies. Raises as
        ``call_all`` does.
        """
        ended = list(performed)
        replies = [self._record(call.launch, call.outcome) for call in ended]
        for call in ended:
            if isinstance(call.outcome, ModelError):
                raise call.outcome
        return replies

    def _batches(self, launches: Iterable[Launch]) -> Iterator[list[Launch]]:
        """Groups of calls that run together: neighbouring reads, and each write alone."""
        writes = {name for name, tool in self.tools.items() if tool.access == "write"}
        for is_write, group in groupby(launches, key=lambda launch: launch.name in writes):
            neighbours = list(group)
            yield from ([launch] for launch in neighbours) if is_write else [neighbours]

    def _launches(self, calls: Sequence[Call], path: str, role: str, *, turn: object = None) -> list[Launch]:
        trajectory = self.session.trajectory
        launches: list[Launch] = []
        with self._noting:
            first, last_turn = self._turns.get(path, (None, None))
            goes_on = bool(self._running[path]) or (turn is not None and turn == last_turn)
            for call, args in cast("Sequence[tuple[object, object]]", calls):
                # No tool has a type's name, which can be recorded.
                name = call if isinstance(call, str) else type(call).__name__
                seq = trajectory.reserve(path)
                launches.append(Launch(path, seq, role, name, args, first if goes_on else None))
                self._running[path].add(seq)
            if launches and not goes_on:
                self._turns[path] = (launches[0].seq, turn)
        return launches

    def _run(self, batch: Sequence[Launch]) -> list[Performed]:
        jobs = [self._workers.submit(partial(self._traced, launch)) for launch in batch]
        outcomes = [self._workers.wait(job, self._timeout) for job in jobs]
        return list(map(self._performed, batch, outcomes))

    async def _arun(self, batch: Sequence[Launch]) -> list[Performed]:
        notes = [await _noted_start(launch) for launch in batch]
        jobs = [self._workers.submit(partial(self._traced, launch)) for launch in batch]
        outcomes = [await self._workers.await_(job, self._timeout) for job in jobs]
        performed = list(map(self._performed, batch, outcomes))
        for note, call in zip(notes, performed, strict=True):
            await _note_end(note, call.outcome)
        return performed

    def _performed(self, launch: Launch, outcome: ToolResult | Exception) -> Performed:
        if isinstance(outcome, TimeoutError):
            outcome = ToolError("timeout", f"{launch.name} gave no answer within {self._timeout:g} seconds.")
        return Performed(launch, outcome)

    def _traced(self, launch: Launch) -> ToolResult:
        with span("execute_tool", launch.name, {"gen_ai.tool.name": launch.name, "drretail.path": launch.path}):
            return self._perform(launch)

    def _perform(self, launch: Launch) -> ToolResult:
        tool = self.tools.get(launch.name)
        if tool is None:
            names = (*self.tools, *self._others)
            hint = suggestion(nearest_names(launch.name, names), names)
            raise ToolError("unknown_tool", f"There is no tool {quoted(launch.name)}. {hint}", allowed=names)
        parameters = read_schema(tool.function).parameters
        read = read_arguments(parameters, launch.args)
        arguments, mended = with_ids_read(self.session, parameters, read)
        if mended:
            self._mended[launch.place] = mended
        # The values of keyword-only arguments, which no model sees.
        makers: dict[str, Callable[[], Any]] = {
            "effects": lambda: self.session.effects(launch.path, launch.seq),
            "place": lambda: launch.place,
        }
        arguments |= {name: makers[name]() for name in _keyword_only(tool.function)}
        try:
            # Parallel researchers may write at once, and an update reads before it writes.
            with self._writing if tool.access == "write" else nullcontext():
                return _checked(tool, tool.function(self.session, **arguments))
        except NotFound as problem:
            value = read.get(problem.field or "")
            raise explained(problem, self.session, parameters, value, launch.path) from problem

    def _record(self, launch: Launch, outcome: ToolResult | Exception) -> ToolReply:
        evidence: tuple[str, ...] = ()
        if isinstance(outcome, ToolResult):
            try:
                evidence = self.session.ledger.add(outcome.sources, launch.path, launch.seq)
            except EvidenceCollision as collision:
                outcome = collision
        refused = isinstance(outcome, OtherUser)
        about = outcome.about if isinstance(outcome, ToolResult) else outcome.user_id if refused else None
        if about is not None and about != self.session.settings.user_id:
            attempt = Attempt(launch.path, launch.seq, launch.name, about, refused)
            with self._noting:
                insort(self.session.attempts, attempt, key=lambda attempt: (path_key(attempt.path), attempt.seq))
        error = None if isinstance(outcome, ToolResult) else _as_tool_error(launch.name, outcome)
        # An error may suggest similar names, such as categories, which are sellers' text.
        value = harmless_values(error.as_result()) if error else cast(ToolResult, outcome).value
        text = compact_json(value)
        recorded = None
        if not isinstance(outcome, ToolResult):
            is_told = isinstance(outcome, ToolError)
            recorded = recordable(f"{outcome.kind}: {outcome}" if is_told else describe_error(outcome))
        step = Step(
            path=launch.path,
            seq=launch.seq,
            kind="tool",
            role=launch.role,
            name=recordable(launch.name),
            args=recordable(launch.args) if isinstance(launch.args, Mapping) else None,
            mended=self._mended.pop(launch.place, None),
            result_sha=self.session.trajectory.keep_text(text),
            turn=launch.turn,
            evidence=evidence,
            error=recorded,
        )
        with self._noting:
            self._running[launch.path].discard(launch.seq)
        self.session.trajectory.add(step)
        return ToolReply(text, value, evidence, None if error is None else error.kind, launch.seq)


async def _noted_start(launch: Launch) -> Any:
    """The call as LangChain's callbacks see it, by which traces and event streams show it; None if nobody listens."""
    runnables = sys.modules.get("langchain_core.runnables.config")  # else no graph can be calling
    if runnables is None or (config := runnables.var_child_runnable_config.get()) is None:
        return None
    callbacks = runnables.get_async_callback_manager_for_config(config)
    if not callbacks.handlers:
        return None
    name, args = launch.name, recordable(launch.args)
    inputs = args if isinstance(args, dict) else {"input": args}
    return await callbacks.on_tool_start({"name": name}, compact_json(inputs), inputs=inputs, name=name)


async def _note_end(started: Any, outcome: ToolResult | Exception) -> None:
    """Tells them the result as the tool gave it, before pages in it are summarised."""
    if started is not None and isinstance(outcome, ToolResult):
        await started.on_tool_end(compact_json(outcome.value))
    elif started is not None:
        await started.on_tool_error(outcome)


@cache
def _keyword_only(function: Callable[..., ToolResult]) -> tuple[str, ...]:
    parameters = inspect.signature(function).parameters.values()
    return tuple(parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY)


def _checked(tool: Tool, result: object) -> ToolResult:
    """The result, if a model can read it and the ledger can hold it. Raises TypeError otherwise.

    The results of the nine are not checked.
    """
    if not isinstance(result, ToolResult):
        raise TypeError(f"{tool.name} gave {type(result).__name__}, and no ToolResult")
    if TOOLS.get(tool.name) is not tool:
        canonical_json(result.value)
        value = cast(object, result.value)
        sources = cast(Iterable[object], result.sources)
        if not isinstance(value, dict) or not all(isinstance(source, Source) for source in sources):
            raise TypeError(f"{tool.name} gave a ToolResult whose value is no dict, or whose sources are no Source")
        # The nine clean the text of sellers and pages themselves; another tool may return text that is not cleaned.
        return replace(result, value=harmless_values(value, cleaned))
    return result


def _as_tool_error(name: str, problem: Exception) -> ToolError:
    """The error that the model reads: its own mistakes in full, ours without a traceback."""
    if isinstance(problem, ToolError):
        return problem
    if isinstance(problem, UserError):  # the world is damaged, so another call would fail too
        return ToolError("unavailable", "The shop's data cannot be read; `drretail world check` tells its owner more.")
    return ToolError("unavailable", f"{name} failed for an internal reason; another call may do.")

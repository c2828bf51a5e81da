"""The journal: one mechanism to resume, replay, cache and account for outside effects.

Every model call, web search and page fetch is recorded before its answer is used. An interrupted run starts again, and
gets the recorded answers from its journal up to the interruption; ``--replay`` gets all of them and connects nowhere.
Recorded errors are served too, since the steps after them depend on them.

A request to a model holds the whole conversation so far. A message or tool is a part, which stands once, in a line of
its own before the first effect that has it: the lists of a request hold the numbers of parts, from 0.
"""

import json
import threading
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from drretail.errors import ModelError, ToolError, UserError
from drretail.files import LineAppender, check_format, read_jsonl
from drretail.parsing import writable
from drretail.records.base import FORMAT, Document, canonical_json, fault_of, json_object, sha256_of

EffectKind = Literal["model", "web_search", "page_fetch"]
Asked = Mapping[str, str | Sequence[str]]
"""The canonical JSON of each field of a request; of a list, that of each of its parts."""


class Effect(Document):
    """One outside effect; exactly one of ``response`` and ``error`` is present."""

    key: str
    scope: str
    kind: EffectKind
    request: dict[str, Any]
    response: Any = None
    error: dict[str, Any] | None = None
    usage: dict[str, Any] | None = None
    started: str
    seconds: float
    retries: int | None = None
    """Attempts after the first."""
    role: str | None = None
    """The role whose model was called."""


@dataclass(frozen=True, slots=True)
class ActionResult:
    """An action's result, as its effect has it: JSON, or the error that it raised."""

    response: Any = None
    usage: dict[str, Any] | None = None
    retries: int = 0
    error: dict[str, Any] | None = None


class Journal:
    """The effects of one run. ``path`` None keeps them in memory; ``replay`` only serves those of another one.

    Raises UserError if the file is of another format, or a line before the last is broken.
    """

    def __init__(self, path: Path | None = None, *, replay: Sequence[Effect] | None = None) -> None:
        self.effects: list[Effect] = []
        self.lines: list[str] = []
        """Each effect, and before it the parts of its request that no earlier one has."""
        self.served = 0
        """How many effects were served from the journal since it was opened."""
        self._replays = replay is not None
        self._lock = threading.Lock()
        self._occurrences: dict[tuple[str, str], int] = defaultdict(int)
        if self._replays and path is not None:
            path.unlink(missing_ok=True)  # a replay that was cut begins anew
        before, parts = ([], []) if path is None or not path.exists() else _read(path)
        # The user who resumes has mended the key that a service refused.
        on_disk = {effect.key: effect for effect in before if (effect.error or {}).get("kind") != "forbidden"}
        self._known = on_disk if replay is None else {effect.key: effect for effect in replay}
        self._on_disk = {*on_disk}
        self._numbers: dict[str, int] = {}
        for part in parts:
            self._number(canonical_json(part))
        self._file = None if path is None else LineAppender(path)

    def scope(self, name: str, role: str | None = None) -> "Effects":
        """The effects of one place in the run; equal requests within it are distinguished by their order."""
        return Effects(self, name, role)

    def close(self) -> None:
        """Stops writing. Answers to cancelled tasks that come later are lost, and will be requested again."""
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None

    def begin(self, scope: str, kind: EffectKind, asked: Asked) -> tuple[str, Effect | None]:
        """The key of this request's next occurrence in a scope, and the recorded effect, which counts as served.

        The key begins with a hash of the request. In replay, raises ModelError without a recorded effect.
        """
        with self._lock:
            texts = {name: text if isinstance(text, str) else f"[{','.join(text)}]" for name, text in asked.items()}
            digest = sha256_of(f'{{"kind":"{kind}","request":{json_object(texts)}}}')
            occurrence = self._occurrences[scope, digest]
            self._occurrences[scope, digest] = occurrence + 1
            key = f"{digest}:{scope}:{occurrence}"
            effect = self._known.get(key)
            self.served += effect is not None
        if effect is not None:
            self.record(effect, asked)
        elif self._replays:
            raise ModelError("agent", "the replayed journal holds no answer to this request: the run differs")
        return key, effect

    def record(self, effect: Effect, asked: Asked) -> None:
        """Records the effect of a request."""
        with self._lock:
            self.effects.append(effect)
            before = len(self.lines)
            numbered = {
                name: text if isinstance(text, str) else f"[{','.join(map(str, map(self._number, text)))}]"
                for name, text in asked.items()
            }
            text = canonical_json(effect.model_dump(mode="json", exclude_none=True, exclude={"request"}))
            self.lines.append(f'{text[:-1]},"request":{json_object(numbered)}}}')
            if self._file is not None and effect.key not in self._on_disk:
                self._file.append("\n".join(self.lines[before:]))
                self._on_disk.add(effect.key)

    def _number(self, part: str) -> int:
        if part not in self._numbers:
            self._numbers[part] = len(self._numbers)
            self.lines.append(f'{{"format":{FORMAT},"part":{part}}}')
        return self._numbers[part]


@dataclass(frozen=True, slots=True)
class Effects:
    """Performs effects in one scope of a journal, or serves them from it."""

    journal: Journal
    name: str
    role: str | None = None

    def perform(self, kind: EffectKind, request: dict[str, Any], action: Callable[[], ActionResult]) -> Effect:
        """The recorded effect of ``request``; without one, performs ``action`` and records its effect.

        Raises the ToolError or ModelError that the action raises, or raised when it was recorded.
        """
        with self._recording(kind, request, texts_of(request)) as (served, record):
            return served or record(action())

    async def aperform(
        self,
        kind: EffectKind,
        request: dict[str, Any],
        action: Callable[[], Awaitable[ActionResult]],
        asked: Asked | None = None,
    ) -> Effect:
        """``perform`` for an async action; ``asked`` are the texts of the request, if known."""
        with self._recording(kind, request, asked or texts_of(request)) as (served, record):
            return served or record(await action())

    @contextmanager
    def _recording(
        self, kind: EffectKind, request: dict[str, Any], asked: Asked
    ) -> Generator[tuple[Effect | None, Callable[[ActionResult], Effect]]]:
        """The recorded effect, and a function that records a result; the error of the ``with`` block is recorded."""
        key, served = self.journal.begin(self.name, kind, asked)
        if served is not None:
            _raise_error(served)
        started, clock = datetime.now(UTC).isoformat(), time.monotonic()

        def record(result: ActionResult) -> Effect:
            effect = Effect(
                key=key,
                scope=self.name,
                kind=kind,
                request=request,
                # Through JSON, so that a new answer and a served one are equal to the last digit.
                response=json.loads(canonical_json(writable(result.response))),
                error=writable(result.error),
                usage=writable(result.usage),
                started=started,
                seconds=round(time.monotonic() - clock, 6),
                retries=result.retries or None,
                role=self.role,
            )
            self.journal.record(effect, asked)
            return effect

        try:
            yield served, record
        except (ToolError, ModelError) as problem:
            error = {"class": type(problem).__name__, "kind": problem.kind, "message": problem.message}
            if isinstance(problem, ModelError):
                record(ActionResult(error=error, usage=problem.usage, retries=problem.retries))
            else:
                record(ActionResult(error=error | {"field": problem.field, "allowed": problem.allowed}))
            raise


def texts_of(request: Mapping[str, Any]) -> Asked:
    """The request's texts, as its key and its line need them."""
    return {
        name: [*map(canonical_json, value)] if isinstance(value, list) else canonical_json(value)
        for name, value in request.items()
    }


def read_effects(path: Path, lines: Sequence[str] | None = None) -> list[Effect]:
    """All effects of a journal file in the order in which they were written; ``lines`` if they were read already."""
    return _read(path, lines)[0]


def seconds_under_way(effects: Iterable[Effect]) -> float:
    """Seconds in which at least one of the effects was under way: those that ran side by side count once."""
    total, until = 0.0, 0.0
    for effect in sorted(effects, key=lambda effect: effect.started):
        begin = datetime.fromisoformat(effect.started).timestamp()
        end = begin + effect.seconds
        total += max(0.0, end - max(begin, until))
        until = max(until, end)
    return total


def _read(path: Path, lines: Sequence[str] | None = None) -> tuple[list[Effect], list[Any]]:
    """The effects of a journal, and the parts of their requests."""
    effects: list[Effect] = []
    parts: list[Any] = []
    for line in read_jsonl(path, lines):
        check_format(line, path)
        if "part" in line:
            parts.append(line["part"])
            continue
        try:
            request = {
                name: [parts[number] for number in value] if isinstance(value, list) else value
                for name, value in line.get("request", {}).items()
            }
            effects.append(Effect.model_validate(line | {"request": request}))
        except (ValidationError, IndexError, TypeError, AttributeError) as problem:
            fault = fault_of(problem) if isinstance(problem, ValidationError) else "it lacks parts"
            raise UserError(f"{path} is no journal that this version can read: {fault}.") from problem
    return effects, parts


def _raise_error(effect: Effect) -> None:
    """Raises the error that was recorded, if there is one."""
    if (error := effect.error) is None:
        return
    if error["class"] == "ModelError":
        problem = ModelError(error["kind"], error["message"], usage=effect.usage)
        problem.retries = effect.retries or 0
        raise problem
    raise ToolError(error["kind"], error["message"], field=error.get("field"), allowed=error.get("allowed"))

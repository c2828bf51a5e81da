"""The journal: one mechanism to resume, replay, cache and account for outside effects.

Every model call, web search and page fetch is recorded before its answer is used. An interrupted run starts again, and
gets the recorded answers from its journal up to the interruption; ``--replay`` gets all of them and connects nowhere.
Recorded errors are served too, since the steps after them depend on them.
"""

import asyncio
import json
import threading
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from drretail.errors import ModelError, ToolError, UserError
from drretail.files import LineAppender, check_format, parsed_lines, read_lines
from drretail.parsing import writable
from drretail.records.base import Document, canonical_json, json_object, sha256_of

EffectKind = Literal["model", "web_search", "page_fetch"]
Clock = Callable[[], datetime]
SYNCED_AFTER = 1.0
"""Seconds between two syncs: a fast model's answers do not each wait for the disk."""
NO_ANSWER = "the replayed journal holds no answer to this request"


class Effect(Document):
    """One line of a journal; exactly one of ``response`` and ``error`` is present."""

    key: str
    scope: str
    kind: EffectKind
    request: dict[str, Any]
    response: Any = None
    error: dict[str, Any] | None = None
    usage: dict[str, int] | None = None
    started: str
    seconds: float
    retries: int | None = None
    """Attempts after the first."""
    role: str | None = None
    """The role whose model was called."""
    batched: bool | None = None
    """True if the answer came through a provider's batch, at the batch price."""
    served: str | None = None
    """The model that answered a judge's question, as its provider names it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """An action's result: JSON, tokens, the number of retries, whether by a batch, and the model that answered."""

    response: Any
    usage: dict[str, int] | None = None
    retries: int | None = None
    batched: bool = False
    served: str | None = None


class Journal:
    """The effects of one run. ``path`` None keeps them in memory; ``replay`` only serves those of another one.

    Raises UserError if the file is of another format, or a line before the last is broken.
    """

    def __init__(
        self,
        path: Path | None = None,
        *,
        replay: Sequence[Effect] | None = None,
        clock: Clock = lambda: datetime.now(UTC),
    ) -> None:
        self.effects: list[Effect] = []
        self.served = 0
        """How many effects were served from the journal since it was opened."""
        self.clock = clock
        self._replays = replay is not None
        self._lock = threading.Lock()
        self._occurrences: dict[tuple[str, str], int] = defaultdict(int)
        self._known: dict[str, Effect] = {}
        if replay is None:
            replay = read_effects(path) if path is not None and path.exists() else ()
        for effect in replay:
            error = effect.error or {}
            was_locked_out = error.get("class") == "ToolError" and error["kind"] == "forbidden"
            if self._replays or not was_locked_out:  # the user who resumes has mended the key that a service refused
                self._known[effect.key] = effect
        self._file = None if path is None else LineAppender(path, SYNCED_AFTER)
        self._on_disk = set() if self._replays else set(self._known)

    def scope(self, name: str, role: str | None = None) -> "Effects":
        """The effects of one place in the run; equal requests within it are distinguished by their order."""
        return Effects(self, name, role)

    def close(self) -> None:
        """Stops writing. Answers to cancelled tasks that come later are lost, and will be requested again."""
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None

    def key_of(self, scope: str, kind: EffectKind, asked: str) -> str:
        """The key of this request's next occurrence in a scope; ``asked`` is the request's canonical JSON."""
        digest = digest_of(kind, asked)
        with self._lock:
            occurrence = self._occurrences[scope, digest]
            self._occurrences[scope, digest] = occurrence + 1
        return f"{digest}:{scope}:{occurrence}"

    def recorded(self, key: str) -> Effect | None:
        """The recorded effect with this key, counted as served, or None; in replay, raises ModelError without one."""
        effect = self._known.get(key)
        if effect is None:
            if self._replays:
                raise ModelError("agent", f"{NO_ANSWER}: the run differs")
            return None
        with self._lock:
            self.served += 1
        self.record(effect)
        return effect

    @property
    def waits_for_disk(self) -> bool:
        """True if recording the next effect will wait for the disk."""
        return self._file is not None and self._file.is_due

    def record(self, effect: Effect, line: str | None = None) -> None:
        """Records an effect; ``line`` is its line in the file, if known."""
        with self._lock:
            self.effects.append(effect)
            if self._file is not None and effect.key not in self._on_disk:
                self._file.append(line or effect.as_line())
                self._on_disk.add(effect.key)


@dataclass(frozen=True, slots=True)
class Effects:
    """Performs effects in one scope of a journal, or serves them from it."""

    journal: Journal
    name: str
    role: str | None = None

    def perform(self, kind: EffectKind, request: dict[str, Any], action: Callable[[], Outcome]) -> Effect:
        """The recorded effect of ``request``; without one, performs ``action`` and records its effect.

        Raises the ToolError or ModelError that the action raises, or raised when it was recorded.
        """
        asked = canonical_json(request)
        key = self.journal.key_of(self.name, kind, asked)
        effect = self.journal.recorded(key)
        if effect is None:
            recording = _Recording(self, key, kind, request, asked)
            try:
                effect = recording.answered(action())
            except (ToolError, ModelError) as problem:
                recording.failed(problem)
                raise
        return _answer(effect)

    async def aperform(
        self,
        kind: EffectKind,
        request: dict[str, Any],
        action: Callable[[], Awaitable[Outcome]],
    ) -> Effect:
        """``perform`` for an async action."""
        asked = canonical_json(request)
        key = self.journal.key_of(self.name, kind, asked)
        effect = self.journal.recorded(key)
        if effect is None:
            recording = _Recording(self, key, kind, request, asked)
            try:
                outcome = await action()
                recording.stop()
                if self.journal.waits_for_disk:  # in a thread, so that other runs do not wait as well
                    effect = await asyncio.to_thread(recording.answered, outcome)
                else:
                    effect = recording.answered(outcome)
            except (ToolError, ModelError) as problem:
                recording.failed(problem)
                raise
        return _answer(effect)


class _Recording:
    """An effect in progress: it knows its start time, and records its outcome."""

    def __init__(self, scope: Effects, key: str, kind: EffectKind, request: dict[str, Any], asked: str) -> None:
        self._journal = scope.journal
        self._asked = asked
        self._fields: dict[str, Any] = {"key": key, "scope": scope.name, "kind": kind, "request": request}
        self._fields["role"] = scope.role
        self._started = self._journal.clock()
        self._clock = time.monotonic()
        self._seconds: float | None = None

    def stop(self) -> None:
        """Ends the effect's time: what follows, such as the wait for the disk, does not count."""
        self._seconds = time.monotonic() - self._clock

    def answered(self, outcome: Outcome) -> Effect:
        noted = {"retries": outcome.retries or None, "batched": outcome.batched or None, "served": outcome.served}
        return self._write(response=outcome.response, usage=outcome.usage, **noted)

    def failed(self, problem: ToolError | ModelError) -> Effect:
        error: dict[str, Any] = {"class": type(problem).__name__, "kind": problem.kind, "message": problem.message}
        if isinstance(problem, ToolError):
            error |= {"field": problem.field, "allowed": problem.allowed}
            return self._write(error=error)
        return self._write(error=error, usage=problem.usage, retries=problem.retries or None)

    def _write(self, **ending: Any) -> Effect:
        seconds = round(time.monotonic() - self._clock if self._seconds is None else self._seconds, 6)
        brought = {name: canonical_json(writable(value)) for name, value in ending.items() if value is not None}
        # Through JSON, so that a new answer and a served one are equal to the last digit.
        ended = {name: json.loads(text) for name, text in brought.items()}
        effect = Effect(**self._fields, **ended, started=self._started.isoformat(), seconds=seconds)
        # ``as_line`` with the canonical JSON that is known: requests are whole conversations, and slow to dump.
        known = {"request": self._asked, **brought}
        rest = effect.model_dump(mode="json", exclude_none=True, exclude=set(known))
        line = json_object({name: canonical_json(value) for name, value in rest.items()} | known)
        self._journal.record(effect, line)
        return effect


def digest_of(kind: EffectKind, asked: str) -> str:
    """The hash with which an effect's key begins; ``asked`` is the request's canonical JSON."""
    return sha256_of(f'{{"kind":"{kind}","request":{asked}}}')


def read_effects(path: Path) -> list[Effect]:
    """All effects of a journal file, packed or not, in the order in which they were written."""
    return effects_in(path, read_lines(path))


def effects_in(path: Path, lines: Sequence[str]) -> list[Effect]:
    """The same of lines that were read from a file."""
    effects: list[Effect] = []
    for line in parsed_lines(path, lines):
        check_format(line, path)
        try:
            effects.append(Effect.model_validate(line))
        except ValidationError as problem:
            raise UserError(
                f"{path} is no journal that this version can read: {problem.errors()[0]['msg']}."
            ) from problem
    return effects


@dataclass(frozen=True, slots=True)
class Tries:
    """The scopes of a judge's questions, which may be asked again after a failure."""

    begun: frozenset[str]
    """The scopes in the journal when it was opened."""
    retry_failed: bool = False

    @classmethod
    def of(cls, effects: Iterable[Effect], *, retry_failed: bool) -> "Tries":
        return cls(frozenset(effect.scope for effect in effects), retry_failed)

    def scopes(self, name: str) -> Iterator[str]:
        """The scope of the first try, then that of each further try; the caller goes on after a failure."""
        number = 1
        yield f"{name}#1"
        while self.is_followed(f"{name}#{number}", f"{name}#{number + 1}"):
            number += 1
            yield f"{name}#{number}"

    def is_followed(self, scope: str, following: str) -> bool:
        """True if a further try was begun, or if failures are retried and ``scope`` is an earlier run's."""
        return (self.retry_failed and scope in self.begun) or following in self.begun


def _answer(effect: Effect) -> Effect:
    error = effect.error
    if error is None:
        return effect
    if error["class"] == "ModelError":
        problem = ModelError(error["kind"], error["message"], usage=effect.usage)
        problem.retries = effect.retries or 0
        raise problem
    raise ToolError(error["kind"], error["message"], field=error.get("field"), allowed=error.get("allowed"))

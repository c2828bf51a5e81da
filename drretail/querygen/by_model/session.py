"""One model and the journal of its calls, as all questions of a command share them."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from drretail.errors import ModelError
from drretail.event_loop import all_ended, run_loop
from drretail.journal import Journal, Tries, read_effects
from drretail.llm.models import Models
from drretail.llm.registry import Model
from drretail.llm.structured import Check
from drretail.records.base import Record, sha256_of
from drretail.records.run import Role, Usage
from drretail.trajectory import Trajectory

ROLE: Role = "generator"
"""Whoever writes queries plays no role in a run, and a journal names one."""
R = TypeVar("R")
T = TypeVar("T", bound=Record)


@dataclass(frozen=True)
class Ask(Generic[T]):
    """One question to a model; ``key`` says what it is about, ``check`` what is wrong with an answer."""

    key: str
    message: str
    answer: type[T]
    check: Check[T] | None = None
    name: str = ""
    """In the journal; by key and message where it is empty."""


@dataclass(frozen=True)
class Answers(Generic[T]):
    """By key what was answered, and why nothing was; with what it took."""

    found: dict[str, T] = field(default_factory=dict[str, T])
    failed: dict[str, str] = field(default_factory=dict[str, str])
    usage: Usage = field(default_factory=Usage)
    served: int = 0


class ModelSession(AbstractContextManager["ModelSession"]):
    """Asks one model, at most ``parallel`` questions at the same time; close it, or use it in a ``with`` block.

    What the journal holds is not asked again, failures only with ``retry_failed``. Raises UserError for a broken
    journal.
    """

    def __init__(self, model: Model, journal: Path, *, parallel: int = 4, retry_failed: bool = False) -> None:
        self.model = model
        self._journal = Journal(journal)
        self._tries = Tries.of(read_effects(journal), retry_failed=retry_failed)
        self._gate = asyncio.Semaphore(parallel)

    def __exit__(self, *_: object) -> None:
        self._journal.close()

    async def put(self, name: str, question: Callable[[Models, str, int], Awaitable[R]]) -> R:
        """What ``question`` brings, given models, its scope in the journal and the number of the try, from 1.

        ``name`` tells the question from all others of the journal. A try that failed is followed by the next one that
        the journal knows, and by a new one where failures are retried; raises the ModelError of the last.
        """
        problem: ModelError | None = None
        for attempt, scope in enumerate(self._tries.scopes(name), 1):
            async with self._gate:
                try:
                    return await question(Models({ROLE: self.model}, self._journal, Trajectory()), scope, attempt)
                except ModelError as failure:
                    problem = failure
        assert problem is not None, "the first try is always made"
        raise problem

    async def attempt(
        self, name: str, question: Callable[[Models, str, int], Awaitable[R]], on_end: Callable[[], object]
    ) -> R | str:
        """The same; why nothing came of it where the last try failed. ``on_end`` is called in either case."""
        try:
            return await self.put(name, question)
        except ModelError as problem:
            return f"{problem.kind}: {problem.message}"
        finally:
            on_end()

    def calls(self, name: str) -> int:
        """How many calls a question took, those that the journal served included."""
        return sum(effect.scope.rpartition("#")[0] == name for effect in self._journal.effects)

    @property
    def usage(self) -> Usage:
        """Of all calls that were asked for since the session was opened."""
        return used_in(self._journal)

    @property
    def served(self) -> int:
        """How many of these calls the journal answered."""
        return self._journal.served


def used_in(journal: Journal) -> Usage:
    """What the calls of a journal took, as far as they were asked for since it was opened."""
    usage = Usage()
    for effect in journal.effects:
        usage = usage.plus(Usage(**(effect.usage or {})))
    return usage


def ask_all(session: ModelSession, asks: Iterable[Ask[T]], on_end: Callable[[], object] = lambda: None) -> Answers[T]:
    """What the model answers to each, side by side; what fails is counted, never raised."""
    return run_loop(_answers(session, list(asks), on_end))


async def _answers(session: ModelSession, asks: Sequence[Ask[T]], on_end: Callable[[], object]) -> Answers[T]:
    from langchain_core.messages import HumanMessage

    async def one(ask: Ask[T]) -> T | str:
        async def question(models: Models, scope: str, _: int) -> T:
            return await models.ask(ROLE, [HumanMessage(ask.message)], ask.answer, path=scope, check=ask.check)

        return await session.attempt(ask.name or f"{ask.key}~{sha256_of(ask.message)[:12]}", question, on_end)

    by_key = {ask.key: end for ask, end in zip(asks, await all_ended(map(one, asks)), strict=True)}
    return Answers(
        {key: end for key, end in by_key.items() if not isinstance(end, str)},
        {key: end for key, end in by_key.items() if isinstance(end, str)},
        session.usage,
        session.served,
    )

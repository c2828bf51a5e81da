"""One model with the journal of its calls, shared by all questions of a command."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Generic, TypeVar

from drretail.errors import ModelError
from drretail.event_loop import all_ended, run_loop
from drretail.experiments.journal import Journal, read_effects
from drretail.llm.models import Models, OnUse
from drretail.llm.registry import Model
from drretail.llm.structured import Check
from drretail.records.base import Record, sha256_of
from drretail.records.run import Role, Usage
from drretail.records.trajectory import Trajectory

ROLE: Role = "generator"
"""The role of all these calls in the journal, which needs one; writers of queries have no role in a run."""
R = TypeVar("R")
T = TypeVar("T", bound=Record)


@dataclass(frozen=True)
class Ask(Generic[T]):
    """One question to a model. ``key`` names its subject; ``check`` says what is wrong with an answer."""

    key: str
    message: str
    answer: type[T]
    check: Check[T] | None = None
    name: str = ""
    """Its name in the journal; if empty, made from key and message."""


@dataclass(frozen=True)
class Answers(Generic[T]):
    """Answers by key, and reasons of failures by key."""

    found: dict[str, T] = field(default_factory=dict[str, T])
    failed: dict[str, str] = field(default_factory=dict[str, str])


class ModelSession(AbstractContextManager["ModelSession"]):
    """Asks one model, at most ``parallel`` questions at a time; close it, or use it in a ``with`` block.

    Questions that the journal answers are not sent again; failed ones are retried only with ``retry_failed``. Raises
    UserError for a broken journal.
    """

    def __init__(
        self, model: Model, journal: Path, *, parallel: int = 4, retry_failed: bool = False, on_use: OnUse | None = None
    ) -> None:
        self.model = model
        self.journal = Journal(journal)
        self._begun = {effect.scope for effect in read_effects(journal)}
        """The scopes of the attempts that earlier commands made."""
        self._retry_failed = retry_failed
        self._on_use = on_use
        self._gate = asyncio.Semaphore(parallel)

    def __exit__(self, *_: object) -> None:
        self.journal.close()

    async def put(self, name: str, question: Callable[[Models, str, int], Awaitable[R]]) -> R:
        """The result of ``question``, which gets the models, its scope in the journal and the attempt's number.

        ``name`` must be unique in the journal. Attempts are numbered from 1: those that the journal has and, if
        failures are retried, a new one. Raises the ModelError of the last attempt.
        """
        problem: ModelError | None = None
        for attempt, scope in enumerate(self.scopes(name), 1):
            async with self._gate:
                try:
                    models = Models({ROLE: self.model}, self.journal, Trajectory(), on_use=self._on_use)
                    return await question(models, scope, attempt)
                except ModelError as failure:
                    problem = failure
        assert problem is not None, "the first attempt is always made"
        raise problem

    def scopes(self, name: str) -> Iterator[str]:
        """The scope of the first attempt, then that of each further one; the caller goes on after a failure."""
        for number in count(1):
            yield f"{name}#{number}"
            if not self.is_followed(f"{name}#{number}", f"{name}#{number + 1}"):
                return

    def is_followed(self, scope: str, following: str) -> bool:
        """True if a further attempt was begun, or if failures are retried and ``scope`` is an earlier command's."""
        return (self._retry_failed and scope in self._begun) or following in self._begun

    async def attempt(
        self, name: str, question: Callable[[Models, str, int], Awaitable[R]], on_end: Callable[[], object]
    ) -> R | str:
        """Same as ``put``, but returns the reason if the last attempt failed. ``on_end`` is called in either case."""
        try:
            return await self.put(name, question)
        except ModelError as problem:
            return f"{problem.kind}: {problem.message}"
        finally:
            on_end()

    def calls(self, name: str) -> int:
        """How many calls a question took, including those served from the journal."""
        return sum(effect.scope.rpartition("#")[0] == name for effect in self.journal.effects)

    @property
    def usage(self) -> Usage:
        """The usage of all calls that were asked for since the session was opened, including served ones."""
        return sum((Usage(**(effect.usage or {})) for effect in self.journal.effects), Usage())

    @property
    def served(self) -> int:
        """How many of these calls were served from the journal."""
        return self.journal.served


def ask_all(session: ModelSession, asks: Iterable[Ask[T]], on_end: Callable[[], object] = lambda: None) -> Answers[T]:
    """The model's answers to all questions, asked concurrently. Failures are counted, never raised."""
    from langchain_core.messages import HumanMessage

    async def ask(ask: Ask[T]) -> T | str:
        async def question(models: Models, scope: str, _: int) -> T:
            return await models.ask(ROLE, [HumanMessage(ask.message)], ask.answer, path=scope, check=ask.check)

        return await session.attempt(ask.name or f"{ask.key}~{sha256_of(ask.message)[:12]}", question, on_end)

    ask_list = list(asks)
    by_key = {ask.key: end for ask, end in zip(ask_list, run_loop(all_ended(map(ask, ask_list))), strict=True)}
    return Answers(
        {key: end for key, end in by_key.items() if not isinstance(end, str)},
        {key: end for key, end in by_key.items() if isinstance(end, str)},
    )

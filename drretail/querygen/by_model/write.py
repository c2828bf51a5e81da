"""Queries by a language model: many places side by side, every call journalled, nothing asked twice.

Each query of a place is told of all those before it, and so none is asked for before they stand: where one fails, the
place ends, until it is retried. So no retry changes what others were asked.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from drretail.env.world import World
from drretail.errors import ModelError
from drretail.event_loop import all_ended, run_loop
from drretail.journal import Journal, Tries, read_effects
from drretail.llm.models import Models
from drretail.llm.registry import Model
from drretail.querygen.by_model.place import Place
from drretail.querygen.by_model.problems import ROLE, Examination, Examiner
from drretail.querygen.by_model.prompt import Briefing
from drretail.querygen.lint import Linter
from drretail.records.evidence import Finding
from drretail.records.query import Query
from drretail.records.run import Usage
from drretail.trajectory import Trajectory


@dataclass(frozen=True, slots=True)
class Failure:
    """A query that did not come about, and why."""

    query_id: str
    user_id: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class Written:
    """The queries in the order of their places, whichever was answered first."""

    queries: tuple[Query, ...]
    failures: tuple[Failure, ...]
    wrong: dict[str, tuple[Finding, ...]]
    """What the repairs have not mended, by the id of the query that has it."""
    usage: Usage
    """Of all calls in the journal that these queries took, those of earlier runs included."""
    served: int
    """How many of these calls were answered from the journal."""


class Writer:
    """Writes queries for one world by one model, ``parallel`` at the same time.

    ``journal`` is the file of all calls. ``on_end`` is told after each query whether it came about.
    """

    def __init__(
        self,
        world: World,
        model: Model,
        journal: Path,
        *,
        parallel: int = 4,
        retry_failed: bool = False,
        on_end: Callable[[bool], None] = lambda _: None,
    ) -> None:
        self._model = model
        self._path = journal
        self._parallel = parallel
        self._retry_failed = retry_failed
        self._on_end = on_end
        linter = Linter(world)
        self._briefing = Briefing(world, linter)
        self._examiner = Examiner(world, linter)

    def write(self, places: Sequence[Place]) -> Written:
        """The queries of all places. What fails is counted, never raised; a rerun serves what the journal holds.

        Raises UserError for a broken journal.
        """
        return run_loop(self._write(places))

    async def _write(self, places: Sequence[Place]) -> Written:
        journal = Journal(self._path)
        try:
            tries = Tries.of(read_effects(self._path), retry_failed=self._retry_failed)
            desk = _Desk(journal, tries, asyncio.Semaphore(self._parallel))
            ended = await all_ended(self._queries_of(place, desk) for place in places)
        finally:
            journal.close()
        return Written(
            tuple(it for made in ended for it in made if isinstance(it, Query)),
            tuple(it for made in ended for it in made if isinstance(it, Failure)),
            {query_id: tuple(found) for query_id, found in desk.wrong.items()},
            used_in(journal),
            journal.served,
        )

    async def _queries_of(self, place: Place, desk: "_Desk") -> list[Query | Failure]:
        """All queries of a place; behind the first that fails nothing is asked."""
        made: list[Query] = []
        failures: list[Failure] = []
        for number in range(1, place.count + 1):
            query_id = place.query_id(number)
            if failures:
                reason = f"not asked, because {failures[0].query_id} failed before it"
                failures.append(Failure(query_id, place.user_id, reason))
            else:
                ended = await self._tried(place, query_id, made, desk)
                if isinstance(ended, Query):
                    made.append(ended)
                else:
                    failures.append(ended)
            self._on_end(not failures)
        return [*made, *failures]

    async def _tried(self, place: Place, query_id: str, earlier: Sequence[Query], desk: "_Desk") -> Query | Failure:
        """The first try that brought a query; a new one is only made where none was, or where failures are retried."""
        ended: Query | Failure = Failure(query_id, place.user_id, "not asked")
        for attempt, scope in enumerate(desk.tries.scopes(query_id), 1):
            async with desk.gate:
                ended = await self._asked(place, query_id, attempt, scope, earlier, desk)
            if isinstance(ended, Query):
                break
        return ended

    async def _asked(
        self, place: Place, query_id: str, attempt: int, scope: str, earlier: Sequence[Query], desk: "_Desk"
    ) -> Query | Failure:
        models = Models({ROLE: self._model}, desk.journal, Trajectory())
        messages = self._briefing.messages(place, [query.text for query in earlier], attempt)
        examination = Examination(
            lambda written: self._examiner.query_of(written, query_id, place.user_id, self._model.spec),
            lambda query: self._examiner.findings(query, earlier),
        )
        try:
            query, wrong = await examination.ask(models, messages, scope)
        except ModelError as problem:
            return Failure(query_id, place.user_id, f"{problem.kind}: {problem.message}")
        if wrong:
            desk.wrong[query_id] = wrong
        return query


def used_in(journal: Journal) -> Usage:
    """What the calls of a journal took, as far as they were asked for since it was opened."""
    usage = Usage()
    for effect in journal.effects:
        usage = usage.plus(Usage(**(effect.usage or {})))
    return usage


@dataclass(frozen=True, slots=True)
class _Desk:
    """What all places of one run share."""

    journal: Journal
    tries: Tries
    gate: asyncio.Semaphore
    wrong: dict[str, Sequence[Finding]] = field(default_factory=dict[str, Sequence[Finding]])


def first_scope(query_id: str) -> str:
    """Where the calls for a query stand in the journal, unless it failed and was retried."""
    return next(Tries(frozenset()).scopes(query_id))

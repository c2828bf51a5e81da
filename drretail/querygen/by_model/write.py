"""Queries by a language model: many targets side by side, every call journalled, nothing asked twice.

Each query of a target is asked for with all those before it in the prompt, so that none is asked for before they
stand: where one fails, the target ends, until it is retried. So no retry changes what others were asked.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from drretail.env.world import World
from drretail.errors import ModelError
from drretail.event_loop import all_ended, run_loop
from drretail.llm.models import Models
from drretail.querygen.by_model.examination import Examined, Examiner, examination_of_query
from drretail.querygen.by_model.prompt import PromptBuilder
from drretail.querygen.by_model.session import ModelSession
from drretail.querygen.by_model.targets import Target
from drretail.querygen.lint import Linter
from drretail.records.evidence import Finding
from drretail.records.query import Query
from drretail.records.run import Usage


@dataclass(frozen=True, slots=True)
class Failure:
    """A query that did not come about, and why."""

    query_id: str
    user_id: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class Written:
    """The queries in the order of their targets, whichever was answered first."""

    queries: tuple[Query, ...]
    failures: tuple[Failure, ...]
    wrong: dict[str, tuple[Finding, ...]]
    """What the repairs have not mended, by the id of the query that has it."""
    answers: dict[str, int]
    """How many answers each query took, by its id: more than one where findings went back to the model."""
    usage: Usage
    """Of all calls in the journal that these queries took, those of earlier runs included."""
    served: int
    """How many of these calls were answered from the journal."""


class Writer:
    """Writes queries for one world; ``on_end`` is called after each query with whether it came about."""

    def __init__(self, world: World, session: ModelSession, on_end: Callable[[bool], None] = lambda _: None) -> None:
        self._session = session
        self._on_end = on_end
        linter = Linter(world)
        self._prompts = PromptBuilder(world, linter)
        self._examiner = Examiner(world, linter)

    def write(self, targets: Sequence[Target]) -> Written:
        """The queries of all targets. What fails is counted, never raised; a rerun serves what the journal holds."""
        return run_loop(self._write(targets))

    async def _write(self, targets: Sequence[Target]) -> Written:
        ended = [end for ends in await all_ended(map(self._queries_of, targets)) for end in ends]
        examined = [end for end in ended if isinstance(end, Examined)]
        return Written(
            tuple(end.query for end in examined),
            tuple(end for end in ended if isinstance(end, Failure)),
            {end.query.query_id: end.findings for end in examined if end.findings},
            {end.query.query_id: self._session.calls(end.query.query_id) for end in examined},
            self._session.usage,
            self._session.served,
        )

    async def _queries_of(self, target: Target) -> list[Examined | Failure]:
        """All queries of a target; behind the first that fails nothing is asked."""
        examined: list[Examined] = []
        failures: list[Failure] = []
        for number in range(1, target.count + 1):
            query_id = target.query_id(number)
            if failures:
                reason = f"not asked, because {failures[0].query_id} failed before it"
                failures.append(Failure(query_id, target.user_id, reason))
            else:
                try:
                    examined.append(await self._asked(target, query_id, [end.query for end in examined]))
                except ModelError as problem:
                    failures.append(Failure(query_id, target.user_id, f"{problem.kind}: {problem.message}"))
            self._on_end(not failures)
        return [*examined, *failures]

    async def _asked(self, target: Target, query_id: str, earlier: Sequence[Query]) -> Examined:
        """Raises ModelError where no try brought a query."""

        async def question(models: Models, scope: str, attempt: int) -> Examined:
            examination = examination_of_query(
                lambda written: self._examiner.query_of(written, query_id, target.user_id, self._session.model.spec),
                lambda query: self._examiner.findings(query, earlier),
            )
            messages = self._prompts.messages(target, [query.text for query in earlier], attempt)
            return await examination.ask(models, messages, scope)

        return await self._session.put(query_id, question)

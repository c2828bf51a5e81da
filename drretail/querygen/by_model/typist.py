"""The wishes of plain questions, typed by a language model; the questions stay as they are."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from drretail.env.world import World
from drretail.errors import ModelError
from drretail.event_loop import all_ended, run_loop
from drretail.journal import Journal, read_effects
from drretail.llm.models import Models
from drretail.llm.registry import Model
from drretail.querygen.by_model.answer import WrittenWish, wish_problem
from drretail.querygen.by_model.problems import ROLE, Examiner, listed
from drretail.querygen.by_model.prompt import Briefing
from drretail.querygen.by_model.write import used_in
from drretail.querygen.checks import contract
from drretail.querygen.lint import Linter
from drretail.querygen.revisions import version_of
from drretail.records.evidence import Finding
from drretail.records.query import Query
from drretail.records.run import Usage
from drretail.trajectory import Trajectory

OF_WISHES = frozenset(
    {
        "kind_unknown",
        "brand_unknown",
        "product_unknown",
        "owned_not_ordered",
        "words_not_in_text",
        "number_not_in_text",
        "number_not_typed",
        "owned_not_in_text",
        "kind_of_another_thing",
        "date_not_typed",
        "amount_not_in_text",
        "amount_not_typed",
        "currency_foreign",
    }
)
"""The codes of findings that blame a wish, and not the question."""


@dataclass(frozen=True, slots=True)
class Typed:
    """The queries in their order, those that were typed already as they were."""

    queries: tuple[Query, ...]
    typed: tuple[str, ...]
    """The ids of those that were typed now."""
    failed: dict[str, str]
    """Why a query stays untyped, by its id."""
    wrong: dict[str, tuple[Finding, ...]]
    """What is still wrong with the wishes that were typed now, by id."""
    usage: Usage
    served: int


class Typist:
    """Types the wishes of queries of one world by one model, ``parallel`` at the same time.

    ``journal`` is the file of all calls: what stands in it is not asked again. ``on_end`` is told after each query.
    """

    def __init__(
        self,
        world: World,
        linter: Linter,
        model: Model,
        journal: Path,
        *,
        parallel: int = 4,
        retry_failed: bool = False,
        on_end: Callable[[], object] = lambda: None,
    ) -> None:
        self._linter = linter
        self._model = model
        self._path = journal
        self._parallel = parallel
        self._retry_failed = retry_failed
        self._on_end = on_end
        self._briefing = Briefing(world, linter)
        self._examiner = Examiner(world, linter)

    def type_all(self, queries: Sequence[Query]) -> Typed:
        """Types every query that is not; what fails is counted, never raised. Raises UserError for a broken journal."""
        return run_loop(self._all(queries))

    async def _all(self, queries: Sequence[Query]) -> Typed:
        journal, gate = Journal(self._path), asyncio.Semaphore(self._parallel)
        tried = frozenset(effect.scope for effect in read_effects(self._path))

        async def one(query: Query) -> Query | str:
            if query.wish is not None:
                return query
            async with gate:
                typed = await self._asked(query, journal, self._scope(query, tried))
            self._on_end()
            return typed

        try:
            ended = await all_ended(map(one, queries))
        finally:
            journal.close()
        after = tuple(old if isinstance(new, str) else new for old, new in zip(queries, ended, strict=True))
        typed = tuple(new for old, new in zip(queries, after, strict=True) if old != new)
        found = {query.query_id: self._wrong(query) for query in typed}
        return Typed(
            after,
            tuple(found),
            {old.query_id: new for old, new in zip(queries, ended, strict=True) if isinstance(new, str)},
            {query_id: tuple(wrong) for query_id, wrong in found.items() if wrong},
            used_in(journal),
            journal.served,
        )

    def _scope(self, query: Query, tried: frozenset[str]) -> str:
        """That of the last try; of another one where failures are retried."""
        name, number = f"{query.query_id}~{version_of(query)[:12]}#types", 1
        while f"{name}.{number + 1}" in tried:
            number += 1
        return f"{name}.{number + (self._retry_failed and f'{name}.{number}' in tried)}"

    async def _asked(self, query: Query, journal: Journal, path: str) -> Query | str:
        """The query with its wish as last answered; why there is none where no answer was one."""
        last: Query | None = None

        def check(written: WrittenWish) -> str | None:
            nonlocal last
            problem = wish_problem(written)
            if problem is not None:
                return problem
            typed = query.model_copy(update={"wish": self._examiner.wish_of(written), "typed_by": self._model.spec})
            # A model that answers the same again stands by it: a shop may lack what is wanted.
            found = [] if typed == last else self._wrong(typed)
            last = typed
            return listed(found) if found else None

        models = Models({ROLE: self._model}, journal, Trajectory())
        messages = self._briefing.messages_to_type(query)
        try:
            await models.ask(ROLE, messages, WrittenWish, path=path, check=check)
        except ModelError as problem:
            return last or f"{problem.kind}: {problem.message}"
        assert last is not None, "an answer that was taken has been examined"
        return last

    def _wrong(self, query: Query) -> list[Finding]:
        """What the wish has to answer for, and not the question."""
        found = (*self._linter.check(query).findings, *contract.check(self._linter.case(query)))
        return [finding for finding in found if finding.code in OF_WISHES]

"""The wishes of plain questions, typed by a language model; the questions stay as they are."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from drretail.env.world import World
from drretail.event_loop import all_ended, run_loop
from drretail.llm.models import Models
from drretail.querygen.by_model.answer import WrittenWish, wish_problem
from drretail.querygen.by_model.examination import Examination, Examined, Examiner
from drretail.querygen.by_model.prompt import PromptBuilder
from drretail.querygen.by_model.session import ModelSession
from drretail.querygen.lint import Linter
from drretail.records.evidence import Finding
from drretail.records.query import Query, version_of
from drretail.records.run import Usage

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
class Annotated:
    """The queries in their order, those that had a wish already as they were."""

    queries: tuple[Query, ...]
    typed: tuple[str, ...]
    """The ids of those whose wish was typed now."""
    failed: dict[str, str]
    """Why a query stays without a wish, by its id."""
    wrong: dict[str, tuple[Finding, ...]]
    """What is still wrong with the wishes that were typed now, by id."""
    usage: Usage
    served: int


class WishAnnotator:
    """Types the wishes of queries of one world; ``on_end`` is called after each query."""

    def __init__(
        self, world: World, linter: Linter, session: ModelSession, on_end: Callable[[], object] = lambda: None
    ) -> None:
        self._session = session
        self._on_end = on_end
        self._prompts = PromptBuilder(world, linter)
        self._examiner = Examiner(world, linter)

    def annotate(self, queries: Sequence[Query]) -> Annotated:
        """Types each missing wish. What fails is counted, never raised."""
        return run_loop(self._all(queries))

    async def _all(self, queries: Sequence[Query]) -> Annotated:
        missing = [query for query in queries if query.wish is None]
        ended = await all_ended(map(self._asked, missing))
        by_id = {query.query_id: end for query, end in zip(missing, ended, strict=True)}
        examined = {query_id: end for query_id, end in by_id.items() if isinstance(end, Examined)}
        return Annotated(
            tuple(examined[query.query_id].query if query.query_id in examined else query for query in queries),
            tuple(examined),
            {query_id: end for query_id, end in by_id.items() if isinstance(end, str)},
            {query_id: end.findings for query_id, end in examined.items() if end.findings},
            self._session.usage,
            self._session.served,
        )

    async def _asked(self, query: Query) -> Examined | str:
        """The query with its wish as last answered; why there is none where no answer was one."""

        async def question(models: Models, scope: str, _: int) -> Examined:
            examination = Examination(WrittenWish, wish_problem, typed, self._findings)
            return await examination.ask(models, self._prompts.messages_to_type(query), scope)

        def typed(written: WrittenWish) -> Query:
            update = {"wish": self._examiner.wish_of(written), "typed_by": self._session.model.spec}
            return query.model_copy(update=update)

        name = f"{query.query_id}~{version_of(query)[:12]}#types"
        return await self._session.attempt(name, question, self._on_end)

    def _findings(self, query: Query) -> list[Finding]:
        """What the wish has to answer for, and not the question."""
        return [finding for finding in self._examiner.findings(query) if finding.code in OF_WISHES]

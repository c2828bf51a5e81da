"""Wishes of plain questions, typed by a language model; the questions themselves stay unchanged."""

from collections.abc import Callable, Sequence

from drretail.env.world import World
from drretail.llm.event_loop import all_ended, run_loop
from drretail.llm.models import Models
from drretail.llm.prompts.prompt import replaced
from drretail.querygen.by_model.answer import WrittenWish, wish_problem
from drretail.querygen.by_model.examination import Examination, Examined, Examiner
from drretail.querygen.by_model.prompt import PromptBuilder
from drretail.querygen.by_model.session import ModelSession
from drretail.querygen.importing import TypedQueries
from drretail.querygen.lint import Linter
from drretail.records.evidence import Finding
from drretail.records.query import Query, version_of

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
"""The codes of findings that concern the wish, not the question."""


def type_wishes(
    world: World,
    linter: Linter,
    session: ModelSession,
    queries: Sequence[Query],
    on_end: Callable[[], object] = lambda: None,
) -> TypedQueries:
    """Types each missing wish. Failures are counted, never raised; ``on_end`` is called after each query."""
    prompts, examiner = PromptBuilder(world, linter), Examiner(world, linter)

    def findings(query: Query) -> list[Finding]:
        """The findings about the wish, without those about the question."""
        return [finding for finding in examiner.findings(query) if finding.code in OF_WISHES]

    async def asked(query: Query) -> Examined | str:
        """The query with the last wish that the model gave, or why no answer was usable."""

        async def question(models: Models, scope: str, _: int) -> Examined:
            examination = Examination(WrittenWish, wish_problem, typed, findings)
            return await examination.ask(models, prompts.messages_to_type(query), scope)

        def typed(written: WrittenWish) -> Query:
            by = {"typed_by": session.model.spec, "prompts": tuple(dict.fromkeys((*query.prompts, *replaced())))}
            return query.model_copy(update={"wish": examiner.wish_of(written), **by})

        return await session.attempt(f"{query.query_id}~{version_of(query)[:12]}#types", question, on_end)

    missing = [query for query in queries if query.wish is None]
    ended = zip(missing, run_loop(all_ended(map(asked, missing))), strict=True)
    by_id = {query.query_id: end for query, end in ended}
    examined = {query_id: end for query_id, end in by_id.items() if isinstance(end, Examined)}
    return TypedQueries(
        tuple(examined[query.query_id].query if query.query_id in examined else query for query in queries),
        tuple(examined),
        {query_id: end for query_id, end in by_id.items() if isinstance(end, str)},
        {query_id: end.findings for query_id, end in examined.items() if end.findings},
        session.usage,
        session.served,
    )

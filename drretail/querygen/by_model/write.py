"""Writes queries with a language model: targets concurrently, every call journalled, nothing asked twice.

The wishes of plain questions are typed the same way; the questions themselves stay unchanged.

Each prompt holds the target's earlier queries, so that they must exist first. If one fails, the target's later queries
wait until it is retried, so that a retry changes no other prompt.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from drretail.env.world import World
from drretail.errors import ModelError
from drretail.event_loop import all_ended, run_loop
from drretail.llm.models import Models
from drretail.llm.prompt import replaced
from drretail.querygen.by_model.examination import (
    Examination,
    Examined,
    Examiner,
    WrittenQuery,
    unusable,
)
from drretail.querygen.by_model.prompt import PromptBuilder
from drretail.querygen.by_model.session import ModelSession
from drretail.querygen.by_model.targets import Target
from drretail.querygen.lint import Linter
from drretail.querygen.reading import TypedQueries
from drretail.records.evidence import Finding
from drretail.records.query import Query, version_of
from drretail.records.wish import Wish


@dataclass(frozen=True, slots=True)
class Failure:
    """A query that could not be written, and why."""

    query_id: str
    user_id: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class Written:
    """Queries in the order of their targets, whichever was answered first."""

    queries: tuple[Query, ...]
    failures: tuple[Failure, ...]
    wrong: dict[str, tuple[Finding, ...]]
    """The findings that the repairs left, by query id."""
    answers: dict[str, int]
    """The number of answers by query id; more than one if findings were sent back to the model."""


def write_for_targets(
    world: World, session: ModelSession, targets: Sequence[Target], on_end: Callable[[bool], None] = lambda _: None
) -> Written:
    """The queries of all targets; failures are counted. ``on_end`` gets True for each that was written."""
    linter = Linter(world)
    prompts, examiner = PromptBuilder(world, linter), Examiner(world, linter)

    async def asked(target: Target, query_id: str, earlier: Sequence[Query]) -> Examined:
        """Raises ModelError if no attempt gave a query."""

        async def question(models: Models, scope: str, attempt: int) -> Examined:
            examination = Examination(
                WrittenQuery,
                unusable,
                lambda written: examiner.query_of(written, query_id, target.user_id, session.model.spec),
                lambda query: examiner.findings(query, earlier),
            )
            messages = prompts.messages(target, [query.text for query in earlier], attempt)
            return await examination.ask(models, messages, scope)

        return await session.put(query_id, question)

    async def queries_of(target: Target) -> list[Examined | Failure]:
        """All queries of a target. After the first failure, nothing more is asked."""
        examined: list[Examined] = []
        failures: list[Failure] = []
        for number in range(1, target.count + 1):
            query_id = target.query_id(number)
            if failures:
                reason = f"not asked, because {failures[0].query_id} failed before it"
                failures.append(Failure(query_id, target.user_id, reason))
            else:
                try:
                    examined.append(await asked(target, query_id, [end.query for end in examined]))
                except ModelError as problem:
                    failures.append(Failure(query_id, target.user_id, f"{problem.kind}: {problem.message}"))
            on_end(not failures)
        return [*examined, *failures]

    ended = [end for ends in run_loop(all_ended(map(queries_of, targets))) for end in ends]
    examined = [end for end in ended if isinstance(end, Examined)]
    return Written(
        tuple(end.query for end in examined),
        tuple(end for end in ended if isinstance(end, Failure)),
        {end.query.query_id: end.findings for end in examined if end.findings},
        {end.query.query_id: session.calls(end.query.query_id) for end in examined},
    )


OF_WISHES = frozenset(
    {
        "kind_unknown",
        "brand_unknown",
        "product_unknown",
        "owned_not_ordered",
        "words_not_in_text",
        "number_not_in_text",
        "owned_not_in_text",
        "kind_of_another_thing",
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
            examination = Examination(Wish, lambda _: None, typed, findings)
            return await examination.ask(models, prompts.messages_to_type(query), scope)

        def typed(written: Wish) -> Query:
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
    )

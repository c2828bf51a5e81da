"""Writes queries with a language model: targets concurrently, every call journalled, nothing asked twice.

The wishes of plain questions are typed the same way; the questions themselves stay unchanged.

Each prompt holds the target's earlier queries, so that they must exist first. If one fails, the target's later queries
wait until it is retried, so that a retry changes no other prompt.
"""

from collections.abc import Callable, Collection, Sequence
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
)
from drretail.querygen.by_model.prompt import PromptBuilder
from drretail.querygen.by_model.session import ModelSession
from drretail.querygen.by_model.targets import Target
from drretail.querygen.checks import agreement, names
from drretail.querygen.lint import Linter
from drretail.querygen.reading import TypedQueries
from drretail.records.criteria import NeedOf
from drretail.records.evidence import Finding
from drretail.records.query import Query, version_of
from drretail.records.wish import Wish


@dataclass(frozen=True, slots=True)
class Written:
    """Queries in the order of their targets, whichever was answered first."""

    queries: tuple[Query, ...]
    failed: dict[str, str]
    """Why queries could not be written, by id."""
    wrong: dict[str, tuple[Finding, ...]]
    """The findings that the repairs left, by query id."""
    answers: dict[str, int]
    """The number of answers by query id; more than one if findings were sent back to the model."""


def write_for_targets(
    world: World,
    session: ModelSession,
    targets: Sequence[Target],
    on_end: Callable[[bool], None] = lambda _: None,
    needs: Collection[NeedOf] = (),
) -> Written:
    """The queries of all targets; failures are counted, and so are those that do not need all of ``needs``. ``on_end``
    gets True for each that was written.
    """
    linter = Linter(world)
    prompts, examiner, failed = PromptBuilder(world, linter), Examiner(world, linter), dict[str, str]()

    async def asked(target: Target, query_id: str, earlier: Sequence[Query]) -> Examined:
        """Raises ModelError if no attempt gave a query."""

        async def question(models: Models, scope: str, attempt: int) -> Examined:
            examination = Examination(
                WrittenQuery,
                lambda written: examiner.query_of(written, query_id, target.user_id, session.model.spec),
                lambda query: examiner.findings(query, earlier),
            )
            messages = prompts.messages(target, [query.text for query in earlier], attempt)
            return await examination.ask(models, messages, scope)

        return await session.put(query_id, question)

    async def queries_of(target: Target) -> list[Examined]:
        """All queries of a target. After the first failure, nothing more is asked."""
        examined, first_failed = list[Examined](), ""
        for query_id in map(target.query_id, range(1, target.count + 1)):
            if first_failed:
                failed[query_id] = f"not asked, because {first_failed} failed before it"
            else:
                try:
                    examined.append(await asked(target, query_id, [end.query for end in examined]))
                except ModelError as problem:
                    first_failed, failed[query_id] = query_id, f"{problem.kind}: {problem.message}"
            on_end(not first_failed)
        return examined

    examined = [end for ends in run_loop(all_ended(map(queries_of, targets))) for end in ends]
    queries = [linter.with_needs(end.query) for end in examined]
    for query in queries:
        if missing := {*needs} - {*(query.needs.proved if query.needs else ())}:
            failed[query.query_id] = f"it does not need {' and '.join(sorted(missing))}"
    return Written(
        tuple(query for query in queries if query.query_id not in failed),
        dict(sorted(failed.items())),
        {end.query.query_id: end.findings for end in examined if end.findings},
        {end.query.query_id: session.calls(end.query.query_id) for end in examined},
    )


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
        """What the wish names that is not there, or not in the text, without what the question is to blame for."""
        of_wishes = names.CODES.keys() | agreement.CODES.keys()
        of_question = {finding.code for finding in linter.findings(query.model_copy(update={"wish": None}))}
        return [finding for finding in examiner.findings(query) if finding.code in of_wishes - of_question]

    async def asked(query: Query) -> Examined | str:
        """The query with the last wish that the model gave, or why no answer was usable."""

        async def question(models: Models, scope: str, _: int) -> Examined:
            examination = Examination(Wish, typed, findings)
            return await examination.ask(models, prompts.messages_to_type(query), scope)

        def typed(written: Wish) -> Query:
            by = {"typed_by": session.model.spec, "prompts": tuple(dict.fromkeys((*query.prompts, *replaced())))}
            return query.model_copy(update={"wish": written, **by})

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

"""Writes queries with a language model: targets concurrently, every call journalled, nothing asked twice.

One call writes all queries of a target. Each is typed a second time by another call; what differs is sent back once.
The wishes of plain questions are typed the same way; the questions themselves stay unchanged.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from langchain_core.messages import AIMessage, HumanMessage

from drretail.env.world import World
from drretail.errors import ModelError
from drretail.event_loop import all_ended, run_loop
from drretail.llm.models import Models
from drretail.llm.prompt import load_prompt, replaced, tagged
from drretail.querygen.by_model.examination import (
    Examination,
    Examined,
    Examiner,
    WrittenQueries,
    in_lines,
    in_words,
)
from drretail.querygen.by_model.prompt import PromptBuilder
from drretail.querygen.by_model.second import ask_again, differences
from drretail.querygen.by_model.session import ROLE, ModelSession
from drretail.querygen.by_model.targets import Target
from drretail.querygen.checks import agreement, names
from drretail.querygen.lint import Linter
from drretail.querygen.reading import TypedQueries
from drretail.records.evidence import Finding
from drretail.records.query import Query, version_of
from drretail.records.wish import Wish

TOLD = ("demand_undecided", "demand_unheard_of", "source_not_needed")
"""Findings with which a question is kept: somebody may decide its demands yet, and its gold says what it needs."""


@dataclass(frozen=True, slots=True)
class Written:
    """Queries in the order of their targets, whichever was answered first."""

    queries: tuple[Query, ...]
    failed: dict[str, str]
    """Why queries could not be written, by id."""
    left_out: dict[str, str]
    """Why queries that were written are not kept, by id."""
    wrong: dict[str, tuple[Finding, ...]]
    """The findings that the repairs left, by query id."""
    answers: dict[str, int]
    """The number of answers by query id; more than one if findings were sent back to the model."""


def write_for_targets(
    world: World,
    session: ModelSession,
    targets: Sequence[Target],
    on_end: Callable[[], object] = lambda: None,
) -> Written:
    """The queries of all targets. Failures are counted, and so are those that a second reader types otherwise, or that
    do not need what their target says. ``on_end`` is called after each query.
    """
    linter = Linter(world)
    prompts, examiner = PromptBuilder(world, linter), Examiner(world, linter)
    failed, left_out = dict[str, str](), dict[str, str]()

    async def asked(target: Target) -> list[Examined]:
        """The questions of a target and what the second typing finds, which is sent back once."""

        def examine(written: WrittenQueries) -> list[Examined]:
            queries, examined = list[Query](), list[Examined]()
            for number, each in enumerate(written.questions[: target.count], 1):
                query = examiner.query_of(each, target.query_id(number), target.user_id, session.model.spec)
                examined.append(examiner.examined(each, query, queries, target.needs))
                queries.append(query)
            return examined

        async def question(models: Models, scope: str, _: int) -> list[Examined]:
            examination, messages = Examination(WrittenQueries, examine), prompts.messages(target)

            async def read(scope: str) -> list[Sequence[Finding]]:
                """What is wrong with each question: what the checks left, or where a second typing differs."""
                faults = list[Sequence[Finding]]()
                for query, findings in ((end.query, end.findings) for end in examination.last):
                    found = [each for each in findings if each.code not in TOLD]
                    if not found:
                        ask, path = ask_again(query, prompts), f"{query.query_id}~{scope}"
                        again = await models.ask(
                            ROLE, [HumanMessage(ask.message)], ask.answer, path=path, check=ask.check
                        )
                        found = differences(query, again, linter)
                    faults.append(found)
                return faults

            await examination.ask(models, messages, scope)
            found = await read(f"again~{scope}")
            if told := in_lines(found):
                told = load_prompt(__file__, "mend").render(findings=tagged("findings", told))
                await examination.ask(models, [*messages, AIMessage(examination.text), HumanMessage(told)], scope)
                found = await read(f"mended~{scope}")
            for end, faults in zip(examination.last, found, strict=True):
                if faults:
                    left_out[end.query.query_id] = "; ".join(map(in_words, faults))
            return [*examination.last]

        ends, ids = list[Examined](), [target.query_id(number) for number in range(1, target.count + 1)]
        try:
            ends = await session.put(target.name, question)
        except ModelError as problem:
            failed.update(dict.fromkeys(ids, f"{problem.kind}: {problem.message}"))
        else:
            failed.update(dict.fromkeys(ids[len(ends) :], "the model wrote fewer questions"))
        for _ in ids:
            on_end()
        return ends

    by_target = zip(targets, run_loop(all_ended(map(asked, targets))), strict=True)
    ends_of = [(target, end) for target, ends in by_target for end in ends]
    examined, queries = [end for _, end in ends_of], [linter.with_needs(end.query) for _, end in ends_of]
    for (target, _), query in zip(ends_of, queries, strict=True):
        if missing := target.needs - {*(query.needs.proved if query.needs else ())}:
            left_out.setdefault(query.query_id, f"it does not need {' and '.join(sorted(missing))}")
    kept = [end for end in examined if end.query.query_id not in left_out]
    return Written(
        tuple(query for query in queries if query.query_id not in left_out),
        dict(sorted(failed.items())),
        dict(sorted(left_out.items())),
        {end.query.query_id: end.findings for end in kept if end.findings},
        {end.query.query_id: session.calls(end.query.query_id.rpartition("-")[0]) for end in kept},
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
            message = HumanMessage(prompts.text_to_type(query, prompts.shelf.pages_for(query)))
            return (await Examination(Wish, typed).ask(models, [message], scope))[0]

        def typed(written: Wish) -> list[Examined]:
            by = {"typed_by": session.model.spec, "prompts": tuple(dict.fromkeys((*query.prompts, *replaced())))}
            new = query.model_copy(update={"wish": written, **by})
            return [Examined(new, tuple(findings(new)))]

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

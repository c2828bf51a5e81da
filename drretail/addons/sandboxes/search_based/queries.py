"""Writes queries backwards from the pages of tasks that were built without one (DR³-Eval, stage 4), and asks four
questions on whether a task is fit for testing assistants (stage 5).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from langchain_core.messages import HumanMessage, SystemMessage

from drretail.addons.sandboxes.folder import Keywords, write_task_gold
from drretail.addons.sandboxes.search_based.asker import CAPPED, Asker, NotEnough, TaskFailed
from drretail.addons.sandboxes.search_based.gold import (
    check_settled,
    file_tags,
    gold_of,
    is_known,
    make_criteria,
    page_tags,
)
from drretail.addons.sandboxes.search_based.pages import numbered_needs
from drretail.env.summaries import Summaries
from drretail.env.web.sandbox import QUERIES_FILE, SandboxPage, read_labels, read_pages, task_folder, written_queries
from drretail.env.world import World
from drretail.eval.judging.spending import CapReached
from drretail.event_loop import all_ended
from drretail.experiment import rubrics
from drretail.files import files_below, read_document, read_json, write_json
from drretail.llm.models import Models
from drretail.llm.prompt import load_prompt, tagged
from drretail.query_files import write_with_gold
from drretail.querygen.by_model.examination import Examination, Examined, Examiner, WrittenQuery
from drretail.querygen.by_model.prompt import NOTHING, PromptBuilder
from drretail.querygen.by_model.targets import Target
from drretail.querygen.lint import Linter
from drretail.records.base import Record
from drretail.records.criteria import KnownAnswer
from drretail.records.evidence import Finding
from drretail.records.query import Query


class QueryWriter:
    """Writes queries for tasks of one world that already have pages and files."""

    def __init__(self, world: World, asker: Asker) -> None:
        self._world = world
        self._asker = asker
        self._linter = Linter(world)
        self._prompts = PromptBuilder(world, self._linter)
        self._examiner = Examiner(world, self._linter)

    async def write(
        self,
        matter: Query,
        keywords: Keywords,
        pages: Sequence[SandboxPage],
        files: Mapping[str, bytes],
        earlier: Sequence[Query],
    ) -> tuple[Query, tuple[Finding, ...]]:
        """A query with its wish that these pages and files settle, and what the checks still find wrong with it.

        ``matter`` is the task's placeholder, whose id the query gets. Raises TaskFailed, also if the pages are not
        enough for the query that was written.
        """
        lacked, needs = NotEnough("nothing was asked"), keywords.needs
        shopper = self._linter.shopper(matter.user_id)
        target = Target(matter.query_id, 1, matter.user_id)
        signals = (keyword.text for keyword in keywords.convergent if keyword.kind == "signal")
        briefing = load_prompt(__file__, "query").render(
            query=tagged("query", matter.text),
            needs=numbered_needs(needs),
            keywords=tagged("keywords", "\n".join(signals)),
            pages="\n\n".join(page_tags(pages)),
            files="\n\n".join(file_tags(files)),
            profile=tagged("profile", profile_text(self._world, matter.user_id, matter.text)),
            owned=tagged("owned", self._prompts.shelf.owned(shopper, matter.text) if shopper else NOTHING),
            shelf=tagged(
                "shelf", "\n".join(self._prompts.shelf.around(target, shopper, matter.text).values()) or NOTHING
            ),
        )
        for name in self._asker.rounds(matter.query_id, "query"):
            try:
                query, problem = await self._tried(name, briefing, matter, earlier)
                await check_settled(self._asker, f"{name}/settle", query.text, needs, pages, file_tags(files))
            except NotEnough as problem:
                lacked = problem
                again = load_prompt(__file__, "query_again").render(findings=tagged("findings", str(problem)))
                briefing, needs = f"{briefing}\n{again}", tuple(need for need in needs if need not in problem.needs)
            else:
                return query, problem
        raise lacked

    async def _tried(
        self, name: str, briefing: str, matter: Query, earlier: Sequence[Query]
    ) -> tuple[Query, tuple[Finding, ...]]:
        messages = [SystemMessage(self._prompts.instructions), HumanMessage(briefing)]

        def examine(written: WrittenQuery) -> list[Examined]:
            spec = self._asker.session.model.spec
            query = self._examiner.query_of(written, matter.query_id, matter.user_id, spec)
            return [Examined(query, self._examiner.findings(query, earlier))]

        async def question(models: Models, path: str) -> Examined:
            return (await Examination(WrittenQuery, examine).ask(models, messages, path))[0]

        examined = await self._asker.put(f"{name}/query", question)
        return examined.query, examined.findings


def profile_text(world: World, user_id: str | None, question: str) -> str:
    """What the shop's records say about a user who asks this question, in lines."""
    return NOTHING if user_id is None else Summaries(world).of(user_id, question).text_with_orders


@dataclass(frozen=True, slots=True)
class SandboxQueries:
    """The queries that were written for a sandbox."""

    written: Sequence[str] = ()
    """Their ids."""
    wrong: Mapping[str, Sequence[Finding]] = field(default_factory=dict[str, Sequence[Finding]])
    """Findings about queries that are kept nevertheless, by id."""
    failed: Mapping[str, str] = field(default_factory=dict[str, str])
    """Tasks without a query, and why."""


async def write_sandbox_queries(
    world: World, folder: Path, asker: Asker, on_task: Callable[[str], object] = lambda _: None
) -> SandboxQueries:
    """Writes the queries that a sandbox lacks; each is saved with its gold before the next is begun.

    Queries that have gold stay as they are. Failures are returned, never raised.
    """
    queries = {query.query_id: query for query in written_queries(folder)}
    writer = QueryWriter(world, asker)
    written: list[str] = []
    wrong: dict[str, tuple[Finding, ...]] = {}
    failed: dict[str, str] = {}
    waiting = queries_without_insights(folder, queries)
    for query_id in waiting:
        earlier = [query for name, query in queries.items() if name in written or name not in waiting]
        try:
            task = task_folder(folder, query_id)
            keywords = Keywords.model_validate(read_json(task / "keywords.json"))
            pages, files = supportive_pages(task), task_files(task)
            query, problem = await writer.write(queries[query_id], keywords, pages, files, earlier)
            gold, facts = await gold_of(asker, query, pages, files, world, of_files=True)
            query = query.with_facts(facts)
            criteria = await make_criteria(asker, query, world, folder)
            path = rubrics(criteria.metric).path(folder, query_id)
            write_json(path, criteria.model_dump(mode="json", exclude_none=True))
        except TaskFailed as problem:
            failed[query_id] = str(problem)
        except CapReached as problem:
            failed[query_id] = f"{CAPPED} {problem} is reached"
        else:
            queries[query_id] = query
            write_with_gold([*queries.values()], folder / QUERIES_FILE)
            # Gold comes last: a task with gold counts as finished, so its query must already be saved.
            write_task_gold(folder, query_id, gold)
            written.append(query_id)
            wrong |= {query_id: problem} if problem else {}
        on_task(query_id)
    return SandboxQueries(tuple(written), wrong, failed)


def queries_without_insights(folder: Path, queries: Mapping[str, Query]) -> list[str]:
    """The ids of queries whose gold has no insight yet."""
    golds = {name: read_document(task_folder(folder, name) / "gold.json", KnownAnswer) for name in queries}
    return [name for name, gold in golds.items() if not is_known(gold)]


def supportive_pages(task: Path) -> list[SandboxPage]:
    """The supportive pages of a task, in the order of their addresses."""
    needed = {label.url for label in read_labels(task) if label.label == "supportive"}
    pages = (SandboxPage(url=page.url, title=page.title, text=page.text, date=page.date) for page in read_pages(task))
    return sorted((page for page in pages if page.url in needed), key=lambda page: page.url)


def task_files(task: Path) -> dict[str, bytes]:
    """The user's files of a task, by name."""
    return {path.name: path.read_bytes() for path in files_below(task / "files")}


class Answer(Record):
    reason: str
    passes: bool


class Review(Record):
    """The four questions on a task."""

    implicit_guidance: Answer
    synthesis_necessity: Answer
    insight_novelty: Answer
    interpretative_unambiguity: Answer

    @property
    def faults(self) -> list[str]:
        """A sentence for each of the four questions that the task fails."""
        answers = ((name.replace("_", " "), getattr(self, name)) for name in Review.model_fields)
        return [f"{name}: {answer.reason.strip()}" for name, answer in answers if not answer.passes]


async def review_tasks(folder: Path, queries: Sequence[Query], asker: Asker) -> Mapping[str, Review | str]:
    """A model's review of each query's task, by query id, or the reason why there is none."""
    prompt = load_prompt(__file__, "check")

    async def review(query: Query) -> Review | str:
        task = task_folder(folder, query.query_id)
        keywords = Keywords.model_validate(read_json(task / "keywords.json"))
        signals = "\n".join(keyword.text for keyword in keywords.convergent if keyword.kind == "signal")
        pages = supportive_pages(task)
        places = {page.url: f"page {number}" for number, page in enumerate(pages, 1)}
        gold = read_document(task / "gold.json", KnownAnswer)
        insights = (
            f"- {insight.text} ({places.get(insight.stands_in, insight.stands_in)})"
            for insight in (*gold.files.insights, *gold.sandbox.insights)
        )
        data = [
            tagged("query", query.text),
            tagged("keywords", signals or "Nothing was searched for."),
            *page_tags(pages),
            *file_tags(task_files(task)),
            tagged("insights", "\n".join(insights)),
        ]
        try:
            return await asker.ask(f"{query.query_id}/review", prompt, data, Review)
        except TaskFailed as problem:
            return str(problem)
        except CapReached as problem:
            return f"{CAPPED} {problem} is reached"

    return dict(zip((query.query_id for query in queries), await all_ended(map(review, queries)), strict=True))

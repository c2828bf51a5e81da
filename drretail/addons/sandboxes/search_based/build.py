"""Builds tasks from pages that a search engine finds. Every step is journalled, so that a cut build can be resumed."""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from pathlib import Path
from threading import Event

from drretail.addons.sandboxes.folder import (
    BUILDING,
    COUNTER,
    Keywords,
    LabelledPage,
    TaskMaterial,
    WrittenTask,
    write_sandbox,
    write_task,
)
from drretail.addons.sandboxes.search_based.asker import CAPPED, Asker, NotEnough, TaskFailed
from drretail.addons.sandboxes.search_based.gold import (
    NeededPages,
    check_settled,
    file_tags,
    gold_of,
    make_criteria,
    weigh_facts,
)
from drretail.addons.sandboxes.search_based.pages import (
    KINDS,
    FoundPage,
    GatheredPages,
    gather_pages,
    judge_pages,
    keywords_of,
)
from drretail.agents.page_reading import is_on
from drretail.api.models import Spent
from drretail.env.summaries import Summaries
from drretail.env.web.base import Web
from drretail.env.web.sandbox import (
    SANDBOX_FILE,
    Label,
    SandboxFolder,
    read_sandbox,
    task_folder,
    written_queries,
)
from drretail.env.world import World
from drretail.errors import UserError
from drretail.eval.judging.spending import CapReached
from drretail.files import read_json, write_json
from drretail.llm.prompt import load_prompt, tagged
from drretail.querygen.by_model.prompt import NOTHING
from drretail.records.account import Account
from drretail.records.base import Document, Record
from drretail.records.query import Query
from drretail.reports.text.personal_data import People

LONG_QUOTE = 6
"""The fewest words of a quote that a noise page does not contain by chance."""
FOUND_FILE = "found.json"
SETTINGS_FILE = "settings.json"


class LeftOut(Record):
    """A page that was read and is in no size, though it may concern the question."""

    url: str
    why: str


class FoundReport(Document):
    """found.json of a task: what its searches found and what happened to it. No agent, tool or web reads it."""

    results: dict[str, int]
    """New addresses by keyword."""
    failed_keywords: dict[str, str]
    """Searches that failed, and why."""
    unread: dict[str, int]
    """Pages that could not be read, counted by state."""
    duplicates: int
    personal_data: dict[str, int]
    """Lines from which personal data was removed, counted by kind."""
    labels: dict[str, int]
    """Pages by label, before they were placed in sizes."""
    left_out: tuple[LeftOut, ...]
    """Pages that repeat others, pages without a usable label, and noise that quotes a supportive page."""

    @property
    def line(self) -> str:
        """The report in a sentence or two."""
        labels = ", ".join(f"{count} {name}" for name, count in self.labels.items())
        lost = {"unread": sum(self.unread.values()), "duplicates": self.duplicates, "left out": len(self.left_out)}
        others = ", ".join(f"{count} {name}" for name, count in lost.items() if count)
        personal = ", ".join(f"{kind} in {count} lines" for kind, count in self.personal_data.items())
        problems = (f"the search {text!r} failed: {why.rstrip('.')}" for text, why in self.failed_keywords.items())
        pages = f"{labels} ({others})" if others else labels
        return ". ".join(filter(None, (pages, f"Taken out: {personal}" if personal else "", "; ".join(problems))))


class BuildSettings(Document):
    """building/settings.json: the settings that a resumed build must share."""

    day: date
    """The day on which the build began: pages are judged by what is true then."""
    world: str
    """The world's fingerprint."""
    web: str
    model: str
    seed: str


@dataclass(frozen=True, slots=True)
class BuiltSandbox:
    """A sandbox that was built."""

    folder: Path
    """The sandbox's folder."""
    tasks: int
    """The number of queries that have their pages."""
    wanted: int
    """The number of queries that should have pages."""
    sizes: Sequence[str] = ()
    """The sizes of pages made from the catalog."""
    reports: Mapping[str, FoundReport] = field(default_factory=dict[str, FoundReport])
    """For found pages: what became of the search results, by query."""
    notes: Sequence[str] = ()
    """Sentences on what is missing."""
    failed: Mapping[str, str] = field(default_factory=dict[str, str])
    """Queries without a task, and why."""
    spent: Spent | None = None
    """The cost of the model; None if no model was asked."""

    @property
    def task_account(self) -> Account:
        """The queries that were to have pages; those without are named with their reason."""
        account = Account("sandbox build", "task")
        account.take(self.wanted)
        account.use(self.tasks)
        for query_id, why in self.failed.items():
            if query_id not in self.reports:
                account.leave_out(why, query_id, failed=True)
        return account

    @property
    def page_account(self) -> Account:
        """The pages that searches found: placed among a task's pages, or why not."""
        account = Account("sandbox build", "page")
        for query_id, report in self.reports.items():
            account.take(sum(report.results.values()))
            account.use(sum(report.labels.values()))
            account.merge("the same text as another", query_id, report.duplicates)
            for state, count in report.unread.items():
                account.leave_out(f"unread: {state}", query_id, count)
            for page in report.left_out:
                account.leave_out(page.why.partition(":")[0], page.url)
        return account


@dataclass(frozen=True, slots=True)
class FoundBuilder:
    """Builds tasks one after the other; within a task, pages are fetched and judged concurrently."""

    world: World
    web: Web
    asker: Asker
    to: Path
    sizes: Mapping[str, int]
    files_of: Callable[[Query], Mapping[str, bytes]]
    settings: BuildSettings
    on_task: Callable[[str], object] = lambda _: None

    async def build(self, wanted: Sequence[Query]) -> BuiltSandbox:
        """Builds the tasks of these queries, and writes the sandbox if there is any.

        Failures are returned with their reasons, never raised.
        """
        tasks: list[WrittenTask] = []
        reports: dict[str, FoundReport] = {}
        failed: dict[str, str] = {}
        for query in wanted:
            try:
                material, report = await self._material(query)
                task = write_task(self.to, material, self.sizes)
                write_json(task_folder(self.to, query.query_id) / FOUND_FILE, report.model_dump(mode="json"))
            except (TaskFailed, UserError) as problem:
                failed[query.query_id] = str(problem).removeprefix(f"{query.query_id}: ")
            except CapReached as problem:
                tasks += self._made_before({*reports, *failed})
                ended = {*failed, *(task.query.query_id for task in tasks)}
                lost = (query.query_id for query in wanted if query.query_id not in ended)
                failed |= dict.fromkeys(lost, f"{CAPPED} {problem} is reached")
                break
            else:
                tasks.append(task)
                reports[query.query_id] = report
            self.on_task(query.query_id)
        # A web withholds pages dated after ``now``, and the shop's records may end long before the build.
        about = SandboxFolder(
            world_fingerprint=self.world.manifest.fingerprint,
            now=max(self.world.manifest.now, datetime.combine(self.settings.day, time(), UTC)),
            seed=self.settings.seed,
            sizes=dict(self.sizes),
            counter=COUNTER,
            web=self.web.provider,
            made_by=self.asker.session.model.spec,
        )
        notes = write_sandbox(self.to, about, tasks) if tasks else []
        return BuiltSandbox(self.to, len(tasks), len(wanted), reports=reports, notes=notes, failed=failed)

    def _made_before(self, seen: Collection[str]) -> list[WrittenTask]:
        """The tasks that an earlier call finished and this one did not reach, so that a lower cap removes none.

        Empty if that call had other sizes or another counter: then its tasks have to be written again.
        """
        if not (self.to / SANDBOX_FILE).exists():
            return []
        about, names = read_sandbox(self.to), sorted(self.sizes, key=lambda size: self.sizes[size])
        if about.counter != COUNTER or names[: len(about.names)] != about.names:
            return []
        queries = (query for query in written_queries(self.to) if query.query_id not in seen)
        return [WrittenTask(query, tuple(about.names), about.sizes[about.names[-1]]) for query in queries]

    async def _material(self, query: Query) -> tuple[TaskMaterial, FoundReport]:
        """The material of a query's task, and the report on it. Raises TaskFailed and CapReached."""
        lacked: NotEnough | None = None
        for name in self.asker.rounds(query.query_id, "diverge"):
            try:
                return await self._tried(query, name, lacked)
            except NotEnough as problem:
                lacked = problem
        raise lacked or TaskFailed("nothing was tried")

    async def _tried(self, query: Query, task: str, lacked: NotEnough | None) -> tuple[TaskMaterial, FoundReport]:
        """One try at a task; the names of its questions begin with ``task``."""
        today, files = self.world.manifest.now.date().isoformat(), self.files_of(query)
        profile = NOTHING
        if query.user_id is not None:
            profile = Summaries(self.world).of(query.user_id, query.text).text_with_orders
        about = [tagged("query", query.text), tagged("profile", profile), *file_tags(files)]
        if lacked is not None:
            again = load_prompt(__file__, "again")
            about.append(again.render(findings=tagged("findings", str(lacked))))
        people = people_of(self.world, query.user_id)
        keywords = await keywords_of(self.asker, task, about, people, today)
        gathered = await self._gathered(task, keywords, people)
        signals = [page for page in gathered.pages if page.keyword.kind == "signal"]
        if not signals:
            raise NotEnough(f"no search for a signal brought a page that could be read{_why_none(gathered)}")
        pages = await judge_pages(self.asker, task, query.text, keywords.needs, signals, self.settings.day.isoformat())
        helping = [page for page in pages if page.ruling is not None and page.ruling.ruling == "supportive"]
        if not helping:
            raise NotEnough(f"none of {len(signals)} pages supports an answer{_why_unjudged(pages)}")
        needed = await weigh_facts(self.asker, task, query.text, keywords.needs, helping)
        served = [page.page for page in needed.necessary]
        query = query.with_facts(())
        await check_settled(self.asker, f"{task}/settle", query.text, keywords.needs, served, file_tags(files))
        gold, facts = await gold_of(self.asker, query, served, files, self.world)
        query = query.with_facts(facts)
        criteria = (await make_criteria(self.asker, query, self.world, self.to),)
        rulings = ((page, page.ruling.ruling) for page in pages if page.ruling is not None)
        misleading = ((page, KINDS[ruling]) for page, ruling in rulings if ruling in KINDS)
        material = TaskMaterial(
            query=query,
            keywords=keywords,
            supportive=tuple(_labelled(page, "supportive") for page in needed.necessary),
            distractors=tuple(_labelled(page, "distractor", kind) for page, kind in misleading),
            noise=_noise(gathered, pages, needed),
            files=files,
            gold=gold,
            criteria=criteria,
        )
        return material, _report(gathered, pages, needed, material)

    async def _gathered(self, task: str, keywords: Keywords, people: People) -> GatheredPages:
        """Gathers pages in a thread, since webs block; a cancelled build tells the thread to stop."""
        settings, stop = self.settings, Event()
        about = (keywords.convergent, people, settings.day)
        try:
            return await asyncio.to_thread(gather_pages, self.web, self.asker, task, *about, stop)
        finally:
            stop.set()


def people_of(world: World, user_id: str | None) -> People:
    """The person whom a task must not mention: its user."""
    if user_id is None:
        return People()
    orders = frozenset(order.order_id for order in world.store.orders(user_id).orders)
    return People((world.store.user(user_id),), frozenset({user_id}), orders)


def begin_build(to: Path, settings: BuildSettings, wanted: Collection[str]) -> BuildSettings:
    """The settings with the day on which the build in ``to`` began; for a new folder, as they are.

    Raises UserError if ``to`` holds anything that was not begun with these settings, or tasks of queries that are not
    among the ``wanted`` ids, since a sandbox has only the tasks of the last build.
    """
    path = to / BUILDING / SETTINGS_FILE
    if path.exists():
        before = BuildSettings.model_validate(read_json(path))
        here = settings.model_copy(update={"day": before.day})
        if other := [name for name in BuildSettings.model_fields if getattr(before, name) != getattr(here, name)]:
            settings_text = ", ".join(f"{name} {getattr(before, name)}" for name in other)
            raise UserError(f"{to} was begun with {settings_text}: go on with the same, or name a new folder.")
        existing = written_queries(to)
        if others := [query.query_id for query in existing if query.query_id not in wanted]:
            raise UserError(f"{to} has tasks that this build would drop: {', '.join(others)}. Name a new folder.")
        return before
    if to.exists() and (not to.is_dir() or any(to.iterdir())):
        raise UserError(f"{to} is not empty, and no build was cut there: name a new folder.")
    write_json(path, settings.model_dump(mode="json"))
    return settings


def _why_none(gathered: GatheredPages) -> str:
    reasons = [
        *(problem.rstrip(".") for problem in gathered.failed.values()),
        *(f"{count} pages: {state}" for state, count in gathered.unread.items()),
    ]
    return f" ({'; '.join(dict.fromkeys(reasons))})" if reasons else ""


def _why_unjudged(pages: Sequence[FoundPage]) -> str:
    problems = [page.problem for page in pages if page.ruling is None]
    return f" ({len(problems)} have no usable label, such as {problems[0]})" if problems else ""


def _labelled(page: FoundPage, label: Label, kind: str = "") -> LabelledPage:
    return LabelledPage(page.page, label, kind, page.keyword.text, _why(page))


def _why(page: FoundPage) -> str:
    assert page.ruling is not None
    return " ".join([page.ruling.why.strip(), *(f"[{fact.fact.strip()}]" for fact in page.ruling.facts)])


def _noise(gathered: GatheredPages, pages: Sequence[FoundPage], needed: NeededPages) -> Sequence[LabelledPage]:
    """The pages of noise keywords and the irrelevant pages of signals, without pages that quote a necessary page."""
    irrelevant = [page for page in pages if page.ruling is not None and page.ruling.ruling == "irrelevant"]
    of_noise = [page for page in gathered.pages if page.keyword.kind == "noise"]
    quotes = (fact.quote for page in needed.necessary for fact in page.facts)
    long_quotes = [quote for quote in quotes if len(quote.split()) >= LONG_QUOTE]
    silent = (
        page for page in (*of_noise, *irrelevant) if not any(is_on(quote, page.page.text) for quote in long_quotes)
    )
    return [LabelledPage(page.page, "noise", "", page.keyword.text) for page in silent]


def _report(
    gathered: GatheredPages, pages: Sequence[FoundPage], needed: NeededPages, material: TaskMaterial
) -> FoundReport:
    lost = [LeftOut(url=page.page.url, why=page.problem) for page in pages if page.ruling is None]
    again = [LeftOut(url=page.page.url, why=f"redundant: {_why(page)}") for page in needed.redundant]
    noise = tuple(material.noise)
    urls = {distractor.page.url for distractor in (*material.supportive, *material.distractors, *noise)}
    urls |= {page.url for page in (*lost, *again)}
    repeating = [page.page.url for page in gathered.pages if page.page.url not in urls]
    return FoundReport(
        results=gathered.results,
        failed_keywords=gathered.failed,
        unread=dict(gathered.unread),
        duplicates=gathered.duplicates,
        personal_data=dict(gathered.personal),
        labels={"supportive": len(material.supportive), "distractors": len(material.distractors), "noise": len(noise)},
        left_out=(*lost, *again, *(LeftOut(url=url, why="noise that quotes a supportive page") for url in repeating)),
    )

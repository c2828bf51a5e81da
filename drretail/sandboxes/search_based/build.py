"""Tasks of pages that a search engine finds: from keywords to the folder, journalled, so that a cut build goes on."""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from pathlib import Path
from threading import Event

from drretail.agents.page_reading import is_on
from drretail.env.web.base import Web
from drretail.env.web.sealed import QUERIES_FILE, SANDBOX_FILE, SandboxFolder, read_sandbox, task_folder
from drretail.env.world import World
from drretail.errors import UserError
from drretail.eval.judging.spending import CapReached
from drretail.experiment import read_gold_file
from drretail.files import read_documents, read_json, write_json
from drretail.grounding.text.personal_data import People
from drretail.prompts import load_prompt, tagged
from drretail.records.base import Document, Record
from drretail.records.criteria import Criteria, Gold
from drretail.records.query import Query
from drretail.sandboxes.folder import BUILDING, WrittenTask, write_sandbox, write_task
from drretail.sandboxes.material import Keywords, LabelledPage, TaskMaterial
from drretail.sandboxes.search_based.asker import CAPPED, Asker, NotEnough, TaskFailed
from drretail.sandboxes.search_based.coverage import NeededPages, check_settled, weigh_facts
from drretail.sandboxes.search_based.files import file_tags
from drretail.sandboxes.search_based.gold import criteria_of, gold_of, is_known
from drretail.sandboxes.search_based.keywords import keywords_of
from drretail.sandboxes.search_based.labels import KINDS, RuledPage, judge_pages
from drretail.sandboxes.search_based.pages import FoundPage, Gathered, gather
from drretail.sandboxes.search_based.queries import profile_text
from drretail.sandboxes.sizes import TokenCounter

LONG_QUOTE = 6
"""Words of a quote that a page of noise doesn't have by chance."""
FOUND_FILE = "found.json"
SETTINGS_FILE = "settings.json"


class LeftOut(Record):
    """A page that was read and is in no size, though it speaks of what is asked."""

    url: str
    why: str


class FoundReport(Document):
    """found.json of a task: what became of what was searched for. No agent, tool or web reads it."""

    results: dict[str, int]
    """New addresses by keyword."""
    failed_keywords: dict[str, str]
    """Searches that failed, and why."""
    unread: dict[str, int]
    """Pages that could not be had, by their state."""
    duplicates: int
    personal_data: dict[str, int]
    """What was taken out of pages, by its kind: lines."""
    labels: dict[str, int]
    """Pages by label, before they were placed in sizes."""
    left_out: tuple[LeftOut, ...]
    """What other pages say as well, and what no usable answer was given on."""

    @property
    def line(self) -> str:
        """All of it in a sentence or two."""
        labels = ", ".join(f"{count} {name}" for name, count in self.labels.items())
        lost = {"unread": sum(self.unread.values()), "duplicates": self.duplicates, "left out": len(self.left_out)}
        others = ", ".join(f"{count} {name}" for name, count in lost.items() if count)
        personal = ", ".join(f"{what} in {count} lines" for what, count in self.personal_data.items())
        failed = "; ".join(
            f"the search {text!r} failed: {why.rstrip('.')}" for text, why in self.failed_keywords.items()
        )
        return ". ".join(
            filter(
                None,
                (f"{labels}{f' ({others})' if others else ''}", f"Taken out: {personal}" if personal else "", failed),
            )
        )


class BuildSettings(Document):
    """building/settings.json: what a build that was cut has to go on with."""

    day: date
    world: str
    """Its fingerprint."""
    web: str
    model: str
    results: int
    seed: str


@dataclass(frozen=True, slots=True)
class Built:
    """What was written, and why the rest was not, by query id."""

    tasks: tuple[WrittenTask, ...]
    reports: Mapping[str, FoundReport]
    failed: Mapping[str, str]
    notes: tuple[str, ...]
    """Of sizes that were left out."""


@dataclass(frozen=True, slots=True)
class FoundBuilder:
    """Builds tasks one after the other; within one, pages are fetched and judged side by side."""

    world: World
    web: Web
    asker: Asker
    to: Path
    sizes: Mapping[str, int]
    counter: TokenCounter
    files_of: Callable[[Query], Mapping[str, bytes]]
    day: date
    """On which the build was begun: pages are judged by what is true then."""
    results: int = 100
    """Of each keyword."""
    seed: str = "42"
    on_task: Callable[[str], object] = lambda _: None

    async def build(self, wanted: Sequence[Query]) -> Built:
        """Builds the tasks of these queries, and writes the sandbox where any came about.

        A query of ``query_to_write`` gets no gold. What fails is given by its reason, never raised.
        """
        tasks: list[WrittenTask] = []
        reports: dict[str, FoundReport] = {}
        failed: dict[str, str] = {}
        for query in wanted:
            try:
                material, report = await self._material(query)
                task = write_task(self.to, material, self.sizes, self.counter)
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
        notes = write_sandbox(self.to, self._about(), tasks) if tasks else []
        return Built(tuple(tasks), reports, failed, tuple(notes))

    def _made_before(self, seen: Collection[str]) -> list[WrittenTask]:
        """Tasks that an earlier call finished, and this one did not come to: a lower cap takes none away.

        None where other sizes were asked for then, for they have to be written anew.
        """
        if not (self.to / SANDBOX_FILE).exists():
            return []
        about, names = read_sandbox(self.to), sorted(self.sizes, key=lambda size: self.sizes[size])
        if about.counter != self.counter.name or names[: len(about.names)] != about.names:
            return []
        queries = [
            query for query in read_documents(self.to / QUERIES_FILE, Query, "query") if query.query_id not in seen
        ]
        return [WrittenTask(query, tuple(about.names), about.sizes[about.names[-1]]) for query in queries]

    async def _material(self, query: Query) -> tuple[TaskMaterial, FoundReport]:
        """Raises TaskFailed and CapReached."""
        lacked: NotEnough | None = None
        for name in self.asker.rounds(query.query_id, "diverge"):
            try:
                return await self._tried(query, name, lacked)
            except NotEnough as problem:
                lacked = problem
        raise lacked or TaskFailed("nothing was tried")

    async def _tried(self, query: Query, task: str, lacked: NotEnough | None) -> tuple[TaskMaterial, FoundReport]:
        """One try at a task, whose questions have names that begin with ``task``."""
        today, is_written = self.world.manifest.now.date().isoformat(), not is_to_be_written(query)
        files = self.files_of(query)
        about = [tagged("profile", profile_text(self.world, query.user_id, query.text)), *file_tags(files)]
        about = [tagged("query", query.text), *about] if is_written else about
        if lacked is not None:
            again = load_prompt(__file__, "again")
            about.append(again.render(findings=tagged("findings", str(lacked))))
        people = people_of(self.world, query.user_id)
        matter, keywords = await keywords_of(self.asker, task, about, people, today)
        query = query if is_written else query.model_copy(update={"text": matter})
        found = await self._gathered(task, keywords, people)
        signals = [page for page in found.pages if page.keyword.kind == "signal"]
        if not signals:
            raise NotEnough(f"no search for a signal brought a page that could be read{_why_none(found)}")
        pages = await judge_pages(self.asker, task, query.text, keywords.needs, signals, self.day.isoformat())
        helping = [page for page in pages if page.ruling is not None and page.ruling.ruling == "supportive"]
        if not helping:
            raise NotEnough(f"none of {len(signals)} pages supports an answer{_why_unjudged(pages)}")
        kept = await weigh_facts(self.asker, task, query.text, keywords.needs, helping)
        served = [page.found.page for page in kept.necessary]
        gold, criteria = Gold(query_id=query.query_id), tuple[Criteria, ...]()
        if is_written:
            await check_settled(self.asker, f"{task}/settle", query.text, keywords.needs, served, file_tags(files))
            gold = await gold_of(self.asker, query, served, files, of_files=False)
            criteria = (await criteria_of(self.asker, query, self.world, self.to),)
        else:
            keywords = _with_settled_needs(keywords, kept)
            query, gold = self._written_before(query, gold)
        noise = tuple(_noise(found, pages, kept))
        material = TaskMaterial(
            query=query,
            keywords=keywords,
            supportive=tuple(_supportive(page) for page in kept.necessary),
            distractors=tuple(
                _distractor(page) for page in pages if page.ruling is not None and page.ruling.ruling in KINDS
            ),
            noise=noise,
            files=files,
            gold=gold,
            criteria=criteria,
        )
        return material, _report(found, pages, kept, material)

    def _written_before(self, query: Query, gold: Gold) -> tuple[Query, Gold]:
        """The query and the gold that were written since for a task that had none; as they are where none were."""
        path, kept = self.to / QUERIES_FILE, task_folder(self.to, query.query_id) / "gold.json"
        written = read_gold_file(kept) if path.exists() and kept.exists() else gold
        if not is_known(written):
            return query, gold
        same = (known for known in read_documents(path, Query, "query") if known.query_id == query.query_id)
        return next(same, query), written

    async def _gathered(self, task: str, keywords: Keywords, people: People) -> Gathered:
        """Of a thread, for webs wait; a build that is cut lets it end."""
        stop = Event()
        try:
            return await asyncio.to_thread(
                gather, self.web, self.asker, task, keywords.convergent, people, self.results, self.day, stop
            )
        finally:
            stop.set()

    def _about(self) -> SandboxFolder:
        # A web withholds what is dated after its day, and the shop's records may end long before the build.
        now = max(self.world.manifest.now, datetime.combine(self.day, time(), UTC))
        return SandboxFolder(
            world_fingerprint=self.world.manifest.fingerprint,
            now=now,
            seed=self.seed,
            sizes=dict(self.sizes),
            counter=self.counter.name,
            web=self.web.provider,
            made_by=self.asker.model.spec,
        )


def query_to_write(query_id: str, user_id: str, source: str) -> Query:
    """Stands for a query that is still to be written from what will be found."""
    return Query(query_id=query_id, user_id=user_id, text=TO_BE_WRITTEN, source=source)


TO_BE_WRITTEN = "(to be written from the pages that are found)"


def is_to_be_written(query: Query) -> bool:
    return query.text == TO_BE_WRITTEN


def people_of(world: World, user_id: str | None) -> People:
    """Who a task must not tell of: its user."""
    if user_id is None:
        return People()
    orders = frozenset(order.order_id for order in world.store.orders(user_id).orders)
    return People((world.store.user(user_id),), frozenset({user_id}), orders)


def begin_build(to: Path, settings: BuildSettings, wanted: Collection[str]) -> date:
    """The day on which the build in ``to`` was begun, which is that of the settings for a new folder.

    Raises UserError where ``to`` holds something that was not begun with these settings, or tasks of queries that are
    none of the ``wanted`` ids: a sandbox has the tasks of the last build.
    """
    path = to / BUILDING / SETTINGS_FILE
    if path.exists():
        kept = BuildSettings.model_validate(read_json(path))
        here = settings.model_copy(update={"day": kept.day})
        if other := [name for name in BuildSettings.model_fields if getattr(kept, name) != getattr(here, name)]:
            settings_text = ", ".join(f"{name} {getattr(kept, name)}" for name in other)
            raise UserError(f"{to} was begun with {settings_text}: go on with the same, or name a new folder.")
        existing = read_documents(to / QUERIES_FILE, Query, "query")
        if others := [query.query_id for query in existing if query.query_id not in wanted]:
            raise UserError(f"{to} has tasks that this build would drop: {', '.join(others)}. Name a new folder.")
        return kept.day
    if to.exists() and (not to.is_dir() or any(to.iterdir())):
        raise UserError(f"{to} is not empty, and no build was cut there: name a new folder.")
    write_json(path, settings.model_dump(mode="json"))
    return settings.day


def _with_settled_needs(keywords: Keywords, kept: NeededPages) -> Keywords:
    """Without the needs that no kept page speaks of: the query will not ask for them."""
    numbers = {fact.need for page in kept.necessary if page.ruling is not None for fact in page.ruling.facts}
    needs = tuple(need for number, need in enumerate(keywords.needs, 1) if number in numbers)
    return keywords.model_copy(update={"needs": needs})


def _why_none(found: Gathered) -> str:
    reasons = [
        *(problem.rstrip(".") for problem in found.failed.values()),
        *(f"{count} pages: {state}" for state, count in found.unread.items()),
    ]
    return f" ({'; '.join(dict.fromkeys(reasons))})" if reasons else ""


def _why_unjudged(pages: Sequence[RuledPage]) -> str:
    problems = [page.problem for page in pages if page.ruling is None]
    return f" ({len(problems)} have no usable label, such as {problems[0]})" if problems else ""


def _supportive(page: RuledPage) -> LabelledPage:
    return LabelledPage(page.found.page, "supportive", "", page.found.keyword.text, _why(page))


def _distractor(page: RuledPage) -> LabelledPage:
    assert page.ruling is not None
    return LabelledPage(page.found.page, "distractor", KINDS[page.ruling.ruling], page.found.keyword.text, _why(page))


def _why(page: RuledPage) -> str:
    assert page.ruling is not None
    return " ".join([page.ruling.why.strip(), *(f"[{fact.fact.strip()}]" for fact in page.ruling.facts)])


def _noise(found: Gathered, pages: Sequence[RuledPage], kept: NeededPages) -> Sequence[LabelledPage]:
    """What noise keywords found, and what of signals is beside the question; without pages that quote a needed one."""
    beside: list[FoundPage] = [
        page.found for page in pages if page.ruling is not None and page.ruling.ruling == "irrelevant"
    ]
    of_noise = [page for page in found.pages if page.keyword.kind == "noise"]
    quotes = [fact.quote for page in kept.necessary if page.ruling is not None for fact in page.ruling.facts]
    long_quotes = [quote for quote in quotes if len(quote.split()) >= LONG_QUOTE]
    silent = (page for page in (*of_noise, *beside) if not any(is_on(quote, page.page.text) for quote in long_quotes))
    return [LabelledPage(page.page, "noise", "", page.keyword.text) for page in silent]


def _report(found: Gathered, pages: Sequence[RuledPage], kept: NeededPages, material: TaskMaterial) -> FoundReport:
    lost = [LeftOut(url=page.found.page.url, why=page.problem) for page in pages if page.ruling is None]
    again = [LeftOut(url=page.found.page.url, why=f"redundant: {_why(page)}") for page in kept.redundant]
    noise = tuple(material.noise)
    known = {distractor.page.url for distractor in (*material.supportive, *material.distractors, *noise)}
    known |= {page.url for page in (*lost, *again)}
    repeating = [page.page.url for page in found.pages if page.page.url not in known]
    return FoundReport(
        results=found.results,
        failed_keywords=found.failed,
        unread=dict(found.unread),
        duplicates=found.duplicates,
        personal_data=dict(found.personal),
        labels={"supportive": len(material.supportive), "distractors": len(material.distractors), "noise": len(noise)},
        left_out=(*lost, *again, *(LeftOut(url=url, why="noise that quotes a supportive page") for url in repeating)),
    )

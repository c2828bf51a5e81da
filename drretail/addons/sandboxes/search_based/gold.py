"""Which supportive pages a task needs, and whether they are enough (DR³-Eval, stage 3). The gold of its query: what a
good answer has to say and where it stands; with the checklist and the depth rubric.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from pydantic import Field

from drretail.addons.publications.dr3.score import NAME, VERSION, prepare
from drretail.addons.sandboxes.folder import BUILDING
from drretail.addons.sandboxes.search_based.asker import Asker, NotEnough, TaskFailed
from drretail.addons.sandboxes.search_based.pages import FoundPage, numbered_needs
from drretail.agents.page_reading import is_on
from drretail.env.offers import Offers
from drretail.env.summaries import Summaries
from drretail.env.web.sandbox import SandboxPage
from drretail.env.world import World
from drretail.eval.judging.criteria import STAGE, about_task
from drretail.eval.judging.question import VerdictFile
from drretail.eval.judging.session import Judge, JudgeSession
from drretail.eval.judging.subject import CriteriaTask
from drretail.llm.prompt import load_prompt, tagged
from drretail.records.base import Record, file_name
from drretail.records.criteria import Criteria, Fact, FactKind, GoldInsight, KnownAnswer, PartOfGold, RequiredDocument
from drretail.records.query import Query
from drretail.reports.text.evidence_ids import web_evidence_id
from drretail.shopping.listing import folded


class SaidGroup(Record):
    fact_numbers: list[int]
    needed: bool


class FactGroups(Record):
    """Facts that say the same, and whether an answer can do without them."""

    groups: list[SaidGroup]


class SettledNeed(Record):
    need: int
    answer: str
    pages: list[int]


class Settlement(Record):
    """What the pages settle, and what they leave open."""

    needs: list[SettledNeed]
    missing: list[str]


@dataclass(frozen=True, slots=True)
class NeededPages:
    """Supportive pages: the necessary ones, each with a needed fact that no other has, and the redundant ones."""

    necessary: tuple[FoundPage, ...]
    redundant: tuple[FoundPage, ...]


async def weigh_facts(
    asker: Asker, task: str, question: str, needs: Sequence[str], pages: Sequence[FoundPage]
) -> NeededPages:
    """The necessary and the redundant pages: a model groups their facts, and code chooses. Raises TaskFailed."""
    facts = [(number, fact) for number, page in enumerate(pages) for fact in page.facts]
    days = [page.page.date or "no date" for page in pages]
    lines = (f"{number}. (need {fact.need}, {days[page]}) {fact.fact}" for number, (page, fact) in enumerate(facts, 1))
    data = [tagged("query", question), numbered_needs(needs), tagged("facts", "\n".join(lines))]

    def misgrouped(answer: FactGroups) -> str | None:
        numbers, all_numbers = (
            [number for group in answer.groups for number in group.fact_numbers],
            range(1, len(facts) + 1),
        )
        if sorted(numbers) != list(all_numbers):
            wrong = sorted({*numbers} ^ {*all_numbers} | {number for number in numbers if numbers.count(number) > 1})
            in_words = ", ".join(map(str, wrong))
            return f"each number from 1 to {len(facts)} has to stand in exactly one group; look at {in_words}"
        is_any_needed = any(group.needed for group in answer.groups)
        return None if is_any_needed else "no group is needed: which of them decide the answer?"

    grouping = await asker.ask(f"{task}/weigh", load_prompt(__file__, "weigh"), data, FactGroups, misgrouped)
    has: dict[int, set[int]] = {number: set() for number in range(len(pages))}
    for group, members in enumerate(grouping.groups):
        for number in members.fact_numbers if members.needed else ():
            has[facts[number - 1][0]].add(group)
    cover = smallest_cover(has, {number: len(page.page.text) for number, page in enumerate(pages)})
    return NeededPages(
        tuple(page for number, page in enumerate(pages) if number in cover),
        tuple(page for number, page in enumerate(pages) if number not in cover),
    )


def smallest_cover(has: Mapping[int, set[int]], length: Mapping[int, int]) -> set[int]:
    """Pages that together have all of these facts; leaving any one out would lose a fact.

    It is greedy: the page with most of the missing facts comes first, and among equals the shortest.
    """
    lacking: set[int] = set().union(*has.values())
    taken: list[int] = []
    while lacking:
        best = min(has, key=lambda page: (-len(has[page] & lacking), length[page], page))
        taken.append(best)
        lacking -= has[best]
    # A page taken early may be redundant by now, given those taken after it.
    for page in list(taken):
        others = set[int]().union(*(has[other] for other in taken if other != page))
        if has[page] <= others:
            taken.remove(page)
    return set(taken)


async def check_settled(
    asker: Asker, name: str, question: str, needs: Sequence[str], pages: Sequence[SandboxPage], files: Sequence[str]
) -> None:
    """Raises NotEnough if these pages and files alone do not suffice for an answer, and TaskFailed.

    ``files`` are the user's files in tags.
    """
    data = [tagged("query", question), numbered_needs(needs), *page_tags(pages), *files]

    def misnumbered(answer: Settlement) -> str | None:
        if sorted(need.need for need in answer.needs) != list(range(1, len(needs) + 1)):
            return f"each need from 1 to {len(needs)} has to be answered once"
        if strange := [number for need in answer.needs for number in need.pages if not 1 <= number <= len(pages)]:
            return f"there is no page {strange[0]}: they go from 1 to {len(pages)}"
        return None

    settlement = await asker.ask(name, load_prompt(__file__, "settle"), data, Settlement, misnumbered)
    unsettled = {needs[need.need - 1]: need.answer for need in settlement.needs if not need.pages}
    missing = [*(f"{need} ({why})" for need, why in unsettled.items()), *filter(str.strip, settlement.missing)]
    if missing:
        raise NotEnough(f"the pages are not enough: {'; '.join(map(str.strip, missing))}", tuple(unsettled))


def page_tags(pages: Sequence[SandboxPage]) -> list[str]:
    """Each page in a tag with its number, from 1."""
    return [
        tagged("page", page.text, id=str(number), title=page.title, date=page.date or "unknown")
        for number, page in enumerate(pages, 1)
    ]


TEXTS = (".md", ".txt", ".csv")
LONGEST = 20_000
"""Characters of a user's file that a model is shown."""


def text_files(files: Mapping[str, bytes]) -> dict[str, str]:
    """The text files, by name; images are left out, since a model is not shown them."""
    return {
        name: content.decode("utf-8", "replace")
        for name, content in sorted(files.items())
        if PurePath(name).suffix.lower() in TEXTS
    }


def file_tags(files: Mapping[str, bytes]) -> list[str]:
    """Each text file in a tag with its name."""
    return [tagged("file", text[:LONGEST], name=name) for name, text in text_files(files).items()]


class SaidInsight(Record):
    insight: str = Field(min_length=1)
    source: str
    quote: str = Field(min_length=1)


class SaidOfProduct(Record):
    product_id: str
    fact: FactKind
    source: str
    quote: str = Field(min_length=1)


class WrittenGold(Record):
    """What an answer either has or lacks, and what pages establish about products, each with where it stands."""

    insights: list[SaidInsight]
    facts: list[SaidOfProduct] = Field(default_factory=list[SaidOfProduct])


async def gold_of(
    asker: Asker,
    query: Query,
    pages: Sequence[SandboxPage],
    files: Mapping[str, bytes],
    world: World,
) -> tuple[KnownAnswer, tuple[Fact, ...]]:
    """The gold of a query, and what pages establish about products that might do, of brands that the pages name.

    Every quote occurs in its page or file. Raises TaskFailed.
    """
    texts = {str(number): page.text for number, page in enumerate(pages, 1)} | text_files(files)
    folded_pages = {str(number): f" {folded(f'{page.title} {page.text}')} " for number, page in enumerate(pages, 1)}
    things = Offers(world).reference(query).things
    might_do = {fit.product_id for thing in things for fit in (*thing.fits, *thing.undecided)}
    brands = {
        key: f" {folded(product.brand or key)} " for key, product in world.store.products(sorted(might_do)).items()
    }
    on_pages = [key for key, brand in brands.items() if any(brand in text for text in folded_pages.values())]
    titles = [f"{key}: {product.title}" for key, product in world.store.products(on_pages).items()]
    shelf = tagged("shelf", "\n".join(titles) or "none")
    data = [tagged("query", query.text), *page_tags(pages), *file_tags(files), shelf]

    def problem(answer: WrittenGold) -> str | None:
        for fact in answer.facts:
            is_named = fact.source in folded_pages and brands.get(fact.product_id, "?") in folded_pages[fact.source]
            if not (is_named and is_on(fact.quote, texts[fact.source])):
                return f"page {fact.source} does not say of {fact.product_id}, letter for letter: {fact.quote}"
        return _unfounded(answer, texts, len(pages))

    prompt = load_prompt(__file__, "gold")
    written = await asker.ask(f"{query.query_id}/gold", prompt, data, WrittenGold, problem)
    places = {str(number): page.url for number, page in enumerate(pages, 1)}
    of_pages = [insight for insight in written.insights if insight.source in places]
    others = [insight for insight in written.insights if insight.source not in places]
    sources = dict.fromkeys(insight.source for insight in others)
    gold = KnownAnswer(
        query_id=query.query_id,
        files=PartOfGold(
            insights=tuple(_insight(f"f{number}", insight, insight.source) for number, insight in enumerate(others, 1)),
            documents=tuple(RequiredDocument(title=name) for name in sources),
        ),
        sandbox=PartOfGold(
            insights=tuple(
                _insight(f"s{number}", insight, places[insight.source]) for number, insight in enumerate(of_pages, 1)
            ),
            documents=tuple(RequiredDocument(title=page.title, url=page.url) for page in pages),
        ),
    )
    facts = (
        Fact(product_id=fact.product_id, fact=fact.fact, source=web_evidence_id(places[fact.source]))
        for fact in written.facts
    )
    return gold, tuple(dict.fromkeys(facts))


async def make_criteria(asker: Asker, query: Query, world: World, folder: Path) -> Criteria:
    """The checklist and the depth rubric, made as in the metric dr3 for any experiment. Raises TaskFailed."""
    path = folder / BUILDING / "criteria" / f"{file_name(query.query_id)}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    profile = None if query.user_id is None else Summaries(world).of(query.user_id, query.text)
    task = CriteriaTask(query, profile, world.store, world.manifest.now, folder)
    about = about_task(task)
    session = JudgeSession(
        Judge.of(asker.session.model),
        VerdictFile(path),
        metric=NAME,
        version=VERSION,
        run_id=about["run_id"],
        report_sha=about["report_sha"],
        again="failed" if asker.retry_failed else "nothing",
        allowance=asker.allowance,
    )
    with session:
        before = session.usage
        asker.allowance.count(before)
        failure = session.existing(STAGE, query.query_id)
        if failure is not None:
            raise TaskFailed(failure.error or "no criteria were made")
        try:
            criteria = await prepare(task, session)
        finally:
            asker.other_usage.append((session.usage, before.calls))
        if isinstance(criteria, str):
            session.record(STAGE, query.query_id, "failed", error=criteria)
            raise TaskFailed(criteria)
    return criteria


def _insight(name: str, insight: SaidInsight, place: str) -> GoldInsight:
    return GoldInsight(id=name, text=insight.insight.strip(), stands_in=place, quote=" ".join(insight.quote.split()))


def _unfounded(answer: WrittenGold, texts: Mapping[str, str], pages: int) -> str | None:
    sources = [insight.source for insight in answer.insights]
    if strange := [source for source in sources if source not in texts]:
        return f"there is no source {strange[0]!r}: they are {', '.join(texts)}"
    if wrong := [insight.quote for insight in answer.insights if not is_on(insight.quote, texts[insight.source])]:
        return f"these words don't stand in their source, letter for letter in one piece: {' | '.join(wrong)}"
    if bare := [number for number in map(str, range(1, pages + 1)) if number not in sources]:
        return f"nothing is said of page {', '.join(bare)}, and each page is there because something needs it"
    return None

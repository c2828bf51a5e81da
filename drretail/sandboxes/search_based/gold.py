"""The gold of a query: what a good answer has to say and where it stands; with the checklist and the depth rubric."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from drretail.agents.page_reading import is_on
from drretail.env.offers import Offers
from drretail.env.summaries import Summaries
from drretail.env.web.sandbox import SandboxPage
from drretail.env.world import World
from drretail.eval.families.dr3.judge import FAMILY, VERSION, prepare
from drretail.eval.judging.criteria import STAGE, about_task
from drretail.eval.judging.session import Judge, JudgeSession
from drretail.eval.judging.subject import Task
from drretail.eval.judging.verdicts import VerdictFile
from drretail.grounding.constraints.listing import folded
from drretail.grounding.report.evidence_ids import web_evidence_id
from drretail.prompts import load_prompt, tagged
from drretail.records.base import Record
from drretail.records.criteria import Criteria, Fact, FactKind, GoldInsight, KnownAnswer, PartOfGold, RequiredDocument
from drretail.records.ids import file_name
from drretail.records.query import Query
from drretail.records.shop import Product
from drretail.sandboxes.folder import BUILDING
from drretail.sandboxes.search_based.asker import Asker, TaskFailed
from drretail.sandboxes.search_based.coverage import page_tags
from drretail.sandboxes.search_based.files import file_tags, texts_of


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


def is_known(gold: KnownAnswer) -> bool:
    """True if the gold has any insight."""
    return bool(gold.files.insights or gold.sandbox.insights)


class Truth(NamedTuple):
    """What is known about the answer to a query, and what its pages establish about the shop's products."""

    gold: KnownAnswer
    facts: tuple[Fact, ...] = ()


def products_named(world: World, query: Query, pages: Sequence[SandboxPage]) -> list[Product]:
    """What would do, or might, for a query's wants, of brands that a page names."""
    things = Offers(world).reference(query.with_facts(())).things
    ids = {fit.product_id for thing in things for fit in (*thing.fits, *thing.undecided)}
    products = world.store.products(sorted(ids)).values()
    return [product for product in products if any(_names_brand(page, product) for page in pages)]


def _names_brand(page: SandboxPage, product: Product) -> bool:
    brand = folded(product.brand or "")
    return bool(brand) and f" {brand} " in f" {folded(page.title)} {folded(page.text)} "


async def gold_of(
    asker: Asker,
    query: Query,
    pages: Sequence[SandboxPage],
    files: Mapping[str, bytes],
    products: Sequence[Product],
    *,
    of_files: bool,
) -> Truth:
    """What is known about a query; the quote of every insight and fact occurs in its page or file. Raises TaskFailed.

    With ``of_files``, at least one insight has to come from a file, if there are any: the query was written to need
    them. Facts are about ``products``, in pages that name their brands.
    """
    texts = {str(number): page.text for number, page in enumerate(pages, 1)} | texts_of(files)
    sold = (f"{product.product_id}: {product.title}" for product in products)
    data = [
        tagged("query", query.text),
        *page_tags(pages),
        *file_tags(files),
        tagged("shelf", "\n".join(sold) or "none"),
    ]
    name, prompt = f"{query.query_id}/gold", load_prompt(__file__, "gold")
    by_id = {product.product_id: product for product in products}

    def problem(answer: WrittenGold) -> str | None:
        return _unfounded(answer, texts, len(pages), of_files=of_files) or _wrong_fact(answer, pages, by_id)

    written = await asker.ask(name, prompt, data, WrittenGold, problem)
    places = {str(number): page.url for number, page in enumerate(pages, 1)}
    established = (
        Fact(product_id=said.product_id, fact=said.fact, source=web_evidence_id(places[said.source]))
        for said in written.facts
    )
    of_pages = [insight for insight in written.insights if insight.source in places]
    others = [insight for insight in written.insights if insight.source not in places]
    named = dict.fromkeys(insight.source for insight in others)
    gold = KnownAnswer(
        query_id=query.query_id,
        files=PartOfGold(
            insights=tuple(_insight(f"f{number}", insight, insight.source) for number, insight in enumerate(others, 1)),
            documents=tuple(RequiredDocument(title=name) for name in named),
        ),
        sandbox=PartOfGold(
            insights=tuple(
                _insight(f"s{number}", insight, places[insight.source]) for number, insight in enumerate(of_pages, 1)
            ),
            documents=tuple(RequiredDocument(title=page.title, url=page.url) for page in pages),
        ),
    )
    return Truth(gold, tuple(dict.fromkeys(established)))


async def criteria_of(asker: Asker, query: Query, world: World, folder: Path) -> Criteria:
    """The checklist and the depth rubric, made as in ``eval.families.dr3`` for any experiment. Raises TaskFailed."""
    path = folder / BUILDING / "criteria" / f"{file_name(query.query_id)}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    profile = None if query.user_id is None else Summaries(world).of(query.user_id, query.text)
    task = Task(query, profile, world.store, world.manifest.now, folder)
    about = about_task(task)
    session = JudgeSession(
        Judge.of(asker.model),
        VerdictFile(path),
        metric=FAMILY,
        version=VERSION,
        run_id=about["run_id"],
        report_sha=about["report_sha"],
        again="failed" if asker.retry_failed else "nothing",
        allowance=asker.allowance,
    )
    with session:
        before = session.usage
        asker.allowance.count(before, asker.model.price)
        failure = session.existing(STAGE, query.query_id)
        if failure is not None:
            raise TaskFailed(failure.error or "no criteria were made")
        try:
            made = await prepare(task, session)
        finally:
            asker.beside.append((session.usage, before.calls))
        if isinstance(made, str):
            session.record(STAGE, query.query_id, "failed", error=made)
            raise TaskFailed(made)
    return made


def _insight(name: str, insight: SaidInsight, place: str) -> GoldInsight:
    return GoldInsight(id=name, text=insight.insight.strip(), stands_in=place, quote=" ".join(insight.quote.split()))


def _wrong_fact(answer: WrittenGold, pages: Sequence[SandboxPage], products: Mapping[str, Product]) -> str | None:
    """What is wrong with the facts about products, or None."""
    for said in answer.facts:
        page = next((page for number, page in enumerate(pages, 1) if str(number) == said.source), None)
        product = products.get(said.product_id)
        if page is None or product is None:
            return (
                f"a fact has the number of a page and an id of the products; {said.product_id} in {said.source} has not"
            )
        if not is_on(said.quote, page.text):
            return f"these words don't stand in their page, letter for letter in one piece: {said.quote}"
        if not _names_brand(page, product):
            return (
                f"page {said.source} does not name {product.brand}: a fact about {said.product_id} is on another page"
            )
    return None


def _unfounded(answer: WrittenGold, texts: Mapping[str, str], pages: int, *, of_files: bool) -> str | None:
    sources = [insight.source for insight in answer.insights]
    if strange := [source for source in sources if source not in texts]:
        return f"there is no source {strange[0]!r}: they are {', '.join(texts)}"
    if wrong := [insight.quote for insight in answer.insights if not is_on(insight.quote, texts[insight.source])]:
        return f"these words don't stand in their source, letter for letter in one piece: {' | '.join(wrong)}"
    if bare := [number for number in map(str, range(1, pages + 1)) if number not in sources]:
        return f"nothing is said of page {', '.join(bare)}, and each page is there because something needs it"
    if of_files and len(texts) > pages and {*map(str, range(1, pages + 1))}.issuperset(sources):
        return f"nothing is said of any file, and the question turns on one: {', '.join([*texts][pages:])}"
    return None

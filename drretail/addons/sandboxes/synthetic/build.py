"""Builds sandboxes from the catalog alone: the same bytes for the same seed."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import count, cycle
from pathlib import Path
from random import Random
from typing import NamedTuple

from drretail.addons.sandboxes.folder import (
    CHARACTERS_OF_A_TOKEN,
    COUNTER,
    Keyword,
    Keywords,
    LabelledPage,
    TaskMaterial,
    WrittenTask,
    page_tokens,
    write_sandbox,
    write_task,
)
from drretail.addons.sandboxes.synthetic.facts import PlantedFact, PlantedFile, planted_facts, user_files
from drretail.addons.sandboxes.synthetic.needs import SandboxNeed, need_of, subjects_of
from drretail.addons.sandboxes.synthetic.pages import (
    LONGEST,
    Subject,
    Topic,
    drawn_length,
    others_for,
    texts,
    write_page,
)
from drretail.env.catalog.base import CatalogQuery
from drretail.env.offers import Offers
from drretail.env.web.bm25 import Bm25
from drretail.env.web.sandbox import FLOOR, LEAST_PAGES, SANDBOX_FILE, SandboxFolder, SandboxPage, read_sandbox
from drretail.env.world import World
from drretail.errors import UserError
from drretail.files import check_new, made_whole
from drretail.querygen.kinds import is_plural
from drretail.records.criteria import Fact, GoldInsight, KnownAnswer, PartOfGold, RequiredDocument
from drretail.records.query import Query
from drretail.records.shop import Product
from drretail.reports.text.evidence_ids import web_evidence_id

KEYWORDS = 10
_FEWEST = 4
"""The fewest products of a theme: with fewer, its pages repeat themselves."""
_ANGLES = {1: ("recall", "price history", "test", "label"), 2: ("recall", "test price")}
_ANGLE_OF_MORE = ("recall test price",)


class Theme(NamedTuple):
    """A noise keyword, and what its pages are about."""

    keyword: str
    name: str
    products: tuple[Product, ...]


def signal_keywords(need: SandboxNeed) -> dict[str, str]:
    """The thing that each signal keyword is about, by keyword. Some also name what is demanded of the thing."""
    return {
        " ".join(filter(None, (thing.must if "test" in angle else None, thing.name, angle))): thing.name
        for thing in need.things
        for angle in _ANGLES.get(len(need.things), _ANGLE_OF_MORE)
    }


def themes(need: SandboxNeed, products: Iterable[Product], count: int, random: Random) -> list[Theme]:
    """Noise themes: shelves that the question does not concern, each looked at in one way."""
    wanted = {fit.product_id for thing in need.things for fit in thing.fits}
    names = {thing.name.casefold().split()[-1] for thing in need.things}
    groups: dict[str, list[Product]] = {}
    for product in products:
        about = f"{product.title} {' '.join(product.categories[-1:])}".casefold()
        if product.product_id not in wanted and not any(name in about for name in names):
            path = product.categories
            shelf = path[1] if len(path) > 1 else (path[0] if path else product.category).replace("_", " ")
            groups.setdefault(shelf.lower(), []).append(product)
    shelves = [name for name, of in groups.items() if len(of) >= _FEWEST] or sorted(groups)
    random.shuffle(shelves)
    angles = random.sample(texts("sentences")["angles"], len(texts("sentences")["angles"]))
    looked_at = zip(range(count), cycle(shelves), cycle(angles), strict=False)
    return [Theme(f"{name} {angle}", f"{name}: {angle}", tuple(groups[name])) for _, name, angle in looked_at]


def _plural(thing: str) -> str:
    """The plural of what a query asks for: "diaper bags"."""
    if is_plural(thing.rsplit(" ", 1)[-1]):
        return thing
    stem = f"{thing[:-1]}ie" if re.search("[^aeiou]y$", thing) else thing
    return f"{stem}es" if stem.endswith(("s", "x", "sh", "ch")) else f"{stem}s"


MOST_PRODUCTS = 3000
"""The most products that pages mention besides the fits; a larger shop's others are left out."""
RESULTS = 100
"""Results per keyword, as in the paper: a page that none of the ten keywords finds among them is left out."""
_NEEDED = 0.6
"""The largest share of the smallest size for the pages with the facts, whatever lengths are drawn."""
DISTRACTING = 0.15
"""The approximate share of the largest size's tokens for which distractors are made."""
_SPARE = 1.1
"""Noise is made for this multiple of the largest size, since pages that no keyword finds are left out."""


def build_offline(
    world: World,
    queries: Sequence[Query],
    to: Path,
    sizes: Mapping[str, int],
    seed: str,
    note: Callable[[str], None] = lambda _: None,
) -> list[str]:
    """Writes the sandbox and returns its sizes. ``note`` gets a sentence for each thing that the sandbox lacks.

    Raises UserError if ``to`` is not empty, or if the shop offers nothing for a query.
    """
    if (to / SANDBOX_FILE).exists():
        raise UserError(f"{to} is a finished sandbox: for another, name a new folder.")
    check_new(to)
    offers = Offers(world)
    needs = [need_of(world, offers, query) for query in queries]  # all needs are found before anything is written
    for need in needs:
        if need.without_fits:
            popular = " and ".join(thing.name for thing in need.things)
            note(f"{need.query.query_id}: {need.without_fits}, so its pages are about popular products: {popular}.")
    hits = world.catalog.search(CatalogQuery("", limit=MOST_PRODUCTS)).hits
    shop = list(world.store.products([hit.product_id for hit in hits]).values())
    fits = {product.product_id: product for need in needs for thing in need.things for product in thing.fits}
    subjects = subjects_of((fits | {product.product_id: product for product in shop}).values())
    about = SandboxFolder(
        world_fingerprint=world.manifest.fingerprint, now=world.manifest.now, seed=seed, sizes=dict(sizes),
        counter=COUNTER, web="offline", made_by="offline",
    )  # fmt: skip
    tasks: list[WrittenTask] = []
    with made_whole(to) as folder:
        for need in needs:
            maker = _TaskMaker(world, need, shop, subjects, Random(f"{seed}/{need.query.query_id}"))
            material = maker.material(sizes)
            tasks.append(write_task(folder, material, sizes))
        notes = write_sandbox(folder, about, tasks)
    for sentence in notes:
        note(sentence)
    return read_sandbox(to).names


class _TaskMaker:
    def __init__(
        self, world: World, need: SandboxNeed, shop: Sequence[Product], subjects: Mapping[str, Subject], random: Random
    ) -> None:
        """``shop`` are the products that pages are made of, ``subjects`` what pages call these and all fits."""
        self.world, self.need, self.shop, self.subjects, self.random = world, need, shop, subjects, random
        self.today = world.manifest.now.date()

    def material(self, sizes: Mapping[str, int]) -> TaskMaterial:
        """The whole task: enough pages for the largest size, and pages with facts that fit into the smallest."""
        tokens, need = max(sizes.values()), self.need
        facts = planted_facts(need, self.subjects, self.today, self.random)
        signals = signal_keywords(need)
        noise_themes = themes(need, self.shop, KEYWORDS - len(signals), self.random)
        files = user_files(need, self.world.store, self.random)
        longest = int(min(sizes.values()) * CHARACTERS_OF_A_TOKEN * _NEEDED / len(facts))
        supportive: list[LabelledPage] = []
        for fact in facts:
            kind, age = self.random.choice(fact.form["pages"]), self.random.randint(2, 19)
            page = self._signal(fact, kind, fact.text, age, longest)
            supportive.append(LabelledPage(page, "supportive", fact.form["kind"], why=fact.meaning))
        distractors = list(_up_to(self._distractors(facts), tokens * DISTRACTING))
        noise = list(_up_to(self._noise(noise_themes), tokens * _SPARE))
        why = "Of the same shop, and no part of the question."
        chosen = [
            *(Keyword(text=signal, kind="signal", why=f"What decides between the {_plural(thing)} that fit.")
              for signal, thing in signals.items()),
            *(Keyword(text=theme.keyword, kind="noise", why=why) for theme in noise_themes),
        ]  # fmt: skip
        found = list(_found_by([keyword.text for keyword in chosen], [*supportive, *distractors, *noise]))
        established = tuple(
            Fact(
                product_id=fact.product.product_id, fact=fact.form["establishes"], source=web_evidence_id(page.page.url)
            )
            for fact, page in zip(facts, supportive, strict=True)
            if "establishes" in fact.form
        )
        return TaskMaterial(
            query=need.query.with_facts(established),
            keywords=Keywords(convergent=tuple(chosen)),
            supportive=tuple(page for page in found if page.label == "supportive"),
            distractors=tuple(page for page in found if page.label == "distractor"),
            noise=[page for page in found if page.label == "noise"],
            files={file.name: file.content for file in files},
            gold=_gold(need.query, files, facts, supportive),
        )

    def _distractors(self, facts: Sequence[PlantedFact]) -> Iterator[LabelledPage]:
        """An endless series of traps: one for each fact in turn, of another kind in each round."""
        for number in count():
            for at, fact in enumerate(facts, 1):
                trap, text, why = fact.trap(number, self.random, f"s{at}")
                age = self.random.randint(500, 2200) if trap == "outdated" else self._age()
                yield LabelledPage(self._signal(fact, self._kind(), text, age), "distractor", trap, why=why)

    def _signal(self, fact: PlantedFact, kind: str, statement: str, age: int, longest: int = LONGEST) -> SandboxPage:
        """A page with the statement, on the fact's product beside fits and others of its category."""
        own, category = self.subjects[fact.product.product_id], fact.product.category
        thing = next(thing for thing in self.need.things if thing.name == fact.thing)
        fitting = [self.subjects[fit.product_id] for fit in thing.fits if fit.product_id != fact.product.product_id]
        length, fits = min(drawn_length(self.random), longest), {fit.product_id for fit in thing.fits}
        near = [product for product in self.shop if product.category == category and product.product_id not in fits]
        beside = others_for(length, (self.subjects[product.product_id] for product in near), own, self.random)
        others = [*self.random.sample(fitting, min(len(fitting), 3)), *beside]
        return self._page(kind, Topic(_plural(fact.thing), own, others), length, age, statement)

    def _noise(self, noise_themes: Sequence[Theme]) -> Iterator[LabelledPage]:
        while noise_themes:
            for theme in noise_themes:
                of, length = [self.subjects[each.product_id] for each in theme.products], drawn_length(self.random)
                focus = self.random.choice(of)
                topic = Topic(theme.name, focus, others_for(length, of, focus, self.random))
                yield LabelledPage(self._page(self._kind(), topic, length, self._age()), "noise", keyword=theme.keyword)

    def _kind(self) -> str:
        return self.random.choice([*texts("sentences")["kinds"]])

    def _age(self) -> int:
        """The page's age in days. A third are as new as the pages with the facts, so that dates give nothing away."""
        return self.random.randint(2, 19) if self.random.random() < 0.35 else self.random.randint(20, 1500)

    def _page(self, kind: str, topic: Topic, length: int, age: int, statement: str = "") -> SandboxPage:
        return write_page(kind, topic, length, self.today - timedelta(days=age), self.random, statement)


def _up_to(pages: Iterator[LabelledPage], tokens: float) -> Iterator[LabelledPage]:
    for page in pages:
        yield page
        tokens -= page_tokens(page.page)
        if tokens <= 0:
            return


def _found_by(keywords: Sequence[str], pages: Sequence[LabelledPage]) -> Iterator[LabelledPage]:
    """The pages that a keyword finds among all, each with its own keyword if that finds it, else the best for it."""
    index = Bm25([(page.page.title, page.page.text) for page in pages], LEAST_PAGES)
    ranks: list[dict[str, int]] = [{} for _ in pages]
    for keyword in keywords:
        floor = FLOOR * index.ceiling(keyword)
        scored = sorted(index.scores(keyword).items(), key=lambda score: (-score[1], pages[score[0]].page.url))
        for rank, (number, score) in enumerate(scored[:RESULTS]):
            if score >= floor:
                ranks[number][keyword] = rank
    for page, of in zip(pages, ranks, strict=True):
        if of:
            yield replace(page, keyword=page.keyword if page.keyword in of else min(of, key=of.__getitem__))


def _gold(
    query: Query, files: Sequence[PlantedFile], facts: Sequence[PlantedFact], supportive: Sequence[LabelledPage]
) -> KnownAnswer:
    planted = [GoldInsight(id=f"f{n}", text=file.meaning, stands_in=file.name, quote=file.statement)
               for n, file in enumerate((file for file in files if file.statement), 1)]  # fmt: skip
    of_pages = [GoldInsight(id=f"s{n}", text=fact.meaning, stands_in=source.page.url, quote=fact.text)
            for n, (fact, source) in enumerate(zip(facts, supportive, strict=True), 1)]  # fmt: skip
    return KnownAnswer(
        query_id=query.query_id,
        files=PartOfGold(
            insights=tuple(planted),
            documents=tuple(RequiredDocument(title=file.name) for file in files),
        ),
        sandbox=PartOfGold(
            insights=tuple(of_pages),
            documents=tuple(RequiredDocument(title=page.page.title, url=page.page.url) for page in supportive),
        ),
    )

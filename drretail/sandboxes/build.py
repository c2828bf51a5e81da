"""The folder of sealed webs, made of the catalog alone: the same bytes for the same seed."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from random import Random

from drretail.env.catalog.base import CatalogQuery
from drretail.env.web.sealed import SandboxFolder
from drretail.env.world import World
from drretail.errors import UserError
from drretail.records.criteria import Gold, GoldInsight, PartOfGold, RequiredDocument
from drretail.records.query import Query
from drretail.records.shop import Product
from drretail.sandboxes.counting import BY_CHARACTERS
from drretail.sandboxes.facts import facts_of
from drretail.sandboxes.folder import WrittenTask, check_new, write_sandbox, write_task
from drretail.sandboxes.made_pages import OF_FACT, WRITERS, page_of
from drretail.sandboxes.material import Keywords, LabelledPage, TaskMaterial
from drretail.sandboxes.user_files import user_files

FACTS = 8
TRAPS = 3
"""Pages that repeat each sentence of a trap."""
MOST = 2000
"""Products that noise is made of."""


def build_offline(world: World, queries: Sequence[Query], to: Path, sizes: Mapping[str, int], seed: str) -> None:
    """Writes the sandbox. Raises UserError where ``to`` holds something, and where the catalog offers too little."""
    check_new(to)
    hits = world.catalog.search(CatalogQuery("", limit=MOST)).hits
    everything = list(world.store.products([it.product_id for it in hits]).values())
    tasks = [_build_task(world, it, everything, to, sizes, Random(f"{seed}/{it.query_id}")) for it in queries]
    about = SandboxFolder(
        world_fingerprint=world.manifest.fingerprint, now=world.manifest.now, seed=seed, sizes=dict(sizes),
        counter="characters/4", web="offline", made_by="offline",
    )  # fmt: skip
    write_sandbox(to, about, tasks)


def _build_task(
    world: World, query: Query, everything: Sequence[Product], to: Path, sizes: Mapping[str, int], random: Random
) -> WrittenTask:
    about = _about(world, query)
    today = world.manifest.now.date()
    facts = facts_of(about, random)
    supportive: list[LabelledPage] = []
    distractors: list[LabelledPage] = []
    for fact in facts:
        page = page_of(fact.product, OF_FACT[fact.kind], [fact.text], today, random.randint(5, 90), random)
        supportive.append(LabelledPage(page, "supportive", fact.kind, why=fact.text))
        for trap in fact.traps * TRAPS:
            kind = random.choice(list(WRITERS))
            page = page_of(fact.product, kind, [trap], today, random.randint(200, 1500), random)
            distractors.append(LabelledPage(page, "distractor", fact.kind, why=trap))
    random.shuffle(distractors)
    ours = {it.product_id for it in about} | {
        it.product_id for it in everything if it.category in query.constraints.categories
    }
    others = [it for it in everything if it.product_id not in ours] or list(everything)
    texts, planted = user_files(query, world.store, about[0], random)
    material = TaskMaterial(
        query=query,
        keywords=Keywords(convergent=()),
        supportive=tuple(supportive),
        distractors=tuple(distractors),
        noise=_noise(others, today, random),
        files={name: text.encode() for name, text in texts.items()},
        gold=_gold(query, planted, supportive),
    )
    return write_task(to, material, sizes, BY_CHARACTERS)


def _about(world: World, query: Query) -> list[Product]:
    """The products that the query's words find, of its categories, the best first."""
    wanted = query.constraints.categories or (None,)
    hits = [
        hit for it in wanted for hit in world.catalog.search(CatalogQuery(query.text, category=it, limit=FACTS)).hits
    ]
    ids = list(dict.fromkeys(it.product_id for it in hits))[:FACTS]
    if not ids:
        raise UserError(f"The shop offers nothing for the query {query.query_id}: leave it out.")
    found = world.store.products(ids)
    return [found[it] for it in ids]


def _noise(products: Sequence[Product], today: date, random: Random) -> Iterator[LabelledPage]:
    while True:
        page = page_of(
            random.choice(products), random.choice(list(WRITERS)), [], today, random.randint(5, 1500), random
        )
        yield LabelledPage(page, "noise")


def _gold(query: Query, planted: Mapping[str, str], supportive: Sequence[LabelledPage]) -> Gold:
    insights = [GoldInsight(id=f"f{n}", text=text, stands_in=name) for n, (name, text) in enumerate(planted.items(), 1)]
    told = [GoldInsight(id=f"s{n}", text=it.why, stands_in=it.page.url) for n, it in enumerate(supportive, 1)]
    pages = [RequiredDocument(title=it.page.title, url=it.page.url) for it in supportive]
    return Gold(
        query_id=query.query_id,
        files=PartOfGold(insights=tuple(insights), documents=tuple(RequiredDocument(title=it) for it in planted)),
        sandbox=PartOfGold(insights=tuple(told), documents=tuple(pages)),
    )

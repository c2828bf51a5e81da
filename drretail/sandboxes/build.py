"""The folder of sealed webs, made of the catalog alone: the same bytes for the same seed."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from random import Random

from drretail import __version__
from drretail.env.catalog.base import CatalogQuery
from drretail.env.web.sandbox import SandboxPage
from drretail.env.web.sealed import SANDBOX_FILE, SandboxFolder, task_folder
from drretail.env.world import World
from drretail.errors import UserError
from drretail.files import write_atomically, write_json, write_lines
from drretail.records.base import canonical_json
from drretail.records.criteria import Gold, GoldInsight, PartOfGold, RequiredDocument
from drretail.records.query import Query
from drretail.records.shop import Product
from drretail.sandboxes.facts import facts_of
from drretail.sandboxes.made_pages import OF_FACT, WRITERS, page_of
from drretail.sandboxes.sizes import placed
from drretail.sandboxes.user_files import user_files

FACTS = 8
TRAPS = 3
"""Pages that repeat each sentence of a trap."""
MOST = 2000
"""Products that noise is made of."""
Labelled = tuple[SandboxPage, str, str, str]
"""A page, its label, its kind, and why."""


def build_offline(world: World, queries: Sequence[Query], to: Path, sizes: Mapping[str, int], seed: str) -> None:
    """Writes the sandbox. Raises UserError where ``to`` holds something, and where the catalog offers too little."""
    if to.exists() and any(to.iterdir()):
        raise UserError(f"{to} is not empty: name a new folder.")
    hits = world.catalog.search(CatalogQuery("", limit=MOST)).hits
    everything = list(world.store.products([it.product_id for it in hits]).values())
    for query in queries:
        _build_task(
            world, query, everything, task_folder(to, query.query_id), sizes, Random(f"{seed}/{query.query_id}")
        )
    write_lines(to / "queries.jsonl", [it.as_line() for it in queries])
    about = SandboxFolder(
        world_fingerprint=world.manifest.fingerprint, now=world.manifest.now, seed=seed, sizes=dict(sizes),
        counter="characters/4", web="offline", made_by="offline", versions={"drretail": __version__},
    )  # fmt: skip
    write_json(to / SANDBOX_FILE, about.model_dump(mode="json"))  # last: without it the folder is no sandbox


def _build_task(
    world: World, query: Query, everything: Sequence[Product], folder: Path, sizes: Mapping[str, int], random: Random
) -> None:
    about = _about(world, query)
    today = world.manifest.now.date()
    facts = facts_of(about, random)
    supportive: list[Labelled] = []
    distractors: list[Labelled] = []
    for fact in facts:
        page = page_of(fact.product, OF_FACT[fact.kind], [fact.text], today, random.randint(5, 90), random)
        supportive.append((page, "supportive", fact.kind, fact.text))
        for trap in fact.traps * TRAPS:
            kind = random.choice(list(WRITERS))
            page = page_of(fact.product, kind, [trap], today, random.randint(200, 1500), random)
            distractors.append((page, "distractor", fact.kind, trap))
    random.shuffle(distractors)
    ours = {it.product_id for it in about} | {
        it.product_id for it in everything if it.category in query.constraints.categories
    }
    others = [it for it in everything if it.product_id not in ours] or list(everything)
    pages = placed(sizes, supportive, distractors, _noise(others, today, random), lambda it: _characters(it[0]))
    lines = [{**it[0].model_dump(exclude_none=True), "from": size} for size, it in pages]
    write_lines(folder / "pages.jsonl.gz", map(canonical_json, lines))
    labels = [{"url": it[0].url, "label": it[1], "kind": it[2], "why": it[3]} for _, it in pages]
    write_lines(folder / "labels.jsonl", map(canonical_json, labels))
    texts, planted = user_files(query, world.store, about[0], random)
    for name, text in texts.items():
        write_atomically(folder / "files" / name, text)
    write_json(folder / "gold.json", _gold(query, planted, supportive).model_dump(mode="json"))


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


def _noise(products: Sequence[Product], today: date, random: Random) -> Iterator[Labelled]:
    while True:
        page = page_of(
            random.choice(products), random.choice(list(WRITERS)), [], today, random.randint(5, 1500), random
        )
        yield page, "noise", "", ""


def _characters(page: SandboxPage) -> int:
    return len(page.title) + len(page.text)


def _gold(query: Query, planted: Mapping[str, str], supportive: Sequence[Labelled]) -> Gold:
    insights = [GoldInsight(id=f"f{n}", text=text, stands_in=name) for n, (name, text) in enumerate(planted.items(), 1)]
    told = [GoldInsight(id=f"s{n}", text=why, stands_in=page.url) for n, (page, _, _, why) in enumerate(supportive, 1)]
    pages = [RequiredDocument(title=page.title, url=page.url) for page, *_ in supportive]
    return Gold(
        query_id=query.query_id,
        files=PartOfGold(insights=tuple(insights), documents=tuple(RequiredDocument(title=it) for it in planted)),
        sandbox=PartOfGold(insights=tuple(told), documents=tuple(pages)),
    )

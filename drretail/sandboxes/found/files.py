"""The user's files of a task, and what of them a model is shown."""

from collections.abc import Mapping
from pathlib import Path, PurePath
from random import Random

from drretail.env.catalog.base import CatalogQuery
from drretail.env.world import World
from drretail.errors import UserError
from drretail.prompts import tagged
from drretail.records.query import Query
from drretail.records.shop import Product
from drretail.sandboxes.user_files import user_files

TEXTS = (".md", ".txt", ".csv")
LONGEST = 20_000
"""Characters of a file that are shown."""


def own_files(folder: Path, *names: str) -> dict[str, bytes] | None:
    """What lies in the first folder of these names in ``folder``; None where there is none, or nothing in it."""
    for name in names:
        found = {it.name: it.read_bytes() for it in sorted((folder / name).glob("*")) if it.is_file()}
        if found:
            return found
    return None


def check_own_files(folder: Path) -> None:
    """Raises UserError where ``folder`` is none."""
    if not folder.is_dir():
        raise UserError(f"There is no folder {folder}: it holds a folder of files for each query's or user's id.")


def texts_of(files: Mapping[str, bytes]) -> dict[str, str]:
    """The files that are text, by name; images are not shown."""
    return {
        name: content.decode("utf-8", "replace")
        for name, content in sorted(files.items())
        if PurePath(name).suffix.lower() in TEXTS
    }


def shown_files(files: Mapping[str, bytes]) -> list[str]:
    """Each text in its tag, with its name."""
    return [tagged("file", text[:LONGEST], name=name) for name, text in texts_of(files).items()]


def made_files(world: World, query: Query, seed: str) -> dict[str, bytes]:
    """Made-up files of the query's user: orders, a note, a manual. Raises UserError where the shop offers nothing."""
    texts, _ = user_files(query, world.store, _product(world, query), Random(f"{seed}/{query.query_id}"))
    return {name: text.encode() for name, text in texts.items()}


def _product(world: World, query: Query) -> Product:
    """What the files are about: what the query finds first; of one that is to be written, what was ordered last."""
    if query.user_id is not None and not query.is_typed:
        ordered = [it.product_id for it in world.store.orders(query.user_id).orders]
        known = world.store.products(ordered)
        if (newest := next((known[it] for it in ordered if it in known), None)) is not None:
            return newest
    category = next(iter(query.constraints.categories), None)
    hits = world.catalog.search(CatalogQuery(query.text, category=category, limit=1)).hits
    if not hits:
        raise UserError(f"The shop offers nothing for the query {query.query_id}: leave it out.")
    return world.store.product(hits[0].product_id)

"""The user's files of a task, and what a model is shown of them."""

from collections.abc import Mapping
from pathlib import Path, PurePath
from random import Random

from drretail.addons.sandboxes.synthetic.facts import Drawing, user_files
from drretail.addons.sandboxes.synthetic.needs import need_of
from drretail.env.offers import Offers
from drretail.env.world import World
from drretail.files import files_below
from drretail.llm.prompt import tagged
from drretail.records.query import Query

TEXTS = (".md", ".txt", ".csv")
LONGEST = 20_000
"""Characters of a file that a model is shown."""


def own_files(folder: Path, *names: str) -> dict[str, bytes] | None:
    """The files of the first of these folders that has any, without hidden files; None if none has."""
    for name in names:
        files = {path.name: path.read_bytes() for path in files_below(folder / name)}
        if files:
            return files
    return None


def texts_of(files: Mapping[str, bytes]) -> dict[str, str]:
    """The text files, by name; images are left out, since a model is not shown them."""
    return {
        name: content.decode("utf-8", "replace")
        for name, content in sorted(files.items())
        if PurePath(name).suffix.lower() in TEXTS
    }


def file_tags(files: Mapping[str, bytes]) -> list[str]:
    """Each text file in a tag with its name."""
    return [tagged("file", text[:LONGEST], name=name) for name, text in texts_of(files).items()]


def synthetic_files(world: World, query: Query, seed: str) -> dict[str, bytes]:
    """Made-up files of the query's user: orders, and a note, a manual and a receipt for what the query is most about.

    If the query is still to be written, they are about the user's last order. Raises UserError if the shop offers
    nothing for the query.
    """
    # The user's last order of a product that the shop still knows; None without a user.
    ids = [] if query.user_id is None else [order.product_id for order in world.store.orders(query.user_id).orders]
    products = world.store.products(ids)
    newest = next((products[product_id] for product_id in ids if product_id in products), None)
    if query.wish is None and newest is not None:
        query = query.model_copy(update={"text": newest.title})
    need = need_of(world, Offers(world), query)
    drawing = Drawing(Random(f"{seed}/{query.query_id}"), "")
    files = user_files(need, world.store, world.manifest.now.date(), drawing)
    return {file.name: file.content for file in files}

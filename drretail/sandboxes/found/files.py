"""The user's files of a task, and what of them a model is shown."""

from collections.abc import Mapping
from pathlib import Path, PurePath
from random import Random

from drretail.env.world import World
from drretail.errors import UserError
from drretail.prompts import tagged
from drretail.querygen.lint import References
from drretail.records.query import Query
from drretail.sandboxes.made.needs import need_of
from drretail.sandboxes.made.planting import Drawing
from drretail.sandboxes.made.user_files import user_files

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
    """Made-up files of the query's user: orders, a note, a manual, a receipt.

    Raises UserError where the shop offers nothing for it.
    """
    about = query if query.is_typed else query.model_copy(update={"text": _bought_last(world, query)})
    need = need_of(world, References(world), about)
    drawing = Drawing(Random(f"{seed}/{query.query_id}"), "")
    files = user_files(need, world.store, world.manifest.now.date(), drawing)
    return {it.name: it.content for it in files}


def _bought_last(world: World, query: Query) -> str:
    """What a query that is to be written may be about; its text for a user without orders."""
    orders = [] if query.user_id is None else [it.product_id for it in world.store.orders(query.user_id).orders]
    known = world.store.products(orders)
    return next((known[it].title for it in orders if it in known), query.text)

"""The user's files of a task, and what of them a model is shown."""

from collections.abc import Mapping
from pathlib import Path, PurePath
from random import Random

from drretail.env.world import World
from drretail.errors import UserError
from drretail.grounding.text.words import content_stems
from drretail.prompts import tagged
from drretail.querygen.lint import References
from drretail.records.query import Query
from drretail.records.shop import Product
from drretail.sandboxes.made.needs import need_of
from drretail.sandboxes.made.planting import Drawing
from drretail.sandboxes.made.user_files import user_files

TEXTS = (".md", ".txt", ".csv")
LONGEST = 20_000
"""Characters of a file that are shown."""


def own_files(folder: Path, *names: str) -> dict[str, bytes] | None:
    """What lies in the first folder of these names in ``folder``, hidden files aside; None where there is nothing."""
    for name in names:
        found = {it.name: it.read_bytes() for it in sorted((folder / name).glob("[!.]*")) if it.is_file()}
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
    """Made-up files of the query's user: orders, a note, a manual and a receipt of what the query speaks of most.

    Raises UserError where the shop offers nothing for it.
    """
    bought = _bought(world, query)
    if not query.is_typed and bought:
        query = query.model_copy(update={"text": bought[0].title})
    elif bought and not query.constraints.owned:
        words = set(content_stems(query.text))
        best = max(bought, key=lambda it: len(words & set(content_stems(it.title))))
        owned = query.constraints.model_copy(update={"owned": (best.product_id,)})
        query = query.model_copy(update={"constraints": owned})
    need = need_of(world, References(world), query)
    drawing = Drawing(Random(f"{seed}/{query.query_id}"), "")
    files = user_files(need, world.store, world.manifest.now.date(), drawing)
    return {it.name: it.content for it in files}


def _bought(world: World, query: Query) -> list[Product]:
    """What the query's user ordered, newest first."""
    ids = [] if query.user_id is None else [it.product_id for it in world.store.orders(query.user_id).orders]
    held = world.store.products(ids)
    return [held[it] for it in dict.fromkeys(ids) if it in held]

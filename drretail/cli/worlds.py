"""How commands come to a world."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from drretail.env.web.base import Web
    from drretail.env.world import World

DEMO = "demo"


@contextmanager
def opened_world(spec: str, *, quiet: bool = False, web: "Web | None" = None) -> "Generator[World]":
    """The world behind a ``--world`` value, closed afterwards; its web is the sandbox where none is given.

    "demo" is the built-in world, built on first use into the user's cache; a folder of that name is ``./demo``.
    Raises UserError when there is no such world.
    """
    from drretail.env.world import open_world

    with open_world(_demo_folder(quiet=quiet) if spec == DEMO else spec, web=web) as world:
        yield world


def _demo_folder(*, quiet: bool) -> "Path":
    from drretail.data_ingest.demo import ensure_demo_world
    from drretail.progress import choose_progress
    from drretail.settings import read_settings

    return ensure_demo_world(read_settings().cache_dir, choose_progress("none" if quiet else None))

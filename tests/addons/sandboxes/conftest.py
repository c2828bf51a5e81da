"""Sandboxes of made-up pages, which no test changes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from drretail.addons.sandboxes.folder import read_sizes
from drretail.addons.sandboxes.synthetic.build import build_offline
from drretail.api.worlds import open_world
from drretail.env.world import World
from drretail.querygen.reading import shipped_queries
from drretail.records.query import Query

QUERIES = shipped_queries("dev")[:2]


@pytest.fixture(scope="session")
def world() -> Iterator[World]:
    with open_world("demo") as opened:
        yield opened


def built(world: World, to: Path, sizes: str = "16k,32k", queries: tuple[Query, ...] = QUERIES) -> Path:
    build_offline(world, queries, to, read_sizes(sizes), "7")
    return to


@pytest.fixture(scope="session")
def small(world: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sandbox of two tasks, which no test changes."""
    return built(world, tmp_path_factory.mktemp("small") / "s")

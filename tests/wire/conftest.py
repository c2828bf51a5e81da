"""The tiny shop with one web page, for agents that are asked over the wire."""

from collections.abc import Iterator

import pytest

from drretail.env.web.sandbox import SandboxWeb
from drretail.env.world import World, open_world
from tests.cli.conftest import drretail, queries, shop
from tests.shop import PAGES, build

__all__ = ["drretail", "queries", "shop", "world"]  # the first three are fixtures of the command line, used here too


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = build(tmp_path_factory.mktemp("wire") / "world")
    with open_world(folder, web=SandboxWeb(PAGES)) as opened:
        yield opened

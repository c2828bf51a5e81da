"""One shop for all tests of the offline models."""

from collections.abc import Iterator

import pytest

from drretail.env.world import World

from .beauty import build_beauty_world
from .shop import build_world


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with build_world(tmp_path_factory.mktemp("shopper") / "world") as opened:
        yield opened


@pytest.fixture(scope="session")
def beauty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with build_beauty_world(tmp_path_factory.mktemp("beauty") / "world") as opened:
        yield opened

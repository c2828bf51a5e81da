"""One shop for all tests of the offline models."""

from collections.abc import Iterator

import pytest

from drretail.env.world import World

from .shop import build_world


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with build_world(tmp_path_factory.mktemp("shopper") / "world") as opened:
        yield opened

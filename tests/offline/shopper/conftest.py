"""One small shop for all tests of the shopper."""

from collections.abc import Iterator

import pytest

from drretail.env.world import World
from tests.offline.shopper.small_shop import build


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with build(tmp_path_factory.mktemp("shopper") / "world") as opened:
        yield opened

"""The demo's shop with its dev queries, opened once; and what policies do in it."""

from collections.abc import Iterator

import pytest

from drretail.data_ingest.demo import ensure_world
from drretail.gym import Shop, ShopEnv
from drretail.progress import Progress
from tests.gym.policies import QUERY


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    folder = ensure_world("demo", tmp_path_factory.mktemp("cache"), Progress())
    with Shop.open(folder, "dev") as opened:
        yield opened


@pytest.fixture
def env(shop: Shop) -> Iterator[ShopEnv]:
    with ShopEnv(shop) as made:
        made.reset(QUERY)
        yield made

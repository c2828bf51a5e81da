"""The demo's shop with its dev queries, opened once."""

from collections.abc import Iterator

import pytest

from drretail.addons.gym import Shop, ShopEnv
from tests.addons.gym.policies import QUERY


@pytest.fixture(scope="session")
def shop() -> Iterator[Shop]:
    with Shop.open("demo", "dev") as opened:
        yield opened


@pytest.fixture
def env(shop: Shop) -> Iterator[ShopEnv]:
    with ShopEnv(shop) as made:
        made.reset(QUERY)
        yield made

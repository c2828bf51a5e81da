"""The demo's shop with its dev queries, opened once."""

from collections.abc import Iterator

import pytest

from drretail.addons.gym import Shop, ShopEnv
from tests.addons.gym.policies import BAG, QUERY


@pytest.fixture(scope="session")
def shop() -> Iterator[Shop]:
    with Shop.open("demo", "dev") as opened:
        yield opened


@pytest.fixture
def env(shop: Shop) -> Iterator[ShopEnv]:
    """Of a query of two things that may be bought with more."""
    with Shop.open(shop.world, BAG) as opened, ShopEnv(opened) as made:
        made.reset(QUERY)
        yield made

"""The demo's shop with its dev queries, opened once, without and with what they ask the web."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from drretail.addons.gym import Shop, ShopEnv
from tests.addons.gym.policies import QUERY


@pytest.fixture(scope="session")
def researched() -> Iterator[Shop]:
    """Each query has a question to the web."""
    with Shop.open("demo", "dev") as opened:
        yield opened


@pytest.fixture(scope="session")
def shop(researched: Shop) -> Shop:
    """The same queries about the shop alone."""
    queries = {
        key: query.model_copy(update={"gold": query.gold and query.gold.model_copy(update={"web_question": None})})
        for key, query in researched.queries.items()
    }
    return replace(researched, queries=queries)


@pytest.fixture
def env(shop: Shop) -> Iterator[ShopEnv]:
    with ShopEnv(shop) as made:
        made.reset(QUERY)
        yield made

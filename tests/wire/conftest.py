"""The tiny shop with one web page, for agents that are asked over the wire."""

from collections.abc import Iterator

import pytest
from langchain_anthropic._client_utils import (
    _get_default_async_httpx_client,  # pyright: ignore[reportPrivateUsage]
)
from langchain_openai.chat_models._client_utils import (
    _cached_async_httpx_client,  # pyright: ignore[reportPrivateUsage]
)

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


@pytest.fixture(autouse=True)
def fresh_clients() -> Iterator[None]:
    """Clients keep connections by address, and a later test's server may get the port of an earlier one's."""
    yield
    _get_default_async_httpx_client.cache_clear()
    _cached_async_httpx_client.cache_clear()

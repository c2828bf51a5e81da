"""Tools and runs while a server is down, slow, overloaded or lost. Tests tools/toolkit.py."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from drretail.env.naming import ServerSettings
from drretail.env.session import Session, SessionSettings
from drretail.env.world import World, world_at
from drretail.tools.toolkit import Toolkit, ToolReply
from tests.env.servers.failures.own import FORTY, eventually, load
from tests.servers.proxy import Front, Proxy, always

pytestmark = pytest.mark.servers
USER = "A000000"
SEARCH = ("product_catalog_search", {"query": "bird feeder"})
OTHER_SEARCH = ("product_catalog_search", {"query": "feeder"})
"""A search that was not made before: a world remembers what it was told."""
DETAILS = ("get_product_details", {"product_id": "B000001"})
UNREAD = ("get_product_details", {"product_id": "B999999"})
"""Of a product that the shop lacks: those that a world has read it remembers."""
ORDER = ("get_order_details", {"order_id": "00000001"})
REMEMBERED = (DETAILS, ("get_user_orders", {"user_id": USER}), ("get_user_statistics", {"user_id": USER}))
READS = (*REMEMBERED, ORDER, ("get_user_profile", {"user_id": USER}))
Ask = Callable[..., ToolReply]


@pytest.fixture(scope="module")
def name(server_settings: ServerSettings, name_world: Callable[[], str]) -> str:
    """A small world on the servers."""
    made = name_world()
    load(server_settings, made, **FORTY)
    return made


@pytest.fixture
def world(name: str, behind_proxies: ServerSettings) -> Iterator[World]:
    with world_at(f"servers:{name}", servers=behind_proxies) as opened:
        yield opened


@pytest.fixture
def ask(world: World) -> Ask:
    toolkit = Toolkit(Session(SessionSettings(world, user_id=USER, scope="any")))
    return toolkit.call


def error_of(reply: ToolReply) -> tuple[str, str]:
    """Type and message; fails where the tool answered."""
    assert reply.error is not None, f"the tool answered: {reply.text[:100]}"
    error: dict[str, Any] = reply.value["error"]
    assert error["type"] == reply.error
    return error["type"], error["message"]


def test_tools_are_unavailable_without_their_server(ask: Ask, before_mongo: Proxy, before_elasticsearch: Proxy) -> None:
    answered = [ask(*call).value for call in READS]
    assert ask(*SEARCH).value["total"] == 40
    before_elasticsearch.refuse()
    assert ask(*SEARCH).value["total"] == 40
    kind, message = error_of(ask(*OTHER_SEARCH))
    assert kind == "unavailable"
    assert f"Elasticsearch at 127.0.0.1:{before_elasticsearch.port}" in message
    assert [ask(*call).value for call in READS] == answered
    before_elasticsearch.accept()
    assert ask(*OTHER_SEARCH).value["total"] == 40
    before_mongo.refuse()
    assert [ask(*call).value for call in REMEMBERED] == answered[: len(REMEMBERED)]
    for call in (UNREAD, ORDER):
        kind, message = error_of(ask(*call))
        assert kind == "unavailable"
        assert f"MongoDB at 127.0.0.1:{before_mongo.port}" in message
    before_mongo.accept()
    # Its client looks for a lost server twice a second.
    eventually(lambda: error_of(ask(*UNREAD))[0] == "not_found", "the database to be found again")
    assert [ask(*call).value for call in READS] == answered


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_server_is_asked_again_or_is_unavailable(name: str, mongo_url: str, front: Front, status: int) -> None:
    settings = ServerSettings(mongo_url=mongo_url, es_url=front.url, timeout=2)
    with world_at(f"servers:{name}", servers=settings) as world:
        toolkit = Toolkit(Session(SessionSettings(world, scope="any")))
        front.rule = lambda request: status if "search" in request.path and not front.refused else None
        assert toolkit.call(*SEARCH).value["total"] == 40
        assert front.refused == 1
        front.rule = always(status, "search")
        kind, message = error_of(toolkit.call(*OTHER_SEARCH))
        assert kind == "unavailable"
        assert str(status) in message
        front.rule = None
        assert toolkit.call(*OTHER_SEARCH).value["total"] == 40

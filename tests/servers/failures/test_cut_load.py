"""Loads whose server is lost: one sentence, what is live stays, and the same command begins anew."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from drretail.env.catalog.base import CatalogQuery
from drretail.env.manifest import Manifest
from drretail.env.servers.generations import check_servers
from drretail.env.servers.naming import ServerSettings
from drretail.env.world import world_at
from drretail.errors import UserError
from tests.servers.failures.own import FORTY, HISTORY, SHELF, SMALL, OwnServer, at, load, orders, products
from tests.servers.proxy import Front, Proxy

pytestmark = pytest.mark.servers


def check_load(settings: ServerSettings, name: str, embedded: Manifest) -> None:
    """A load that ends has every row of the shop once."""
    assert load(settings, name).fingerprint == embedded.fingerprint
    assert check_servers(f"servers:{name}", settings) == []


def tripped(stream: str, action: Callable[[], object]) -> dict[str, Any]:
    """The shop's rows; the action is done when half of one stream has been read."""
    rows: dict[str, list[Any]] = {"products": products(), "orders": orders()}
    return {**rows, stream: at(len(rows[stream]) // 2, action, rows[stream])}


@pytest.mark.parametrize("stream", ["products", "orders"])
def test_a_load_that_loses_mongodb_is_begun_anew(
    own_mongo: OwnServer, killable_mongo: ServerSettings, fresh_name: str, embedded: Manifest, stream: str
) -> None:
    try:
        with pytest.raises(UserError, match=rf"{own_mongo.port}\).*What is live is unchanged; run the same command"):
            load(killable_mongo, fresh_name, **tripped(stream, own_mongo.kill))
    finally:
        own_mongo.start()
    with pytest.raises(UserError, match="There is no world"):
        world_at(f"servers:{fresh_name}", servers=killable_mongo)
    check_load(killable_mongo, fresh_name, embedded)


def test_a_load_that_loses_elasticsearch_is_begun_anew_and_the_old_world_stays(
    server_settings: ServerSettings, before_elasticsearch: Proxy, fresh_name: str, embedded: Manifest
) -> None:
    load(server_settings, fresh_name, **FORTY)
    through = replace(server_settings, es_url=f"http://127.0.0.1:{before_elasticsearch.port}")
    with pytest.raises(UserError, match=f"127.0.0.1:{before_elasticsearch.port}.* cannot be reached"):
        load(through, fresh_name, **tripped("products", before_elasticsearch.refuse))
    with world_at(f"servers:{fresh_name}", servers=server_settings) as world:
        assert world.catalog.search(CatalogQuery("bird feeder")).total == 40
    before_elasticsearch.accept()
    check_load(through, fresh_name, embedded)


def test_readers_keep_the_old_world_until_the_new_one_is_whole(
    server_settings: ServerSettings, fresh_name: str
) -> None:
    old = load(server_settings, fresh_name, **FORTY)
    seen: list[tuple[str, int]] = []

    def look() -> None:
        with world_at(f"servers:{fresh_name}", servers=server_settings) as world:
            seen.append((world.manifest.fingerprint, world.catalog.search(CatalogQuery("bird feeder", limit=1)).total))

    new = load(server_settings, fresh_name, orders=at(HISTORY // 2, look, orders()))
    look()
    assert seen == [(old.fingerprint, 40), (new.fingerprint, SHELF)]


def test_documents_that_a_busy_server_puts_off_are_sent_again(
    server_settings: ServerSettings, front: Front, fresh_name: str
) -> None:
    front.rule = lambda request: 429 if "_bulk" in request.path and not front.refused else None
    through = replace(server_settings, es_url=front.url)
    load(through, fresh_name, **SMALL)
    assert front.refused == 1
    assert check_servers(f"servers:{fresh_name}", through) == []

"""Loads whose server is lost: what is live stays, and the command begins anew. Tests env/servers/loading.py."""

from dataclasses import replace
from typing import Any

import pytest

from drretail.env.catalog.base import CatalogQuery
from drretail.env.manifest import Manifest
from drretail.env.naming import ServerSettings
from drretail.env.servers.checking import check_servers
from drretail.env.world import world_at
from drretail.errors import UserError
from tests.env.servers.failures.own import FORTY, SMALL, at, load, orders, products
from tests.servers.proxy import Front, Proxy

pytestmark = pytest.mark.servers


@pytest.mark.parametrize("lost", ["MongoDB", "Elasticsearch"])
def test_a_load_that_loses_a_server_is_begun_anew_and_the_old_world_stays(
    server_settings: ServerSettings,
    behind_proxies: ServerSettings,
    before_mongo: Proxy,
    before_elasticsearch: Proxy,
    fresh_name: str,
    embedded: Manifest,
    lost: str,
) -> None:
    load(server_settings, fresh_name, **FORTY)
    proxy, stream = (before_mongo, "orders") if lost == "MongoDB" else (before_elasticsearch, "products")
    through = replace(behind_proxies, timeout=server_settings.timeout)
    rows: dict[str, list[Any]] = {"products": products(), "orders": orders()}
    tripped = at(len(rows[stream]) // 2, proxy.refuse, rows[stream])
    with pytest.raises(UserError, match=rf"{lost} at 127.0.0.1:{proxy.port}.*What is live is unchanged; run the same"):
        load(through, fresh_name, **{stream: tripped})
    with world_at(f"servers:{fresh_name}", servers=server_settings) as world:
        assert world.catalog.search(CatalogQuery("bird feeder")).total == 40
    proxy.accept()
    assert load(through, fresh_name).fingerprint == embedded.fingerprint
    assert check_servers(f"servers:{fresh_name}", through) == []


def test_documents_that_a_busy_server_puts_off_are_sent_again(
    server_settings: ServerSettings, front: Front, fresh_name: str
) -> None:
    front.rule = lambda request: 429 if "_bulk" in request.path and not front.refused else None
    through = replace(server_settings, es_url=front.url)
    load(through, fresh_name, **SMALL)
    assert front.refused == 1
    assert check_servers(f"servers:{fresh_name}", through) == []

"""Every kind of catalog, filled by a test."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from drretail.env.catalog.base import Analyzer, Catalog
from drretail.env.catalog.elastic import ElasticCatalog, add_products, create_index
from drretail.env.catalog.formulation import FORMULATIONS
from drretail.env.catalog.tantivy import TantivyCatalog, TantivyWriter
from drretail.env.clients import Servers, connect
from drretail.env.naming import ServerSettings
from drretail.records.shop import Product

Build = Callable[[Sequence[Product]], Catalog]
"""Gives a catalog of products that come in order of id; on servers it takes the place of the one built before."""


def shelf_of(*rows: tuple[str, dict[str, Any]] | str) -> list[Product]:
    """Products by title, some with further fields; their ids are B00, B01 …"""
    given = [(row, {}) if isinstance(row, str) else row for row in rows]
    return [
        Product(product_id=f"B{number:02d}", title=title, category="Pet_Supplies", **fields)
        for number, (title, fields) in enumerate(given)
    ]


@pytest.fixture(scope="module", params=["english", "standard"])
def analyzer(request: pytest.FixtureRequest) -> Analyzer:
    return request.param


@pytest.fixture(scope="module", params=["embedded", pytest.param("servers", marks=pytest.mark.servers)])
def build(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, analyzer: Analyzer
) -> Iterator[Build]:
    """Embedded and on servers, with either analyzer."""
    if request.param == "embedded":
        yield lambda products: embedded(tmp_path_factory, products, analyzer)
        return
    settings: ServerSettings = request.getfixturevalue("server_settings")
    name: Callable[[], str] = request.getfixturevalue("name_world")
    with connect(settings, name()) as servers:
        yield lambda products: on_servers(servers, products, analyzer)


def embedded(folders: pytest.TempPathFactory, products: Sequence[Product], analyzer: Analyzer) -> TantivyCatalog:
    folder = folders.mktemp("index")
    writer = TantivyWriter(folder, FORMULATIONS[analyzer])
    writer.add(products)
    writer.close()
    return TantivyCatalog(folder, FORMULATIONS[analyzer])


def on_servers(servers: Servers, products: Sequence[Product], analyzer: Analyzer) -> ElasticCatalog:
    client, index = servers.elastic, f"{servers.name}-g00000000"
    client.options(ignore_status=404).indices.delete(index=index)
    create_index(client, index, FORMULATIONS[analyzer])
    add_products(client, index, FORMULATIONS[analyzer], products)
    client.indices.refresh(index=index)
    return ElasticCatalog(servers, index)

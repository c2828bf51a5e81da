"""Servers that may be killed, one of each kind for all of these tests, and a world to compare with."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from drretail.env.manifest import Manifest
from drretail.env.servers.naming import ServerSettings
from drretail.env.world import default_pool, write_world
from tests.servers.failures.own import OwnServer, own_server
from tests.servers.failures.shop import orders, products
from tests.servers.front import Front, front_of
from tests.servers.proxy import Proxy, proxied


@pytest.fixture(scope="session")
def own_mongo() -> Iterator[OwnServer]:
    with own_server("mongo") as server:
        yield server


@pytest.fixture(scope="session")
def own_elasticsearch() -> Iterator[OwnServer]:
    with own_server("elasticsearch") as server:
        yield server


@pytest.fixture(scope="session")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Manifest:
    """Of the same shop in a folder."""
    folder: Path = tmp_path_factory.mktemp("embedded")
    return write_world(folder, products=products(), orders=orders(), seed=42, pool=default_pool())


@pytest.fixture
def killable_mongo(own_mongo: OwnServer, es_url: str) -> ServerSettings:
    """MongoDB may be killed, Elasticsearch not."""
    return ServerSettings(mongo_url=own_mongo.url, es_url=es_url, timeout=2)


@pytest.fixture
def killable_elasticsearch(own_elasticsearch: OwnServer, mongo_url: str) -> ServerSettings:
    return ServerSettings(mongo_url=mongo_url, es_url=own_elasticsearch.url, timeout=2)


@pytest.fixture
def front(es_url: str) -> Iterator[Front]:
    with front_of(es_url) as made:
        yield made


@pytest.fixture
def before_mongo(mongo_url: str) -> Iterator[Proxy]:
    address = urlsplit(mongo_url)
    with proxied(str(address.hostname), address.port or 27017) as proxy:
        yield proxy


@pytest.fixture
def before_elasticsearch(es_url: str) -> Iterator[Proxy]:
    address = urlsplit(es_url)
    with proxied(str(address.hostname), address.port or 9200) as proxy:
        yield proxy


@pytest.fixture
def behind_proxies(before_mongo: Proxy, before_elasticsearch: Proxy) -> ServerSettings:
    return ServerSettings(
        mongo_url=f"mongodb://127.0.0.1:{before_mongo.port}/?directConnection=true",
        es_url=f"http://127.0.0.1:{before_elasticsearch.port}",
        timeout=1,
    )

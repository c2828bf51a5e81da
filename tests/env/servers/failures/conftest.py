"""A MongoDB that asks for a password, what stands before the servers, and a world to compare with."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from pymongo import MongoClient

from drretail.env.manifest import Manifest
from drretail.env.naming import ServerSettings
from tests.build import build_world
from tests.env.servers.failures.own import orders, own_mongo, products
from tests.servers.proxy import Front, Proxy

MONGO_PASSWORD = "m0ngo-s3cr3t"


@pytest.fixture(scope="module")
def secured_mongo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of one that only eva may use, who has her password; a guest may nothing."""
    key = tmp_path_factory.mktemp("key") / "replica.key"
    key.write_text("0" * 64, encoding="utf-8")
    key.chmod(0o400)
    with own_mongo(MONGO_KEY=str(key)) as url:
        with MongoClient[dict[str, Any]](url) as client:
            client.admin.command("createUser", "eva", pwd=MONGO_PASSWORD, roles=["root"])
        with MongoClient[dict[str, Any]](url, username="eva", password=MONGO_PASSWORD) as client:
            # Made by eva: the first user may make nobody else without saying who they are.
            client.admin.command("createUser", "guest", pwd=MONGO_PASSWORD, roles=[])
        yield url


@pytest.fixture(scope="session")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Manifest:
    """Of the same shop in a folder."""
    folder: Path = tmp_path_factory.mktemp("embedded")
    return build_world(folder, products(), orders())


@pytest.fixture
def front(es_url: str) -> Iterator[Front]:
    with Front(es_url) as made:
        yield made


def proxy_of(url: str) -> closing[Proxy]:
    """A proxy that is closed at the end of a ``with`` block."""
    address = urlsplit(url)
    return closing(Proxy(str(address.hostname), address.port or (27017 if address.scheme == "mongodb" else 9200)))


@pytest.fixture
def before_mongo(mongo_url: str) -> Iterator[Proxy]:
    with proxy_of(mongo_url) as proxy:
        yield proxy


@pytest.fixture
def before_elasticsearch(es_url: str) -> Iterator[Proxy]:
    with proxy_of(es_url) as proxy:
        yield proxy


@pytest.fixture
def behind_proxies(before_mongo: Proxy, before_elasticsearch: Proxy) -> ServerSettings:
    return ServerSettings(
        mongo_url=f"mongodb://127.0.0.1:{before_mongo.port}/?directConnection=true",
        es_url=f"http://127.0.0.1:{before_elasticsearch.port}",
        timeout=1,
    )

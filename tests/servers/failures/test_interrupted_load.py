"""Loads and searches whose server, connection or process is killed: they go on, and nothing is lost or doubled."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from elasticsearch import Elasticsearch

from drretail.env.catalog.base import CatalogQuery
from drretail.env.manifest import Manifest
from drretail.env.servers.naming import ServerSettings
from drretail.env.world import open_world
from drretail.errors import UserError
from drretail.progress import Bar, Progress
from tests.servers.failures.own import SHELF, SMALL, OwnServer, at, documents, eventually, load, orders, products, whole
from tests.servers.proxy import Front, Proxy, always

pytestmark = pytest.mark.servers
ROOT = Path(__file__).parents[3]
ALL = CatalogQuery("bird feeder", limit=1)


@dataclass
class Trips(Progress):
    """Does something once, when a stage has done its first batch."""

    stage: str
    action: Callable[[], object]

    @contextmanager
    def track(self, label: str, total: int | None = None) -> Generator[Bar]:
        once = cache(self.action)
        with super().track(label, total) as bar:
            yield Mock(advance=lambda _: once()) if label == self.stage else bar


def tripped(stream: str, share: float, action: Callable[[], object]) -> dict[str, Any]:
    """The shop's rows; the action is done when so much of one stream has been read."""
    rows: dict[str, list[Any]] = {"products": products(), "orders": orders()}
    return {**rows, stream: at(int(len(rows[stream]) * share), action, rows[stream])}


def check_load(settings: ServerSettings, name: str, embedded: Manifest, **given: Any) -> None:
    """A load that ends has every row of the shop once."""
    assert load(settings, name, **given).fingerprint == embedded.fingerprint
    assert whole(1, name).items() <= documents(settings, name).items()


def check_load_when_free(settings: ServerSettings, name: str, embedded: Manifest) -> None:
    """The same, tried again while another's lease keeps it out."""

    def is_done() -> bool:
        try:
            check_load(settings, name, embedded)
        except UserError as problem:
            assert "Another process is writing" in str(problem)  # noqa: PT017 -- any other error fails the test
            return False
        return True

    eventually(is_done, "the lease to be over")


@pytest.mark.parametrize("stage", ["products", "orders", "the index"])
def test_a_load_goes_on_by_itself_when_mongodb_comes_back(
    own_mongo: OwnServer, killable_mongo: ServerSettings, fresh_name: str, embedded: Manifest, stage: str
) -> None:
    starting = threading.Thread(target=own_mongo.start)

    def restart() -> None:
        own_mongo.kill()
        starting.start()  # while the load is at a loss

    indexing: dict[str, Any] = {"progress": Trips("products into Elasticsearch", restart)}
    given = indexing if stage == "the index" else tripped(stage, 0.5, restart)
    check_load(killable_mongo, fresh_name, embedded, **given)
    starting.join()


def test_a_load_that_ends_without_mongodb_is_resumed_by_the_same_command(
    own_mongo: OwnServer, killable_mongo: ServerSettings, fresh_name: str, embedded: Manifest
) -> None:
    try:
        with pytest.raises(UserError, match=r"What is live is unchanged\. The same command goes on") as caught:
            load(killable_mongo, fresh_name, patience=0.5, lease=2, **tripped("orders", 0.8, own_mongo.kill))
        assert str(own_mongo.port) in str(caught.value)
    finally:
        own_mongo.start()
    assert documents(killable_mongo, fresh_name)["g1_orders"] > 0
    with pytest.raises(UserError, match="There is no world"):
        open_world(f"servers:{fresh_name}", servers=killable_mongo)
    # Its lease was not given back, and is over soon.
    check_load_when_free(killable_mongo, fresh_name, embedded)


def test_a_load_survives_the_loss_of_elasticsearch_while_it_indexes(
    server_settings: ServerSettings, before_elasticsearch: Proxy, fresh_name: str, embedded: Manifest
) -> None:
    through = replace(server_settings, es_url=f"http://127.0.0.1:{before_elasticsearch.port}", timeout=2)
    trips = Trips("products into Elasticsearch", before_elasticsearch.refuse)
    with pytest.raises(UserError, match=f"127.0.0.1:{before_elasticsearch.port}.* goes on where"):
        load(through, fresh_name, patience=0.5, progress=trips)
    with pytest.raises(UserError, match=rf"Elasticsearch at 127.0.0.1:{before_elasticsearch.port}\) cannot be reached"):
        load(through, fresh_name)
    before_elasticsearch.accept()
    check_load(through, fresh_name, embedded)


def test_readers_keep_the_old_world_and_a_second_writer_waits(server_settings: ServerSettings, fresh_name: str) -> None:
    spec = f"servers:{fresh_name}"
    old = load(server_settings, fresh_name, products=products(40), orders=orders(20, 40))
    seen: list[tuple[str, int]] = []

    def look() -> None:
        with open_world(spec, servers=server_settings) as world:
            seen.append((world.manifest.fingerprint, world.catalog.search(ALL).total))

    def look_and_write() -> None:
        look()
        with pytest.raises(UserError, match=f"Another process is writing.*{spec}"):
            load(server_settings, fresh_name, **SMALL)

    halfway = Trips("products into Elasticsearch", look)
    new = load(server_settings, fresh_name, orders=at(10_000, look_and_write, orders()), progress=halfway)
    look()
    assert seen == [(old.fingerprint, 40), (old.fingerprint, 40), (new.fingerprint, SHELF)]
    assert whole(2, fresh_name).items() <= documents(server_settings, fresh_name).items()


def test_an_alias_that_could_not_be_set_is_set_the_next_time(server_settings: ServerSettings, fresh_name: str) -> None:
    with Front(server_settings.es_url) as front:
        front.rule = always(503, "_aliases")
        with pytest.raises(UserError, match="status 503"):
            load(replace(server_settings, es_url=front.url), fresh_name, **SMALL)
    with Elasticsearch(server_settings.es_url) as elastic:
        assert not elastic.indices.exists_alias(name=fresh_name)
        load(server_settings, fresh_name, **SMALL)
        (index,) = elastic.indices.get_alias(name=fresh_name)
    with open_world(f"servers:{fresh_name}", servers=server_settings) as world:
        assert world.catalog.search(ALL).total == 5
    assert index in documents(server_settings, fresh_name)

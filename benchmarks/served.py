"""The made-up shop of a benchmark as a world on servers, gone from them afterwards."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from elasticsearch import Elasticsearch
from pymongo import MongoClient
from world import CATEGORIES, StageTimes, timed

from drretail.data_ingest.engines.base import Selected
from drretail.data_ingest.selected import selected_orders, selected_products
from drretail.env.clients import connect
from drretail.env.manifest import WorldRows
from drretail.env.naming import ServerSettings
from drretail.env.servers.loading import write_servers
from drretail.env.world import World, default_pool, world_at


@contextmanager
def world_on_servers(settings: ServerSettings, folder: Path, seed: int, load: dict[str, Any]) -> Generator[World]:
    """The world of the tables in ``folder``, loaded into servers; what that took goes to ``load``."""
    name = f"bench-{os.getpid()}"
    selected = Selected("", (), {}, kept_rows=folder / "rows", orders=folder / "orders")
    products = selected_products(selected, CATEGORIES)
    orders = selected_orders(selected)
    rows, stages = WorldRows(products, orders, seed=seed, pool=default_pool()), StageTimes()
    try:
        with connect(settings, name, loading=True) as servers:
            load["load_seconds"] = timed(lambda: write_servers(servers, rows, stages))
        load["stages"] = stages.seconds
        load["mongodb_mb"], load["elasticsearch_mb"] = sizes(settings, name)
        with world_at(f"servers:{name}", servers=settings) as world:
            yield world
    finally:
        remove(settings, name)


def sizes(settings: ServerSettings, name: str) -> tuple[float, float]:
    """Megabytes on disk, indexes included: of the database, and of the Elasticsearch index."""
    with MongoClient[dict[str, Any]](settings.mongo_url) as mongo, Elasticsearch(settings.es_url) as search:
        database = mongo[name].command("dbStats")
        index = search.indices.stats(index=f"{name}-g*", metric="store")["_all"]["total"]["store"]
    return (database["storageSize"] + database["indexSize"]) / 1e6, index["size_in_bytes"] / 1e6


def remove(settings: ServerSettings, name: str) -> None:
    """Drops what a world left on the servers."""
    with MongoClient[dict[str, Any]](settings.mongo_url) as mongo:
        mongo.drop_database(name)
    with Elasticsearch(settings.es_url) as search:
        for index in search.indices.get(index=f"{name}-g*"):
            search.indices.delete(index=index)

"""What is SQLite's alone: read-only folders, connections, and a store that is missing."""

import os
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from drretail.env.store.sqlite import MOST_CONNECTIONS, SqliteStore
from drretail.env.world import Manifest, World
from drretail.errors import UserError


@pytest.fixture
def embedded(world: World) -> SqliteStore:
    assert isinstance(world.store, SqliteStore)
    return world.store


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_world_in_a_read_only_folder_can_be_read(folder: Path, manifest: Manifest) -> None:
    database = folder / manifest.generation / "shop.sqlite"
    database.parent.chmod(0o555)
    database.chmod(0o444)
    try:
        with closing(SqliteStore(database, "42")) as store:
            assert store.orders("ANNA").total == 4
    finally:
        database.parent.chmod(0o755)


def test_all_threads_share_a_few_connections(embedded: SqliteStore) -> None:
    barrier = threading.Barrier(50)

    def read() -> None:
        barrier.wait()
        for _ in range(20):
            assert embedded.order("0000000001").order_id == "0000000001"

    with ThreadPoolExecutor(50) as pool:
        for job in [pool.submit(read) for _ in range(50)]:
            job.result()
    assert 1 <= embedded.open_connections() <= MOST_CONNECTIONS


def test_a_reading_connection_cannot_write_nor_a_missing_store_answer(embedded: SqliteStore, tmp_path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        embedded.connection().execute("DELETE FROM orders")
    assert embedded.product("B01").product_id == "B01"
    embedded.close()
    with pytest.raises(sqlite3.ProgrammingError):
        embedded.product("B01")
    with ThreadPoolExecutor(1) as pool, pytest.raises(sqlite3.ProgrammingError):
        pool.submit(embedded.product, "B01").result()
    with pytest.raises(UserError, match="is missing"):
        SqliteStore(tmp_path / "shop.sqlite", "42")


def test_a_call_that_no_store_can_answer_is_the_callers_mistake(embedded: SqliteStore) -> None:
    calls: list[Callable[[Any], object]] = [
        lambda store: store.products(),
        lambda store: store.products([b"B01"]),
        lambda store: store.orders("ANNA", limit=2**70),
    ]
    for call in calls:
        with pytest.raises((TypeError, OverflowError)):
            call(embedded)

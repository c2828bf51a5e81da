import os
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from drretail.env.profiles import default_pool, derive_profile
from drretail.env.store.sqlite import SqliteStore
from drretail.env.world import Manifest, World
from drretail.errors import NotFound, UserError
from drretail.records.shop import CountOf, Product, UserStatistics


@pytest.fixture
def store(world: World) -> SqliteStore:
    assert isinstance(world.store, SqliteStore)
    return world.store


@pytest.fixture
def database(folder: Path, manifest: Manifest) -> Path:
    return folder / manifest.generation / "shop.sqlite"


@pytest.mark.parametrize(
    "read",
    [
        lambda store: store.product("B99"),
        lambda store: store.user("ZOE"),
        lambda store: store.order("9999999999"),
        lambda store: store.orders("ZOE"),
        lambda store: store.statistics("ZOE"),
        lambda store: store.save_user(store.user("ANNA").model_copy(update={"user_id": "ZOE"})),
        lambda store: store.user("CARA"),  # CARA_1 is somebody else
        lambda store: store.user("anna"),
    ],
)
def test_an_unknown_id_is_not_found(store: SqliteStore, read: Callable[[SqliteStore], object]) -> None:
    with pytest.raises(NotFound):
        read(store)


def test_products_come_in_the_order_asked_for_without_unknown_ones(store: SqliteStore, products: list[Product]) -> None:
    assert store.products(["B03", "B99", "B01", "B03"]) == {"B03": products[2], "B01": products[0]}
    assert list(store.products(["B03", "B01"])) == ["B03", "B01"]
    assert store.products([]) == {}


def test_an_order_is_found_by_its_id(store: SqliteStore) -> None:
    order = store.order("0000000003")
    assert (order.user_id, order.product_id, order.order_status) == ("ANNA", "B01", "Shipped")
    assert order.order_date == "2020-11-12T12:26:40.000000"


def test_orders_are_newest_first_and_ties_in_order_of_id(store: SqliteStore) -> None:
    assert [order.order_id for order in store.orders("ANNA").orders] == [f"000000000{n}" for n in (4, 3, 2, 1)]
    assert [order.order_id for order in store.orders("CARA_1").orders] == ["0000000005", "0000000007"]


def test_orders_come_in_pages_with_the_total(store: SqliteStore) -> None:
    page = store.orders("ANNA", limit=2, offset=1)
    assert (page.total, [order.order_id for order in page.orders]) == (4, ["0000000003", "0000000002"])
    assert store.orders("ANNA", limit=2, offset=9).orders == ()


def test_orders_can_be_limited_to_a_status(store: SqliteStore) -> None:
    page = store.orders("ANNA", status="Delivered", limit=1)
    assert (page.total, page.orders[0].order_id) == (2, "0000000002")
    assert store.orders("ANNA", status="Returned").total == 0


def test_statistics_leave_void_orders_out(store: SqliteStore) -> None:
    statistics = store.statistics("ANNA")
    assert statistics == UserStatistics(
        user_id="ANNA",
        orders=4,
        orders_by_status={"Delivered": 2, "Shipped": 1, "Cancelled": 1},
        items=4,
        spend=73.5,
        orders_with_unknown_price=1,
        mean_order=36.75,
        first_order="2020-09-13T12:26:40.000000",
        last_order="2020-11-12T12:26:40.000000",
        orders_per_month=1.52,  # 3 orders in 60 days of 30.44 to a month
        top_categories=(CountOf(name="Bird Feeders", orders=3),),
        top_brands=(CountOf(name="Robin & Co", orders=2), CountOf(name="Wingspan", orders=1)),
        top_products=statistics.top_products,
        reorder_share=0.3333,
    )
    assert [(entry.product_id, entry.orders) for entry in statistics.top_products] == [("B01", 2), ("B02", 1)]


def test_statistics_of_void_orders_alone_are_empty(store: SqliteStore) -> None:
    statistics = store.statistics("BERT")
    assert (statistics.orders, statistics.items, statistics.spend) == (1, 0, 0.0)
    assert statistics.mean_order is statistics.first_order is statistics.reorder_share is None
    assert statistics.top_categories == statistics.top_products == ()


def test_aggregates_are_those_of_the_statistics(store: SqliteStore) -> None:
    rows = {row.user_id: row for row in store.sample_users(1, 9)}
    assert rows.keys() == {"ANNA", "BERT", "CARA_1"}
    for user_id, row in rows.items():
        statistics = store.statistics(user_id)
        assert (row.n_orders, row.spend) == (statistics.orders, statistics.spend)
        assert row.last_order == store.orders(user_id).orders[0].timestamp
    assert rows["ANNA"].top_category == "Patio_Lawn_and_Garden"
    assert rows["BERT"].top_category == ""


def test_a_profile_is_derived_from_the_pool_of_the_world(store: SqliteStore) -> None:
    assert store.user("ANNA") == derive_profile(default_pool(), "42", "ANNA")


def test_a_saved_profile_stays(store: SqliteStore, database: Path) -> None:
    changed = store.user("ANNA").model_copy(update={"phone_number": "617-555-0100"})
    store.save_user(changed)
    assert store.user("ANNA") == changed
    store.save_user(changed.model_copy(update={"first_name": "Ann"}))
    with closing(SqliteStore(database, "42")) as reopened:
        assert reopened.user("ANNA").first_name == "Ann"


def test_threads_read_and_write_beside_each_other(store: SqliteStore) -> None:
    def work(number: int) -> int:
        profile = store.user("ANNA")
        store.save_user(profile.model_copy(update={"first_name": f"Anna {number}"}))
        return store.orders("ANNA").total

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(work, range(40))) == {4}


def test_a_thread_that_ends_takes_its_connection_along(store: SqliteStore) -> None:
    for _ in range(5):
        thread = threading.Thread(target=lambda: store.product("B01"))
        thread.start()
        thread.join()
    assert store.open_connections() == 1


def test_a_closed_store_answers_no_more(store: SqliteStore) -> None:
    store.close()
    with pytest.raises(sqlite3.ProgrammingError):
        store.product("B01")
    with ThreadPoolExecutor(1) as pool, pytest.raises(sqlite3.ProgrammingError):
        pool.submit(store.product, "B01").result()


def test_a_reading_connection_cannot_write(store: SqliteStore) -> None:
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        store.connection().execute("DELETE FROM orders")


def test_the_schema_is_the_documented_one(store: SqliteStore) -> None:
    db = store.connection()
    columns = [row[1] for row in db.execute("PRAGMA table_info(users)")]
    assert columns == ["k", "user_id", "n_orders", "spend", "last_order", "top_category"]
    clustered = [row[1] for row in sorted(db.execute("PRAGMA table_info(orders)"), key=lambda row: row[5])]
    assert clustered[-3:] == ["user", "timestamp", "order_id"]
    assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_an_order_id_is_unique(database: Path) -> None:
    again = "INSERT INTO orders SELECT user, timestamp + 1, order_id, product_id, 1, '' FROM orders"
    with closing(sqlite3.connect(database)) as db, pytest.raises(sqlite3.IntegrityError, match="order_id"):
        db.execute(again)


def test_a_missing_database_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is missing"):
        SqliteStore(tmp_path / "shop.sqlite", "42")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_world_in_a_read_only_folder_can_be_read(database: Path) -> None:
    database.parent.chmod(0o555)
    database.chmod(0o444)
    try:
        with closing(SqliteStore(database, "42")) as store:
            assert store.orders("ANNA").total == 4
    finally:
        database.parent.chmod(0o755)

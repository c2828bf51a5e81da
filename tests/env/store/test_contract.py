"""The contract of every store, what is SQLite's alone, and what MongoDB's encoding may lose."""

import json
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import bson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.env.manifest import product_line
from drretail.env.servers.clients import Document
from drretail.env.store.base import Store
from drretail.env.store.mongo import (
    aggregates_of,
    order_document,
    order_row,
    product_document,
    read_product,
    user_document,
)
from drretail.env.store.sqlite import MOST_CONNECTIONS, SqliteStore
from drretail.env.store.users import Aggregates
from drretail.env.world import Manifest, OrderRow, World
from drretail.errors import NotFound, UserError
from drretail.records.shop import CountOf, Product, UserStatistics
from tests.places import PLACES, Place, PlaceKind


@pytest.fixture(scope="session", params=PLACES)
def place(
    request: pytest.FixtureRequest,
    new_place: Callable[[PlaceKind], Place],
    products: list[Product],
    orders: list[OrderRow],
) -> Place:
    """Where the shop of ``tests.env`` is, in every kind of place; tests change only the profiles of Bert and Cara."""
    made = new_place(request.param)
    made.write(products, orders)
    return made


@pytest.fixture
def store(place: Place) -> Iterator[Store]:
    with place.open() as world:
        yield world.store


@pytest.mark.parametrize(
    "read",
    [
        lambda store: store.product("B99"),
        lambda store: store.user("ZOE"),
        lambda store: store.order("9999999999"),
        lambda store: store.orders("ZOE"),
        lambda store: store.statistics("ZOE"),
        lambda store: store.user("CARA"),  # CARA_1 is somebody else
        lambda store: store.statistics(""),
    ],
)
def test_an_unknown_id_is_not_found(store: Store, read: Callable[[Store], object]) -> None:
    with pytest.raises(NotFound):
        read(store)


@pytest.mark.parametrize("kind", PLACES)
def test_the_id_of_a_variant_gives_its_product_if_it_is_that_products_alone(
    new_place: Callable[[PlaceKind], Place], kind: PlaceKind
) -> None:
    variants = {"A": ["A-S", "A-M"], "B": ["B-M", "42"], "C": ["C-L", "42"]}
    shirts = [
        Product(product_id=key, title="Shirt", category="Shirts", details={"Variants": [{"id": each} for each in ids]})
        for key, ids in variants.items()
    ]
    made = new_place(kind)
    made.write(shirts, [])
    asked = ["A", "A-M", "A/A-S", "B-M", "42", "B/42", "A/B-M", "Z"]
    with made.open() as world:
        products = world.store.products(asked)
        assert world.store.product("C/42") == shirts[2]
    assert {key: item.product_id for key, item in products.items()} == {
        **dict.fromkeys(("A", "A-M", "A/A-S"), "A"),
        **dict.fromkeys(("B-M", "B/42"), "B"),
    }


def test_products_come_in_the_order_asked_for_without_unknown_ones(store: Store, products: list[Product]) -> None:
    assert store.products(["B03", "B99", "B01", "B03"]) == {"B03": products[2], "B01": products[0]}
    assert list(store.products(["B03", "B01"])) == ["B03", "B01"]
    assert store.products([]) == {}


def test_orders_come_newest_first_in_pages_with_the_total_also_those_of_a_status(store: Store) -> None:
    assert [order.order_id for order in store.orders("ANNA").orders] == [f"000000000{n}" for n in (4, 3, 2, 1)]
    assert [order.order_id for order in store.orders("CARA_1").orders] == ["0000000005", "0000000007"]
    delivered = store.orders("ANNA", status="Delivered", limit=1)
    assert (delivered.total, delivered.orders[0].order_id) == (2, "0000000002")
    assert store.orders("ANNA", status="Returned").total == 0
    page = store.orders("ANNA", limit=2, offset=1)
    assert (page.total, [order.order_id for order in page.orders]) == (4, ["0000000003", "0000000002"])
    assert store.orders("ANNA", limit=0).orders == ()
    for beyond in (9, 10**6):
        page = store.orders("ANNA", limit=50, offset=beyond)
        assert (page.total, page.orders) == (4, ())


def test_statistics_leave_void_orders_out(store: Store) -> None:
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


def test_aggregates_are_those_of_the_statistics_which_void_orders_alone_leave_empty(store: Store) -> None:
    rows = {row.user_id: row for row in store.sample_users(1, 9)}
    assert rows.keys() == {"ANNA", "BERT", "CARA_1"}
    for user_id, row in rows.items():
        statistics = store.statistics(user_id)
        assert (row.n_orders, row.spend) == (statistics.orders, statistics.spend)
        assert row.last_order == store.orders(user_id).orders[0].timestamp
    assert rows["ANNA"].top_category == "Patio_Lawn_and_Garden"
    assert rows["BERT"].top_category == ""
    void = store.statistics("BERT")
    assert (void.orders, void.items, void.spend) == (1, 0, 0.0)
    assert void.mean_order is void.first_order is void.reorder_share is None
    assert void.top_categories == void.top_products == ()


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


text = st.text(st.characters(codec="utf-8"), max_size=8)
keys = text | st.sampled_from(["$ref", "a.b"])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=6,
)


def through_mongodb(document: Document) -> Document:
    return bson.decode(bson.encode(document))


@given(
    details=st.dictionaries(text | st.just("$id"), json_values, max_size=3),
    price=st.none() | st.floats(0, 1e12),
    features=st.lists(text, max_size=2),
    title=text,
)
def test_a_product_comes_back_to_the_last_digit(
    details: dict[str, Any], price: float | None, features: list[str], title: str
) -> None:
    product = Product(
        product_id="B1",
        title=title,
        features=tuple(features),
        price=price,
        rating_number=3,
        category="Pet_Supplies",
        details=details,
    )
    back = read_product(through_mongodb(product_document(product)))
    assert product_line(back) == product_line(product)
    json.dumps(back.model_dump(mode="json"))  # of Python's own types, which others can write down


@pytest.mark.parametrize(
    "details", [{"$where": 1}, {"a": [{"$b": 1}]}, {"a\0": 1}, {"a": 2**63}, json.loads('{"a":' * 90 + "1" + "}" * 90)]
)
def test_details_may_hold_what_a_document_cannot(details: dict[str, Any]) -> None:
    product = Product(product_id="B1", title="a", category="Pet_Supplies", details=details)
    assert read_product(through_mongodb(product_document(product))) == product


def test_an_order_looks_as_in_the_paper_and_a_user_has_sums() -> None:
    row = OrderRow("0000000003", "ANNA", "B01", 1_605_184_000_123, 2, "Shipped")
    document = through_mongodb(order_document(row))
    assert document["_id"] == document["order_id"] == "0000000003"
    assert document["order_date"] == "2020-11-12T12:26:40.123000"
    assert order_row(document) == row
    assert type(order_row(document).timestamp) is int

    user = Aggregates("ANNA", 3, 73.5, 1_600_000_000_000, "Pet_Supplies")
    assert aggregates_of(through_mongodb(user_document(user))) == user

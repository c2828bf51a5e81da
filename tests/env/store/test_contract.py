"""What holds of every store. Tests base.py, mongo.py and sqlite.py."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Literal

import pytest

from drretail.env.clients import connect
from drretail.env.naming import world_name
from drretail.env.servers.generations import read_generation
from drretail.env.session import Session, SessionSettings
from drretail.env.store.base import Store
from drretail.env.store.mongo import collections_of
from drretail.env.world import OrderRow
from drretail.errors import NotFound
from drretail.records.shop import CountOf, Product, UserStatistics
from drretail.tools.toolkit import Toolkit
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


def damage(place: Place, table: Literal["orders", "products"], record_id: str, **fields: str | None) -> None:
    """Changes these fields of a record, or removes them, behind the store's back."""
    if place.servers is None:
        changed = {"record": "{}"} if table == "products" else fields
        (path,) = Path(place.spec).rglob("shop.sqlite")
        with closing(sqlite3.connect(path)) as db, db:
            for name, value in changed.items():
                db.execute(f"UPDATE {table} SET {name} = ? WHERE {table[:-1]}_id = ?", (value, record_id))
        return
    with connect(place.servers, world_name(str(place.spec))) as servers:
        rows = collections_of(servers, read_generation(servers).key)[table]
        change = {"$unset": dict.fromkeys(fields, "")} if None in fields.values() else {"$set": fields}
        assert rows.update_one({"_id": record_id}, change).modified_count == 1


@pytest.mark.parametrize("kind", PLACES)
def test_a_damaged_record_is_one_tool_error_that_names_it_and_no_path(
    new_place: Callable[[PlaceKind], Place], products: list[Product], orders: list[OrderRow], kind: PlaceKind
) -> None:
    made = new_place(kind)
    made.write(products, orders)
    damage(made, "orders", "0000000001", order_status="Lost")
    damage(made, "orders", "0000000006", timestamp="soon")
    damage(made, "products", "B02", title=None, details=None)
    with made.open() as world:
        toolkit = Toolkit(Session(SessionSettings(world, user_id="ANNA", scope="any")))
        for name, args, record in (
            ("get_user_orders", {"user_id": "ANNA"}, "order '0000000001'"),
            ("get_user_statistics", {"user_id": "ANNA"}, "order '0000000001'"),
            ("get_order_details", {"order_id": "0000000006"}, "order '0000000006'"),
            ("get_product_details", {"product_id": "B02"}, "product 'B02'"),
            ("product_catalog_search", {"query": "bird bath"}, "product 'B02'"),
        ):
            reply = toolkit.call(name, args)
            message = f"The shop's record of the {record} is damaged; `drretail world check` tells its owner more."
            assert (reply.error, reply.value["error"]["message"]) == ("unavailable", message), name
        for name, args in (
            ("get_user_profile", {"user_id": "ANNA"}),
            ("get_user_orders", {"user_id": "CARA_1"}),
            ("get_product_details", {"product_id": "B01"}),
            ("product_catalog_search", {"query": "gel pen"}),
        ):
            assert toolkit.call(name, args).error is None, name
        recorded = [step.error or "" for step in toolkit.session.trajectory.steps()]
        assert [error.partition(":")[0] for error in recorded] == ["unavailable"] * 5 + [""] * 4
        assert not any("/" in error for error in recorded)

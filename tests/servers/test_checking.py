"""A damaged world on servers is found out, and one that is copied to servers and back is the same everywhere."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from drretail.env.copying import copy_world, writer_to
from drretail.env.folder import check_world, rows_of
from drretail.env.manifest import WorldRows, live_generation, read_manifest
from drretail.env.servers import loading
from drretail.env.servers.clients import connect
from drretail.env.servers.integrity import check_servers
from drretail.env.servers.live_generation import LIVE, WORLDS
from drretail.env.servers.naming import ServerSettings
from drretail.env.world import OrderRow, default_pool
from drretail.errors import UserError
from drretail.records.shop import Product
from tests.build import build_world
from tests.shop import ORDERS, OTHER, PRODUCTS, USER

WHERE, NEW = {"_id": ORDERS[0].order_id}, {"$set": {"quantity": 2}}
ORDER, PRODUCT = ("g1_orders", WHERE), ("g1_products", {"_id": PRODUCTS[0].product_id})
SHOPPER = "g1_users", {"_id": USER}
POOL = {"$set": {"generations.0.pool": default_pool().model_copy(update={"streets": ("A",)}).as_line()}}
NOBODY = {"$set": {"user_id": "NOBODY"}}
UNREADABLE = {"unreadable", "fingerprint"}


@pytest.fixture(scope="module")
def name(server_settings: ServerSettings, name_world: Callable[[], str]) -> str:
    made = name_world()
    with writer_to(f"servers:{made}", server_settings) as write:
        write(WorldRows(PRODUCTS, ORDERS[:-1], seed=42, pool=default_pool()), None)
    return made


@pytest.fixture
def codes(server_settings: ServerSettings, name: str) -> Callable[[], set[str]]:
    return lambda: {finding.code for finding in check_servers(f"servers:{name}", server_settings)}


DAMAGES: dict[str, tuple[tuple[str, dict[str, Any]], dict[str, Any] | None, set[str]]] = {
    "an order was changed": (ORDER, NEW, {"user_sums", "fingerprint"}),
    "an order is missing": (ORDER, None, {"user_sums", "count", "fingerprint"}),
    "an order is of nobody": (ORDER, NOBODY, {"order_without_user", "user_sums", "fingerprint"}),
    "a product was changed": (PRODUCT, {"$set": {"title": "Another"}}, {"fingerprint"}),
    "a product cannot be read": (PRODUCT, {"$unset": {"title": 1}}, UNREADABLE),
    "a user's sums were changed": (SHOPPER, {"$set": {"spend": 1.0}}, {"user_sums"}),
    "a user is missing": (SHOPPER, None, {"order_without_user", "count"}),
    "an order has no product": (ORDER, {"$unset": {"product_id": 1}}, UNREADABLE),
    "an order is of a number": (ORDER, {"$set": {"user_id": 7}}, UNREADABLE),
    "a product's details are none": (PRODUCT, {"$set": {"details": 5}}, UNREADABLE),
    "a user's sums are missing": (SHOPPER, {"$unset": {"spend": 1}}, {"unreadable"}),
    "a user's last order is none": (SHOPPER, {"$set": {"last_order": None}}, {"unreadable"}),
    "the pool was changed": ((WORLDS, {"_id": LIVE}), POOL, {"profile_pool", "fingerprint"}),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_found(
    server_settings: ServerSettings, name: str, codes: Callable[[], set[str]], damage: str
) -> None:
    (collection, which), update, expected = DAMAGES[damage]
    with connect(server_settings, name) as servers:
        documents = servers.database[collection]
        before = documents.find_one(which)
        assert before is not None
        if update is None:
            documents.delete_one(which)
        else:
            documents.update_one(which, update)
        try:
            found = codes()
        finally:
            documents.replace_one(which, before, upsert=True)
    assert expected <= found
    assert found <= expected | {"index_products", "order_without_product", "count", "user_sums"}
    assert codes() == set()


def test_a_strange_user_is_found(server_settings: ServerSettings, name: str, codes: Callable[[], set[str]]) -> None:
    with connect(server_settings, name) as servers:
        users = servers.database["g1_users"]
        idle = {**(users.find_one({"_id": USER}) or {}), "_id": OTHER}
        for document, expected in ((idle, {"user_without_order", "count"}), ({"user": "x"}, {"unreadable", "count"})):
            made = users.insert_one(document).inserted_id
            try:
                found = codes()
            finally:
                users.delete_one({"_id": made})
            assert expected <= found
            assert found == expected or document is idle


def test_another_index_is_found_and_five_of_a_kind_enough(server_settings: ServerSettings, fresh_name: str) -> None:
    spec = f"servers:{fresh_name}"
    many = [row._replace(order_id=f"{number:010}", user_id=f"U{number}") for number, row in enumerate(ORDERS * 3)]
    with writer_to(spec, server_settings) as write:
        write(WorldRows(PRODUCTS, many, seed=42, pool=default_pool()), None)
    with connect(server_settings, fresh_name) as servers:
        users = servers.database["g1_users"]
        users.update_many({}, {"$inc": {"spend": 1.0}})
        assert [finding.code for finding in check_servers(spec, server_settings)] == ["user_sums"] * 5
        users.update_many({}, {"$inc": {"spend": -1.0}})
        servers.elastic.delete(index=f"{fresh_name}-g1", id=PRODUCTS[1].product_id, refresh=True)
        (finding,) = check_servers(spec, server_settings)
        assert finding.code == "index_products"
        assert PRODUCTS[1].product_id in str(finding.text)
        servers.elastic.indices.delete(index=f"{fresh_name}-g1")
    assert [finding.code for finding in check_servers(spec, server_settings)] == ["unreadable"]


STRANGE = Product(
    product_id="B0ZZ",
    title="Crème brûlée ☕ 東京\u2028",
    price=0.1 + 0.2,
    category="Pet_Supplies",
    details={"$ref": 1, "a.b": {"": [1.5, 2**70, None]}, "Best Sellers Rank": {"Pet Supplies": 2**40}, "float": 3.0},
)
USERS = ["A", "U", "U_1", "é", "Ü", "\U0001f600", "\uffff"]


def a_world(folder: Path) -> Path:
    """Users and products whose ids sort in several ways, and many orders at one time."""
    products = [*PRODUCTS, STRANGE]
    orders = [
        OrderRow(f"{900 - n}", USERS[n % 7], products[n % 5].product_id, 10**12 + n % 3, 1 + n % 2) for n in range(60)
    ]
    orders.sort(key=lambda row: row.place)
    build_world(
        folder,
        products,
        orders,
        seed=7,
        pool=default_pool(),
        origin={"parameters": {"cap": 5, "a.b": {"$c": 1}}},
    )
    return folder


def test_a_world_goes_round_and_comes_back_the_same_unless_it_is_damaged(
    server_settings: ServerSettings, name_world: Callable[[], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "ORDERS_AT_ONCE", 7)
    name = name_world()
    source, back = a_world(tmp_path / "w"), tmp_path / "back"
    first, second = f"servers:{name}", f"servers:{name_world()}"
    before = read_manifest(live_generation(source))
    for start, end in ((source, first), (first, second), (second, back)):
        manifest = copy_world(start, end, servers=server_settings)
        assert manifest.fingerprint == before.fingerprint
        assert ("tantivy" in manifest.versions) == (end == back)
        assert ({"mongodb", "elasticsearch"} <= manifest.versions.keys()) == (end != back)
    for spec in (first, second):
        assert check_servers(spec, server_settings) == []
    assert check_world(back) == []
    assert read_manifest(live_generation(back)) == before
    with rows_of(source) as here, rows_of(first, server_settings) as there:
        assert list(there.products) == list(here.products)
        assert list(there.orders) == list(here.orders)

    with connect(server_settings, name) as servers:
        servers.database["g1_orders"].delete_one({})
    with pytest.raises(UserError, match="another fingerprint"):
        copy_world(first, tmp_path / "target", servers=server_settings)

"""A damaged world on servers is found out, and a copied one is the same. Tests env/copying.py."""

from collections.abc import Callable
from pathlib import Path

import pytest

from drretail.env.copying import copy_world, writer_to
from drretail.env.folder import check_world, open_world_rows
from drretail.env.manifest import WorldRows, live_generation, read_manifest
from drretail.env.servers.clients import connect
from drretail.env.servers.generations import LIVE, WORLDS, check_servers, read_generation
from drretail.env.servers.naming import ServerSettings
from drretail.env.store.mongo import collections_of
from drretail.env.world import OrderRow, default_pool
from drretail.errors import UserError
from drretail.records.shop import Product
from tests.build import build_world
from tests.shop import ORDERS, PRODUCTS, USER

WHERE, NEW = {"_id": ORDERS[0].order_id}, {"$set": {"quantity": 2}}
ORDER, PRODUCT = ("orders", WHERE), ("products", {"_id": PRODUCTS[0].product_id})
SHOPPER = "users", {"_id": USER}
NOBODY = {"$set": {"user_id": "NOBODY"}}


def test_damage_and_another_pool_are_found(server_settings: ServerSettings, fresh_name: str) -> None:
    with writer_to(f"servers:{fresh_name}", server_settings) as write:
        write(WorldRows(PRODUCTS, ORDERS[:-1], seed=42, pool=default_pool()), None)

    def codes() -> set[str]:
        return {finding.code for finding in check_servers(f"servers:{fresh_name}", server_settings)}

    with connect(server_settings, fresh_name) as servers:
        live = read_generation(servers)
        for damage, ((table, which), update, expected) in {
            "an order was changed": (ORDER, NEW, {"user_sums"}),
            "an order is missing": (ORDER, None, {"count", "user_sums"}),
            "an order is of nobody": (ORDER, NOBODY, {"user_sums"}),
            "a product was changed": (PRODUCT, {"$set": {"title": "Another"}}, {"fingerprint"}),
            "a product cannot be read": (PRODUCT, {"$unset": {"title": 1}}, {"unreadable"}),
            "a user's sums were changed": (SHOPPER, {"$set": {"spend": 1.0}}, {"user_sums"}),
            "a user is missing": (SHOPPER, None, {"count"}),
            "an order has no product": (ORDER, {"$unset": {"product_id": 1}}, {"unreadable"}),
            "an order's quantity is a text": (ORDER, {"$set": {"quantity": "1"}}, {"unreadable"}),
        }.items():
            documents = collections_of(servers, live.key)[table]
            before = documents.find_one(which)
            assert before is not None
            if update is None:
                documents.delete_one(which)
            else:
                documents.update_one(which, update)
            assert codes() == expected, damage
            documents.replace_one(which, before, upsert=True)
        assert codes() == set()
        other = live.model_copy(update={"pool": live.pool.model_copy(update={"streets": ("A",)})})
        record = {"generations.0.record": other.model_dump_json()}
        servers.database[WORLDS].update_one(LIVE, {"$set": record})
        assert codes() == {"profile_pool", "fingerprint"}


STRANGE = Product(
    product_id="B0ZZ",
    title="Crème brûlée ☕ 東京\u2028",
    price=0.1 + 0.2,
    category="Pet_Supplies",
    details={"$ref": 1, "a.b": {"": [1.5, 2**70, None]}, "Best Sellers Rank": {"Pet Supplies": 2**40}, "float": 3.0},
)
USERS = ["A", "U", "U_1", "é", "Ü", "\U0001f600", "\uffff"]


def test_a_world_goes_round_and_comes_back_the_same_unless_it_is_damaged(
    server_settings: ServerSettings, name_world: Callable[[], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("drretail.env.servers.loading.ORDERS_AT_ONCE", 7)
    # Ids of users and products sort in several ways, and many orders are of one time.
    products = [*PRODUCTS, STRANGE]
    orders = [
        OrderRow(f"{900 - n}", USERS[n % 7], products[n % 5].product_id, 10**12 + n % 3, 1 + n % 2) for n in range(60)
    ]
    orders.sort(key=lambda row: row.place)
    name, source, back = name_world(), tmp_path / "w", tmp_path / "back"
    origin = {"parameters": {"cap": 5, "a.b": {"$c": 1}}}
    build_world(source, products, orders, seed=7, pool=default_pool(), origin=origin)
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
    with open_world_rows(source) as here, open_world_rows(first, server_settings) as there:
        assert list(there.products) == list(here.products)
        assert list(there.orders) == list(here.orders)

    with connect(server_settings, name) as servers:
        collections_of(servers, read_generation(servers).key)["orders"].delete_one({})
    with pytest.raises(UserError, match="another fingerprint"):
        copy_world(first, tmp_path / "target", servers=server_settings)

"""A damaged world on servers is found out, and a copied one is the same. Tests env/copying.py."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.trouble.shared import TAMPERED, write
from drretail.env.clients import Servers, connect
from drretail.env.copying import copy_world
from drretail.env.folder import check_world, open_world_rows
from drretail.env.manifest import live_generation, read_manifest
from drretail.env.naming import ServerSettings
from drretail.env.servers.checking import check_servers
from drretail.env.servers.generations import read_generation
from drretail.env.store.mongo import collections_of
from drretail.env.world import OrderRow, default_pool
from drretail.errors import UserError
from drretail.records.shop import Product
from tests.build import build_world
from tests.shop import PRODUCTS


@pytest.mark.parametrize("damage", TAMPERED)
def test_whatever_is_changed_is_found(servers: Servers, damage: str) -> None:
    write(servers)
    spec = f"servers:{servers.name}"
    assert check_servers(spec, servers.settings) == []
    TAMPERED[damage](servers, read_generation(servers))
    if damage == "the description is changed":
        with pytest.raises(UserError, match=f"description of {spec} is damaged"):
            check_servers(spec, servers.settings)
    else:
        assert check_servers(spec, servers.settings)


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

"""A world goes onto servers, from there onto servers, and back, and is the same everywhere."""

from collections.abc import Callable
from pathlib import Path

import pytest

from drretail.env.copying import copy_world
from drretail.env.folder import rows_of
from drretail.env.manifest import HOLDOUT_FILE, live_generation, read_manifest
from drretail.env.servers import loading
from drretail.env.servers.clients import connect
from drretail.env.servers.integrity import check_servers
from drretail.env.servers.naming import ServerSettings
from drretail.env.world import OrderRow, check_world, default_pool, open_world, write_world
from drretail.errors import UserError
from drretail.records.shop import Product
from tests.build import known
from tests.shop import PRODUCTS

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
    write_world(
        folder,
        products=products,
        orders=orders[2:],
        holdout=[orders[1], orders[0]],
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
        manifest = copy_world(start, end, servers=server_settings, materialize_users=end == second)
        assert manifest.fingerprint == before.fingerprint
        assert ("tantivy" in manifest.versions) == (end == back)
        assert ({"mongodb", "elasticsearch"} <= manifest.versions.keys()) == (end != back)
    for spec in (first, second):
        assert check_servers(spec, server_settings) == []
    assert check_world(back) == []
    assert read_manifest(live_generation(back)) == before
    lines = [(live_generation(folder) / HOLDOUT_FILE).read_bytes() for folder in (source, back)]
    assert lines[0] == lines[1]
    with rows_of(source) as here, rows_of(first, server_settings) as there:
        assert list(there.products) == list(here.products)
        assert list(there.orders) == list(here.orders)
    with open_world(source) as here, open_world(first, servers=server_settings) as there:
        assert known(there.holdout).orders(USERS) == known(here.holdout).orders(USERS) != {}

    with connect(server_settings, name) as servers:
        servers.database["g1_orders"].delete_one({})
    with pytest.raises(UserError, match="another fingerprint"):
        copy_world(first, tmp_path / "target", servers=server_settings)

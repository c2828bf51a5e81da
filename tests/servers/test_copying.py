"""A world goes onto servers, from there onto servers, and back, and is the same everywhere."""

from collections.abc import Callable
from pathlib import Path

import pytest

from drretail.env.copying import copy_world
from drretail.env.generations import live_generation
from drretail.env.manifest import HOLDOUT_FILE, read_manifest
from drretail.env.rows import rows_of
from drretail.env.servers import filling
from drretail.env.servers.clients import connect
from drretail.env.servers.integrity import check_servers
from drretail.env.servers.naming import ServerSettings
from drretail.env.world import OrderRow, check_world, default_pool, write_world
from drretail.errors import UserError
from drretail.records.shop import Product
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


@pytest.fixture
def new_spec(name_world: Callable[[], str]) -> Callable[[], str]:
    return lambda: f"servers:{name_world()}"


def test_a_world_goes_round_and_comes_back_the_same(
    server_settings: ServerSettings, new_spec: Callable[[], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filling, "ORDERS_AT_ONCE", 7)
    source, first, second, back = a_world(tmp_path / "w"), new_spec(), new_spec(), tmp_path / "back"
    before = read_manifest(live_generation(source))
    for start, end in ((source, first), (first, second), (second, back)):
        manifest = copy_world(start, end, servers=server_settings, materialize_users=end == second)
        assert manifest.fingerprint == before.fingerprint
    for spec in (first, second):
        assert check_servers(spec, server_settings) == []
    assert check_world(back) == []
    after = read_manifest(live_generation(back))
    assert after == before
    lines = [(live_generation(folder) / HOLDOUT_FILE).read_bytes() for folder in (source, back)]
    assert lines[0] == lines[1]
    with rows_of(source) as here, rows_of(first, server_settings) as there:
        assert list(there.products) == list(here.products)
        assert list(there.orders) == list(here.orders)


def test_what_servers_keep_a_world_in_is_told_by_its_manifest(
    server_settings: ServerSettings, new_spec: Callable[[], str], tmp_path: Path
) -> None:
    spec = new_spec()
    versions = copy_world(a_world(tmp_path / "w"), spec, servers=server_settings).versions
    assert {"mongodb", "elasticsearch"} <= versions.keys()
    assert "tantivy" not in versions


def test_a_damaged_world_on_servers_is_not_copied(
    server_settings: ServerSettings, name_world: Callable[[], str], tmp_path: Path
) -> None:
    name = name_world()
    copy_world(a_world(tmp_path / "w"), f"servers:{name}", servers=server_settings)
    with connect(server_settings, name) as servers:
        servers.database["g1_orders"].delete_one({})
    with pytest.raises(UserError, match="another fingerprint"):
        copy_world(f"servers:{name}", tmp_path / "target", servers=server_settings)

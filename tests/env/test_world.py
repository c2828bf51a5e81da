"""A world as it is written, opened, refused and copied. Also tests copying.py, intake.py and manifest.py."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drretail.env.catalog.formulation import STANDARD
from drretail.env.copying import copy_world
from drretail.env.folder import check_world, open_world_rows
from drretail.env.manifest import CURRENT, DATABASE_FILE
from drretail.env.naming import ServerSettings
from drretail.env.web.base import Web
from drretail.env.world import Manifest, OrderRow, default_pool, world_at
from drretail.errors import UserError
from drretail.files import PART
from drretail.records.shop import ORDER_STATUSES, Product
from tests.build import build_world
from tests.env.store.test_mongo import json_values


def names(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()}


def test_today_is_the_midnight_after_the_last_order(manifest: Manifest, folder: Path, products: list[Product]) -> None:
    assert {"drretail", "tantivy", "index"} <= manifest.versions.keys()
    assert manifest.now == datetime(2020, 11, 14, tzinfo=UTC)
    at_midnight = OrderRow("1", "U", "B01", 1_600_041_600_000)  # 2020-09-14T00:00Z
    assert build_world(folder, products, [at_midnight]).now == datetime(2020, 9, 15, tzinfo=UTC)
    assert build_world(folder, []).now == datetime(2023, 10, 1, tzinfo=UTC)
    assert check_world(folder) == []  # a shop may be empty


@settings(max_examples=25)
@given(
    titles=st.lists(st.text(max_size=20), min_size=1, max_size=6),
    details=st.dictionaries(st.text(max_size=5), json_values, max_size=2),
    users=st.lists(st.sampled_from(["U", "U_1", "é", "Ü", "V"]), max_size=10),
)
def test_a_world_gives_back_what_was_written(
    tmp_path_factory: pytest.TempPathFactory, web: Web, titles: list[str], details: dict[str, Any], users: list[str]
) -> None:
    products = [
        Product(product_id=f"B{number}", title=title, category="Pet_Supplies", details=details)
        for number, title in enumerate(titles)
    ]
    orders = [
        OrderRow(f"{number}", user, "B0", 2**41 - number // 2, number + 1, ORDER_STATUSES[number % len(ORDER_STATUSES)])
        for number, user in enumerate(users)
    ]
    folder = tmp_path_factory.mktemp("shop") / "world"
    build_world(folder, iter(products), iter(sorted(orders, key=lambda row: row.place)))
    assert check_world(folder) == []
    with world_at(folder, web=web) as world:
        assert [world.store.product(product.product_id) for product in products] == products
        for user_id in set(users):
            expected = [row.as_order() for row in orders if row.user_id == user_id]
            found = world.store.orders(user_id)
            assert found.total == len(expected)
            assert sorted(found.orders, key=lambda order: int(order.order_id)) == expected


def test_everything_an_agent_can_see_is_in_the_fingerprint(
    tmp_path: Path, products: list[Product], orders: list[OrderRow], manifest: Manifest
) -> None:
    pool = default_pool()
    other_pool = pool.model_copy(update={"first_names": pool.first_names[1:]})
    other_product = products[0].model_copy(update={"price": 24.51})
    variants: list[dict[str, Any]] = [
        {"seed": 43},
        {"pool": other_pool},
        {"products": [other_product, *products[1:]]},
        {"orders": orders[:-1]},
        {"orders": [orders[0]._replace(quantity=9), *orders[1:]]},
        {"formulation": STANDARD},
    ]
    same: dict[str, Any] = {"products": products, "orders": orders}
    found = {build_world(tmp_path / str(n), **{**same, **variant}).fingerprint for n, variant in enumerate(variants)}
    assert len(found | {manifest.fingerprint}) == len(variants) + 1


def test_the_last_two_generations_stay(folder: Path, web: Web, products: list[Product], orders: list[OrderRow]) -> None:
    written = [build_world(folder, products, orders[:number]) for number in (1, 2)]
    with world_at(folder, web=web) as world:
        written.append(build_world(folder, products, orders[:3]))
        assert world.store.orders("ANNA").total == 2
    assert names(folder) == {CURRENT, written[1].generation, written[2].generation}
    with world_at(folder, web=web) as world:
        assert world.manifest == written[2]


def test_what_an_interrupted_or_killed_write_left_goes_and_the_old_world_stays_live(
    folder: Path, manifest: Manifest, products: list[Product], orders: list[OrderRow]
) -> None:
    leftover = folder / f"staging{PART}" / "index"
    leftover.mkdir(parents=True)
    (leftover / "half").write_text("half")

    def cut() -> Iterator[OrderRow]:
        assert not leftover.exists()
        yield orders[0]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_world(folder, products, cut())
    assert names(folder) == {CURRENT, manifest.generation}
    assert check_world(folder) == []


def test_rows_that_cannot_be_kept_are_refused(folder: Path, products: list[Product], orders: list[OrderRow]) -> None:
    first, second = products[:2]
    unknown = OrderRow("1", "U", "B99", 5)
    twice = [OrderRow("1", "U", "B01", 5), OrderRow("1", "V", "B01", 5)]
    for rows, purchases, message in (
        ([second, first], [], "'B01' follows 'B02'"),
        ([first, first], [], "'B01' follows 'B01'"),
        (products, [orders[1], orders[0]], r"order_id='0000000001'.* not sorted"),
        (products, [orders[0], orders[0]], "not sorted by user, time and id, or twice"),
        (products, [unknown], r"'B99'.* not in the shop"),
        (products, twice, "an order id occurs twice: '1'"),
    ):
        with pytest.raises(ValueError, match=message):
            build_world(folder, rows, purchases)
    assert not (folder / CURRENT).exists()


def test_what_is_no_world_is_left_alone_and_a_missing_one_explained(folder: Path, products: list[Product]) -> None:
    with pytest.raises(UserError, match=r"no world at .*drretail ingest … --world"):
        world_at(folder)
    folder.mkdir()
    with pytest.raises(UserError, match="no file CURRENT"):
        world_at(folder)
    (folder / "thesis.tex").write_text("mine")
    with pytest.raises(UserError, match="folder of its own"):
        build_world(folder, products)
    with pytest.raises(UserError, match="is a file"):
        build_world(folder / "thesis.tex", products)
    assert names(folder) == {"thesis.tex"}


@pytest.mark.parametrize(
    ("part", "content", "message"),
    [
        ("manifest.json", {"format": 2}, "format 2; this version of drretail reads format 1"),
        ("manifest.json", {"versions": {"index": "bm25 title^2"}}, r"another way \(bm25 title\^2\)"),
        *(("CURRENT", f"{name}\n", "is damaged") for name in ("gen-000000000000", "../world", "", "thesis")),
        *((part, None, None) for part in ("shop.sqlite", "manifest.json", "index/meta.json")),
        *((part, "\0 nonsense", None) for part in ("shop.sqlite", "manifest.json", "index/meta.json")),
    ],
)
def test_a_generation_that_is_damaged_or_of_another_format_or_index_is_said(
    folder: Path, manifest: Manifest, part: str, content: str | dict[str, Any] | None, message: str | None
) -> None:
    path = folder / ("" if part == CURRENT else manifest.generation) / part
    if content is None:
        path.unlink()
    else:
        changed = content if isinstance(content, str) else json.dumps(json.loads(path.read_text()) | content)
        path.write_text(changed)
    with pytest.raises(UserError, match=message):
        world_at(folder)


def test_a_world_on_servers_is_there_unless_a_folder_is_called_so(tmp_path: Path, products: list[Product]) -> None:
    nobody = ServerSettings(mongo_url="mongodb://user:secret@127.0.0.1:9", timeout=0.2)
    with pytest.raises(UserError, match=r"MongoDB at 127\.0\.0\.1:9\) cannot be reached") as caught:
        world_at("servers:shop", servers=nobody)
    assert "secret" not in str(caught.value)
    folder = tmp_path / "servers:shop"
    build_world(folder, products)
    with world_at(folder) as world:
        assert world.folder == folder


def test_a_copy_is_the_same_world(folder: Path, products: list[Product], orders: list[OrderRow]) -> None:
    pool = default_pool().model_copy(update={"streets": ("Elm Street",)})
    origin = {"parameters": {"cap": 5}, "versions": {"duckdb": "2"}}
    made = build_world(folder, products, orders, seed="s", pool=pool, origin=origin)
    with open_world_rows(folder) as rows:
        assert (list(rows.products), list(rows.orders)) == (products, orders)
    target = folder.with_name("target")
    assert copy_world(folder, target) == made
    assert check_world(target) == []


@pytest.mark.parametrize("damage", ["UPDATE orders SET quantity = 9", "UPDATE products SET record = '{}'"])
def test_a_damaged_source_is_not_copied(folder: Path, tmp_path: Path, manifest: Manifest, damage: str) -> None:
    with closing(sqlite3.connect(folder / manifest.generation / DATABASE_FILE)) as db, db:
        db.execute(damage)
    with pytest.raises(UserError, match=r"another fingerprint|is damaged"):
        copy_world(folder, tmp_path / "target")
    with pytest.raises(UserError):
        world_at(tmp_path / "target")

"""The orders that are held out, for evaluation alone: what is frozen of the users' next purchases, and the files of the
categories that queries want."""

import json
import random
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest

from drretail.env.catalog.base import CatalogQuery
from drretail.env.catalog.tantivy import TantivyCatalog, read_errors
from drretail.env.folder import check_database
from drretail.env.next_purchase import add_gold, file_categories, next_purchases, wanted_categories
from drretail.env.session import Session, SessionSettings
from drretail.env.store.users import default_pool
from drretail.env.web.base import Web
from drretail.env.world import Manifest, OrderRow, World, check_world, open_world
from drretail.errors import UserError
from drretail.experiment import Definition, Experiment, read_rubric
from drretail.records.query import Query
from drretail.records.shop import NextPurchase, Product
from drretail.records.wish import Want, Wish
from drretail.tools.registry import TOOLS
from drretail.tools.toolkit import Toolkit
from tests.build import build_world
from tests.shop import DAY, JANUARY, ORDERS, OTHER, PRODUCTS, USER, build_shop

FILES = {"file_changed", "file_missing"}


def codes(folder: Path) -> set[str]:
    """What is found beside the checksums, which find all of it and tell nothing of it."""
    found = {finding.code for finding in check_world(folder)}
    assert found & FILES
    return found - FILES


def tamper(generation: Path, statement: str, *values: str) -> None:
    with closing(sqlite3.connect(generation / "shop.sqlite")) as db, db:
        db.execute(statement, values)


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("UPDATE orders SET quantity = 7 WHERE order_id = '0000000001'", {"fingerprint"}),
        ("UPDATE products SET record = replace(record, '24.5', '2.5')", {"fingerprint"}),
        ("DELETE FROM orders WHERE user = 2", {"fingerprint", "count"}),
        ("DELETE FROM users WHERE user_id = 'BERT'", {"fingerprint", "count"}),
        ("DELETE FROM products WHERE product_id = 'B02'", {"fingerprint", "count", "index_products"}),
        ("UPDATE users SET spend = 1 WHERE user_id = 'ANNA'", set()),
        ("DROP TABLE orders", {"unreadable"}),
    ],
)
def test_a_changed_row_is_found(folder: Path, manifest: Manifest, statement: str, expected: set[str]) -> None:
    tamper(folder / manifest.generation, statement)
    assert codes(folder) == expected


def test_a_changed_pool_manifest_or_several_tables_are_found(folder: Path, manifest: Manifest) -> None:
    generation = folder / manifest.generation
    pool = default_pool().model_copy(update={"version": 2})
    tamper(generation, "UPDATE profile_pool SET record = ?", pool.as_line())
    assert codes(folder) == {"profile_pool", "fingerprint"}
    tamper(generation, "UPDATE profile_pool SET record = ?", default_pool().as_line())
    path = generation / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "seed": "43"}))
    assert codes(folder) == {"fingerprint"}
    tamper(generation, "DROP TABLE orders")
    tamper(generation, "DELETE FROM products WHERE product_id = 'B02'")
    assert codes(folder) == {"unreadable", "count", "index_products"}


def test_another_worlds_index_is_found(
    folder: Path, manifest: Manifest, products: list[Product], tmp_path: Path
) -> None:
    other = build_world(tmp_path / "other", products[:3])
    shutil.rmtree(folder / manifest.generation / "index")
    shutil.copytree(tmp_path / "other" / other.generation / "index", folder / manifest.generation / "index")
    (folder / manifest.generation / "SHA256SUMS").unlink()  # a world of before there were any has them not
    assert {finding.code for finding in check_world(folder)} == {"index_products"}


def test_a_missing_database_is_found_and_no_world_the_users_error(folder: Path, manifest: Manifest) -> None:
    (folder / manifest.generation / "shop.sqlite").unlink()
    assert codes(folder) == {"unreadable"}
    shutil.rmtree(folder)
    with pytest.raises(UserError):
        check_world(folder)


@pytest.fixture
def holding_out(folder: Path, products: list[Product], orders: list[OrderRow]) -> Path:
    kept, held = orders[:-1], orders[-1:]
    build_world(folder, products, kept, holdout=held)
    return folder


def test_a_flipped_bit_or_a_missing_file_is_noticed_and_reading_changes_none(holding_out: Path) -> None:
    with open_world(holding_out) as world:
        world.catalog.search(CatalogQuery("bird"))
        world.store.sample_users("1", 1)
    assert check_world(holding_out) == []
    draw = random.Random(7)
    for path in sorted(path for path in holding_out.rglob("*") if path.is_file()):
        whole = path.read_bytes()
        if not whole or path.name.startswith("shop.sqlite-"):  # SQLite's own, while it is open
            continue
        for _ in range(6):
            at, bit = draw.randrange(len(whole)), draw.randrange(8)
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1 :])
            try:
                assert check_world(holding_out), f"bit {bit} of byte {at} of {path.name}"
            except UserError:
                assert path.name == "CURRENT"  # it names no generation any more
        if path.name not in ("CURRENT", "SHA256SUMS"):  # without the one there is no world, the other may be younger
            path.unlink()
            assert path.name in "".join(finding.text for finding in check_world(holding_out))
        path.write_bytes(whole)


def test_the_checksums_are_those_that_sha256sum_reads(holding_out: Path) -> None:
    check_database(holding_out)
    assert check_world(holding_out) == []
    generation = next(holding_out.glob("gen-*"))
    subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=generation, check=True)


def test_every_file_is_as_open_as_the_first(holding_out: Path) -> None:
    assert len({path.stat().st_mode for path in holding_out.rglob("*") if path.is_file()}) == 1


@pytest.mark.parametrize("suffix", [".fast", ".term", ".store", ".pos", ".idx", ".fieldnorm", "meta.json"])
def test_a_damaged_index_is_not_opened(holding_out: Path, suffix: str) -> None:
    (path,) = (each for each in holding_out.rglob(f"index/*{suffix}") if not each.name.startswith("."))
    whole = path.read_bytes()
    for at in range(0, len(whole), max(1, len(whole) // 40)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        with pytest.raises(UserError, match=r"product index .* is damaged .*: `drretail world check` says more"):
            open_world(holding_out)


def test_a_folder_without_an_index_and_a_library_that_panics_over_one_are_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        TantivyCatalog(tmp_path)
    panic = type("PanicException", (BaseException,), {"__module__": "pyo3_runtime"})
    with pytest.raises(UserError, match="cannot be read: out of range"), read_errors(tmp_path):
        raise panic("out of range")
    with pytest.raises(KeyboardInterrupt), read_errors(tmp_path):
        raise KeyboardInterrupt


LATE = OrderRow("0000000009", USER, "B0TEST0002", JANUARY + 9 * DAY)
LATER = OrderRow("0000000008", USER, "B0TEST0003", JANUARY + 10 * DAY)


def built(folder: Path, *held_out: OrderRow) -> Path:
    build_world(folder, PRODUCTS, ORDERS, holdout=held_out)
    return folder


def test_the_held_out_orders_of_users_come_oldest_first_and_a_world_without_any_says_so(tmp_path: Path) -> None:
    other = OrderRow("0000000007", OTHER, "B0TEST0001", JANUARY + DAY)
    with open_world(built(tmp_path / "w", LATE, LATER, other)) as world:
        assert world.holdout is not None
        assert world.holdout([USER]) == {USER: [LATE, LATER]}
        assert world.holdout([OTHER, USER, "nobody"]) == {USER: [LATE, LATER], OTHER: [other]}
        (file,) = (tmp_path / "w").glob("gen-*/holdout.jsonl")
        file.write_text("{}\n", encoding="utf-8")
        with pytest.raises(UserError, match=r"holdout\.jsonl, line 1, is no order"):
            world.holdout([USER])
    with open_world(build_shop(tmp_path / "none")) as world:
        assert world.holdout is None
    with open_world(built(tmp_path / "empty")) as world:
        assert world.holdout is not None
        assert world.holdout([USER]) == {}


ARGUMENTS: dict[str, dict[str, object]] = {
    "product_catalog_search": {"query": "bird feeder"},
    "get_product_details": {"product_id": LATE.product_id},
    "get_user_orders": {"user_id": USER},
    "get_order_details": {"order_id": LATE.order_id},
    "get_user_profile": {"user_id": USER},
    "update_user_profile": {"user_id": USER, "first_name": "Ada"},
    "get_user_statistics": {"user_id": USER},
    "web_search": {"query": "bird feeder"},
    "calculator": {"expression": "1 + 1"},
}


def test_no_tool_reads_what_is_held_out(tmp_path: Path) -> None:
    def answers(world: World) -> dict[str, str]:
        with Toolkit(Session(SessionSettings(world, user_id=USER))) as toolkit:
            return {name: toolkit.call(name, arguments).text for name, arguments in ARGUMENTS.items()}

    assert ARGUMENTS.keys() == TOOLS.keys()
    with open_world(built(tmp_path / "w", LATE)) as world:
        holdout = Mock()
        whole = answers(replace(world, holdout=holdout))
        assert not holdout.mock_calls
        assert answers(replace(world, holdout=None)) == whole
    assert [name for name, text in whole.items() if LATE.order_id in text] == ["get_order_details"]
    assert "not_found" in whole["get_order_details"]


def a_query(query_id: str = "q1", user_id: str | None = USER, *kinds: str) -> Query:
    wish = Wish(wants=(Want(name="thing", kinds=kinds),)) if kinds else None
    return Query(query_id=query_id, user_id=user_id, text="A feeder?", source="test", wish=wish)


def frozen(folder: Path, query: Query, *held_out: OrderRow) -> NextPurchase:
    with open_world(built(folder, *held_out)) as world:
        (found,) = next_purchases(world, [query])
    return found


def test_the_purchase_stands_beside_what_sells_best(tmp_path: Path) -> None:
    found = frozen(tmp_path / "w", a_query(), LATE)
    (bought,) = found.bought
    assert (bought.product_id, bought.category, bought.brand) == (LATE.product_id, "Bird Feeders", "Tanagrove")
    assert bought.price_band == "USD 20-40"
    assert found.favourite == "Bird Feeders"
    best = [goods.product_id for goods in found.popular_in_favourite]
    assert best == [f"B0TEST000{number}" for number in (1, 2, 3, 4)]


@pytest.mark.parametrize("known", ["", "B0TEST0001"])
def test_a_department_is_nobodys_favourite_category_and_a_known_leaf_is_however_few(tmp_path: Path, known: str) -> None:
    mixed = [
        product if product.product_id == known else product.model_copy(update={"categories": (product.category,)})
        for product in PRODUCTS
    ]
    more = [OrderRow(f"000000001{n}", USER, "B0TEST0004", JANUARY + (2 + n) * DAY) for n in range(3)]
    folder = tmp_path / "w"
    build_world(folder, mixed, sorted((*ORDERS, *more), key=lambda row: row.place), holdout=[LATE])
    with open_world(folder) as world:
        (found,) = next_purchases(world, [a_query()])
    assert found.favourite == ("Bird Feeders" if known else None)
    assert bool(found.popular_in_favourite) == bool(known)
    assert [goods.category for goods in found.bought] == [None]


def test_what_left_the_shop_or_was_cancelled_was_not_bought_and_nobody_bought_nothing(tmp_path: Path) -> None:
    gone = OrderRow("0000000011", USER, "B0GONE0001", JANUARY + 20 * DAY)
    found = frozen(tmp_path / "gone", a_query(), gone)
    assert (found.bought, found.gone) == ((), ("B0GONE0001",))
    cancelled = frozen(tmp_path / "void", a_query(), LATE._replace(order_status="Cancelled"))
    assert (cancelled.bought, cancelled.gone) == ((), ())
    nobody = frozen(tmp_path / "w", a_query("q1", None), LATE)
    assert (nobody.user_id, nobody.bought, nobody.favourite) == (None, (), None)
    assert frozen(tmp_path / "v", a_query()).bought == ()
    with open_world(build_shop(tmp_path / "nothing held out")) as world:
        assert list(next_purchases(world, [a_query()])) == []


def test_the_first_purchase_that_was_frozen_stays_and_new_queries_get_theirs(tmp_path: Path) -> None:
    definition = Definition(world_fingerprint="f", tool_schema_hash="t")
    with Experiment(tmp_path / "exp", definition) as experiment:
        for name, purchases in (("first", (LATE,)), ("second", (LATE._replace(product_id="B0TEST0004"),))):
            with open_world(built(tmp_path / name, *purchases)) as world:
                queries = [a_query(), a_query("q2")] if name == "second" else [a_query()]
                add_gold(experiment, world, queries)
    kept = [read_rubric(tmp_path / "exp", "next_purchase", name, NextPurchase) for name in ("q1", "q2", "q3")]
    assert [None if each is None else each.bought[0].product_id for each in kept] == ["B0TEST0002", "B0TEST0004", None]


def numbered(number: int, file: str, *path: str, popular: int = 10, title: str = "Thing") -> Product:
    return Product(
        product_id=f"B{number:03}", title=f"{title} {number}", categories=path, category=file, rating_number=popular
    )


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory, web: Web) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("files") / "world"
    products = [
        numbered(1, "Pet_Supplies", "Pet Supplies", "Bowls"),
        numbered(2, "Pet_Supplies", "Pet Supplies", "Bowls"),
        numbered(3, "Home_and_Kitchen", "Home & Kitchen", "Bowls"),
        numbered(4, "Pet_Supplies", "Pet Supplies", "Accessories", title="Leash for a Tent Stake"),
        *(numbered(5 + at, "Sports", "Sports", "Camping", title="Dome Tent") for at in range(2)),
        *(numbered(10 + at, "Office_Products", "Office Products", "Accessories", popular=5) for at in range(60)),
        *(numbered(100 + at, "Baby_Products", "Baby Products", "Accessories", popular=50) for at in range(30)),
    ]
    build_world(folder, products)
    with open_world(folder, web=web) as world:
        yield world


@pytest.mark.parametrize(
    ("kind", "file"),
    [
        ("Bowls", "Pet_Supplies"),  # from which most of its products came
        ("Accessories", "Baby_Products"),  # of a large category the popular products decide
        *((name, "Home_and_Kitchen") for name in ("Home_and_Kitchen", "home & kitchen", "Home and Kitchen")),
        *((noun, "Sports") for noun in ("dome tent", "tent")),  # of the products that are of its kind
    ],
)
def test_a_category_a_file_or_a_noun_is_of_a_file(shop: World, kind: str, file: str) -> None:
    assert file_categories(shop, [kind]) == {kind: file}


def test_an_unknown_kind_is_left_out_and_kinds_of_one_file_are_one(shop: World) -> None:
    kinds = ("Bowls", "pet supplies", "Home & Kitchen", "rocket")
    queries = [a_query("q2", None, *kinds), a_query("q1", None, "rocket"), a_query("q3")]
    assert wanted_categories(shop, queries) == {"q2": ("Pet_Supplies", "Home_and_Kitchen")}

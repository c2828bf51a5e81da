import json
import random
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from drretail.env.catalog.base import CatalogQuery
from drretail.env.catalog.tantivy import TantivyCatalog, read_errors
from drretail.env.checking import check_database
from drretail.env.profiles import default_pool
from drretail.env.store.sqlite import SqliteStore
from drretail.env.world import Manifest, OrderRow, check_world, open_world
from drretail.errors import UserError
from drretail.records.shop import Product
from tests.build import build_world

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
        ("UPDATE orders SET quantity = 7 WHERE order_id = '0000000001'", {"fingerprint", "user_sums"}),
        ("UPDATE products SET record = replace(record, '24.5', '2.5')", {"fingerprint", "user_sums"}),
        ("DELETE FROM orders WHERE order_id = '0000000001'", {"fingerprint", "count", "user_sums"}),
        ("DELETE FROM users WHERE user_id = 'BERT'", {"fingerprint", "count", "order_without_user"}),
        (
            "DELETE FROM products WHERE product_id = 'B02'",
            {"fingerprint", "count", "order_without_product", "index_products"},
        ),
        ("DELETE FROM orders WHERE user = 2", {"fingerprint", "count", "user_without_order"}),
        ("UPDATE users SET spend = 1 WHERE user_id = 'ANNA'", {"user_sums"}),
        ("UPDATE users SET last_order = 1 WHERE user_id = 'ANNA'", {"user_sums"}),
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


def test_a_damaged_or_missing_database_is_found_and_a_missing_world_is_the_users_error(
    folder: Path, manifest: Manifest
) -> None:
    path = folder / manifest.generation / "shop.sqlite"
    # The last place that holds an order id is the index over order ids, which the other checks do not read.
    table, found, rest = path.read_bytes().rpartition(b"0000000003")
    path.write_bytes(table + found.replace(b"3", b"4") + rest)
    assert codes(folder) == {"database_damaged"}
    path.unlink()
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


def test_profile_updates_damage_nothing_and_the_checksums_are_those_that_sha256sum_reads(holding_out: Path) -> None:
    with open_world(holding_out) as world:
        user = world.store.sample_users("1", 1)[0].user_id
        world.store.save_user(world.store.user(user).model_copy(update={"email": "new@example.com"}))
        assert isinstance(world.store, SqliteStore)
        check_database(holding_out, world.store)
    assert check_world(holding_out) == []
    generation = next(holding_out.glob("gen-*"))
    subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=generation, check=True)


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

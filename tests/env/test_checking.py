import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from drretail.env.profiles import default_pool
from drretail.env.world import Manifest, check_world, write_world
from drretail.errors import UserError
from drretail.records.shop import Product


def codes(folder: Path) -> set[str]:
    return {finding.code for finding in check_world(folder)}


def tamper(generation: Path, statement: str, *values: str) -> None:
    with closing(sqlite3.connect(generation / "shop.sqlite")) as db, db:
        db.execute(statement, values)


def test_a_whole_world_has_no_findings(folder: Path, manifest: Manifest) -> None:
    del manifest
    assert check_world(folder) == []


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("UPDATE orders SET quantity = 7 WHERE order_id = '0000000001'", {"fingerprint", "user_sums"}),
        ("UPDATE products SET record = replace(record, '24.5', '2.5')", {"fingerprint", "user_sums"}),
        ("DELETE FROM orders WHERE order_id = '0000000001'", {"fingerprint", "count", "user_sums"}),
        ("DELETE FROM users WHERE user_id = 'BERT'", {"fingerprint", "count", "order_without_user"}),
        (
            "DELETE FROM products WHERE product_id = 'B02'",
            {"fingerprint", "count", "order_without_product", "index_products", "user_sums"},
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


def test_another_profile_pool_is_found(folder: Path, manifest: Manifest) -> None:
    pool = default_pool().model_copy(update={"version": 2})
    tamper(folder / manifest.generation, "UPDATE profile_pool SET record = ?", pool.as_line())
    assert codes(folder) == {"profile_pool", "fingerprint"}


def test_a_changed_manifest_is_found(folder: Path, manifest: Manifest) -> None:
    path = folder / manifest.generation / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "seed": "43"}))
    assert codes(folder) == {"fingerprint"}


def test_the_index_of_another_world_is_found(
    folder: Path, manifest: Manifest, products: list[Product], tmp_path: Path
) -> None:
    other = write_world(tmp_path / "other", products=products[:3], orders=[], seed=42, pool=default_pool())
    shutil.rmtree(folder / manifest.generation / "index")
    shutil.copytree(tmp_path / "other" / other.generation / "index", folder / manifest.generation / "index")
    assert codes(folder) == {"index_products"}


def test_a_damaged_page_of_the_database_is_found(folder: Path, manifest: Manifest) -> None:
    path = folder / manifest.generation / "shop.sqlite"
    # The last place that holds an order id is the index over order ids, which the other checks do not read.
    table, found, rest = path.read_bytes().rpartition(b"0000000003")
    path.write_bytes(table + found.replace(b"3", b"4") + rest)
    assert codes(folder) == {"database_damaged"}


def test_one_damaged_table_does_not_hide_the_others(folder: Path, manifest: Manifest) -> None:
    tamper(folder / manifest.generation, "DROP TABLE orders")
    tamper(folder / manifest.generation, "DELETE FROM products WHERE product_id = 'B02'")
    assert codes(folder) == {"unreadable", "count", "index_products"}


def test_a_missing_file_is_a_finding_and_a_missing_world_the_users_error(folder: Path, manifest: Manifest) -> None:
    (folder / manifest.generation / "shop.sqlite").unlink()
    assert codes(folder) == {"unreadable"}
    shutil.rmtree(folder)
    with pytest.raises(UserError):
        check_world(folder)

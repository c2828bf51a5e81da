"""Whether a world in a folder is as it was made; the files of the categories that queries want. Also tests gold.py."""

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from drretail.env.catalog.base import CatalogQuery
from drretail.env.catalog.tantivy import TantivyCatalog, read_errors
from drretail.env.folder import check_world
from drretail.env.gold import file_categories, wanted_categories
from drretail.env.web.base import Web
from drretail.env.world import Manifest, World, world_at
from drretail.errors import UserError
from drretail.records.shop import Product
from drretail.records.wish import Want, Wish
from tests.build import build_world, query


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("UPDATE orders SET quantity = 7 WHERE order_id = '0000000001'", {"fingerprint"}),
        ("UPDATE products SET record = replace(record, '24.5', '2.5')", {"fingerprint"}),
        ("DELETE FROM products WHERE product_id = 'B02'", {"fingerprint", "count", "index_products"}),
        ("UPDATE users SET spend = 1 WHERE user_id = 'ANNA'", set()),
        ("DROP TABLE orders", {"unreadable"}),
    ],
)
def test_a_changed_row_is_found(folder: Path, manifest: Manifest, statement: str, expected: set[str]) -> None:
    with closing(sqlite3.connect(folder / manifest.generation / "shop.sqlite")) as db, db:
        db.execute(statement)
    found, of_checksums = {finding.code for finding in check_world(folder)}, {"file_changed", "file_missing"}
    assert found & of_checksums  # which find all of it and tell nothing of it
    assert found - of_checksums == expected


@pytest.mark.usefixtures("manifest")
def test_a_flipped_bit_or_a_missing_file_is_noticed_and_reading_changes_none(folder: Path) -> None:
    with world_at(folder) as world:
        world.catalog.search(CatalogQuery("bird"))
        world.store.sample_users("1", 1)
    assert check_world(folder) == []
    draw = random.Random(7)
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        whole = path.read_bytes()
        if not whole or path.name.startswith("shop.sqlite-"):  # SQLite's own, while it is open
            continue
        for _ in range(6):
            at, bit = draw.randrange(len(whole)), draw.randrange(8)
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1 :])
            try:
                assert check_world(folder), f"bit {bit} of byte {at} of {path.name}"
            except UserError:
                assert path.name == "CURRENT"  # it names no generation any more
        if path.name not in ("CURRENT", "SHA256SUMS"):  # without the one there is no world, the other may be younger
            path.unlink()
            assert path.name in "".join(finding.text for finding in check_world(folder))
        path.write_bytes(whole)


def test_a_file_without_a_checksum_is_a_finding(folder: Path, manifest: Manifest) -> None:
    sums = folder / manifest.generation / "SHA256SUMS"
    for line in (whole := sums.read_text()).splitlines(keepends=True):
        sums.write_text(whole.replace(line, ""))
        found = {finding.text for finding in check_world(folder) if finding.code == "file_unlisted"}
        assert found == {line.split()[1]}


@pytest.mark.usefixtures("manifest")
@pytest.mark.parametrize("suffix", [".fast", ".term", ".store", ".pos", ".idx", ".fieldnorm", "meta.json"])
def test_a_damaged_index_is_not_opened(folder: Path, suffix: str) -> None:
    (path,) = (each for each in folder.rglob(f"index/*{suffix}") if not each.name.startswith("."))
    whole = path.read_bytes()
    for at in range(0, len(whole), max(1, len(whole) // 40)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        with pytest.raises(UserError, match=r"product index .* is damaged .*: `drretail world check` says more"):
            world_at(folder)


def test_a_folder_without_an_index_and_a_library_that_panics_over_one_are_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        TantivyCatalog(tmp_path)
    panic = type("PanicException", (BaseException,), {"__module__": "pyo3_runtime"})
    with pytest.raises(UserError, match="cannot be read: out of range"), read_errors(tmp_path):
        raise panic("out of range")
    with pytest.raises(KeyboardInterrupt), read_errors(tmp_path):
        raise KeyboardInterrupt


def numbered(number: int, file: str, *path: str, popular: int = 10, title: str = "Thing") -> Product:
    return Product(
        product_id=f"B{number:03}",
        title=f"{title}, No. {number}",
        categories=path,
        category=file,
        rating_number=popular,
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
    with world_at(folder, web=web) as world:
        yield world


def test_a_category_a_file_or_a_noun_is_of_a_file(shop: World) -> None:
    for kind, file in (
        ("Bowls", "Pet_Supplies"),  # from which most of its products came
        ("Accessories", "Baby_Products"),  # of a large category the popular products decide
        *((name, "Home_and_Kitchen") for name in ("Home_and_Kitchen", "home & kitchen", "Home and Kitchen")),
        *((noun, "Sports") for noun in ("dome tent", "tent")),  # of the products that are of its kind
    ):
        assert file_categories(shop, [kind]) == {kind: file}, kind


def test_an_unknown_kind_is_left_out_and_kinds_of_one_file_are_one(shop: World) -> None:
    wanted = {"q2": ("Bowls", "pet supplies", "Home & Kitchen", "rocket"), "q1": ("rocket",)}
    queries = [query(name, wish=Wish(wants=(Want(name="thing", kinds=kinds),))) for name, kinds in wanted.items()]
    queries.append(query("q3"))
    assert wanted_categories(shop, queries) == {"q2": ("Pet_Supplies", "Home_and_Kitchen")}

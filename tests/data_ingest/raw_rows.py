"""Made-up rows in the dialects of Amazon Reviews 2023, and small shops of them."""

import gzip
import json
from collections.abc import Generator, Iterable
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from drretail.data_ingest.plan import IngestReport
from drretail.data_ingest.raw.lines import LAST_MILLISECOND
from drretail.data_ingest.raw.products import product_from_row
from drretail.data_ingest.raw.shop_rows import save_table, shop_sources
from drretail.env.folder import check_world
from drretail.env.manifest import DATABASE_FILE, live_generation, read_manifest
from drretail.env.store.sqlite import SqliteStore
from drretail.records.account import Account
from drretail.records.shop import Order, Product

START = 1_600_000_000_000  # 2020-09-13T12:26:40Z
BEFORE_2019 = 1_500_000_000_000
HOSTILE = ["../../x", ".hidden", "a/b", "A\0", "A\x1b[2J", "A1\n", " ", "A\u2028B", "A\ud800", "A" * 129, "ä", "'; --"]
"""What is no id."""


def product_row(product_id: str, **changes: Any) -> dict[str, Any]:
    """A product in the raw form."""
    return {
        "main_category": "Pet Supplies",
        "title": f"Slow feeder bowl {product_id}",
        "average_rating": 4.3,
        "rating_number": 87,
        "features": ["Slows down hasty eaters", "Dishwasher safe"],
        "description": ["A bowl with ridges."],
        "price": 14.99,
        "images": [{"thumb": "t", "large": "l", "variant": "MAIN", "hi_res": None}],
        "videos": [],
        "store": "Pawtastic",
        "categories": ["Pet Supplies", "Dogs", "Feeding"],
        "details": {"Brand": "Pawtastic", "Material": "Plastic"},
        "parent_asin": product_id,
        "bought_together": None,
        **changes,
    }


def hugging_face(row: dict[str, Any]) -> dict[str, Any]:
    """The same product as the dataset's loader gives it."""
    images = {name: [image[name] for image in row["images"]] for name in ("hi_res", "large", "thumb", "variant")}
    return {
        **row,
        "price": str(row["price"]),
        "details": json.dumps(row["details"]),
        "images": images,
        "videos": {"title": [], "url": [], "user_id": []},
        "subtitle": None,
        "author": None,
    }


def review_row(user_id: str, product_id: str, timestamp: Any, **changes: Any) -> dict[str, Any]:
    return {
        "rating": 5.0,
        "title": "Good",
        "text": "My dog eats slower now.<br />Would buy again.",
        "images": [],
        "asin": f"{product_id}X",
        "parent_asin": product_id,
        "user_id": user_id,
        "timestamp": timestamp,
        "helpful_vote": 0,
        "verified_purchase": True,
        **changes,
    }


def reviews_of(product_id: str, count: int = 5, start: int = START) -> list[dict[str, Any]]:
    """Reviews by ``count`` different users, a minute apart."""
    return [review_row(f"A{number:027d}", product_id, start + number * 60_000) for number in range(count)]


def write_lines(path: Path, rows: Iterable[Any], end: str = "") -> Path:
    """Rows as lines of JSON (a text stands as it is), packed when the name ends in .gz."""
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    data = ("".join(f"{line}\n" for line in lines) + end).encode("utf-8", "surrogatepass")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
    return path


def write_array(path: Path, rows: list[Any]) -> Path:
    """An indented JSON array with escaped slashes, as pandas writes it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(rows, indent=4).replace("/", "\\/"), encoding="utf-8")
    return path


def small_shop(folder: Path, *rows: dict[str, Any]) -> Path:
    """Raw files of one category: the given products (one plain one without any), each with five reviews."""
    products = rows or (product_row("B000000001"),)
    ids = list(dict.fromkeys(row["parent_asin"] for row in products))
    write_lines(folder / "meta_Pet_Supplies.jsonl", products)
    write_lines(folder / "Pet_Supplies.jsonl", [review for product_id in ids for review in reviews_of(product_id)])
    return folder


def notes_of(report: IngestReport) -> list[str]:
    """What is noted of the files of an own shop."""
    return [note for file in report.files for note in file.notes]


def not_used(account: Account) -> dict[str, int]:
    """How many rows each reason merged or left out."""
    assert account.adds_up
    return {reason: fate.count for reason, fate in (account.merged | account.left_out).items()}


def read_tables(mapping: Path) -> tuple[list[str], list[dict[str, Any]]]:
    """What is noted of the tables that a mapping names, and their good rows in the raw form, those of products first.

    A world takes five times as long, and is needed only where something else than the reading of cells is tested.
    """
    notes, rows, work = list[str](), list[dict[str, Any]](), mapping.parent
    for number, source in enumerate(shop_sources(mapping)[1]):
        target = work / f"{number}.rows"
        notes += save_table(source, target, LAST_MILLISECOND).notes
        rows += map(json.loads, target.read_text(encoding="utf-8").splitlines())
    return notes, rows


def products_read(mapping: Path) -> dict[str, Product]:
    """The products of a mapping without orders, by id."""
    return {row["parent_asin"]: product_from_row(row["parent_asin"], "", row) for row in read_tables(mapping)[1]}


def check_live(world: Path, fingerprint: str | None) -> None:
    """The world in a folder is whole, and the one of this fingerprint."""
    assert fingerprint is not None
    assert check_world(world) == []
    assert (world / "CURRENT").read_text().strip() == f"gen-{fingerprint[:12]}"


def product_in(world: Path, product_id: str) -> Product:
    with store_of(world) as store:
        return store.product(product_id)


def orders_in(world: Path, user_id: str) -> tuple[Order, ...]:
    with store_of(world) as store:
        return store.orders(user_id).orders


@contextmanager
def store_of(world: Path) -> Generator[SqliteStore]:
    generation = live_generation(world)
    with closing(SqliteStore(generation / DATABASE_FILE, read_manifest(generation).seed)) as store:
        yield store

"""How fast a selected shop is loaded, how large it gets, and how fast the data behind each tool is read.

    python benchmarks/world.py --json world.json            # the paper's size: 80k products, 4.3M orders of 1.8M users
    python benchmarks/world.py --quick                      # a twentieth of it

The shop is made up and seeded: texts of about 170 words drawn by a power law, users with 2.4 orders on average. It is
written as the tables that a selection leaves (Parquet), from which a process of its own loads the world.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from figures import hold, keep, parser_of

from drretail.data_ingest.engines.base import Selected
from drretail.data_ingest.engines.duckdb_reading import WIDE_GROUP
from drretail.data_ingest.raw.products import ROW_FIELDS
from drretail.data_ingest.selected import selected_orders, selected_products
from drretail.env.catalog.base import CatalogQuery
from drretail.env.folder import check_world, write_world
from drretail.env.manifest import WorldRows
from drretail.env.world import OrderRow, World, default_pool, world_at
from drretail.progress import Bar, Progress
from drretail.records.shop import Product

CATEGORIES = ("Baby_Products", "Home_and_Kitchen", "Office_Products", "Pet_Supplies")
FIRST, LAST = 1_546_300_800_000, 1_690_000_000_000
READS = 2000
GOALS = {"load_seconds": 90, "world_mb": 800, "peak_mb": 700, "slowest_p99_us": 2000}


class Texts:
    """Texts of made-up words, few of them frequent."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._words = [f"w{min(29_999, int(rng.paretovariate(0.6))):05d}" for _ in range(200_000)]

    def of(self, length: int) -> str:
        return " ".join(self._rng.choices(self._words, k=length))


def made_products(count: int, rng: random.Random, texts: Texts) -> Iterator[Product]:
    for number in range(count):
        category = rng.choice(CATEGORIES)
        yield Product(
            product_id=f"B{number:09d}",
            title=texts.of(15),
            features=tuple(texts.of(20) for _ in range(4)),
            description=(texts.of(60),),
            price=round(rng.uniform(1, 100), 2) if rng.random() < 0.5 else None,
            average_rating=round(rng.uniform(1, 5), 1),
            rating_number=rng.randrange(5000),
            store=texts.of(1),
            categories=(category, texts.of(2)),
            category=category,
            details={"Brand": texts.of(1), "Color": "red", "Item Weight": "1 pound"},
        )


def made_orders(count: int, products: int, rng: random.Random) -> Iterator[OrderRow]:
    number = user = 0
    while number < count:
        size = min(count - number, 200, int(rng.paretovariate(1.52)))
        for timestamp in sorted(rng.randrange(FIRST, LAST) for _ in range(size)):
            yield OrderRow(f"{number:010d}", f"A{user:027d}", f"B{rng.randrange(products):09d}", timestamp)
            number += 1
        user += 1


class StageTimes(Progress):
    """Seconds of each stage, instead of a bar."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def track(self, label: str, total: int | None = None) -> Generator[Bar]:
        start = time.perf_counter()
        with super().track(label, total) as bar:
            yield bar
        self.seconds[label] = time.perf_counter() - start


def percentiles(calls: Iterator[Callable[[], object]]) -> dict[str, float]:
    """Microseconds of the median and of the slowest hundredth."""
    seconds: list[float] = []
    for call in calls:
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    seconds.sort()
    return {"p50_us": 1e6 * seconds[len(seconds) // 2], "p99_us": 1e6 * seconds[len(seconds) * 99 // 100]}


def read_times(
    world: World, texts: Texts, products: int, orders: int, rng: random.Random
) -> dict[str, dict[str, float]]:
    store, catalog = world.store, world.catalog
    product_ids = [f"B{rng.randrange(products):09d}" for _ in range(READS)]
    order_ids = [f"{rng.randrange(orders):010d}" for _ in range(READS)]
    users = [store.order(order_id).user_id for order_id in order_ids]
    queries = [texts.of(4) for _ in range(READS)]
    pages = [f"how to choose a {words}" for words in ("bird feeder", "dog bed", "desk lamp", "humidifier")] * 50
    return {
        "product": percentiles((lambda key=key: store.product(key)) for key in product_ids),
        "order": percentiles((lambda key=key: store.order(key)) for key in order_ids),
        "user": percentiles((lambda key=key: store.user(key)) for key in users),
        "orders": percentiles((lambda key=key: store.orders(key, limit=20)) for key in users),
        "statistics": percentiles((lambda key=key: store.statistics(key)) for key in users),
        "search any": percentiles((lambda q=q: catalog.search(CatalogQuery(q))) for q in queries),
        "search all": percentiles((lambda q=q: catalog.search(CatalogQuery(q, match="all"))) for q in queries),
        "products": percentiles(
            (lambda key=key: store.products(product_ids[key : key + 10])) for key in range(READS - 10)
        ),
        "web search": percentiles((lambda page=page: world.web.search(page, k=5)) for page in pages),
        "search by price": percentiles((lambda q=q: catalog.search(CatalogQuery(q, sort_by="price"))) for q in queries),
    }


def timed(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


CALLED = {"shop_currency": "currency", "images": "image", "product_url": "page"}
"""Columns of raw files by the fields of a product, where they differ."""


def write_tables(folder: Path, products: int, orders: int, seed: int) -> None:
    """The tables that a selection leaves."""
    rng = random.Random(seed)
    texts = Texts(rng)
    shelf = (
        {
            "source": 0,
            "number": number,
            "product_id": product.product_id,
            "category": CATEGORIES.index(product.category),
        }
        | {field: json.dumps(getattr(product, CALLED.get(field, field))) for field in ROW_FIELDS}
        for number, product in enumerate(made_products(products, rng, texts))
    )
    write_parquet(folder / "rows", shelf)
    history = (row._asdict() for row in made_orders(orders, products, rng))
    write_parquet(folder / "orders", ({"milliseconds": row.pop("timestamp"), **row} for row in history))


def write_parquet(folder: Path, rows: Iterable[dict[str, Any]]) -> None:
    import duckdb

    folder.mkdir()
    lines = folder / "rows.jsonl"
    with lines.open("w", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(row)}\n" for row in rows)
    with duckdb.connect() as db:
        rows_of = f"FROM read_json('{lines}', format = 'newline_delimited')"
        db.execute(f"COPY ({rows_of}) TO '{folder}/0.parquet' (ROW_GROUP_SIZE {WIDE_GROUP})")
    lines.unlink()


def load(folder: Path, seed: int) -> dict[str, object]:
    """Loads the world from the tables, in this process."""
    selected = Selected("", (), {}, kept_rows=folder / "rows", orders=folder / "orders")
    products = selected_products(selected, CATEGORIES)
    orders = selected_orders(selected)
    rows, stages = WorldRows(products, orders, seed=seed, pool=default_pool()), StageTimes()
    seconds = timed(lambda: write_world(folder / "world", rows, stages))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"load_seconds": seconds, "stages": stages.seconds, "peak_mb": peak}


def loaded_apart(folder: Path, seed: int) -> dict[str, Any]:
    """``load`` in a process of its own, whose memory is not that of making the tables."""
    command = [sys.executable, __file__, "--load", str(folder), "--seed", str(seed)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)  # noqa: S603 -- ourselves


def measure(products: int, orders: int, seed: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent)
        write_tables(folder, products, orders, seed)
        result = loaded_apart(folder, seed)
        check = timed(lambda: check_world(folder / "world"))
        rng = random.Random(seed)
        with world_at(folder / "world") as world:
            sample = timed(lambda: world.store.sample_users(seed, 50))
            reads = read_times(world, Texts(rng), products, orders, rng)
            size = sum(file.stat().st_size for file in (folder / "world" / world.manifest.generation).rglob("*"))
            counts = world.manifest.counts.model_dump()
    return {
        **counts,
        **result,
        "check_seconds": check,
        "sample_users_seconds": sample,
        "world_mb": size / 1e6,
        "slowest_p99_us": max(row["p99_us"] for row in reads.values()),
        "reads": reads,
    }


def print_table(result: dict[str, Any]) -> None:
    print(f"{result['products']:,} products, {result['orders']:,} orders of {result['users']:,} users")
    print(f"\n{'':22}{'measured':>12}{'goal':>12}{'share of it':>12}")
    for name, goal in GOALS.items():
        print(f"{name:22}{result[name]:12,.0f}{goal:12,}{result[name] / goal:12.2f}")
    print(f"\n{'':22}{'p50 us':>12}{'p99 us':>12}{'to product':>12}")
    for name, row in result["reads"].items():
        ratio = row["p50_us"] / result["reads"]["product"]["p50_us"]
        print(f"{name:22}{row['p50_us']:12,.0f}{row['p99_us']:12,.0f}{ratio:12.1f}")


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--products", type=int, default=80_000)
    parser.add_argument("--orders", type=int, default=4_300_000)
    parser.add_argument("--quick", action="store_true", help="a twentieth of the rows")
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--load", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.load:
        print(json.dumps(load(args.load, args.seed)))
        return
    shrink = 20 if args.quick else 1
    result = measure(args.products // shrink, args.orders // shrink, args.seed)
    hold(result, "a world was made")
    print_table(result)
    keep(args.json, result)


if __name__ == "__main__":
    main()

"""How fast an embedded world is written, checked, read and searched.

    python benchmarks/world.py --products 20000 --orders 500000 --json world.json

The shop is made up and seeded: texts of about 170 words drawn by a power law, users with 2.4 orders on average.
"""

import argparse
import json
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

from drretail.env.catalog.base import CatalogQuery
from drretail.env.world import OrderRow, World, check_world, default_pool, open_world, write_world
from drretail.progress import Bar, Progress
from drretail.records.shop import Product

CATEGORIES = ("Baby_Products", "Home_and_Kitchen", "Office_Products", "Pet_Supplies")
FIRST, LAST = 1_546_300_800_000, 1_690_000_000_000
READS = 2000


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
        size = min(count - number, 200, int(rng.paretovariate(1.2)))
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
    return {
        "product": percentiles((lambda key=key: store.product(key)) for key in product_ids),
        "order": percentiles((lambda key=key: store.order(key)) for key in order_ids),
        "user": percentiles((lambda key=key: store.user(key)) for key in users),
        "orders": percentiles((lambda key=key: store.orders(key, limit=20)) for key in users),
        "statistics": percentiles((lambda key=key: store.statistics(key)) for key in users),
        "search any": percentiles((lambda q=q: catalog.search(CatalogQuery(q))) for q in queries),
        "search all": percentiles((lambda q=q: catalog.search(CatalogQuery(q, match="all"))) for q in queries),
        "search by price": percentiles((lambda q=q: catalog.search(CatalogQuery(q, sort_by="price"))) for q in queries),
    }


def timed(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def measure(products: int, orders: int, seed: int) -> dict[str, object]:
    rng = random.Random(seed)
    texts = Texts(rng)
    # Made before the clock starts: making costs more than loading.
    shelf, history = list(made_products(products, rng, texts)), list(made_orders(orders, products, rng))
    pool = default_pool()
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "world"
        stages = StageTimes()
        write = timed(
            lambda: write_world(folder, products=shelf, orders=history, seed=seed, pool=pool, progress=stages)
        )
        check = timed(lambda: check_world(folder))
        with open_world(folder) as world:
            sample = timed(lambda: world.store.sample_users(seed, 50))
            reads = read_times(world, texts, products, orders, rng)
            size = sum(file.stat().st_size for file in (folder / world.manifest.generation).rglob("*"))
    return {
        "products": products,
        "orders": orders,
        "products_per_second": products / stages.seconds["products into store and index"],
        "orders_per_second": orders / stages.seconds["orders into the store"],
        "seconds": {"write": write, "check": check, "sample_users": sample},
        "world_mb": size / 2**20,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "reads": reads,
    }


def print_table(result: dict[str, object], reads: dict[str, dict[str, float]]) -> None:
    for name in ("products_per_second", "orders_per_second", "world_mb", "peak_mb"):
        print(f"{name:22}{result[name]:12,.0f}")
    print(f"seconds{'':15}{result['seconds']}")
    print(f"\n{'':22}{'p50 us':>12}{'p99 us':>12}{'to product':>12}")
    for name, row in reads.items():
        ratio = row["p50_us"] / reads["product"]["p50_us"]
        print(f"{name:22}{row['p50_us']:12,.0f}{row['p99_us']:12,.0f}{ratio:12.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--products", type=int, default=20_000)
    parser.add_argument("--orders", type=int, default=500_000)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    result = measure(args.products, args.orders, args.seed)
    reads: dict[str, dict[str, float]] = result["reads"]  # pyright: ignore[reportAssignmentType] -- built above
    print_table(result, reads)
    if args.json:
        args.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
        print(f"\n{args.json}", file=sys.stderr)


if __name__ == "__main__":
    main()

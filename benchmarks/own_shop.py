"""How fast a shop of one's own becomes a world, beside the same rows in the form of the dataset.

    python benchmarks/own_shop.py --json own_shop.json      # 400,000 orders of 20,000 products, three runs of each
    python benchmarks/own_shop.py --quick                   # a tenth of them, once each

One process, a fresh folder each time; all keep every product and order. Runs are interleaved, and seconds are those of
the processor, which other work on the machine changes least; medians are shown.
"""

import json
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
from figures import hold, keep, parser_of

from drretail.data_ingest.ingest import ingest_files
from drretail.data_ingest.plan import WHOLE_SHOP, IngestSettings

MAPPING = """
[products]
file = "products.csv"
id = "parent_asin"
title = "title"
price = "price"
store = "store"
description = "description"
rating = "average_rating"
ratings = "rating_number"
[orders]
file = "orders.csv"
user = "user_id"
product = "parent_asin"
date = "timestamp"
"""
ITSELF = "the dataset's form"


def products(count: int) -> Iterator[dict[str, Any]]:
    for number in range(count):
        yield {
            "parent_asin": f"B{number:09d}",
            "title": f"Slow feeder bowl, model {number}",
            "description": "A bowl with ridges that slow down hasty eaters. " * 8,
            "price": round(3 + number % 97 * 1.37, 2),
            "store": f"Brand {number % 80}",
            "average_rating": 4.3,
            "rating_number": number % 900,
        }


def orders(count: int, of: int) -> Iterator[dict[str, Any]]:
    draw = random.Random(5)
    for number in range(count):
        moment = 1_600_000_000_000 + number * 1000 + draw.randrange(1000)
        yield {
            "user_id": f"A{draw.randrange(count // 3)}",
            "parent_asin": f"B{draw.randrange(of):09d}",
            "timestamp": moment,
        }


def write_inputs(folder: Path, count: int) -> dict[str, Path]:
    """By form, what is given to an ingest."""
    raw = folder / "raw"
    raw.mkdir()
    made = {"products": (raw / "meta_Pet_Supplies.jsonl", products(count // 20))}
    made["orders"] = (raw / "Pet_Supplies.jsonl", orders(count, count // 20))
    given = {ITSELF: raw}
    for path, rows in made.values():
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    for name, (path, _) in made.items():
        duckdb.execute(f"COPY (FROM '{path}') TO '{folder / f'{name}.csv'}' (FORMAT csv, HEADER)")
    given["csv"] = folder / "shop.toml"
    given["csv"].write_text(MAPPING, encoding="utf-8")
    return given


def seconds(path: Path, world: Path) -> float:
    begun = time.process_time()
    ingest_files([path], world, IngestSettings(**WHOLE_SHOP), workers=1)
    return time.process_time() - begun


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    count, runs = (40_000, 1) if options.quick else (400_000, 3)
    with tempfile.TemporaryDirectory() as name:
        given = write_inputs(Path(name), count)
        taken: dict[str, list[float]] = {form: [] for form in given}
        seconds(given[ITSELF], Path(name) / "warm")
        for run in range(runs):
            for form, path in given.items():
                taken[form].append(seconds(path, Path(name) / f"{form}-{run}".replace(" ", "-")))
    rows = count + count // 20
    medians = {form: statistics.median(found) for form, found in taken.items()}
    print(f"{rows:,} rows, {runs} runs\n{'':20}{'seconds':>10}{'rows/s':>12}{'ratio':>8}")
    for form, median in medians.items():
        print(f"{form:20}{median:10.2f}{rows / median:12,.0f}{median / medians[ITSELF]:8.2f}")
    hold(all(len(found) == runs for found in taken.values()), "each form was read in each round")
    keep(options.json, {"rows": rows, "seconds": taken})


if __name__ == "__main__":
    main()

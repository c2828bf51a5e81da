"""What the tools' results of a run cost a model to read, beside the same results with every field in every item.

    PYTHONPATH=. python benchmarks/result_tokens.py         # every agent, the shipped queries on the demo's shop
    PYTHONPATH=. python benchmarks/result_tokens.py --folder exp/runs --world W     # runs of any other experiment

A token is counted as four characters. ``read`` counts a result once for each later model call at its place in the run:
that is what a conversation that grows sends, before a provider's cache.
"""

import argparse
import json
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents import prepared, runs_of
from figures import hold
from simulated import Memory

from drretail.agents.registry import BUILT_IN
from drretail.env.world import World, world_at
from drretail.experiments.run_file import RUN_FILE, read_results, read_run
from drretail.querygen.reading import read_queries
from drretail.records.run import Run
from drretail.reports.text.serialisation import (
    compact_json,
    customer_card,
    order_item,
    order_record,
    product_card,
    product_record,
    whole_items,
)

PER_TOKEN = 4


@dataclass(frozen=True)
class Size:
    """Characters of the results of one run."""

    calls: int
    whole: int
    lean: int
    whole_read: int
    lean_read: int


def whole_result(name: str, value: dict[str, Any], world: World) -> dict[str, Any]:
    """The result with every field of every item, as it would be without leaving anything out."""
    makers: Mapping[str, Callable[[dict[str, Any], World], dict[str, Any]]] = {
        "product_catalog_search": _search,
        "get_product_details": lambda value, world: product_record(world.store.product(value["product_id"])),
        "get_user_orders": _orders,
        "get_order_details": _order,
        "get_user_statistics": lambda value, world: (
            dict.fromkeys(("mean_order", "first_order", "last_order", "orders_per_month")) | value
        ),
    }
    return value if "error" in value or name not in makers else makers[name](value, world)


def _search(value: dict[str, Any], world: World) -> dict[str, Any]:
    cards = [product_card(world.store.product(hit["product_id"])) for hit in value["hits"]]
    return {name: value[name] for name in ("total", "hidden", "shown", "offset") if name in value} | {"hits": cards}


def _orders(value: dict[str, Any], world: World) -> dict[str, Any]:
    ids = [item["order_id"] for item in whole_items(value, "orders")]
    orders = [world.store.order(order_id) for order_id in ids]
    products = world.store.products([order.product_id for order in orders])
    items = [order_item(order, products.get(order.product_id)) for order in orders]
    return {name: value[name] for name in ("evidence", "total", "shown", "offset")} | {"orders": items}


def _order(value: dict[str, Any], world: World) -> dict[str, Any]:
    order = world.store.order(value["order_id"])
    product = world.store.products([order.product_id]).get(order.product_id)
    parts = {"product": product and product_card(product), "customer": customer_card(world.store.user(order.user_id))}
    return order_record(order) | parts


def size_of(path: Path, world: World) -> Size:
    """The results of the run in a file."""
    run, texts = read_run(path), read_results(path)
    sizes = [
        (len(compact_json(whole_result(name, json.loads(texts[sha]), world))), len(texts[sha]), later)
        for name, sha, later in _results(run)
    ]
    return Size(
        calls=len(sizes),
        whole=sum(whole for whole, _, _ in sizes),
        lean=sum(lean for _, lean, _ in sizes),
        whole_read=sum(whole * later for whole, _, later in sizes),
        lean_read=sum(lean * later for _, lean, later in sizes),
    )


def _results(run: Run) -> Iterator[tuple[str, str, int]]:
    """Each tool call: its tool, its result, and how many model calls came after it at its place."""
    for step in run.steps:
        if step.kind == "tool" and step.name and step.result_sha:
            later = sum(each.kind == "model" and each.path == step.path and each.seq > step.seq for each in run.steps)
            yield step.name, step.result_sha, later


def print_table(sizes: Mapping[str, list[Size]]) -> None:
    heads = ("runs", "calls", "whole", "lean", "saved", "", "whole read", "lean read", "saved", "")
    print(f"{'tokens a run':24}" + "".join(f"{head:>12}" for head in heads))
    for agent, runs in sizes.items():
        calls, whole, lean, whole_read, lean_read = (
            statistics.mean(getattr(size, name) for size in runs) for name in Size.__dataclass_fields__
        )
        row = f"{agent:24}{len(runs):12}{calls:12.1f}"
        for before, after in ((whole, lean), (whole_read, lean_read)):
            saved = f"{1 - after / before:.0%}" if before else "-"
            row += (
                f"{before / PER_TOKEN:12,.0f}{after / PER_TOKEN:12,.0f}{(before - after) / PER_TOKEN:12,.0f}{saved:>12}"
            )
        print(row)


def shipped(folder: Path) -> Iterator[tuple[str, list[Size]]]:
    """The runs of every agent, with offline:shopper, on the demo's shop."""
    prepared(folder, list(BUILT_IN), 42)
    with world_at(folder / "world") as shop:
        queries = read_queries(folder / "queries.jsonl")
        for agent in BUILT_IN:
            memory = Memory.load(folder / f"{agent}.json", 42)
            ran = runs_of(folder / "runs", shop, agent, memory, queries)
            yield agent, [size_of(path, shop) for path in ran.paths]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--folder", type=Path, help="the runs of an experiment, instead of new ones")
    parser.add_argument("--world", help="the world that they ran in")
    args = parser.parse_args()
    if args.folder is not None:
        with world_at(args.world) as world:
            found = defaultdict[str, list[Size]](list)
            for path in sorted(args.folder.glob(f"*/*{RUN_FILE}")):
                found[path.parent.name].append(size_of(path, world))
    else:
        with tempfile.TemporaryDirectory() as parent:
            found = dict(shipped(Path(parent)))
    hold(found and all(found.values()), "there are runs with results")
    print_table(found)


if __name__ == "__main__":
    sys.exit(main())

"""How fast the same world is loaded, searched and read: embedded, on servers, and by rank_bm25 (search only).

    PYTHONPATH=. python benchmarks/backends.py --json backends.json     # the paper's size: 80k products, 4.3M orders
    PYTHONPATH=. python benchmarks/backends.py --quick                  # a twentieth of it

MongoDB and Elasticsearch are those of MONGO_URL and ES_URL (or --mongo-url, --es-url); without them only the others are
measured. `pip install rank-bm25` for the third. All are measured in turns within one run, so that ratios hold where a
busy machine spoils the times. The shop is that of benchmarks/world.py; calls.py says what is asked.
"""

import argparse
import gc
import os
import random
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from calls import TOOL, Case, Queries, Times, measured, read_cases, search_cases, tool_cases
from figures import hold, keep, parser_of
from rivals import rank_bm25_of
from served import world_on_servers
from world import CATEGORIES, loaded_apart, write_tables

from drretail.env.naming import ServerSettings
from drretail.env.world import World, world_at

CLIENTS = (1, 8, 50)
ROUNDS = 3
# Of every kind of search with one client: the ratio of the medians, and microseconds of the slowest hundredth.
SEARCH_AT_MOST = 1 / 5
SEARCH_P99_US = 2000
TOOL_CALL_US = 2000
SAMPLE = 2000
"""Products, users and orders that the calls are about."""


@contextmanager
def worlds(folder: Path, args: argparse.Namespace, loads: dict[str, Any]) -> Generator[dict[str, World]]:
    """The shop embedded and, where there are servers, on them; what loading them took goes to ``loads``."""
    write_tables(folder, args.products, args.orders, args.seed)
    rows = args.products + args.orders
    loads["embedded"] = loaded_apart(folder, args.seed)
    with ExitStack() as stack:
        opened = {"embedded": stack.enter_context(world_at(folder / "world"))}
        if args.mongo_url and args.es_url:
            settings = ServerSettings(mongo_url=args.mongo_url, es_url=args.es_url)
            loads["servers"] = {}
            opened["servers"] = stack.enter_context(world_on_servers(settings, folder, args.seed, loads["servers"]))
            assert len({world.manifest.fingerprint for world in opened.values()}) == 1, "the worlds differ"
        files = (folder / "world" / opened["embedded"].manifest.generation).rglob("*")
        loads["embedded"]["world_mb"] = sum(file.stat().st_size for file in files) / 1e6
        for load in loads.values():
            load["rows_per_second"] = rows / load["load_seconds"]
        yield opened


def sweep(cases: list[Case], clients: int, calls: int) -> dict[str, dict[str, Times]]:
    """Case → backend → times, backends in turns."""
    found: dict[str, dict[str, list[Times]]] = {}
    for turn in range(ROUNDS):
        for case in cases:
            for backend, make in case.by_backend.items():
                share = max(1, int(calls * case.share.get(backend, 1)))
                times = measured(make, clients, max(1, share // ROUNDS), turn)
                found.setdefault(case.name, {}).setdefault(backend, []).append(times)
    return {
        name: {backend: Times.of_all(turns) for backend, turns in by_backend.items()}
        for name, by_backend in found.items()
    }


def goals(one_client: dict[str, dict[str, Times]]) -> list[dict[str, Any]]:
    """What was to be reached, what was, and whether it holds."""
    rows: list[dict[str, Any]] = []
    for name, times in one_client.items():
        if not name.startswith("search "):
            continue
        slowest = times["embedded"].as_row()["p99_us"]
        rows.append({"goal": f"{name}, embedded, p99 us", "at_most": SEARCH_P99_US, "measured": slowest})
        if "servers" in times:
            ratio = times["embedded"].p50_us / times["servers"].p50_us
            rows.append({"goal": f"{name}, embedded / servers, p50", "at_most": SEARCH_AT_MOST, "measured": ratio})
    tool = one_client[TOOL]["embedded"].p50_us
    rows.append({"goal": f"{TOOL}, embedded, p50 us", "at_most": TOOL_CALL_US, "measured": tool})
    return [{**row, "reached": row["measured"] <= row["at_most"]} for row in rows]


def measure(args: argparse.Namespace) -> dict[str, Any]:
    loads: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as parent, worlds(Path(parent), args, loads) as opened:
        rng = random.Random(args.seed)
        known = sorted(rng.sample(range(args.products), min(SAMPLE, args.products)))
        products = opened["embedded"].store.products([f"B{number:09d}" for number in known])
        rival = rank_bm25_of(opened["embedded"], args.products)
        queries = Queries(opened["embedded"].catalog, list(products.values()), args.products, args.seed)
        cases = [
            *search_cases(opened, rival, queries, CATEGORIES[0]),
            *tool_cases(opened, queries),
            *read_cases(opened, list(products), args.orders, args.seed),
        ]
        swept = {clients: sweep(cases, clients, args.calls) for clients in args.clients}
        counts = opened["embedded"].manifest.counts.model_dump()
    gc.unfreeze()
    return {
        **counts,
        "load_average": os.getloadavg()[0],
        "loads": loads,
        "rank_bm25_build_seconds": rival.seconds if rival else None,
        "goals": goals(swept[args.clients[0]]),
        "clients": {
            str(clients): {name: {b: t.as_row() for b, t in row.items()} for name, row in found.items()}
            for clients, found in swept.items()
        },
    }


def print_result(result: dict[str, Any]) -> None:
    print(f"{result['products']:,} products, {result['orders']:,} orders of {result['users']:,} users")
    print(f"load average when it ended: {result['load_average']:.1f}\n")
    places = {"world_mb": "", "mongodb_mb": " MongoDB", "elasticsearch_mb": " Elasticsearch"}
    for backend, load in result["loads"].items():
        sizes = ", ".join(f"{load[key]:,.0f} MB{label}" for key, label in places.items() if key in load)
        print(f"load {backend:10}{load['load_seconds']:10,.1f} s{load['rows_per_second']:12,.0f} rows/s  {sizes}")
    heads = f"{'backend':12}{'p50 us':>10}{'p99 us':>10}{'calls/s':>10}{'to embedded':>13}"
    for clients, found in result["clients"].items():
        print(f"\n{clients + ' clients':36}{heads}")
        for name, by_backend in found.items():
            for backend, row in by_backend.items():
                ratio = row["p50_us"] / by_backend["embedded"]["p50_us"]
                shown = f"{row['p50_us']:10,.0f}{row['p99_us']:10,.0f}{row['calls_per_second']:10,.0f}{ratio:13.1f}"
                print(f"{name:36}{backend:12}{shown}")
    print(f"\n{'goal':56}{'at most':>10}{'measured':>10}")
    for row in result["goals"]:
        print(f"{row['goal']:56}{row['at_most']:10,.2f}{row['measured']:10,.2f}  {'yes' if row['reached'] else 'NO'}")


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--products", type=int, default=80_000)
    parser.add_argument("--orders", type=int, default=4_300_000)
    parser.add_argument("--calls", type=int, default=1200, help="of each kind and backend")
    parser.add_argument("--clients", type=int, nargs="+", default=CLIENTS, help="at once; the first is held to goals")
    parser.add_argument("--quick", action="store_true", help="a twentieth of the rows, a quarter of the calls")
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--mongo-url", default=os.environ.get("MONGO_URL"))
    parser.add_argument("--es-url", default=os.environ.get("ES_URL"))
    args = parser.parse_args()
    if args.quick:
        args.products, args.orders, args.calls = args.products // 20, args.orders // 20, args.calls // 4
    began = time.monotonic()
    result = measure(args)
    hold(result["products"] and result["clients"], "both backends hold products and answered")
    print_result(result)
    print(f"\nmeasured in {time.monotonic() - began:,.0f} s", file=sys.stderr)
    keep(args.json, result)


if __name__ == "__main__":
    main()

"""How much longer 16 threads take through a world on servers than through pymongo and elasticsearch alone.

    PYTHONPATH=. python benchmarks/overhead.py --json overhead.json     # MONGO_URL and ES_URL name the servers
    PYTHONPATH=. python benchmarks/overhead.py --calls 200 --rounds 1

The plain clients send the same requests, made before, and decode the answers; a world makes them, and gives records.
Each round opens the world anew, so that it remembers nothing, and asks for other things. Plain and ours take turns.
After the first round, memory and open files may grow no more.
"""

import os
import random
import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from elasticsearch import Elasticsearch
from figures import hold, keep, servers_of, servers_parser
from served import remove
from world import Texts, made_orders, made_products

from drretail.env.catalog.base import CatalogQuery
from drretail.env.clients import Servers, connect
from drretail.env.manifest import WorldRows
from drretail.env.servers.generations import read_generation
from drretail.env.servers.loading import write_servers
from drretail.env.store.mongo import BY_USER, collections_of
from drretail.env.world import default_pool, world_at
from drretail.records.shop import Product

THREADS = 16
AT_MOST = 1.4
GROWTH_MB, GROWTH_FILES = 20, 4
Call = Callable[[Any], object]


def seconds_of(call: Call, given: Sequence[Any]) -> float:
    """How long all calls take in 16 threads."""
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(call, given[:THREADS]))  # connects
        began = time.perf_counter()
        list(pool.map(call, given[THREADS:]))
        return time.perf_counter() - began


def requests_of(servers: Servers, queries: Sequence[CatalogQuery]) -> dict[CatalogQuery, dict[str, Any]]:
    """The request of each search; nothing is sent."""
    asked = list[dict[str, Any]]()

    def kept(_: Elasticsearch, **request: Any) -> SimpleNamespace:
        asked.append(request)
        return SimpleNamespace(body={"hits": {"hits": [], "total": {"value": 0}}})

    with (
        world_at(f"servers:{servers.name}", servers=servers.settings) as world,
        patch.object(Elasticsearch, "search", kept),
    ):
        for query in queries:
            world.catalog.search(query)
    return dict(zip(queries, asked, strict=True))


def measure(servers: Servers, given: dict[str, list[Any]]) -> dict[str, tuple[float, float]]:
    """By kind of call the seconds of plain clients, and ours."""
    rows = collections_of(servers, read_generation(servers).key)
    queries = [query for kind, asked in given.items() if kind.startswith("search") for query in asked]
    requests = requests_of(servers, queries)

    def found_products(query: CatalogQuery) -> object:
        hits = servers.elastic.search(**requests[query]).body["hits"]["hits"]
        return list(rows["products"].find({"_id": {"$in": [hit["sort"][-1] for hit in hits]}}))

    plain: dict[str, Call] = {
        "order": lambda key: rows["orders"].find_one({"_id": key}),
        "product": lambda key: list(rows["products"].find({"_id": {"$in": [key]}})),
        "ten products": lambda keys: list(rows["products"].find({"_id": {"$in": keys}})),
        "orders of a user": lambda key: list(rows["orders"].find({"user_id": {"$in": [key]}}).sort(BY_USER)),
        "search": lambda query: servers.elastic.search(**requests[query]).body,
        "search and its products": found_products,
    }
    found: dict[str, tuple[float, float]] = {}
    with world_at(f"servers:{servers.name}", servers=servers.settings) as world:
        store = world.store
        ours: dict[str, Call] = {
            "order": store.order,
            "product": store.product,
            "ten products": store.products,
            "orders of a user": store.orders,
            "search": world.catalog.search,
            "search and its products": lambda query: store.products(
                [hit.product_id for hit in world.catalog.search(query).hits]
            ),
        }
        for kind, keys in given.items():
            found[kind] = seconds_of(plain[kind], keys), seconds_of(ours[kind], keys)
    return found


def drawn(
    rng: random.Random, products: Sequence[Product], orders: int, users: Sequence[str], calls: int
) -> dict[str, list[Any]]:
    """What one round asks for: nothing twice of what a world remembers."""
    fresh = iter(rng.sample([product.product_id for product in products], len(products)))
    titles = rng.sample([product.title for product in products], len(products))
    return {
        "order": [f"{rng.randrange(orders):010d}" for _ in range(calls)],
        "product": [next(fresh) for _ in range(min(calls, len(products) // 2))],
        "ten products": [[next(fresh) for _ in range(10)] for _ in range(min(calls, len(products) // 20))],
        "orders of a user": rng.sample(users, min(calls, len(users))),
        "search": [CatalogQuery(f"{title} {number}") for number, title in enumerate(titles[:calls])],
        "search and its products": [CatalogQuery(f"{title} x{number}") for number, title in enumerate(titles[-calls:])],
    }


def held() -> tuple[float, int]:
    """Megabytes of memory, and open files."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text("utf-8").splitlines())
    return int(status["VmRSS"].split()[0]) / 1000, len(list(Path("/proc/self/fd").iterdir()))


def main() -> None:
    parser = servers_parser(__doc__, orders=40_000)
    parser.add_argument("--calls", type=int, default=2_000)
    args = parser.parse_args()
    settings, name = servers_of(args), f"overhead-{os.getpid()}"
    rng = random.Random(42)
    products = list(made_products(args.products, rng, Texts(rng)))
    orders = list(made_orders(args.orders, args.products, rng))
    users = sorted({order[1] for order in orders})
    rounds, sizes = list[dict[str, tuple[float, float]]](), list[tuple[float, int]]()
    try:
        with connect(settings, name, loading=True) as servers:
            write_servers(servers, WorldRows(iter(products), iter(orders), seed=1, pool=default_pool()))
            for _ in range(args.rounds):
                rounds.append(measure(servers, drawn(rng, products, args.orders, users, args.calls)))
                sizes.append(held())
    finally:
        remove(settings, name)
    hold(all(plain > 0 and ours > 0 for found in rounds for plain, ours in found.values()), "both sides were asked")
    print(f"{args.calls:,} calls in {THREADS} threads\n\n{'':24}{'plain s':>10}{'ours s':>10}{'ratio':>8}")
    ratios: dict[str, float] = {}
    for kind in rounds[0]:
        pairs = [found[kind] for found in rounds]
        ratios[kind] = statistics.median(ours / plain for plain, ours in pairs)
        plain, ours = (statistics.median(side) for side in zip(*pairs, strict=True))
        reached = "yes" if ratios[kind] <= AT_MOST else "NO"
        print(f"{kind:24}{plain:10.2f}{ours:10.2f}{ratios[kind]:8.2f}  at most {AT_MOST}: {reached}")
    grown = [last - first for first, last in zip(sizes[0], sizes[-1], strict=True)]
    kept = "yes" if grown[0] <= GROWTH_MB and grown[1] <= GROWTH_FILES else "NO"
    print(f"\nafter the first round {grown[0]:+.1f} MB and {grown[1]:+d} open files: {kept}")
    print(f"load average {os.getloadavg()[0]:.1f}")
    keep(args.json, {"ratios": ratios, "rounds": rounds, "sizes": sizes})


if __name__ == "__main__":
    main()

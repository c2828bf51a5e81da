"""How long a load into MongoDB and Elasticsearch takes beside plain bulk inserts, and how many requests a search is.

    PYTHONPATH=. python benchmarks/loads.py --json loads.json     # MONGO_URL and ES_URL name the servers
    PYTHONPATH=. python benchmarks/loads.py --products 8000 --orders 400000 --rounds 3

Plain is: ``insert_many`` and ``helpers.bulk`` of the same documents, made before, one collection after the other, and
the same indexes. A load reads the rows, makes, hashes and counts them too. Both are measured in turns within one run.
"""

import os
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from elastic_transport import Transport
from elasticsearch.helpers import bulk
from figures import hold, keep, servers_of, servers_parser
from served import remove
from world import Texts, made_orders, made_products, timed

from drretail.env.catalog.base import CatalogQuery
from drretail.env.catalog.elastic import as_document, create_index
from drretail.env.catalog.formulation import ENGLISH
from drretail.env.clients import Servers, connect
from drretail.env.intake import Intake
from drretail.env.manifest import WorldRows
from drretail.env.naming import ServerSettings
from drretail.env.servers.loading import write_servers
from drretail.env.store.mongo import BY_USER, order_document, product_document, user_document
from drretail.env.users import Aggregates
from drretail.env.world import OrderRow, default_pool, world_at
from drretail.records.shop import Product

LOAD_AT_MOST = 1.5
REQUESTS_AT_MOST = 2
SEARCHES: dict[str, dict[str, Any]] = {
    "relevance": {},
    "price and rating": {"price_max": 60.0, "rating_min": 3.0},
    "all words, category": {"match": "all", "category": "Pet_Supplies"},
    "cheapest first": {"sort_by": "price"},
    "best rated first, price": {"sort_by": "rating", "price_max": 60.0},
    "no words, most popular first": {"text": "", "sort_by": "popularity"},
}


def plain_insert(servers: Servers, products: list[Product], orders: list[OrderRow]) -> Callable[[], None]:
    """Sends the documents of all rows, which are made now, when it is called."""
    intake, users = Intake(ENGLISH), list[Aggregates]()
    for _ in intake.take_products(products):
        pass
    for _ in intake.take_orders(orders, users, 10_000):
        pass
    tables = {
        "products": [*map(product_document, products)],
        "orders": [*map(order_document, orders)],
        "users": [*map(user_document, users)],
    }
    indexed = [{"_id": product.product_id, "_source": as_document(product, ENGLISH)} for product in products]
    index = f"{servers.name}-gplain"

    def insert() -> None:
        for name, documents in tables.items():
            servers.database[name].insert_many(documents, ordered=False)
        servers.database["orders"].create_index(BY_USER)
        create_index(servers.elastic, index, ENGLISH)
        bulk(servers.elastic, indexed, index=index)
        servers.elastic.indices.refresh(index=index)

    return insert


def measured_loads(settings: ServerSettings, products: list[Product], orders: list[OrderRow]) -> dict[str, float]:
    """Seconds of plain inserts and of a load; what they wrote is removed."""
    plain, loaded = f"plain-{os.getpid()}", f"load-{os.getpid()}"
    rows = WorldRows(iter(products), iter(orders), seed=1, pool=default_pool())
    try:
        with connect(settings, plain, loading=True) as servers:
            seconds = {"plain": timed(plain_insert(servers, products, orders))}
        with connect(settings, loaded, loading=True) as servers:
            seconds["load"] = timed(lambda: write_servers(servers, rows))
        return seconds
    finally:
        remove(settings, plain)
        remove(settings, loaded)


def requests_per_search(settings: ServerSettings, products: list[Product]) -> dict[str, int]:
    """The requests to Elasticsearch of one search of each kind."""
    name, asked = f"search-{os.getpid()}", list[str]()
    perform = Transport.perform_request

    def counted(self: Transport, method: str, target: str, **options: Any) -> Any:
        asked.append(target)
        return perform(self, method, target, **options)

    try:
        with connect(settings, name, loading=True) as servers:
            write_servers(servers, WorldRows(products, [], seed=1, pool=default_pool()))
        counts: dict[str, int] = {}
        with world_at(f"servers:{name}", servers=settings) as world:
            Transport.perform_request = counted
            for number, (kind, given) in enumerate(SEARCHES.items()):
                asked.clear()
                world.catalog.search(replace(CatalogQuery(products[number].title), **given))
                counts[kind] = len(asked)
        return counts
    finally:
        Transport.perform_request = perform
        remove(settings, name)


def main() -> None:
    args = servers_parser(__doc__, orders=400_000).parse_args()
    settings = servers_of(args)
    rng, began = random.Random(42), time.monotonic()
    products = list(made_products(args.products, rng, Texts(rng)))
    orders = list(made_orders(args.orders, args.products, rng))
    print(f"{args.products:,} products, {args.orders:,} orders\n\n{'round':8}{'plain s':>10}{'load s':>10}{'ratio':>8}")
    rounds: list[dict[str, float]] = []
    for number in range(1, args.rounds + 1):
        seconds = measured_loads(settings, products, orders)
        rounds.append({**seconds, "ratio": seconds["load"] / seconds["plain"]})
        print(f"{number:<8}{seconds['plain']:10.2f}{seconds['load']:10.2f}{rounds[-1]['ratio']:8.2f}")
    ratio = statistics.median(each["ratio"] for each in rounds)
    print(f"{'median':28}{ratio:8.2f}  at most {LOAD_AT_MOST}: {'yes' if ratio <= LOAD_AT_MOST else 'NO'}")
    requests = requests_per_search(settings, products[:1000])
    print(f"\n{'search':30}{'requests':>10}")
    for kind, count in requests.items():
        print(f"{kind:30}{count:10}  at most {REQUESTS_AT_MOST}: {'yes' if count <= REQUESTS_AT_MOST else 'NO'}")
    print(f"\nload average {os.getloadavg()[0]:.1f}; measured in {time.monotonic() - began:,.0f} s")
    hold(len(rounds) == args.rounds and all(requests.values()), "every round loaded, and every search asked")
    keep(args.json, {"rounds": rounds, "ratio": ratio, "requests": requests})


if __name__ == "__main__":
    main()

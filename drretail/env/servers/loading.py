"""write_servers: rows become a new generation, which is checked and goes live."""

import re
import secrets
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import islice

from drretail.env.catalog.elastic import add_products, create_index
from drretail.env.folder import compare_counts
from drretail.env.intake import Intake
from drretail.env.manifest import Manifest, WorldRows
from drretail.env.servers.clients import Servers
from drretail.env.servers.generations import LIVE, ORDERS_AT_ONCE, WORLDS, Generation, index_name, row_counts
from drretail.env.servers.naming import KEY, SPEC_PREFIX
from drretail.env.store.mongo import BY_USER, collections_of, order_document, product_document, user_document
from drretail.env.store.users import Aggregates
from drretail.errors import ToolError, UserError
from drretail.progress import Bar, Progress
from drretail.records.shop import Product

# A product has kilobytes of text, an order a hundred bytes.
PRODUCTS_AT_ONCE = 1_000
Job = Callable[[], object]


def write_servers(servers: Servers, rows: WorldRows, progress: Progress | None = None) -> Manifest:
    """Loads the rows under a new name, checks counts and fingerprint, and makes them live. Returns their manifest.

    Until then the old world stays live. A load that was cut is begun anew: what it left is dropped.

    Raises ValueError for rows out of order, and UserError if a server fails, if another world comes of the rows than
    was expected, or if the servers do not hold what was sent.
    """
    with load_errors(servers):
        key = secrets.token_hex(4)
        servers.database[WORLDS].update_one(LIVE, {"$set": {"loading": key}}, upsert=True)
        drop_others(servers)
        manifest = _load(servers, key, rows, progress or Progress()).manifest(rows, servers.versions)
        for wrong in compare_counts(manifest, row_counts(servers, key)):
            raise UserError(
                f"The servers do not hold what was sent ({wrong.text}, {wrong.found}): another load or program may "
                "have changed it meanwhile. Nothing went live; run the same command again."
            )
        go_live(servers, Generation(key=key, manifest=manifest, pool=rows.pool))
    return manifest


def _load(servers: Servers, key: str, rows: WorldRows, progress: Progress) -> Intake:
    """Sends all rows to both servers. The returned intake has taken them."""
    intake, collections = Intake(rows.formulation), collections_of(servers, key)
    index = index_name(servers.name, key)

    def send_products(products: list[Product]) -> None:
        collections["products"].insert_many(map(product_document, products), ordered=False)
        add_products(servers.elastic, index, rows.formulation, products)

    def product_jobs(bar: Bar) -> Iterator[Job]:
        taken = intake.take_products(rows.products)
        while products := [product for product, _ in islice(taken, PRODUCTS_AT_ONCE)]:
            yield partial(send_products, products)
            bar.advance(len(products))

    def order_jobs(bar: Bar) -> Iterator[Job]:
        users = list[Aggregates]()
        for orders in intake.take_orders(rows.orders, users, ORDERS_AT_ONCE):
            documents = {"orders": [*map(order_document, orders)], "users": [*map(user_document, users)]}
            for table in filter(documents.get, documents):
                yield partial(collections[table].insert_many, documents[table], ordered=False)
            users.clear()
            bar.advance(len(orders))

    create_index(servers.elastic, index, rows.formulation)
    with progress.track("products into both servers") as bar:
        _do(product_jobs(bar))
    servers.elastic.indices.refresh(index=index)
    with progress.track("orders and users into MongoDB") as bar:
        _do(order_jobs(bar))
    progress.note("Building indexes.")
    collections["products"].create_index("variants", sparse=True)
    collections["orders"].create_index(BY_USER)
    return intake


def _do(jobs: Iterable[Job]) -> None:
    """Does the jobs one after the other in another thread, so that the next is made while a server does the last."""
    with ThreadPoolExecutor(max_workers=1) as thread:
        last = thread.submit(int)
        for job in jobs:
            last.result()
            last = thread.submit(job)
        last.result()


def go_live(servers: Servers, generation: Generation) -> None:
    """Points the world at the generation, and drops those that can no longer be opened.

    The world's name becomes an alias of its index, for other users of Elasticsearch than drretail. Raises UserError if
    another load has begun meanwhile.
    """
    name, key = servers.name, generation.key
    others = {"index": index_name(name, "*"), "alias": name, "must_exist": False}
    this = {"index": index_name(name, key), "alias": name}
    servers.elastic.indices.update_aliases(actions=[{"remove": others}, {"add": this}])
    # As text, so that every value comes back as it was.
    entry = {"key": key, "record": generation.model_dump_json()}
    last_two = {"generations": {"$each": [entry], "$position": 0, "$slice": 2}}
    pointer, change = {**LIVE, "loading": key}, {"$push": last_two, "$unset": {"loading": ""}}
    if not servers.database[WORLDS].update_one(pointer, change).matched_count:
        raise UserError(f"Another load of {SPEC_PREFIX}{name} has begun meanwhile: this one does not go live.")
    drop_others(servers)


def drop_others(servers: Servers) -> None:
    """Drops the rows of every generation that can neither be opened nor is being loaded."""
    document = servers.database[WORLDS].find_one(LIVE) or {}
    kept = {document.get("loading"), *(entry.get("key") for entry in document.get("generations", ()))}
    for name in servers.database.list_collection_names():
        match = re.fullmatch(rf"g({KEY})_\w+", name)
        if match and match[1] not in kept:
            servers.database.drop_collection(name)
    for name in servers.elastic.indices.get(index=index_name(servers.name, "*"), features="aliases"):
        match = re.fullmatch(index_name(servers.name, f"({KEY})"), name)
        if match and match[1] not in kept:
            servers.elastic.indices.delete(index=name)


def check_ready(servers: Servers) -> None:
    """Raises UserError if a load would fail because of its name or for lack of write access."""
    name, indices = servers.name, servers.elastic.indices
    with load_errors(servers):
        # MongoDB refuses even the deletion of a missing document to a user without write access.
        servers.database[WORLDS].delete_one({"_id": "nothing"})
        if indices.exists(index=name) and not indices.exists_alias(index=index_name(name, "*"), name=name):
            raise UserError(f"Elasticsearch has an index or alias {name!r} of another program: choose another name.")


@contextmanager
def load_errors(servers: Servers) -> Generator[None]:
    """Turns a server's failure during a load into a UserError of one sentence."""
    try:
        with servers.faults():
            yield
    except ToolError as problem:
        raise UserError(f"{problem.message} What is live is unchanged; run the same command again.") from problem

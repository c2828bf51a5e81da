"""write_servers: rows become a new generation, which is checked and goes live."""

import secrets
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice

import elastic_transport
import elasticsearch
from pymongo import errors as mongo

from drretail.env.catalog.elastic import add_products, create_index, last_write
from drretail.env.clients import LATE, UNREACHABLE, Document, Servers
from drretail.env.faults import compare_counts
from drretail.env.intake import Intake
from drretail.env.manifest import Manifest, WorldRows
from drretail.env.naming import SPEC_PREFIX
from drretail.env.servers.generations import ORDERS_AT_ONCE, Generation, row_counts
from drretail.env.servers.marks import LIVE, TABLES, WORLDS, Mark, claim, create_marked, index_name, owned
from drretail.env.store.mongo import INDEXES, collections_of, order_document, product_document, user_document
from drretail.env.users import Aggregates
from drretail.errors import ToolError, UserError
from drretail.progress import Bar, Progress
from drretail.records.base import sha256_of
from drretail.records.shop import Product

# A product has kilobytes of text, an order a hundred bytes.
PRODUCTS_AT_ONCE = 1_000
Job = Callable[[], object]


def write_servers(servers: Servers, rows: WorldRows, progress: Progress | None = None) -> Manifest:
    """Loads the rows under a new name, checks counts and fingerprint, and makes them live. Returns their manifest.

    Until then the old world stays live. A load that was cut is begun anew: what it left is dropped.

    Raises ValueError for rows out of order, and UserError if a server fails, if another world comes of the rows than
    was expected, if the servers do not hold what was sent, if another load has begun meanwhile, and if anything under
    the world's name is not the world's.
    """
    with load_errors(servers):
        mark = Mark.of(servers, secrets.token_hex(4), claim(servers).database)
        latest = {"latest.key": mark.key, "latest.holder": mark.holder}
        begun = {"$set": latest, "$setOnInsert": {"mark": mark.model_dump(mode="json")}}
        # By the clock of the server, which all loaders share.
        servers.database[WORLDS].update_one(LIVE, {**begun, "$currentDate": {"latest.since": True}}, upsert=True)
        drop_others(servers)
        with _undone(servers, mark.key):
            manifest = _load(servers, mark, rows, progress or Progress()).manifest(rows, servers.versions)
            check_latest(servers, mark.key)
            for wrong in compare_counts(manifest, row_counts(servers, mark.key)):
                raise UserError(
                    f"The servers do not hold what was sent ({wrong.text}, {wrong.found}): another program may have "
                    "changed it meanwhile. Nothing went live; run the same command again."
                )
            writes = last_write(servers.elastic, index_name(servers.name, mark.key))
            go_live(servers, Generation(key=mark.key, manifest=manifest, pool=rows.pool, writes=writes))
    return manifest


@contextmanager
def _undone(servers: Servers, key: str) -> Generator[None]:
    """Drops what a load has written if it fails, unless its server is lost, and says who began another one."""
    try:
        yield
    except (*UNREACHABLE, *LATE):
        raise
    except BaseException:
        # A collection or index that another load has dropped is made anew by the next rows, without a mark.
        with suppress(mongo.PyMongoError, elasticsearch.ApiError, elastic_transport.TransportError):
            for table in TABLES:
                servers.database.drop_collection(f"g{key}_{table}")
            servers.elastic.options(ignore_status=404).indices.delete(index=index_name(servers.name, key))
        check_latest(servers, key)
        raise


def _load(servers: Servers, mark: Mark, rows: WorldRows, progress: Progress) -> Intake:
    """Sends all rows to both servers. The returned intake has taken them."""
    intake, collections = Intake(rows.formulation), collections_of(servers, mark.key)
    index = index_name(servers.name, mark.key)

    def send(table: str, documents: list[Document]) -> None:
        check_latest(servers, mark.key)
        collections[table].insert_many(documents, ordered=False)

    def send_products(products: list[Product]) -> None:
        send("products", [*map(product_document, products)])
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
                yield partial(send, table, documents[table])
            users.clear()
            bar.advance(len(orders))

    for table in TABLES:
        create_marked(servers, f"g{mark.key}_{table}", mark)
    create_index(servers.elastic, index, rows.formulation, mark.model_dump(mode="json"))
    with progress.track("products into both servers") as bar:
        _do(product_jobs(bar))
    servers.elastic.indices.refresh(index=index)
    with progress.track("orders and users into MongoDB") as bar:
        _do(order_jobs(bar))
    progress.note("Building indexes.")
    for table, keys in INDEXES.items():
        collections[table].create_index(keys, sparse=table == "products")
    return intake


def _do(jobs: Iterable[Job]) -> None:
    """Does the jobs one after the other in another thread, so that the next is made while a server does the last."""
    with ThreadPoolExecutor(max_workers=1) as thread:
        last = thread.submit(int)
        for job in jobs:
            last.result()
            last = thread.submit(job)
        last.result()


def check_latest(servers: Servers, key: str) -> None:
    """Raises UserError, which says who has it, if another load of the world has begun."""
    latest = (servers.database[WORLDS].find_one(LIVE, {"latest": True}) or {}).get("latest", {})
    if latest.get("key") != key:
        holder = "{holder}, since {since:%Y-%m-%d %H:%M:%S} UTC".format(**latest) if latest else "unknown"
        raise UserError(
            f"Another load of {SPEC_PREFIX}{servers.name} has begun meanwhile ({holder}): this one ends, and nothing "
            "of it goes live. Run it again when that one has ended."
        )


def go_live(servers: Servers, generation: Generation) -> None:
    """Points the world at the generation, and drops those that can no longer be opened.

    The world's name becomes an alias of its index, for other users of Elasticsearch than drretail. Raises UserError if
    another load has begun meanwhile, or if the alias is not the world's.
    """
    name, key = servers.name, generation.key
    others = [{"remove": {"index": index, "alias": name}} for index in owned(servers).aliased]
    this = {"index": index_name(name, key), "alias": name}
    servers.elastic.indices.update_aliases(actions=[*others, {"add": this}])
    # As text, so that every value comes back as it was.
    record = generation.model_dump_json()
    entry = {"key": key, "record": record, "sha256": sha256_of(record)}
    last_two = {"generations": {"$each": [entry], "$position": 0, "$slice": 2}}
    if not servers.database[WORLDS].update_one({**LIVE, "latest.key": key}, {"$push": last_two}).matched_count:
        check_latest(servers, key)
    drop_others(servers)


def drop_others(servers: Servers) -> None:
    """Drops the rows of every generation that can neither be opened nor is being loaded. Raises as ``owned``."""
    ours = owned(servers)
    document = servers.database[WORLDS].find_one(LIVE) or {}
    kept = {document.get("latest", {}).get("key"), *(entry.get("key") for entry in document.get("generations", ()))}
    for name, key in ours.collections.items():
        if key not in kept:
            servers.database.drop_collection(name)
    for name, key in ours.indices.items():
        if key not in kept:
            servers.elastic.options(ignore_status=404).indices.delete(index=name)


def check_ready(servers: Servers) -> None:
    """Raises UserError if a load would fail because of its name or for lack of write access."""
    with load_errors(servers):
        owned(servers)
        # MongoDB refuses even the deletion of a missing document to a user without write access.
        servers.database[WORLDS].delete_one({"_id": "nothing"})


@contextmanager
def load_errors(servers: Servers) -> Generator[None]:
    """Turns a server's failure during a load into a UserError of one sentence."""
    try:
        with servers.faults():
            yield
    except ToolError as problem:
        raise UserError(f"{problem.message} What is live is unchanged; run the same command again.") from problem

"""Loads a world onto both servers: into new collections and a new index, which go live together or not at all."""

from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from datetime import date
from typing import Any

import elastic_transport
import elasticsearch
from pymongo import ASCENDING, DESCENDING
from pymongo.collection import Collection
from pymongo.errors import PyMongoError

from drretail.env.catalog.elastic_load import ElasticWriter
from drretail.env.catalog.formulation import FORMULATION
from drretail.env.intake import check_expected
from drretail.env.manifest import CategoryCounts, Manifest, OrderRow, SourceFile
from drretail.env.profiles import ProfilePool
from drretail.env.servers.connecting import Document, Servers
from drretail.env.servers.documents import product_of
from drretail.env.servers.faults import elastic_fault, mongo_fault
from drretail.env.servers.filling import PRODUCTS_AT_ONCE, Filling
from drretail.env.servers.lease import LEASE_SECONDS, Lease, writer_lease
from drretail.env.servers.live import (
    Generation,
    collections_of,
    copy_updates,
    drop_retired,
    find_live,
    point_alias,
    publish,
    replace_manifest,
)
from drretail.env.servers.naming import SPEC_PREFIX
from drretail.env.servers.retrying import Patience
from drretail.env.servers.unfinished import Unfinished, drop_unfinished, find_unfinished, forget_unfinished
from drretail.errors import ToolError, UserError
from drretail.progress import Progress
from drretail.records.base import sha256_of
from drretail.records.shop import Product

# Newest orders first, of all or of one status; ties by id.
ORDER_INDEXES = (
    [("user_id", ASCENDING), ("timestamp", DESCENDING), ("_id", ASCENDING)],
    [("user_id", ASCENDING), ("order_status", ASCENDING), ("timestamp", DESCENDING), ("_id", ASCENDING)],
)


def write_servers(
    servers: Servers,
    *,
    products: Iterable[Product],
    orders: Iterable[OrderRow],
    holdout: Iterable[OrderRow] | None = None,
    seed: int | str,
    pool: ProfilePool,
    since: date | None = None,
    parameters: Mapping[str, Any] | None = None,
    categories: Iterable[CategoryCounts] = (),
    sources: Iterable[SourceFile] = (),
    versions: Mapping[str, str] | None = None,
    materialize_users: bool = False,
    progress: Progress | None = None,
    expected: str | None = None,
    patience: Patience | None = None,
    lease_seconds: float = LEASE_SECONDS,
) -> Manifest:
    """Makes a new generation live on the servers and gives its manifest; until then the old one stays.

    The rows come as for ``writing.write_world``. What a load that was cut has written is not written again. Writing
    the world that is live already leaves it as it is, with the profile updates made meanwhile, unless documents are
    missing. ``materialize_users`` writes profiles out; otherwise they are derived. ``expected`` as for ``write_world``.
    Raises ValueError for rows out of order, UserError when another process writes, and when a server fails for longer
    than ``patience``.
    """
    progress, patience = progress or Progress(), patience or Patience()
    key = sha256_of([str(seed), pool.hash]) if materialize_users else ""
    with load_errors(servers):
        there = None if expected is None else whole_world(servers, expected, materialize_users=materialize_users)
        if there is not None:
            point_alias(servers, there.index)
    if there is not None:
        progress.note(_already_live(servers))
        return there.manifest
    with load_errors(servers), writer_lease(servers, lease_seconds) as lease:
        drop_retired(servers)
        unfinished = find_unfinished(servers, key)
        filling = Filling(
            servers,
            unfinished,
            lease,
            patience,
            seed=str(seed),
            pool=pool,
            materialize_users=materialize_users,
        )
        fill(servers, unfinished, filling, lease, patience, products, orders, holdout, progress)
        manifest = filling.intake.manifest(
            seed=seed,
            pool=pool,
            since=since,
            parameters=parameters,
            categories=categories,
            sources=sources,
            versions={**(versions or {}), **servers.versions},
        )
        check_expected(manifest, expected)
        made = Generation(
            number=unfinished.number,
            index=unfinished.index,
            manifest=manifest,
            pool=pool,
            materialized=materialize_users,
            held_out=holdout is not None,
        )
        check_counts(servers, made, patience)
        lease.check()
        go_live(servers, made, progress)
    return manifest


def fill(
    servers: Servers,
    unfinished: Unfinished,
    filling: Filling,
    lease: Lease,
    patience: Patience,
    products: Iterable[Product],
    orders: Iterable[OrderRow],
    holdout: Iterable[OrderRow] | None,
    progress: Progress,
) -> None:
    """Writes all rows but those that are there already, and builds the indexes."""
    with progress.track("products into MongoDB") as bar:
        filling.fill_products(products, bar)
    index = ElasticWriter(
        servers.elastic,
        unfinished.index,
        address=servers.elastic_address,
        shards=servers.settings.shards,
        replicas=servers.settings.replicas,
        patience=patience,
    )
    fill_index(servers, unfinished, lease, index, filling.intake.product_hash.hexdigest(), patience, progress)
    with progress.track("orders and users into MongoDB") as bar:
        filling.fill_orders(orders, bar)
    if holdout is not None:
        with progress.track("orders that are held out") as bar:
            filling.fill_holdout(holdout, bar)
    progress.note("Building indexes and counting.")
    make_order_indexes(servers, unfinished.number, patience)


def fill_index(
    servers: Servers,
    unfinished: Unfinished,
    lease: Lease,
    index: ElasticWriter,
    digest: str,
    patience: Patience,
    progress: Progress,
) -> None:
    """Indexes the products that MongoDB holds; ``digest`` is their hash.

    They are whole there, so that an index never holds a document of a load that was cut and then changed.
    """
    indexed_as = f"{digest} {FORMULATION} {servers.settings.shards}"
    there = patience.patiently(lambda: servers.elastic.indices.exists(index=unfinished.index))
    if unfinished.indexed_as != indexed_as or not there:
        index.drop()
        patience.patiently(lambda: unfinished.note_indexed(indexed_as, ""))
    index.create()
    with progress.track("products into Elasticsearch") as bar:
        collection = collections_of(servers.database, unfinished.number)["products"]
        while batch := patience.patiently(lambda: next_products(collection, unfinished.indexed_to)):
            patience.patiently(lease.check)
            index.add(batch)
            last = batch[-1].product_id
            patience.patiently(lambda last=last: unfinished.note_indexed(indexed_as, last))
            bar.advance(len(batch))
    index.finish()


def next_products(products: Collection[Document], after: str) -> list[Product]:
    """The next batch of products after an id: a query of its own, so that it can be asked again."""
    return [
        product_of(document)
        for document in products.find({"_id": {"$gt": after}}).sort("_id", ASCENDING).limit(PRODUCTS_AT_ONCE)
    ]


def make_order_indexes(servers: Servers, number: int, patience: Patience) -> None:
    orders = collections_of(servers.database, number)["orders"]
    for keys in ORDER_INDEXES:
        patience.patiently(lambda keys=keys: orders.create_index(keys))


def check_counts(servers: Servers, made: Generation, patience: Patience) -> None:
    """Raises UserError, and drops what was loaded, unless both servers hold as much as was sent."""
    missing = patience.patiently(lambda: missing_rows(servers, made))
    if missing:
        drop_unfinished(servers, made.number)
        raise UserError(
            f"The servers do not hold what was sent ({missing}): another program may have changed it meanwhile. "
            "Nothing went live; run the same command again."
        )


def missing_rows(servers: Servers, generation: Generation) -> str:
    """Where the servers hold another number of rows than the manifest says; empty where they don't."""
    counts = generation.manifest.counts.model_dump()
    collections = collections_of(servers.database, generation.number)
    found = {name: collections[name].count_documents({}) for name in ("products", "users", "orders")}
    wrong = [f"{found[name]} of {counts[name]} {name}" for name in found if found[name] != counts[name]]
    answer = servers.elastic.options(ignore_status=404).count(index=generation.index)
    indexed = answer.get("count", 0)
    if indexed != counts["products"]:
        wrong.append(f"{indexed} of {counts['products']} products in the index")
    return ", ".join(wrong)


def go_live(servers: Servers, made: Generation, progress: Progress) -> None:
    """Publishes, unless the same world is live and whole: then only what it says of itself is renewed."""
    fingerprint = made.manifest.fingerprint
    there = whole_world(servers, fingerprint, materialize_users=made.materialized)
    if there is not None:
        drop_unfinished(servers, made.number)
        replace_manifest(servers, there.model_copy(update={"manifest": made.manifest}))
        point_alias(servers, there.index)  # it is missing where a load was cut just after it had gone live
        progress.note(_already_live(servers))
        return
    before = find_live(servers)
    if before is not None and before.manifest.fingerprint == fingerprint:
        copy_updates(servers, before, made)
    publish(servers, made)
    forget_unfinished(servers)


def whole_world(servers: Servers, fingerprint: str, *, materialize_users: bool) -> Generation | None:
    """What is live, where it is the world with this fingerprint and holds all that is asked for."""
    live = find_live(servers)
    if live is None or live.manifest.fingerprint != fingerprint or (materialize_users and not live.materialized):
        return None
    return None if missing_rows(servers, live) else live


def _already_live(servers: Servers) -> str:
    return f"This very world is live at {SPEC_PREFIX}{servers.name} already; its rows stay as they are."


@contextmanager
def load_errors(servers: Servers) -> Generator[None]:
    """Turns what a failing server does to a load into one sentence."""
    try:
        yield
    except PyMongoError as problem:
        raise UserError(_goes_on(mongo_fault(problem, servers.mongo_address))) from problem
    except (elastic_transport.TransportError, elasticsearch.ApiError) as problem:
        raise UserError(_goes_on(elastic_fault(problem, servers.elastic_address))) from problem
    except ToolError as problem:
        raise UserError(_goes_on(problem)) from problem


def _goes_on(problem: ToolError) -> str:
    return f"{problem.message} What is live is unchanged, and the same command goes on where this one stopped."

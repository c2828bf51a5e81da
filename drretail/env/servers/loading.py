"""write_servers: streams of rows become collections and an index, with a record of how far a load has come."""

import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, Literal, get_args

import elastic_transport
import elasticsearch
from pymongo import ASCENDING, DESCENDING, WriteConcern
from pymongo.collection import Collection
from pymongo.errors import BulkWriteError, PyMongoError

from drretail.env.catalog.elastic import ElasticWriter
from drretail.env.catalog.formulation import ENGLISH, Formulation
from drretail.env.intake import Intake
from drretail.env.manifest import Manifest, OrderRow, WorldRows
from drretail.env.servers.clients import (
    Document,
    Patience,
    Servers,
    elastic_fault,
    elastic_faults,
    is_passing,
    mongo_fault,
    mongo_faults,
)
from drretail.env.servers.integrity import is_whole, missing_rows, same_world
from drretail.env.servers.live_generation import (
    LEASE_SECONDS,
    LIVE,
    WORLDS,
    Generation,
    Lease,
    Stream,
    collections_of,
    drop_collections,
    drop_index,
    drop_retired,
    index_name,
    is_generation,
    point_alias,
    publish,
    replace_manifest,
    still_kept,
    writer_lease,
)
from drretail.env.servers.naming import SPEC_PREFIX
from drretail.env.store.mongo import VARIANT_ID, order_document, product_document, product_of, user_document
from drretail.env.store.users import Aggregates
from drretail.errors import ToolError, UserError
from drretail.progress import Bar, Progress
from drretail.records.base import sha256_of
from drretail.records.shop import Product

LOADING = "loading"
LAYOUT = 2
"""Raise it when documents get another form: an interrupted load then begins anew."""
Noted = Literal["products", "orders"]
OF_GENERATION = re.compile(r"g([0-9]+)_")


@dataclass(slots=True)
class Unfinished:
    """The generation that is being loaded. Its progress is saved to the database before this object changes."""

    worlds: Collection[Document]
    number: int
    index: str
    hashes: dict[Noted, list[str]] = field(default_factory=lambda: {"products": [], "orders": []})
    indexed_as: str | None = None
    """What the index is made from: the hash of all products, and the way they are indexed."""
    indexed_to: str = ""
    """The id of the last product that is certainly in the index."""

    def note(self, stream: Noted, batch: int, mark: str) -> None:
        """Records that a batch is written; recording it twice does no harm."""
        self.worlds.update_one({"_id": LOADING}, {"$set": {f"{stream}.{batch}": mark}})
        del self.hashes[stream][batch:]
        self.hashes[stream].append(mark)

    def forget_from(self, stream: Noted, batch: int) -> None:
        """Forgets a batch and all after it, which are about to be replaced."""
        hashes = self.hashes[stream][:batch]
        self.worlds.update_one({"_id": LOADING}, {"$set": {stream: hashes}})
        self.hashes[stream] = hashes

    def note_indexed(self, indexed_as: str, product_id: str) -> None:
        self.worlds.update_one({"_id": LOADING}, {"$set": {"indexed_as": indexed_as, "indexed_to": product_id}})
        self.indexed_as, self.indexed_to = indexed_as, product_id


def find_unfinished(servers: Servers) -> Unfinished:
    """The interrupted load, if its layout is the same; otherwise a new one, after all of the other is dropped."""
    worlds = servers.database[WORLDS]
    document = worlds.find_one({"_id": LOADING})
    if document is not None and still_kept(servers.database, document["number"]):
        forget_unfinished(servers)  # it went live, and was interrupted before it could say so
        document = None
    if document is not None and document["key"] == LAYOUT:
        return Unfinished(
            worlds,
            number=document["number"],
            index=document["index"],
            hashes={stream: list(document[stream]) for stream in get_args(Noted)},
            indexed_as=document.get("indexed_as"),
            indexed_to=document.get("indexed_to", ""),
        )
    if document is not None:
        drop_unfinished(servers, document["number"])
    # A number above all former ones, without an existing collection or index: that may be another program's, into which
    # the load would write, and which it would drop in the end.
    live = worlds.find_one({"_id": LIVE}) or {}
    before = [entry.get("number") for name in ("generations", "retired") for entry in live.get(name, ())]
    number = max((number for number in before if isinstance(number, int)), default=0) + 1
    collections = servers.database.list_collection_names()
    taken = {int(match[1]) for match in map(OF_GENERATION.match, collections) if match}
    while number in taken or servers.elastic.indices.exists(index=index_name(servers.name, number)):
        number += 1
    made = Unfinished(worlds, number, index_name(servers.name, number))
    worlds.insert_one({"_id": LOADING, "key": LAYOUT, "number": made.number, "index": made.index, **made.hashes})
    return made


def drop_unfinished(servers: Servers, number: int) -> None:
    """Drops what a load has written, and the record of the load."""
    drop_collections(servers.database, number)
    drop_index(servers.elastic, servers.elastic_address, index_name(servers.name, number))
    forget_unfinished(servers)


def forget_unfinished(servers: Servers) -> None:
    """Removes the record of the load, which has ended."""
    servers.database[WORLDS].delete_one({"_id": LOADING})


# Rows of one batch. A product has kilobytes of text, an order a hundred bytes.
PRODUCTS_AT_ONCE = 1_000
ORDERS_AT_ONCE = 10_000
DUPLICATE_KEY = 11000
# A batch recorded as written must survive a crash of the server, and of the replica-set member that took it.
SAFE = WriteConcern("majority", j=True)
# For newest orders first, of all or of one status; ties by id.
ORDER_INDEXES = (
    [("user_id", ASCENDING), ("timestamp", DESCENDING), ("_id", ASCENDING)],
    [("user_id", ASCENDING), ("order_status", ASCENDING), ("timestamp", DESCENDING), ("_id", ASCENDING)],
)
EVERYTHING: Document = {}
Rest = dict[Stream, Document]
"""Filters by collection."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows that are written together; ``mark`` is a hash over all rows of the stream up to the last of these."""

    rows: Sequence[Any]
    mark: str
    rest: Rest
    """The documents after this batch."""
    users: tuple[Aggregates, ...] = ()
    """The users whose last order has passed in this batch."""


@dataclass(eq=False, repr=False)
class Load:
    """Fills one generation. ``intake`` sees every row, whether it is written now or was written before."""

    servers: Servers
    unfinished: Unfinished
    lease: Lease
    patience: Patience
    progress: Progress = field(default_factory=Progress)
    formulation: Formulation = ENGLISH

    def __post_init__(self) -> None:
        collections = collections_of(self.servers.database, self.unfinished.number)
        self._collections = {name: each.with_options(write_concern=SAFE) for name, each in collections.items()}
        self.intake = Intake(self.formulation)

    def fill(self, rows: WorldRows) -> None:
        """Writes all missing rows, and builds the indexes."""
        self.fill_products(rows.products)
        self._fill_index()
        self.fill_orders(rows.orders)
        self.progress.note("Building indexes and counting.")
        self._patiently(partial(self._collections["products"].create_index, VARIANT_ID, sparse=True))
        for keys in ORDER_INDEXES:
            self._patiently(partial(self._collections["orders"].create_index, keys))

    def fill_products(self, products: Iterable[Product]) -> None:
        rows = (product for product, _ in self.intake.take_products(products))
        batches = self._product_batches(rows)
        with self.progress.track("products into MongoDB") as bar:
            self._fill("products", product_document, batches, {"products": EVERYTHING}, bar)

    def fill_orders(self, orders: Iterable[OrderRow]) -> None:
        """Writes the orders and their users."""
        everything: Rest = {"orders": EVERYTHING, "users": EVERYTHING}
        with self.progress.track("orders and users into MongoDB") as bar:
            self._fill("orders", order_document, self._order_batches(orders), everything, bar)

    def _fill(
        self, stream: Noted, make: Callable[[Any], Document], batches: Iterable[Batch], rest: Rest, bar: Bar
    ) -> None:
        """Writes the batches from the first missing one on, after removing any documents in their place."""
        noted = list(self.unfinished.hashes[stream])
        going_on, number = True, 0
        written: Future[None] | None = None
        # The server writes a batch while the next one is read and made.
        with ThreadPoolExecutor(max_workers=1) as writer:
            for number, batch in enumerate(batches, 1):
                if going_on and (number > len(noted) or noted[number - 1] != batch.mark):
                    self._clear(stream, number - 1, rest)
                    going_on = False
                if not going_on:
                    rows, users = list(map(make, batch.rows)), list(map(user_document, batch.users))
                    if written is not None:
                        written.result()
                    written = writer.submit(self._write, stream, number - 1, batch.mark, {stream: rows, "users": users})
                rest = batch.rest
                bar.advance(len(batch.rows))
            if written is not None:
                written.result()
        if going_on:
            self._clear(stream, number, rest)

    def _write(self, stream: Noted, batch: int, mark: str, documents: Mapping[str, Sequence[Document]]) -> None:
        for name, rows in documents.items():
            if rows:
                self._patiently(partial(insert, self._collections[name], rows))
        self._patiently(partial(self.unfinished.note, stream, batch, mark))

    def _clear(self, stream: Noted, batch: int, rest: Rest) -> None:
        """Removes a batch and all after it, recorded or not."""
        self._patiently(partial(self.unfinished.forget_from, stream, batch))
        for name, which in rest.items():
            self._patiently(partial(self._collections[name].delete_many, which))

    def _patiently(self, step: Callable[[], object]) -> None:
        def checked() -> None:
            self.lease.check()
            step()

        self.patience.patiently(checked)

    def _product_batches(self, products: Iterator[Product]) -> Iterator[Batch]:
        while batch := list(islice(products, PRODUCTS_AT_ONCE)):
            rest: Rest = {"products": {"_id": {"$gt": batch[-1].product_id}}}
            yield Batch(batch, mark(self.intake.product_hash.hexdigest()), rest)

    def _order_batches(self, orders: Iterable[OrderRow]) -> Iterator[Batch]:
        # A user's sums depend on the products' prices and categories.
        products = self.intake.product_hash.hexdigest()
        finished: list[Aggregates] = []
        last: OrderRow | None = None
        for batch in self.intake.take_orders(orders, finished, ORDERS_AT_ONCE):
            if not batch and not finished:
                return
            last = batch[-1] if batch else last
            assert last is not None, "a user has an order"
            yield Batch(
                batch,
                mark=mark(products, self.intake.order_hash.hexdigest()),
                rest=after(last, ended=len(batch) < ORDERS_AT_ONCE),
                users=tuple(finished),
            )
            finished.clear()

    def _fill_index(self) -> None:
        """Indexes the products that MongoDB holds.

        MongoDB holds all of them by then, so that the index never holds a product of an interrupted load that changed
        afterwards.
        """
        servers, unfinished, patiently = self.servers, self.unfinished, self.patience.patiently
        index = ElasticWriter(
            servers.elastic,
            unfinished.index,
            address=servers.elastic_address,
            formulation=self.formulation,
            shards=servers.settings.shards,
            replicas=servers.settings.replicas,
            patience=self.patience,
        )
        # An index of other products, or with another formulation, is begun anew.
        kind = f"{self.intake.product_hash.hexdigest()} {self.formulation.version} {servers.settings.shards}"
        exists = patiently(lambda: servers.elastic.indices.exists(index=unfinished.index))
        if unfinished.indexed_as != kind or not exists:
            index.drop()
            patiently(lambda: unfinished.note_indexed(kind, ""))
        index.create()

        def next_products() -> list[Product]:
            """The next batch; each is a query of its own, so that it can be retried."""
            found = self._collections["products"].find({"_id": {"$gt": unfinished.indexed_to}})
            return list(map(product_of, found.sort("_id", ASCENDING).limit(PRODUCTS_AT_ONCE)))

        with self.progress.track("products into Elasticsearch") as bar:
            while batch := patiently(next_products):
                patiently(self.lease.check)
                index.add(batch)
                patiently(partial(unfinished.note_indexed, kind, batch[-1].product_id))
                bar.advance(len(batch))
        index.finish()

    def check_counts(self, made: Generation) -> None:
        """Raises UserError, and drops what was loaded, unless both servers hold as many rows as were sent."""
        missing = self.patience.patiently(lambda: missing_rows(self.servers, made))
        if missing:
            drop_unfinished(self.servers, made.number)
            raise UserError(
                f"The servers do not hold what was sent ({missing}): another program may have changed it meanwhile. "
                "Nothing went live; run the same command again."
            )

    def go_live(self, made: Generation, damaged: int | None) -> None:
        """Publishes the generation. If the same world is live and undamaged, only its manifest is replaced.

        ``damaged`` is the number of a generation that is known to be damaged.
        """
        servers, fingerprint = self.servers, made.manifest.fingerprint
        there = same_world(servers, fingerprint)
        if there is not None and there.number != damaged and is_whole(servers, there, self.progress):
            self.lease.check()
            drop_unfinished(servers, made.number)
            replace_manifest(servers, there.model_copy(update={"manifest": made.manifest}))
            point_alias(servers, there.index)  # the alias is missing if a load was interrupted just after going live
            return
        self.lease.check()
        publish(servers, made)
        forget_unfinished(servers)


def insert(collection: Collection[Document], documents: Sequence[Document]) -> None:
    """Inserts the documents; those that are there already are not written twice.

    Raises ValueError if another document has one of the ids: a bug of ours.
    """
    try:
        collection.insert_many(documents, ordered=False)
    except BulkWriteError as problem:
        details: dict[str, Any] = dict(problem.details or {})
        errors: list[dict[str, Any]] = details.get("writeErrors", [])
        ids = [error["op"]["_id"] for error in errors if error["code"] == DUPLICATE_KEY]
        stored = {document["_id"]: document for document in collection.find({"_id": {"$in": list(ids)}})}
        looked_at = set(ids)
        for document in documents:
            if document["_id"] in looked_at and stored.get(document["_id"]) != document:
                raise ValueError(f"an id occurs twice in {collection.name}: {document['_id']!r}") from problem
        others = [error for error in errors if error["code"] != DUPLICATE_KEY]
        if others or details.get("writeConcernErrors"):
            raise BulkWriteError({**details, "writeErrors": others}) from problem


def after(last: OrderRow, *, ended: bool) -> Rest:
    """Filters for the orders and users after an order; its own user is included unless all orders have ended."""
    user_id, timestamp, order_id = last.place
    return {
        "orders": {
            "$or": [
                {"user_id": {"$gt": user_id}},
                {"user_id": user_id, "timestamp": {"$gt": timestamp}},
                {"user_id": user_id, "timestamp": timestamp, "_id": {"$gt": order_id}},
            ]
        },
        "users": {"_id": {"$gt" if ended else "$gte": user_id}},
    }


def mark(*digests: str) -> str:
    """A short hash: nobody chooses the values that it is compared with."""
    return sha256_of(" ".join(digests))[:16]


def write_servers(
    servers: Servers,
    rows: WorldRows,
    progress: Progress | None = None,
    *,
    patience: Patience | None = None,
    lease_seconds: float = LEASE_SECONDS,
) -> Manifest:
    """Makes a new generation live on the servers and returns its manifest; the old one stays live until then.

    Rows that an interrupted load has written are not written again. Writing the world that is live already reads all of
    it, and changes nothing unless it is damaged.

    Raises ValueError for rows out of order, and UserError if another process writes, if a server fails for longer than
    ``patience``, or if another world comes of the rows than was expected.
    """
    progress, patience = progress or Progress(), patience or Patience()
    with load_errors(servers):
        there = same_world(servers, rows.expected) if rows.expected else None
        if there is not None and is_whole(servers, there, progress):
            point_alias(servers, there.index)
            return there.manifest
    with load_errors(servers), writer_lease(servers, lease_seconds) as lease:
        drop_retired(servers)
        load = Load(servers, find_unfinished(servers), lease, patience, progress, rows.formulation)
        load.fill(rows)
        manifest = load.intake.manifest(rows, servers.versions)
        made = Generation(
            number=load.unfinished.number,
            index=load.unfinished.index,
            manifest=manifest,
            pool=rows.pool,
        )
        load.check_counts(made)
        lease.check()
        load.go_live(made, damaged=None if there is None else there.number)
    return manifest


def check_ready(servers: Servers) -> None:
    """Raises UserError if a load would fail because of its name or for lack of write access."""
    with load_errors(servers):
        with mongo_faults(servers.mongo_address):
            # MongoDB refuses even the deletion of a missing document to a user without write access.
            servers.database[WORLDS].delete_one({"_id": "nothing"})
        # The world's name cannot become an alias if another program's index or alias has it.
        with elastic_faults(servers.elastic_address):
            client, name = servers.elastic, servers.name
            if not client.indices.exists(index=name):
                return
            aliases = client.options(ignore_status=404).indices.get_alias(name=name, filter_path="*.aliases")
        others = sorted(index for index in aliases if not is_generation(name, index))
        if others or not aliases:
            what = f"an alias of {others[0]}" if others else "an index"
            raise UserError(
                f"Elasticsearch at {servers.elastic_address} has {what} that is called {name!r}, as the alias of the "
                f"world {SPEC_PREFIX}{name} would be: choose another name for the world, or remove what has it."
            )


@contextmanager
def load_errors(servers: Servers) -> Generator[None]:
    """Turns a server's failure during a load into a UserError of one sentence.

    The sentence says that the same command continues only if the fault may pass by itself.
    """
    try:
        yield
    except (PyMongoError, elastic_transport.TransportError, elasticsearch.ApiError, ToolError) as problem:
        if isinstance(problem, ToolError):
            fault, cause = problem, problem.__cause__
        elif isinstance(problem, PyMongoError):
            fault, cause = mongo_fault(problem, servers.mongo_address), problem
        else:
            fault, cause = elastic_fault(problem, servers.elastic_address), problem
        may_pass = isinstance(cause, Exception) and is_passing(cause)
        later = " The same command goes on where this one stopped." if may_pass else ""
        raise UserError(f"{fault.message} What is live is unchanged.{later}") from problem

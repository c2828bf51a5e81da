"""Writes the streams of a world into the collections of one generation; continues an interrupted load."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from itertools import islice
from typing import Any, Literal

from pymongo import WriteConcern
from pymongo.collection import Collection
from pymongo.errors import BulkWriteError

from drretail.env.catalog.formulation import ENGLISH, Formulation
from drretail.env.intake import Intake
from drretail.env.manifest import OrderRow
from drretail.env.profiles import ProfilePool, derive_profile
from drretail.env.servers.clients import Document, Servers
from drretail.env.servers.documents import holdout_document, order_document, product_document, user_document
from drretail.env.servers.faults import Patience
from drretail.env.servers.lease import Lease
from drretail.env.servers.live_generation import (
    LIVE,
    WORLDS,
    Stream,
    collections_of,
    drop_collections,
    drop_index,
    index_name,
    still_kept,
)
from drretail.env.store.sampling import Aggregates
from drretail.progress import Bar
from drretail.records.base import sha256_of
from drretail.records.shop import Product

LOADING = "loading"
LAYOUT = 1
"""Raise it when documents get another form: an interrupted load then begins anew."""
Noted = Literal["products", "orders", "holdout"]
OF_GENERATION = re.compile(r"g([0-9]+)_")


@dataclass(slots=True)
class Unfinished:
    """The generation that is being loaded. Its progress is saved to the database before this object changes."""

    worlds: Collection[Document]
    number: int
    index: str
    hashes: dict[Noted, list[str]] = field(default_factory=lambda: {"products": [], "orders": [], "holdout": []})
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


def find_unfinished(servers: Servers, key: str) -> Unfinished:
    """The interrupted load, if its ``key`` is the same; otherwise a new load, after everything of the other is dropped.

    ``key`` stands for everything that decides the form of documents, except the rows.
    """
    worlds = servers.database[WORLDS]
    document = worlds.find_one({"_id": LOADING})
    if document is not None and still_kept(servers.database, document["number"]):
        forget_unfinished(servers)  # it went live, and was interrupted before it could say so
        document = None
    if document is not None and document["key"] == f"{LAYOUT} {key}":
        return Unfinished(
            worlds,
            number=document["number"],
            index=document["index"],
            hashes={stream: list(document[stream]) for stream in ("products", "orders", "holdout")},
            indexed_as=document.get("indexed_as"),
            indexed_to=document.get("indexed_to", ""),
        )
    if document is not None:
        drop_unfinished(servers, document["number"])
    made = Unfinished(worlds, *_unused(servers))
    worlds.insert_one(
        {"_id": LOADING, "key": f"{LAYOUT} {key}", "number": made.number, "index": made.index, **made.hashes}
    )
    return made


def drop_unfinished(servers: Servers, number: int) -> None:
    """Drops what a load has written, and the record of the load."""
    drop_collections(servers.database, number)
    drop_index(servers.elastic, servers.elastic_address, index_name(servers.name, number))
    forget_unfinished(servers)


def forget_unfinished(servers: Servers) -> None:
    """Removes the record of the load, which has ended."""
    servers.database[WORLDS].delete_one({"_id": LOADING})


def _unused(servers: Servers) -> tuple[int, str]:
    """The number and index name of a new generation: above all former ones, and without an existing collection or
    index.

    An existing one may be another program's: the load would write into it, and drop it in the end.
    """
    live = servers.database[WORLDS].find_one({"_id": LIVE}) or {}
    before = [entry.get("number") for name in ("generations", "retired") for entry in live.get(name, ())]
    number = max((number for number in before if isinstance(number, int)), default=0) + 1
    collections = servers.database.list_collection_names()
    taken = {int(match[1]) for match in map(OF_GENERATION.match, collections) if match}
    while number in taken or servers.elastic.indices.exists(index=index_name(servers.name, number)):
        number += 1
    return number, index_name(servers.name, number)


# Rows of one batch. A product has kilobytes of text, an order a hundred bytes.
PRODUCTS_AT_ONCE = 1_000
ORDERS_AT_ONCE = 10_000
DUPLICATE_KEY = 11000
# A batch recorded as written must survive a crash of the server, and of the replica-set member that took it.
SAFE = WriteConcern("majority", j=True)
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
class Filling:
    """Fills one generation. ``intake`` sees every row, whether it is written now or was written before."""

    servers: Servers
    unfinished: Unfinished
    lease: Lease
    patience: Patience
    _: KW_ONLY
    seed: str
    pool: ProfilePool
    materialize_users: bool
    formulation: Formulation = ENGLISH

    def __post_init__(self) -> None:
        collections = collections_of(self.servers.database, self.unfinished.number)
        self._collections = {name: each.with_options(write_concern=SAFE) for name, each in collections.items()}
        self.intake = Intake(self.formulation)

    def fill_products(self, products: Iterable[Product], bar: Bar) -> None:
        self._fill("products", product_document, self._product_batches(products), {"products": EVERYTHING}, bar)

    def fill_orders(self, orders: Iterable[OrderRow], bar: Bar) -> None:
        """Writes the orders and their users."""
        everything: Rest = {"orders": EVERYTHING, "users": EVERYTHING}
        self._fill("orders", order_document, self._order_batches(orders), everything, bar)

    def fill_holdout(self, orders: Iterable[OrderRow], bar: Bar) -> None:
        batches = self._holdout_batches(orders)
        self._fill("holdout", lambda placed: holdout_document(*placed), batches, {"holdout": EVERYTHING}, bar)

    def _fill(
        self, stream: Noted, make: Callable[[Any], Document], batches: Iterable[Batch], rest: Rest, bar: Bar
    ) -> None:
        """Writes the batches from the first missing one on, after removing any documents in their place."""
        noted = list(self.unfinished.hashes[stream])
        going_on, number = True, 0
        for number, batch in enumerate(batches, 1):
            if going_on and (number > len(noted) or noted[number - 1] != batch.mark):
                self._clear(stream, number - 1, rest)
                going_on = False
            if not going_on:
                users = [
                    user_document(
                        user, derive_profile(self.pool, self.seed, user.user_id) if self.materialize_users else None
                    )
                    for user in batch.users
                ]
                for name, documents in ((stream, list(map(make, batch.rows))), ("users", users)):
                    if documents:
                        self._patiently(partial(insert, self._collections[name], documents))
                self._patiently(partial(self.unfinished.note, stream, number - 1, batch.mark))
            rest = batch.rest
            bar.advance(len(batch.rows))
        if going_on:
            self._clear(stream, number, rest)

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

    def _product_batches(self, products: Iterable[Product]) -> Iterator[Batch]:
        rows = (product for product, _ in self.intake.take_products(products))
        while batch := list(islice(rows, PRODUCTS_AT_ONCE)):
            yield Batch(
                batch,
                mark=mark(self.intake.product_hash.hexdigest()),
                rest={"products": {"_id": {"$gt": batch[-1].product_id}}},
            )

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

    def _holdout_batches(self, orders: Iterable[OrderRow]) -> Iterator[Batch]:
        rows = enumerate(row for row, _ in self.intake.take_holdout(orders))
        while batch := list(islice(rows, ORDERS_AT_ONCE)):
            assert self.intake.holdout_hash is not None, "a row was taken"
            yield Batch(
                batch,
                mark=mark(self.intake.holdout_hash.hexdigest()),
                rest={"holdout": {"_id": {"$gt": batch[-1][0]}}},
            )


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
    """Filters for the orders and users after an order. The order's own user is included unless all
    orders have ended.
    """
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

"""Writes the streams of a world into the collections of one generation, going on from what a cut load left."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
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
"""Raise it when documents of another shape are written: a load that was cut is then begun anew."""
Noted = Literal["products", "orders", "holdout"]
OF_GENERATION = re.compile(r"g([0-9]+)_")


@dataclass(slots=True)
class Unfinished:
    """The generation that is being loaded. What it notes, it first has on disk."""

    worlds: Collection[Document]
    number: int
    index: str
    hashes: dict[Noted, list[str]] = field(default_factory=lambda: {"products": [], "orders": [], "holdout": []})
    indexed_as: str | None = None
    """What the index is made of: the hash of all products, and how they are indexed."""
    indexed_to: str = ""
    """The id of the last product that is in the index for sure."""

    def note(self, stream: Noted, batch: int, mark: str) -> None:
        """A batch is written; noting it twice does no harm."""
        self.worlds.update_one({"_id": LOADING}, {"$set": {f"{stream}.{batch}": mark}})
        del self.hashes[stream][batch:]
        self.hashes[stream].append(mark)

    def forget_from(self, stream: Noted, batch: int) -> None:
        """A batch and those after it are about to be replaced."""
        kept = self.hashes[stream][:batch]
        self.worlds.update_one({"_id": LOADING}, {"$set": {stream: kept}})
        self.hashes[stream] = kept

    def note_indexed(self, indexed_as: str, product_id: str) -> None:
        self.worlds.update_one({"_id": LOADING}, {"$set": {"indexed_as": indexed_as, "indexed_to": product_id}})
        self.indexed_as, self.indexed_to = indexed_as, product_id


def find_unfinished(servers: Servers, key: str) -> Unfinished:
    """The load that was cut, where ``key`` is the same, else a new one with nothing left of the other.

    ``key`` stands for everything but the rows that decides how documents look.
    """
    worlds = servers.database[WORLDS]
    document = worlds.find_one({"_id": LOADING})
    if document is not None and still_kept(servers.database, document["number"]):
        forget_unfinished(servers)  # it was cut between going live and saying so
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
    """Drops what a load left, and that it was."""
    drop_collections(servers.database, number)
    drop_index(servers.elastic, servers.elastic_address, index_name(servers.name, number))
    forget_unfinished(servers)


def forget_unfinished(servers: Servers) -> None:
    """The load has ended."""
    servers.database[WORLDS].delete_one({"_id": LOADING})


def _unused(servers: Servers) -> tuple[int, str]:
    """A generation's number, above all that went before, of which nobody has a collection or an index.

    Whatever has such a name may be another program's: what is loaded would be written into it, and drop it in the end.
    """
    live = servers.database[WORLDS].find_one({"_id": LIVE}) or {}
    before = [entry.get("number") for name in ("generations", "retired") for entry in live.get(name, ())]
    number = max((number for number in before if isinstance(number, int)), default=0) + 1
    collections = servers.database.list_collection_names()
    taken = {int(found[1]) for found in map(OF_GENERATION.match, collections) if found}
    while number in taken or servers.elastic.indices.exists(index=index_name(servers.name, number)):
        number += 1
    return number, index_name(servers.name, number)


PRODUCTS_AT_ONCE = 1_000
ORDERS_AT_ONCE = 10_000
DUPLICATE_KEY = 11000
# What is noted as written is to outlive the server's death, and the death of the member that took it.
SAFE = WriteConcern("majority", j=True)
EVERYTHING: Document = {}
Rest = dict[Stream, Document]
"""Filters, by collection."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows that are written together; ``mark`` is a hash over all rows of the stream up to the last of these."""

    documents: Callable[[], Sequence[Document]]
    size: int
    mark: str
    rest: Rest
    """What comes after this batch."""
    users: tuple[Aggregates, ...] = ()
    """Those whose last order has passed by now and had not before."""


class Filling:
    """Fills one generation; ``intake`` has seen every row that was given, written or not."""

    def __init__(
        self,
        servers: Servers,
        unfinished: Unfinished,
        lease: Lease,
        patience: Patience,
        *,
        seed: str,
        pool: ProfilePool,
        materialize_users: bool,
        formulation: Formulation = ENGLISH,
    ) -> None:
        collections = collections_of(servers.database, unfinished.number)
        self._collections = {name: each.with_options(write_concern=SAFE) for name, each in collections.items()}
        self._unfinished = unfinished
        self._lease = lease
        self._patience = patience
        self._seed = seed
        self._pool = pool
        self._materialize_users = materialize_users
        self.intake = Intake(formulation)

    def fill_products(self, products: Iterable[Product], bar: Bar) -> None:
        self._fill("products", self._product_batches(products), {"products": EVERYTHING}, bar)

    def fill_orders(self, orders: Iterable[OrderRow], bar: Bar) -> None:
        """The orders, and the users that they are of."""
        everything: Rest = {"orders": EVERYTHING, "users": EVERYTHING}
        self._fill("orders", self._order_batches(orders), everything, bar)

    def fill_holdout(self, orders: Iterable[OrderRow], bar: Bar) -> None:
        self._fill("holdout", self._holdout_batches(orders), {"holdout": EVERYTHING}, bar)

    def _fill(self, stream: Noted, batches: Iterable[Batch], rest: Rest, bar: Bar) -> None:
        """Writes the batches from the first on that is not there yet, after removing what stands in their place."""
        noted = list(self._unfinished.hashes[stream])
        going_on, number = True, 0
        for number, batch in enumerate(batches, 1):
            if going_on and (number > len(noted) or noted[number - 1] != batch.mark):
                self._clear(stream, number - 1, rest)
                going_on = False
            if not going_on:
                users = [
                    user_document(
                        user, derive_profile(self._pool, self._seed, user.user_id) if self._materialize_users else None
                    )
                    for user in batch.users
                ]
                for name, documents in ((stream, batch.documents()), ("users", users)):
                    if documents:
                        self._patiently(partial(insert, self._collections[name], documents))
                self._patiently(partial(self._unfinished.note, stream, number - 1, batch.mark))
            rest = batch.rest
            bar.advance(batch.size)
        if going_on:
            self._clear(stream, number, rest)

    def _clear(self, stream: Noted, batch: int, rest: Rest) -> None:
        """Nothing is left of a batch and those after it, noted or not."""
        self._patiently(partial(self._unfinished.forget_from, stream, batch))
        for name, which in rest.items():
            self._patiently(partial(self._collections[name].delete_many, which))

    def _patiently(self, step: Callable[[], object]) -> None:
        def checked() -> None:
            self._lease.check()
            step()

        self._patience.patiently(checked)

    def _product_batches(self, products: Iterable[Product]) -> Iterator[Batch]:
        rows = (product for product, _ in self.intake.take_products(products))
        while batch := list(islice(rows, PRODUCTS_AT_ONCE)):
            yield Batch(
                documents=partial(_documents, product_document, batch),
                size=len(batch),
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
                documents=partial(_documents, order_document, batch),
                size=len(batch),
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
                documents=partial(_holdout_documents, batch),
                size=len(batch),
                mark=mark(self.intake.holdout_hash.hexdigest()),
                rest={"holdout": {"_id": {"$gt": batch[-1][0]}}},
            )


def insert(collection: Collection[Document], documents: Sequence[Document]) -> None:
    """All documents are in the collection; those that were there already are not written twice.

    Raises ValueError where another document has the id of one: a bug of ours.
    """
    try:
        collection.insert_many(documents, ordered=False)
    except BulkWriteError as problem:
        details: dict[str, Any] = dict(problem.details or {})
        errors: list[dict[str, Any]] = details.get("writeErrors", [])
        ids = [error["op"]["_id"] for error in errors if error["code"] == DUPLICATE_KEY]
        kept = {document["_id"]: document for document in collection.find({"_id": {"$in": list(ids)}})}
        looked_at = set(ids)
        for document in documents:
            if document["_id"] in looked_at and kept.get(document["_id"]) != document:
                raise ValueError(f"an id occurs twice in {collection.name}: {document['_id']!r}") from problem
        others = [error for error in errors if error["code"] != DUPLICATE_KEY]
        if others or details.get("writeConcernErrors"):
            raise BulkWriteError({**details, "writeErrors": others}) from problem


def after(last: OrderRow, *, ended: bool) -> Rest:
    """Which orders and users come after an order; its own user is still to come unless all orders have ended."""
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
    """A short hash: what it is compared to is not chosen by anybody."""
    return sha256_of(" ".join(digests))[:16]


def _documents(make: Callable[[Any], Document], rows: Iterable[Any]) -> list[Document]:
    return [make(row) for row in rows]


def _holdout_documents(rows: Iterable[tuple[int, OrderRow]]) -> list[Document]:
    return [holdout_document(place, row) for place, row in rows]

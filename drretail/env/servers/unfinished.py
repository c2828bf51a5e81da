"""How far a load has come: kept in MongoDB, so that one that was cut goes on where it stopped.

A stream of rows is written in batches, and after each a hash over all rows so far is noted. A load that is started
again reads its rows anew, leaves out the batches whose hashes are those noted, and replaces everything from the first
one that differs: whatever was to be loaded then, what ends up on the servers is what was asked for now.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pymongo.collection import Collection

from drretail.env.servers.connecting import Document, Servers
from drretail.env.servers.live import (
    LIVE,
    WORLDS,
    drop_collections,
    drop_index,
    index_name,
    still_kept,
)

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
        return _of_document(worlds, document)
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


def _of_document(worlds: Collection[Document], document: Mapping[str, Any]) -> Unfinished:
    return Unfinished(
        worlds,
        number=document["number"],
        index=document["index"],
        hashes={stream: list(document[stream]) for stream in ("products", "orders", "holdout")},
        indexed_as=document.get("indexed_as"),
        indexed_to=document.get("indexed_to", ""),
    )


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

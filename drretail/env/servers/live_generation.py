"""Which generation of a world is live, and the lease that lets one writer at a time change it.

    worlds {_id: "live"}      the generations that may be read, the live one first; those that are to be dropped
    worlds {_id: "writer"}    who may write, and until when (``writer_lease``)
    worlds {_id: "loading"}   how far an unfinished load has come (loading.py)

Readers keep the names that they found there; the last two generations stay.
"""

import secrets
import socket
import threading
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Literal, Self, get_args

from elasticsearch import Elasticsearch
from pydantic import ValidationError
from pymongo.collection import Collection
from pymongo.database import Database
from pymongo.errors import DuplicateKeyError, PyMongoError

from drretail.env.manifest import Manifest
from drretail.env.servers.clients import Document, Servers, elastic_faults, mongo_faults
from drretail.env.store.users import ProfilePool
from drretail.errors import UserError
from drretail.records.base import FORMAT, Record

WORLDS = "worlds"
LIVE = "live"
KEPT = 2
"""The number of generations that stay readable."""
Stream = Literal["products", "users", "orders"]
STREAMS: tuple[Stream, ...] = get_args(Stream)


class Generation(Record):
    """One complete generation: its manifest and pool, and the names of its collections and index."""

    number: int
    index: str
    manifest: Manifest
    pool: ProfilePool

    @classmethod
    def of_document(cls, document: Mapping[str, Any]) -> Self:
        """The generation of a document, which keeps manifest and pool as JSON so that their values return unchanged."""
        return cls(
            number=document["number"],
            index=document["index"],
            manifest=Manifest.model_validate_json(document["manifest"]),
            pool=ProfilePool.model_validate_json(document["pool"]),
        )

    def as_document(self) -> Document:
        return {
            "number": self.number,
            "fingerprint": self.manifest.fingerprint,
            "index": self.index,
            "collections": {stream: collection_name(self.number, stream) for stream in STREAMS},
            "manifest": self.manifest.model_dump_json(),
            "pool": self.pool.as_line(),
        }


def collection_name(number: int, stream: Stream) -> str:
    return f"g{number}_{stream}"


def index_name(world: str, number: int) -> str:
    return f"{world}-g{number}"


def collections_of(database: Database[Document], number: int) -> dict[Stream, Collection[Document]]:
    """The collections of one generation, whether they exist or not."""
    return {stream: database[collection_name(number, stream)] for stream in STREAMS}


def read_live(servers: Servers) -> Generation:
    """The live generation. Raises UserError if there is none, if it is damaged, or if it has another format.

    Raises ToolError if the server fails.
    """
    document = _live_document(servers)
    if document is None:
        raise UserError(
            f"There is no world servers:{servers.name} in MongoDB at {servers.mongo_address}. Make one with `drretail "
            f"ingest … --world servers:{servers.name}` or `drretail world copy W servers:{servers.name}`."
        )
    try:
        return Generation.of_document(document["generations"][0])
    except (LookupError, TypeError, ValidationError) as problem:
        raise UserError(
            f"What the world servers:{servers.name} says of itself is damaged ({type(problem).__name__}). Make it anew."
        ) from problem


def find_generations(servers: Servers) -> list[Generation]:
    """All readable generations, the live one first; a damaged one and all after it are left out."""
    document = _live_document(servers)
    generations: list[Generation] = []
    with suppress(LookupError, TypeError, ValidationError):
        for entry in [] if document is None else document["generations"]:
            generations.append(Generation.of_document(entry))
    return generations


def _live_document(servers: Servers) -> Document | None:
    """The document of the live world, None if there is none. Raises UserError if the world has another format."""
    with mongo_faults(servers.mongo_address):
        document = servers.database[WORLDS].find_one({"_id": LIVE})
    if document is not None and document.get("format") != FORMAT:
        raise UserError(
            f"The world servers:{servers.name} is of format {document.get('format')!r}; this version of drretail reads "
            f"format {FORMAT}. Make it anew under another name."
        )
    return document


def still_kept(database: Database[Document], number: int) -> bool:
    """False if a generation has been replaced twice, so that its collections may be gone."""
    document = database[WORLDS].find_one({"_id": LIVE, "generations.number": number}, {"_id": 1})
    return document is not None


def publish(servers: Servers, generation: Generation) -> None:
    """Makes a generation live with one write, and drops all that are older than the one before it.

    Raises UserError if another writer was first, ToolError if a server fails. The next writer drops what is then left
    over.
    """
    with mongo_faults(servers.mongo_address):
        _make_live(servers, generation)
    point_alias(servers, generation.index)
    drop_retired(servers)


def _make_live(servers: Servers, generation: Generation) -> None:
    worlds = servers.database[WORLDS]
    document = worlds.find_one({"_id": LIVE})
    before: list[Document] = [] if document is None else document.get("generations", [])
    if before and before[0].get("number") == generation.number:
        return  # the write succeeded, only its answer was lost
    # An entry that is too damaged to have a number is dropped; its collections stay.
    generations = [generation.as_document(), *(entry for entry in before if {"number", "index"} <= entry.keys())]
    older = [{"number": entry["number"], "index": entry["index"]} for entry in generations[KEPT:]]
    changed = {
        "format": FORMAT,
        "generations": generations[:KEPT],
        "retired": [*([] if document is None else document.get("retired", [])), *older],
    }
    unchanged = {"generations.0.number": before[0].get("number")} if before else {"generations.0": {"$exists": False}}
    try:
        done = worlds.update_one({"_id": LIVE, **unchanged}, {"$set": changed}, upsert=not before)
        lost = not done.matched_count and done.upserted_id is None
    except DuplicateKeyError:
        lost = True
    if lost:
        raise UserError(f"Another process has written the world servers:{servers.name} meanwhile.")


def replace_manifest(servers: Servers, generation: Generation) -> None:
    """Replaces the live generation's description by that of ``generation``; its rows stay."""
    with mongo_faults(servers.mongo_address):
        servers.database[WORLDS].update_one(
            {"_id": LIVE, "generations.0.number": generation.number},
            {"$set": {"generations.0": generation.as_document()}},
        )


def point_alias(servers: Servers, index: str) -> None:
    """Makes the world's name an alias of the live index, for other users of Elasticsearch than drretail."""
    with elastic_faults(servers.elastic_address):
        client = servers.elastic
        if client.indices.exists(index=servers.name) and not client.indices.exists_alias(name=servers.name):
            return  # another program's index has the name: it is left alone
        others = client.options(ignore_status=404).indices.get_alias(name=servers.name, filter_path="*.aliases")
        stale = [name for name in others if name != index and is_generation(servers.name, name)]
        remove = [{"remove": {"index": name, "alias": servers.name}} for name in stale]
        client.indices.update_aliases(actions=[*remove, {"add": {"index": index, "alias": servers.name}}])


def is_generation(world: str, index: str) -> bool:
    """True if an index of this name belongs, or may belong, to the world."""
    start = index_name(world, 0)[:-1]
    return index.startswith(start) and index.removeprefix(start).isdecimal()


def drop_retired(servers: Servers) -> None:
    """Drops the generations that nobody can open any more."""
    with mongo_faults(servers.mongo_address):
        worlds = servers.database[WORLDS]
        document = worlds.find_one({"_id": LIVE}, {"retired": 1}) or {}
        for entry in document.get("retired", ()):
            drop_collections(servers.database, entry["number"])
            drop_index(servers.elastic, servers.elastic_address, entry["index"])
            worlds.update_one({"_id": LIVE}, {"$pull": {"retired": {"number": entry["number"]}}})


def drop_collections(database: Database[Document], number: int) -> None:
    for collection in collections_of(database, number).values():
        collection.drop()


def drop_index(client: Elasticsearch, address: str, index: str) -> None:
    with elastic_faults(address):
        client.options(ignore_status=404).indices.delete(index=index)


WRITER = "writer"
LEASE_SECONDS = 60.0
RENEWALS = 4
"""The number of renewals in the time of one lease."""


class Lease:
    """The right to write, as long as ``check`` does not raise."""

    def __init__(self, worlds: Collection[Document], world: str, seconds: float) -> None:
        self._worlds = worlds
        self._world = world
        self._seconds = seconds
        self._holder = f"{socket.gethostname()}-{secrets.token_hex(8)}"
        self._until = 0.0

    def take(self) -> bool:
        """Takes the lease; False if another writer holds it. Times are the server's, since clocks may differ."""
        began = time.monotonic()
        over, absent = {"$expr": {"$lt": ["$until", "$$NOW"]}}, {"holder": {"$exists": False}}
        try:
            if not self._worlds.update_one({"_id": WRITER, **over}, self._extended()).matched_count:
                self._worlds.update_one({"_id": WRITER, **absent}, self._extended(), upsert=True)
        except DuplicateKeyError:
            return False
        self._until = began + self._seconds
        return True

    def check(self) -> None:
        """Raises UserError if another process has the lease. Asks the server only if the lease may have expired."""
        if time.monotonic() >= self._until and not self._renew():
            raise UserError(
                f"Another process took over writing the world servers:{self._world}, since this one gave no sign of "
                "life; wait until it has ended."
            )

    def keep(self, ended: threading.Event) -> None:
        """Renews the lease until ``ended`` is set."""
        while not ended.wait(self._seconds / RENEWALS):
            # The writer meets the same fault, and has its own patience for it.
            with suppress(PyMongoError):
                self._renew()

    def _renew(self) -> bool:
        """Renews the lease; False if another writer holds or held it: what is known of the world may be stale."""
        began = time.monotonic()
        is_ours = self._worlds.update_one({"_id": WRITER, "holder": self._holder}, self._extended()).matched_count == 1
        self._until = began + self._seconds if is_ours else 0.0
        return is_ours

    def _extended(self) -> list[Document]:
        until = {"$add": ["$$NOW", round(self._seconds * 1000)]}
        return [{"$set": {"holder": self._holder, "until": until}}]

    def give_back(self) -> None:
        self._worlds.delete_one({"_id": WRITER, "holder": self._holder})


@contextmanager
def writer_lease(servers: Servers, seconds: float = LEASE_SECONDS) -> Generator[Lease]:
    """Keeps other writers out for the time of a ``with`` block. Raises UserError if there is one already."""
    lease = Lease(servers.database[WORLDS], servers.name, seconds)
    with mongo_faults(servers.mongo_address):
        if not lease.take():
            raise UserError(
                f"Another process is writing the world servers:{servers.name}; wait until it has ended (if it was "
                f"killed, {seconds:.0f} seconds)."
            )
    ended = threading.Event()
    renewing = threading.Thread(target=lease.keep, args=(ended,), name="drretail-lease", daemon=True)
    renewing.start()
    try:
        yield lease
    finally:
        ended.set()
        renewing.join()
        # The lease expires by itself, and must not hide the error that ended the block.
        with suppress(PyMongoError):
            lease.give_back()

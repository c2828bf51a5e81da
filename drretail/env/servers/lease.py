"""One writer of a world at a time: a lease in MongoDB, renewed while the writer lives; it expires soon after the writer
dies.
"""

import secrets
import socket
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress

from pymongo.collection import Collection
from pymongo.errors import DuplicateKeyError, PyMongoError

from drretail.env.servers.clients import Document, Servers
from drretail.env.servers.faults import mongo_faults
from drretail.env.servers.live_generation import WORLDS
from drretail.errors import UserError

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
        """Renews the lease; False if another writer holds or held it, since this writer's knowledge of the world may be
        stale.
        """
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

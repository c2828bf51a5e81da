"""A real server of a test's own, which it may kill and start again, and a shop of several batches to lie on it."""

import os
import shutil
import signal
import socket
import tempfile
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import pytest

from drretail.env.manifest import Manifest, OrderRow, WorldRows
from drretail.env.servers.clients import connect
from drretail.env.servers.loading import write_servers
from drretail.env.servers.naming import ServerSettings
from drretail.env.world import default_pool
from drretail.records.shop import Product
from tests.servers.running import OWNER, CannotStart, Kind, start, stop

PORTS: dict[Kind, str] = {"mongo": "MONGO_PORT", "elasticsearch": "ES_PORT"}


class OwnServer:
    """Up when made. ``kill`` ends it as a loss of power would, ``start`` brings it back."""

    def __init__(self, kind: Kind, folder: Path, **environment: str) -> None:
        self._kind: Kind = kind
        self._folder = folder
        self._environment = environment
        self.url = start(kind, folder, end_with=os.environ[OWNER], **environment)
        address = urlsplit(self.url)
        assert address.port, "the scripts give a port"
        self.port = address.port

    @property
    def pid(self) -> int:
        return int((self._folder / f"{self._kind}.process").read_text(encoding="utf-8").split()[0])

    def kill(self) -> None:
        """SIGKILL; returns when the port is free."""
        os.kill(self.pid, signal.SIGKILL)
        eventually(lambda: not answers(self.port), "the server to be gone")

    def start(self) -> None:
        start(self._kind, self._folder, **{**self._environment, PORTS[self._kind]: str(self.port)})


@contextmanager
def own_server(kind: Kind, **environment: str) -> Generator[OwnServer]:
    """Skips the test where such a server cannot run; stopped and removed afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="drretail-own-"))
    # Elasticsearch may have to run as somebody else, who has to get in.
    folder.chmod(0o755)
    try:
        server = OwnServer(kind, folder, **environment)
    except CannotStart as problem:
        shutil.rmtree(folder, ignore_errors=True)
        pytest.skip(f"no real server: {problem}")
    try:
        yield server
    finally:
        stop(folder)


def answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def eventually(is_so: Callable[[], bool], what: str, seconds: float = 20) -> None:
    """Returns when it is so; fails the test where it does not become so."""
    end = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > end:
            pytest.fail(f"waited {seconds:g} s in vain for {what}")
        time.sleep(0.05)


Row = TypeVar("Row")
SHELF, HISTORY = 3_500, 25_000
"""More than three batches of products and two of orders."""
DAY = 86_400_000
JANUARY = 1_672_531_200_000


def products(count: int = SHELF) -> list[Product]:
    return [
        Product(
            product_id=f"B{number:06d}",
            title=f"Bird feeder no. {number}",
            features=("Copper",) if number % 3 else (),
            price=number % 50 + 0.99 if number % 4 else None,
            average_rating=1 + number % 5,
            categories=("Garden", "Bird Feeders"),
            category="Patio_Lawn_and_Garden",
        )
        for number in range(count)
    ]


def orders(count: int = HISTORY, shelf: int = SHELF) -> list[OrderRow]:
    """Five of each user."""
    return [
        OrderRow(
            order_id=f"{number:08d}",
            user_id=f"A{number // 5:06d}",
            product_id=f"B{number * 7 % shelf:06d}",
            timestamp=JANUARY + number % 5 * DAY,
            order_status="Shipped" if number % 9 == 0 else "Delivered",
        )
        for number in range(count)
    ]


SMALL: dict[str, Any] = {"products": products(5), "orders": orders(5, 5)}
FORTY: dict[str, Any] = {"products": products(40), "orders": orders(100, 40)}


def at(place: int, action: Callable[[], object], rows: Iterable[Row]) -> Iterator[Row]:
    """The rows; the action is done once, before the one at ``place``."""
    for number, row in enumerate(rows):
        if number == place:
            action()
        yield row


def load(settings: ServerSettings, name: str, **given: Any) -> Manifest:
    """The shop as a world on the servers; ``given`` overrides parts of it."""
    rows: dict[str, Any] = {"products": products(), "orders": orders(), "seed": 42, "pool": default_pool()}
    with connect(settings, name, loading=True) as servers:
        return write_servers(servers, WorldRows(**{**rows, **given}))

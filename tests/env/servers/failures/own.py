"""A MongoDB of the tests' own that asks for a password, and a shop of several batches to lie on servers."""

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest

from drretail.env.clients import connect
from drretail.env.manifest import Manifest, OrderRow, WorldRows
from drretail.env.naming import ServerSettings
from drretail.env.servers.loading import write_servers
from drretail.env.world import default_pool
from drretail.records.shop import Product
from tests.servers.running import OWNER, CannotStart, start, stop


@contextmanager
def own_mongo(**environment: str) -> Generator[str]:
    """The address of a MongoDB of its own, such as with ``MONGO_KEY``; skips the test where it cannot run."""
    folder = Path(tempfile.mkdtemp(prefix="drretail-own-"))
    try:
        url = start("mongo", folder, end_with=os.environ[OWNER], **environment)
    except CannotStart as problem:
        shutil.rmtree(folder, ignore_errors=True)
        pytest.skip(f"no real server: {problem}")
    try:
        yield url
    finally:
        stop(folder)


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

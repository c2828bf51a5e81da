"""A shop of several batches, and what of it lies on the servers."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from elasticsearch import Elasticsearch
from pymongo import MongoClient

from drretail.env.manifest import Manifest, OrderRow
from drretail.env.servers.clients import Patience, connect
from drretail.env.servers.loading import write_servers
from drretail.env.servers.naming import ServerSettings
from drretail.env.world import default_pool
from drretail.progress import Progress
from drretail.records.shop import Product

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


def load(settings: ServerSettings, name: str, *, patience: float = 30, lease: float = 60, **given: Any) -> Manifest:
    """The shop as a world on the servers; ``given`` overrides parts of it. Patience and lease are in seconds."""
    rows: dict[str, Any] = {"products": products(), "orders": orders(), "seed": 42, "pool": default_pool()}
    rows["progress"] = Progress()
    with connect(settings, name, loading=True) as servers:
        tries = Patience(seconds=patience, longest_wait=0.5)
        return write_servers(servers, **{**rows, **given}, patience=tries, lease_seconds=lease)


def documents(settings: ServerSettings, name: str) -> dict[str, int]:
    """How many there are of each collection and index that the world has, live or not."""
    with MongoClient[dict[str, Any]](settings.mongo_url) as mongo:
        found = {each: mongo[name][each].count_documents({}) for each in mongo[name].list_collection_names()}
    with Elasticsearch(settings.es_url) as elastic:
        for index in elastic.indices.get(index=f"{name}-g*"):
            found[index] = elastic.count(index=index)["count"]
    return found


def whole(number: int, name: str, *, shelf: int = SHELF, history: int = HISTORY) -> dict[str, int]:
    """What ``documents`` gives of generation ``number`` when nothing is lost and nothing doubled."""
    return {
        f"g{number}_products": shelf,
        f"g{number}_orders": history,
        f"g{number}_users": history // 5,
        f"{name}-g{number}": shelf,
    }

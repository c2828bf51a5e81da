"""All rows of a world on servers, in the order in which a world is written."""

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from itertools import groupby
from operator import attrgetter

from pymongo import ASCENDING, DESCENDING
from pymongo.collection import Collection

from drretail.env.manifest import OrderRow
from drretail.env.rows import WorldRows
from drretail.env.servers.connecting import Document, Servers, connect
from drretail.env.servers.documents import order_row, product_of
from drretail.env.servers.faults import mongo_faults
from drretail.env.servers.live import Generation, collections_of, read_live
from drretail.env.servers.naming import world_name
from drretail.env.servers.settings import ServerSettings
from drretail.records.shop import Product

ORDERS_AT_ONCE = 10_000
PRODUCTS_AT_ONCE = 1_000
BY_USER = [("user_id", ASCENDING), ("timestamp", DESCENDING), ("_id", ASCENDING)]


@contextmanager
def rows_on_servers(spec: str, settings: ServerSettings) -> Generator[WorldRows]:
    """The rows of what is live as "servers:NAME"; see ``rows.rows_of``."""
    with connect(settings, world_name(spec), loading=True) as servers:
        generation = read_live(servers)
        collections = collections_of(servers.database, generation.number)
        yield WorldRows(
            manifest=generation.manifest,
            pool=generation.pool,
            products=products_in(servers, collections["products"]),
            orders=orders_in(servers, collections["orders"]),
            holdout=holdout_in(servers, generation),
        )


def products_in(servers: Servers, products: Collection[Document], after: str = "") -> Iterator[Product]:
    """The products whose ids come after one, in order of id; ToolError where the server fails."""
    with mongo_faults(servers.mongo_address):
        cursor = products.find({"_id": {"$gt": after}}, batch_size=PRODUCTS_AT_ONCE)
        for document in cursor.sort("_id", ASCENDING):
            yield product_of(document)


def orders_in(servers: Servers, orders: Collection[Document]) -> Iterator[OrderRow]:
    """The orders by user, time and id; ToolError where the server fails.

    They come as the index for newest orders has them, and each user's are turned around here.
    """
    with mongo_faults(servers.mongo_address):
        cursor = orders.find(batch_size=ORDERS_AT_ONCE).sort(BY_USER).allow_disk_use(True)
        for _, of_user in groupby(map(order_row, cursor), key=attrgetter("user_id")):
            yield from sorted(of_user, key=attrgetter("place"))


def holdout_in(servers: Servers, generation: Generation) -> Iterable[OrderRow] | None:
    """The orders that are held out, in their order; None where nothing is."""
    if not generation.held_out:
        return None
    return _holdout(servers, collections_of(servers.database, generation.number)["holdout"])


def _holdout(servers: Servers, holdout: Collection[Document]) -> Iterator[OrderRow]:
    with mongo_faults(servers.mongo_address):
        yield from map(order_row, holdout.find(batch_size=ORDERS_AT_ONCE).sort("_id", ASCENDING))

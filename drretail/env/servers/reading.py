"""All rows of a world on servers, in the order in which a world is written."""

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from itertools import groupby
from operator import attrgetter

from pymongo import ASCENDING, DESCENDING
from pymongo.collection import Collection

from drretail.env.manifest import OrderRow
from drretail.env.rows import WorldRows
from drretail.env.servers.clients import Document, Servers, connect
from drretail.env.servers.documents import order_row, product_of
from drretail.env.servers.faults import mongo_faults
from drretail.env.servers.live_generation import Generation, collections_of, read_live
from drretail.env.servers.naming import ServerSettings, world_name
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


def products_in(
    servers: Servers, products: Collection[Document], read: Callable[[Document], Product | None] = product_of
) -> Iterator[Product]:
    """The products in order of id, without those of which ``read`` makes None; ToolError where the server fails."""
    with mongo_faults(servers.mongo_address):
        yield from filter(None, map(read, products.find(batch_size=PRODUCTS_AT_ONCE).sort("_id", ASCENDING)))


def orders_in(
    servers: Servers, orders: Collection[Document], read: Callable[[Document], OrderRow | None] = order_row
) -> Iterator[OrderRow]:
    """The orders by user, time and id, without those of which ``read`` makes None; ToolError where the server fails.

    They come as the index for newest orders has them, and each user's are turned around here.
    """
    with mongo_faults(servers.mongo_address):
        cursor = orders.find(batch_size=ORDERS_AT_ONCE).sort(BY_USER).allow_disk_use(True)
        for _, of_user in groupby(filter(None, map(read, cursor)), key=attrgetter("user_id")):
            yield from sorted(of_user, key=attrgetter("place"))


def holdout_in(
    servers: Servers, generation: Generation, read: Callable[[Document], OrderRow | None] = order_row
) -> Iterable[OrderRow] | None:
    """The orders that are held out, in their order; None where nothing is."""
    if not generation.held_out:
        return None
    return _holdout(servers, collections_of(servers.database, generation.number)["holdout"], read)


def _holdout(
    servers: Servers, holdout: Collection[Document], read: Callable[[Document], OrderRow | None]
) -> Iterator[OrderRow]:
    with mongo_faults(servers.mongo_address):
        yield from filter(None, map(read, holdout.find(batch_size=ORDERS_AT_ONCE).sort("_id", ASCENDING)))

"""Opens a world on servers, and reads all its rows in the order in which a world is written."""

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from itertools import groupby
from operator import attrgetter

from pymongo import ASCENDING, DESCENDING
from pymongo.collection import Collection as MongoCollection

from drretail.env.catalog.elastic import ElasticCatalog
from drretail.env.manifest import Manifest, OrderRow, WorldRows
from drretail.env.servers.clients import Document, Servers, connect, mongo_faults
from drretail.env.servers.live_generation import Generation, collections_of, find_generations, read_live
from drretail.env.servers.naming import ServerSettings, world_name
from drretail.env.store.mongo import MongoStore, order_row, product_of
from drretail.records.shop import Product

ORDERS_AT_ONCE = 10_000
PRODUCTS_AT_ONCE = 1_000
BY_USER = [("user_id", ASCENDING), ("timestamp", DESCENDING), ("_id", ASCENDING)]


def read_generation(spec: str, settings: ServerSettings) -> Generation:
    """The live generation of "servers:NAME". Raises UserError if there is none, or a server cannot be used."""
    with connect(settings, world_name(spec)) as servers:
        return read_live(servers)


def live_on_servers(spec: str, settings: ServerSettings) -> Manifest | None:
    """The live world's manifest; None if no undamaged world is live."""
    with connect(settings, world_name(spec)) as servers:
        return next((generation.manifest for generation in find_generations(servers)), None)


def open_servers(
    spec: str, settings: ServerSettings, *, former: bool = False
) -> tuple[MongoStore, ElasticCatalog, Generation] | None:
    """Store and catalog of the live generation of "servers:NAME", or of the one before it; closing the store closes
    both. None if there is no generation before it.

    Raises UserError if there is no such world, if its index has another formulation, or if a server cannot be used.
    """
    servers = connect(settings, world_name(spec))
    try:
        generation = next(iter(find_generations(servers)[1:]), None) if former else read_live(servers)
        if generation is None:
            servers.close()
            return None
        catalog = ElasticCatalog(servers.elastic, generation.index, address=servers.elastic_address)
    except BaseException:
        servers.close()
        raise
    return MongoStore(servers, generation), catalog, generation


@contextmanager
def rows_on_servers(spec: str, settings: ServerSettings) -> Generator[WorldRows]:
    """The rows of the live generation of "servers:NAME"; see ``folder.rows_of``."""
    with connect(settings, world_name(spec), loading=True) as servers:
        generation = read_live(servers)
        collections = collections_of(servers.database, generation.number)
        yield generation.manifest.rows(
            generation.pool,
            products_in(servers, collections["products"]),
            orders_in(servers, collections["orders"]),
        )


def products_in(
    servers: Servers, products: MongoCollection[Document], read: Callable[[Document], Product | None] = product_of
) -> Iterator[Product]:
    """The products in order of id, without those that ``read`` makes None. Raises ToolError if the server fails."""
    with mongo_faults(servers.mongo_address):
        yield from filter(None, map(read, products.find(batch_size=PRODUCTS_AT_ONCE).sort("_id", ASCENDING)))


def orders_in(
    servers: Servers, orders: MongoCollection[Document], read: Callable[[Document], OrderRow | None] = order_row
) -> Iterator[OrderRow]:
    """The orders by user, time and id, without those that ``read`` makes None. Raises ToolError if the server fails.

    The index for newest orders gives them newest first, so each user's orders are reversed here.
    """
    with mongo_faults(servers.mongo_address):
        cursor = orders.find(batch_size=ORDERS_AT_ONCE).sort(BY_USER).allow_disk_use(True)
        for _, of_user in groupby(filter(None, map(read, cursor)), key=attrgetter("user_id")):
            yield from sorted(of_user, key=attrgetter("place"))

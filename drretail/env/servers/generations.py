"""Opens the generations of a world on servers, and reads all rows of the live one.

    worlds {_id: "live"}       the generations that can be opened, the live one first, and who began the latest load
    g<key>_products, …         the rows of a generation; its index is NAME-g<key>

A reader keeps the generation that was live when it opened the world. The last two generations stay.
"""

from collections.abc import Generator, Iterator
from contextlib import contextmanager

from drretail.env.catalog.elastic import ElasticCatalog
from drretail.env.clients import Servers, connect, hosts_of
from drretail.env.manifest import Manifest, OrderRow, WorldRows
from drretail.env.naming import SPEC_PREFIX, ServerSettings, world_name
from drretail.env.servers.marks import LIVE, WORLDS, index_name
from drretail.env.store.mongo import BY_USER, MongoStore, collections_of, order_row, read_product
from drretail.env.users import ProfilePool
from drretail.errors import UserError
from drretail.records.base import Record, sha256_of
from drretail.records.shop import Product

ORDERS_AT_ONCE = 10_000


class Generation(Record):
    """One complete generation of a world."""

    key: str
    manifest: Manifest
    pool: ProfilePool
    writes: int
    """The number of the last write into the index; a later one changed it."""


def read_generation(servers: Servers, place: int = 0) -> Generation:
    """The live generation, or with ``place`` 1 the one before it. Raises UserError if it is missing or damaged."""
    spec = f"{SPEC_PREFIX}{servers.name}"
    with servers.faults():
        document = servers.database[WORLDS].find_one(LIVE) or {}
    entries = document.get("generations", [])[place:]
    if not entries:
        raise UserError(f"There is no world {spec} in MongoDB at {hosts_of(servers.settings.mongo_url)}: ingest one.")
    try:
        record, sha = entries[0]["record"], entries[0]["sha256"]
        if sha256_of(record) != sha:
            raise ValueError("the record was changed")
        return Generation.model_validate_json(record)
    except (LookupError, TypeError, ValueError, AttributeError) as problem:
        raise UserError(f"The description of {spec} is damaged or of another version. Make it anew.") from problem


def open_servers(
    spec: str, settings: ServerSettings, *, former: bool = False
) -> tuple[MongoStore, ElasticCatalog, Manifest]:
    """Store, catalog and manifest of a generation of "servers:NAME"; closing the store closes both.

    Raises UserError if there is no such generation, if it is damaged, or if a server cannot be used.
    """
    servers = connect(settings, world_name(spec))
    try:
        generation = read_generation(servers, int(former))
        catalog = ElasticCatalog(servers, index_name(servers.name, generation.key))
    except BaseException:
        servers.close()
        raise
    store = MongoStore(servers, generation.key, generation.pool, generation.manifest.seed)
    return store, catalog, generation.manifest


@contextmanager
def rows_on_servers(spec: str, settings: ServerSettings) -> Generator[WorldRows]:
    """The rows of the live generation of "servers:NAME"; see ``folder.open_world_rows``."""
    with connect(settings, world_name(spec), loading=True) as servers, servers.faults():
        generation = read_generation(servers)
        yield generation.manifest.rows(generation.pool, *rows_in(servers, generation.key))


def rows_in(servers: Servers, key: str) -> tuple[Iterator[Product], Iterator[OrderRow]]:
    """A generation's products by id, and its orders by user, time and id."""
    rows = collections_of(servers, key)
    return map(read_product, rows["products"].find().sort("_id")), map(order_row, rows["orders"].find().sort(BY_USER))


def row_counts(servers: Servers, key: str, *, indexed: bool = True) -> list[tuple[str, int]]:
    """The rows of each table of a generation and, if it is ``indexed``, the products of its index."""
    counts = [(name, rows.count_documents({})) for name, rows in collections_of(servers, key).items()]
    if indexed:
        found = servers.elastic.options(ignore_status=404).count(index=index_name(servers.name, key))
        counts.append(("products", found.get("count", 0)))
    return counts

"""Opens the generations of a world on servers, reads all rows of the live one, and checks them.

    worlds {_id: "live"}       the generations that can be opened, the live one first, and the key of the latest load
    g<key>_products, …         the rows of a generation; its index is NAME-g<key>

A reader keeps the generation that was live when it opened the world. The last two generations stay.
"""

from collections.abc import Generator, Iterator
from contextlib import contextmanager

from pydantic import ValidationError

from drretail.env.catalog.base import CatalogQuery
from drretail.env.catalog.elastic import ElasticCatalog
from drretail.env.folder import compare_counts, compare_fingerprint, compare_index, fault
from drretail.env.intake import Intake
from drretail.env.manifest import Manifest, OrderRow, WorldRows
from drretail.env.servers.clients import Servers, connect, hosts_of
from drretail.env.servers.naming import SPEC_PREFIX, ServerSettings, world_name
from drretail.env.store.mongo import BY_USER, MongoStore, aggregates_of, collections_of, order_row, read_product
from drretail.env.store.users import Aggregates, ProfilePool
from drretail.errors import UserError
from drretail.records.base import Record
from drretail.records.evidence import Finding
from drretail.records.shop import Product

WORLDS = "worlds"
LIVE = {"_id": "live"}
ORDERS_AT_ONCE = 10_000


class Generation(Record):
    """One complete generation of a world."""

    key: str
    manifest: Manifest
    pool: ProfilePool


def index_name(world: str, key: str) -> str:
    return f"{world}-g{key}"


def read_generation(servers: Servers, place: int = 0) -> Generation:
    """The live generation, or with ``place`` 1 the one before it. Raises UserError if it is missing or damaged."""
    spec = f"{SPEC_PREFIX}{servers.name}"
    with servers.faults():
        document = servers.database[WORLDS].find_one(LIVE) or {}
    entries = document.get("generations", [])[place:]
    if not entries:
        raise UserError(f"There is no world {spec} in MongoDB at {hosts_of(servers.settings.mongo_url)}: ingest one.")
    try:
        return Generation.model_validate_json(entries[0]["record"])
    except (LookupError, TypeError, ValidationError) as problem:
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


def row_counts(servers: Servers, key: str) -> list[tuple[str, int]]:
    """The rows of each table of a generation, and the products of its index."""
    tables = [(name, rows.count_documents({})) for name, rows in collections_of(servers, key).items()]
    indexed = servers.elastic.options(ignore_status=404).count(index=index_name(servers.name, key))
    return [*tables, ("products", indexed.get("count", 0))]


def check_servers(spec: str, settings: ServerSettings) -> list[Finding]:
    """The faults of the live generation of "servers:NAME", empty if it is undamaged. Streams over all rows; the first
    that cannot be read ends the check.

    Raises UserError if there is no world, ToolError if a server fails.
    """
    with connect(settings, world_name(spec), loading=True) as servers, servers.faults():
        generation = read_generation(servers)
        try:
            return list(_faults_of(servers, generation))
        except (KeyError, TypeError, ValueError, UserError) as problem:
            return [fault("unreadable", "rows or index cannot be read, or are out of order", f"{problem!r:.200}")]


def _faults_of(servers: Servers, generation: Generation) -> Iterator[Finding]:
    manifest, intake, finished = generation.manifest, Intake(), list[Aggregates]()
    yield from compare_counts(manifest, row_counts(servers, generation.key))
    products, orders = rows_in(servers, generation.key)
    for _ in intake.take_products(products):
        pass
    users = collections_of(servers, generation.key)["users"].find().sort("_id")
    for _ in intake.take_orders(orders, finished, ORDERS_AT_ONCE):
        for summed, stored in zip(finished, users, strict=False):
            if aggregates_of(stored) != summed:
                yield fault("user_sums", str(stored), str(summed))
                return
        finished.clear()
    hashes = {"products": intake.product_hash.hexdigest(), "orders": intake.order_hash.hexdigest()}
    yield from compare_fingerprint(manifest, generation.pool.hash, **hashes)
    catalog = ElasticCatalog(servers, index_name(servers.name, generation.key))
    yield from compare_index(intake.listings, catalog.matching(CatalogQuery("")))

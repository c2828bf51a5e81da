"""check_servers: what is wrong with the live generation of a world on servers."""

from collections.abc import Iterator
from itertools import islice

from drretail.env.catalog.base import CatalogQuery
from drretail.env.catalog.elastic import ElasticCatalog
from drretail.env.clients import Servers, connect
from drretail.env.faults import compare_counts, compare_fingerprint, compare_index, fault
from drretail.env.intake import Intake
from drretail.env.manifest import OrderRow
from drretail.env.naming import ServerSettings, world_name
from drretail.env.servers.generations import ORDERS_AT_ONCE, Generation, read_generation, row_counts
from drretail.env.servers.marks import index_name, is_closed, owned
from drretail.env.store import mongo
from drretail.env.users import Aggregates
from drretail.errors import UserError
from drretail.records.evidence import Finding
from drretail.records.shop import Product

PRODUCTS_AT_ONCE = 1_000


def check_servers(spec: str, settings: ServerSettings) -> list[Finding]:
    """The faults of the live generation of "servers:NAME": of marks, counts, indexes, stored rows, and what the search
    index holds of the products.

    All rows are read, and compared with the fingerprint and with each other; the first that cannot be read ends that.

    Raises UserError if there is no world, ToolError if a server fails.
    """
    with connect(settings, world_name(spec), loading=True) as servers, servers.faults():
        generation = read_generation(servers)
        findings, catalog = list[Finding](), _open_catalog(servers, generation)
        if not isinstance(catalog, ElasticCatalog):
            findings.append(catalog)
            catalog = None
        for check in (_around(servers, generation, catalog), _every_row(servers, generation, catalog)):
            try:
                findings += check
            except (KeyError, TypeError, ValueError, UserError) as problem:
                findings.append(fault("unreadable", "a row cannot be read, or is out of order", f"{problem!r:.200}"))
        return findings


def _open_catalog(servers: Servers, generation: Generation) -> ElasticCatalog | Finding:
    """The catalog of the generation's index, or why it cannot be searched."""
    index = index_name(servers.name, generation.key)
    state = servers.elastic.indices.get(index=index, features="settings", ignore_unavailable=True).get(index)
    if state is not None and is_closed(state):
        return fault("index_closed", f"the index {index}", f"it is closed: POST /{index}/_open")
    try:
        return ElasticCatalog(servers, index)
    except UserError as problem:
        return fault("index_missing", f"the index {index}", str(problem))


def _around(servers: Servers, generation: Generation, catalog: ElasticCatalog | None) -> Iterator[Finding]:
    """Faults of marks, the alias, counts, secondary indexes, and writes into the search index after the load."""
    index, manifest = index_name(servers.name, generation.key), generation.manifest
    try:
        aliased = owned(servers).aliased
    except UserError as problem:
        yield fault("foreign", str(problem))
    else:
        if aliased != [index]:
            yield fault("alias", f"{servers.name} is an alias of {index}", f"of {', '.join(aliased) or 'none'}")
    yield from compare_counts(manifest, row_counts(servers, generation.key, indexed=catalog is not None))
    for table, keys in mongo.INDEXES.items():
        held = mongo.collections_of(servers, generation.key)[table].index_information().values()
        if keys not in [[name for name, _ in each["key"]] for each in held]:
            yield fault("secondary_index", f"{table} by {', '.join(keys)}", "it is missing: calls take long")
    if catalog is not None and (later := catalog.written_after(generation.writes)):
        yield fault("index_written", "the index as it was loaded", f"later writes, such as of {', '.join(later[:3])}")


def _every_row(servers: Servers, generation: Generation, catalog: ElasticCatalog | None) -> Iterator[Finding]:
    """Reads all rows, and compares each document with the one that a load makes of its row."""
    rows, unlike = mongo.collections_of(servers, generation.key), list[str]()
    intake, finished = Intake(), list[Aggregates]()
    documents = rows["products"].find().sort("_id")
    while batch := list(islice(documents, PRODUCTS_AT_ONCE)):
        products = [*map(mongo.read_product, batch)]
        for _ in intake.take_products(products):
            pass
        pairs = zip(map(mongo.product_document, products), batch, strict=True)
        unlike += [str(document["_id"]) for made, document in pairs if made != document]
        yield from _unlike_in_index(catalog, products)

    def orders() -> Iterator[OrderRow]:
        for document in rows["orders"].find().sort(mongo.BY_USER):
            row = mongo.order_row(document)
            if mongo.order_document(row) != document:
                unlike.append(str(document["_id"]))
            yield row

    users = rows["users"].find().sort("_id")
    for _ in intake.take_orders(orders(), finished, ORDERS_AT_ONCE):
        pairs = zip(map(mongo.user_document, finished), users, strict=False)
        if wrong := [str(stored["_id"]) for summed, stored in pairs if summed != stored]:
            yield _differs("user_sums", "users' sums are not those of their orders", wrong)
        finished.clear()
    if unlike:
        yield _differs("document", "documents are not those of their rows", unlike)
    hashes = {"products": intake.product_hash.hexdigest(), "orders": intake.order_hash.hexdigest()}
    yield from compare_fingerprint(generation.manifest, generation.pool.hash, **hashes)
    if catalog is not None:
        yield from compare_index(intake.listings, catalog.matching(CatalogQuery("")))


def _unlike_in_index(catalog: ElasticCatalog | None, products: list[Product]) -> Iterator[Finding]:
    """The products whose documents in the index are others than a load makes; none if it cannot be searched."""
    if catalog is not None and (in_index := catalog.unlike(products)):
        yield _differs("index_document", "documents of the index are not those of the products", in_index)


def _differs(code: str, what: str, ids: list[str]) -> Finding:
    return fault(code, what, f"{len(ids):,}, such as {', '.join(ids[:3])}")

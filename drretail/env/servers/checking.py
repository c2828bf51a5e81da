"""check_servers: what is wrong with the live generation of a world on servers."""

import hashlib
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import bson
from bson.codec_options import CodecOptions
from bson.raw_bson import RawBSONDocument

from drretail.env.catalog.base import CatalogQuery
from drretail.env.catalog.elastic import ElasticCatalog
from drretail.env.folder import compare_counts, compare_fingerprint, compare_index, fault
from drretail.env.intake import Intake
from drretail.env.manifest import OrderRow
from drretail.env.servers.clients import Document, Servers, connect
from drretail.env.servers.generations import ORDER_OF, ORDERS_AT_ONCE, Generation, read_generation, row_counts
from drretail.env.servers.marks import BLOCKS, index_name, is_closed, owned
from drretail.env.servers.naming import ServerSettings, world_name
from drretail.env.store import mongo
from drretail.env.store.users import Aggregates
from drretail.errors import UserError
from drretail.records.evidence import Finding
from drretail.records.figures import counted
from drretail.records.shop import Product

SAMPLED = 5
"""Blocks of each table in a sample: 5,000 products, 50,000 orders."""
PRODUCTS_AT_ONCE = 1_000
RAW: CodecOptions[Any] = CodecOptions(document_class=RawBSONDocument)


class Checked(NamedTuple):
    """What was found, and in how many of the rows it was looked for."""

    findings: list[Finding]
    rows: dict[str, tuple[int, int]]
    """Of each table, the rows that were compared, and all."""

    @property
    def is_whole(self) -> bool:
        return all(compared == total for compared, total in self.rows.values())


def check_servers(spec: str, settings: ServerSettings, *, whole: bool = False, seed: int | None = None) -> Checked:
    """The faults of the live generation of "servers:NAME": of marks, counts, indexes, stored rows, and what the search
    index holds of the products.

    Rows are compared with their hashes at the load, those of a large world by a sample that ``seed`` draws. With
    ``whole``, all are read, and compared with the fingerprint and with each other; the first that cannot be read ends
    that.

    Raises UserError if there is no world, ToolError if a server fails.
    """
    with connect(settings, world_name(spec), loading=True) as servers, servers.faults():
        generation = read_generation(servers)
        blocks = [*servers.database[f"g{generation.key}_{BLOCKS}"].find()]
        by_table = {table: [block for block in blocks if block["table"] == table] for table in ORDER_OF}
        draw = random.Random(seed)
        drawn = [block for some in by_table.values() for block in draw.sample(some, min(len(some), SAMPLED))]
        findings, catalog = list[Finding](), _open_catalog(servers, generation)
        if not isinstance(catalog, ElasticCatalog):
            findings.append(catalog)
            catalog = None
        rows = _every_row(servers, generation, catalog) if whole else _sampled(servers, generation, catalog, drawn)
        for check in (_around(servers, generation, catalog, by_table), rows):
            try:
                findings += check
            except (KeyError, TypeError, ValueError, UserError) as problem:
                findings.append(fault("unreadable", "a row cannot be read, or is out of order", f"{problem!r:.200}"))
        compared = Counter[str]()
        for block in drawn:
            compared[block["table"]] += block["rows"]
        counts = {table: getattr(generation.manifest.counts, table) for table in ORDER_OF}
        return Checked(findings, {table: (n if whole else compared[table], n) for table, n in counts.items()})


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


def _around(
    servers: Servers, generation: Generation, catalog: ElasticCatalog | None, blocks: dict[str, list[Document]]
) -> Iterator[Finding]:
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
    hashed = {table: sum(block["rows"] for block in of_table) for table, of_table in blocks.items()}
    if wrong := {table: rows for table, rows in hashed.items() if rows != getattr(manifest.counts, table)}:
        yield fault("blocks", "the hashes of all rows", f"hashes of {wrong}")
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


def _sampled(
    servers: Servers, generation: Generation, catalog: ElasticCatalog | None, blocks: Iterable[Document]
) -> Iterator[Finding]:
    """Reads the rows of these blocks, and compares their hashes with those at the load."""
    rows = mongo.collections_of(servers, generation.key)
    for block in blocks:
        table, first, last = block["table"], block["first"], block["last"]
        names = ORDER_OF[table]
        within = {names[0]: {"$gte": first[0], "$lte": last[0]}}
        found = rows[table].with_options(codec_options=RAW).find(within).sort(names)
        # A user's first orders may be in the block before.
        documents = [each for each in found if first <= [each[name] for name in names] <= last]
        if hashlib.sha256(b"".join(each.raw for each in documents)).hexdigest() != block["sha256"]:
            yield fault("block", f"{counted(block['rows'], 'row')} of {table} from {first} to {last}", "not as loaded")
        elif table == "products":
            yield from _unlike_in_index(catalog, [mongo.read_product(bson.decode(each.raw)) for each in documents])


def _unlike_in_index(catalog: ElasticCatalog | None, products: list[Product]) -> Iterator[Finding]:
    """The products whose documents in the index are others than a load makes; none if it cannot be searched."""
    if catalog is not None and (in_index := catalog.unlike(products)):
        yield _differs("index_document", "documents of the index are not those of the products", in_index)


def _differs(code: str, what: str, ids: list[str]) -> Finding:
    return fault(code, what, f"{len(ids):,}, such as {', '.join(ids[:3])}")

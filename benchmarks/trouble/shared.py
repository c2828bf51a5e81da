"""Worlds on servers that others use too: foreign objects, tampering, damaged records, refusals, two loads at once."""

import os
import threading
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, suppress
from itertools import count
from typing import Any
from urllib.parse import urlsplit

from elasticsearch import BadRequestError

from drretail.env.catalog.elastic import as_document
from drretail.env.catalog.formulation import ENGLISH
from drretail.env.clients import Servers, connect
from drretail.env.manifest import OrderRow, WorldRows
from drretail.env.naming import ServerSettings
from drretail.env.servers.checking import check_servers
from drretail.env.servers.generations import Generation, read_generation
from drretail.env.servers.loading import check_ready, write_servers
from drretail.env.servers.marks import LIVE, WORLDS, Mark, create_marked, index_name
from drretail.env.store.mongo import BY_USER, collections_of, read_product
from drretail.env.world import default_pool
from drretail.errors import ToolError, UserError
from drretail.records.shop import Product

from .bench import DAY, USER, Bench, Row
from .provider import command

NUMBERED = count(1)
NOT_TRIED = "; not tried without MONGO_URL and ES_URL"


def write(servers: Servers) -> None:
    """Loads five products, one with variants, and four orders."""
    products = [
        Product(
            product_id=f"B0TEST000{number}",
            title=f"Tanagrove feeder no. {number}",
            price=10.0 + number,
            average_rating=4.0,
            rating_number=number,
            categories=("Bird Feeders",),
            category="Garden",
            details={"Variants": [{"id": "S"}, {"id": "M"}]} if number == 1 else {},
        )
        for number in range(1, 6)
    ]
    orders = [OrderRow(f"000000000{number}", USER, f"B0TEST000{number}", number * DAY) for number in range(1, 5)]
    write_servers(servers, WorldRows(products, orders, seed="42", pool=default_pool()))


@contextmanager
def fresh() -> Generator[Servers]:
    """Both servers for a world that is not there, and is gone afterwards."""
    settings = ServerSettings(mongo_url=os.environ["MONGO_URL"], es_url=os.environ["ES_URL"])
    with connect(settings, f"reliability-{os.getpid()}-{next(NUMBERED)}") as servers:
        try:
            yield servers
        finally:
            servers.mongo.drop_database(servers.name)
            for index in servers.elastic.indices.get(index=f"{servers.name}*", expand_wildcards="all"):
                servers.elastic.indices.delete(index=index)


def has_servers(row: Row) -> bool:
    """True if there are servers; else the row says so."""
    is_set = {"MONGO_URL", "ES_URL"} <= os.environ.keys()
    row.what += "" if is_set else NOT_TRIED
    return is_set


def state(servers: Servers) -> dict[str, Any]:
    """All documents of the database, and all indices with the world's name in theirs."""
    rows = {name: [*servers.database[name].find()] for name in servers.database.list_collection_names()}
    found = servers.elastic.indices.get(index=f"*{servers.name}*", expand_wildcards="all", features="aliases,mappings")
    return {"rows": rows, "indices": found.body}


def a_copy(servers: Servers) -> None:
    """A database restored from another's backup: with its documents and marks, and in collections of its own."""
    write(servers)
    documents = [*servers.database[WORLDS].find()]
    servers.database.drop_collection(WORLDS)
    create_marked(servers, WORLDS, Mark.of(servers))
    servers.database[WORLDS].insert_many(documents)


def their_document(servers: Servers) -> None:
    create_marked(servers, WORLDS, Mark.of(servers))
    servers.database[WORLDS].insert_one({**LIVE, "planet": "earth"})


def their_index(name: str = "{}-g00000000", *, is_closed: bool = False, **given: Any) -> Callable[[Servers], None]:
    def make(servers: Servers) -> None:
        index = name.format(servers.name)
        aliases = {servers.name: {}} if name.endswith("-theirs") else {}
        servers.elastic.indices.create(index=index, aliases=aliases, **given)
        if is_closed:
            servers.elastic.indices.close(index=index)

    return make


def their_rows(collection: str, **document: Any) -> Callable[[Servers], None]:
    def make(servers: Servers) -> None:
        servers.database[collection].insert_one({"a": 1, **document})

    return make


GENERATION = "the index '{}-g00000000'"
ANOTHER: dict[str, Any] = {"_meta": {"drretail": {"program": "drretail", "world": "another"}}}
FOREIGN: dict[str, tuple[str, Callable[[Servers], None]]] = {
    "an index of the world's name": ("the index '{}'", their_index("{}")),
    "an alias of the world's name": ("the index '{}-theirs'", their_index("{}-theirs")),
    "an index like a generation's": (GENERATION, their_index()),
    "a closed one": (GENERATION, their_index(is_closed=True)),
    "a hidden one": (GENERATION, their_index(settings={"hidden": True})),
    "one of another world": (f"{GENERATION}, which belongs to servers:another", their_index(mappings=ANOTHER)),
    "a database of other things": ("the collection 'planets'", their_rows("planets")),
    "a collection worlds": ("the collection 'worlds'", their_rows(WORLDS)),
    "a document of that name": ("the collection 'worlds'", their_rows(WORLDS, **LIVE)),
    "such a document in ours": ("the document 'live'", their_document),
    "a collection like ours": ("the collection 'g00000000_orders'", their_rows("g00000000_orders")),
    "a copied database": ("belongs to servers:{} in another database", a_copy),
}
"""What stands under a world's names and is not the world's: what is said of it, and how it is made."""


def foreign(bench: Bench) -> Row:
    """Loads under a name that somebody else's object has: each has to be refused by name, and nothing may change."""
    row = Row("others' objects", f"{len(FOREIGN)} kinds of indices, aliases, collections and documents, before a load")
    for what, (message, make) in FOREIGN.items() if has_servers(row) else ():
        with fresh() as servers:
            make(servers)
            before = state(servers)
            hosts = [urlsplit(url).netloc for url in (servers.settings.mongo_url, servers.settings.es_url)]
            for load in (check_ready, write) * bench.tries(1, 5):
                row.tried += 1
                said = ""
                try:
                    load(servers)
                    row.add("wrong", f"{what}: {load.__name__} goes through")
                except UserError as problem:
                    said = str(problem)
                if message.format(servers.name) not in said or not any(host in said for host in hosts):
                    row.add("wrong", f"{what}: {said}")
                if state(servers) != before:
                    row.add("lost", f"{what}: {load.__name__} changes it")
    return row


Damage = Callable[[Servers, Generation], object]


def change(table: str, *changes: dict[str, Any]) -> Damage:
    """Changes the first document of a table."""

    def damage(servers: Servers, live: Generation) -> None:
        rows = collections_of(servers, live.key)[table]
        for each in changes:
            rows.update_one({"_id": rows.find().sort("_id")[0]["_id"]}, each)

    return damage


def exchange(table: str, document: dict[str, Any] | None) -> Damage:
    """Removes the first document of a table, or puts a copy with these fields beside it."""

    def damage(servers: Servers, live: Generation) -> None:
        rows = collections_of(servers, live.key)[table]
        first = rows.find().sort("_id")[0]
        rows.delete_one({"_id": first["_id"]}) if document is None else rows.insert_one(first | document)

    return damage


def reindex(names: Iterable[str], value: Any = None, *, product_id: str | None = None) -> Damage:
    """Writes the first product into the index, with another value of these fields."""

    def damage(servers: Servers, live: Generation) -> None:
        product = read_product(collections_of(servers, live.key)["products"].find().sort("_id")[0])
        document = as_document(product, ENGLISH) | dict.fromkeys(names, value)
        index, given = index_name(servers.name, live.key), product_id or product.product_id
        servers.elastic.index(index=index, id=given, document=document, refresh=True)

    return damage


def unindex(servers: Servers, live: Generation) -> None:
    """Removes the first product from the index."""
    first = collections_of(servers, live.key)["products"].find().sort("_id")[0]
    servers.elastic.delete(index=index_name(servers.name, live.key), id=first["_id"], refresh=True)


def remade(servers: Servers, live: Generation) -> None:
    """The index anew with its mark and as many writes, but other words."""
    index, clients = index_name(servers.name, live.key), servers.elastic.indices
    mappings = clients.get_mapping(index=index)[index]["mappings"]
    products = [*map(read_product, collections_of(servers, live.key)["products"].find().sort("_id"))]
    clients.delete(index=index)
    clients.create(index=index, mappings=mappings, aliases={servers.name: {}}, settings={"number_of_replicas": 0})
    for product in products:
        document = as_document(product, ENGLISH) | {"text": ["nothing"]}
        servers.elastic.index(index=index, id=product.product_id, document=document)
    clients.refresh(index=index)


def on_index(action: str, **given: Any) -> Damage:
    def damage(servers: Servers, live: Generation) -> None:
        getattr(servers.elastic.indices, action)(index=index_name(servers.name, live.key), **given)

    return damage


def drop_index(table: str, keys: list[str]) -> Damage:
    return lambda servers, live: collections_of(servers, live.key)[table].drop_index([(key, 1) for key in keys])


TEXTS = ("text", "pairs")
NUMBERS = ("price", "rating", "popularity")
CATEGORIES = ("category", "category_name")
TAMPERED: dict[str, Damage] = {
    "an order's quantity is changed": change("orders", {"$set": {"quantity": 7}}),
    "an order's quantity is a text": change("orders", {"$set": {"quantity": "1"}}),
    "an order's time is a text": change("orders", {"$set": {"timestamp": "1"}}),
    "an order's status is unknown": change("orders", {"$set": {"order_status": "Lost"}}),
    "an order is another user's": change("orders", {"$set": {"user_id": "NOBODY"}}),
    "an order has no product": change("orders", {"$unset": {"product_id": 1}}),
    "an order is gone": exchange("orders", None),
    "an order is there twice": exchange("orders", {"_id": "0", "order_id": "0"}),
    "a product's title is changed": change("products", {"$set": {"title": "Another"}}),
    "a product has no title": change("products", {"$unset": {"title": 1}}),
    "a product's variants are changed": change("products", {"$set": {"variants": ["another"]}}),
    "a product is gone": exchange("products", None),
    "a product is there twice": exchange("products", {"_id": "Z", "product_id": "Z"}),
    "a user's sums are changed": change("users", {"$set": {"spend": 1.0}}),
    "a user is gone": exchange("users", None),
    "the search lacks a product's words": reindex(TEXTS, ["nothing"]),
    "the search lacks a product's price": reindex(["price"]),
    "the search lacks a product's category": reindex(CATEGORIES, []),
    "the search has an empty document": reindex((*TEXTS, *NUMBERS, *CATEGORIES, "product_id")),
    "the search has one document more": reindex([], product_id="Z"),
    "the search lacks a document": unindex,
    "the index is made anew": remade,
    "the index is closed": on_index("close"),
    "the index is gone": on_index("delete"),
    "the index has no mark": on_index("put_mapping", meta={"formulation": ENGLISH.version}),
    "the alias is gone": lambda servers, live: servers.elastic.indices.delete_alias(
        index=index_name(servers.name, live.key), name=servers.name
    ),
    "products cannot be found by variant": drop_index("products", ["variants"]),
    "orders cannot be found by user": drop_index("orders", BY_USER),
    "the description is changed": lambda servers, live: servers.database[WORLDS].update_one(
        LIVE, {"$set": {"generations.0.record": live.model_copy(update={"writes": 9}).model_dump_json()}}
    ),
}
"""Ways of changing a world on servers behind drretail's back, all of which ``world check`` finds."""


def tampered(bench: Bench) -> Row:
    """Each way of tampering, and the check after it."""
    row = Row("tampering", f"{len(TAMPERED)} ways of changing a world on servers, then `world check`")
    for what, damage in TAMPERED.items() if has_servers(row) else ():
        for _ in range(bench.tries(1, 3)):
            with fresh() as servers:
                write(servers)
                if check_servers(f"servers:{servers.name}", servers.settings):
                    row.add("wrong", f"{what}: an undamaged world is called damaged")
                damage(servers, read_generation(servers))
                row.tried += 1
                with suppress(UserError):
                    if not check_servers(f"servers:{servers.name}", servers.settings):
                        row.add("wrong", f"{what} is not found")
    return row


UNREADABLE: dict[str, Damage] = {
    "a time": change("orders", {"$set": {"timestamp": "1"}}),
    "a status": change("orders", {"$set": {"order_status": "Lost"}}),
    "an order's fields": change("orders", {"$unset": {"product_id": 1, "quantity": 1}}),
    "a product's fields": change("products", {"$unset": {"title": 1, "details": 1, "category": 1}}),
    "a product's details": change("products", {"$set": {"details": "{"}}),
}


def damaged(bench: Bench) -> Row:
    """Commands that meet a damaged record: no bug of ours, and no path of this machine."""
    row = Row("damaged records", f"{len(UNREADABLE)} kinds on servers, in run, tools and queries")
    for what, damage in UNREADABLE.items() if has_servers(row) else ():
        with bench.place() as place, fresh() as servers:
            write(servers)
            damage(servers, read_generation(servers))
            where, orders = ("--world", f"servers:{servers.name}"), f'{{"user_id": "{USER}"}}'
            for arguments in (
                ("run", *where, "--queries", "q.jsonl", "--agent", "hybrid_react", "--to", "there", "--quiet"),
                ("tools", "get_user_orders", "--args", orders, "--user", USER, *where),
                ("tools", "product_catalog_search", "--args", '{"query": "feeder"}', *where),
                ("queries", "generate", "--n", "1", "--to", "new.jsonl", "--quiet", *where),
            ):
                row.tried += 1
                ended = command(place, *arguments)
                if ended.problem is not None:
                    row.add("wrong", f"{what}, {arguments[0]}: {ended.problem}")
                if str(place) in ended.output or "site-packages" in ended.output or "/drretail/" in ended.output:
                    row.add("leaked", f"{what}, {arguments[0]}: {ended.output[-300:]}")
    return row


SAID = {
    "read_only_allow_delete": "too little free disk space",
    "write": "blocks an index",
    "read_only": "blocks an index",
    "read": "blocks an index",
    "closed": "open it with POST /",
    "gone": "no longer has the index",
}


def refusing(bench: Bench) -> Row:
    """Writes into and searches of an index that is blocked, closed or gone: each with its cause and cure."""
    row = Row("refusing servers", f"{len(SAID)} states of an index: full disk, blocks, closed, gone")
    for state_of_it, words in SAID.items() if has_servers(row) else ():
        for _ in range(bench.tries(1, 10)):
            with fresh() as servers:
                write(servers)
                index, indices = index_name(servers.name, read_generation(servers).key), servers.elastic.indices
                if state_of_it in ("closed", "gone"):
                    (indices.close if state_of_it == "closed" else indices.delete)(index=index)
                else:
                    indices.put_settings(index=index, settings={f"index.blocks.{state_of_it}": True})
                row.tried += 1
                try:
                    with servers.faults():
                        if state_of_it in ("read", "closed", "gone"):
                            servers.elastic.search(index=index)
                        else:
                            servers.elastic.index(index=index, document={"price": 1})
                    row.add("wrong", f"{state_of_it}: nothing is said")
                except ToolError as problem:
                    if words not in str(problem):
                        row.add("wrong", f"{state_of_it}: {problem}")
                if state_of_it.startswith(("read", "write")):
                    with suppress(BadRequestError):
                        indices.put_settings(index=index, settings={f"index.blocks.{state_of_it}": None})
    return row


def doubled(bench: Bench) -> Row:
    """Two loads of one name at once: one at least ends well, another says who has it, and what is live is whole."""
    row = Row("two loads", "two commands that load a world of one name into the same servers at once")
    for _ in range(bench.tries(1, 10)) if has_servers(row) else ():
        with bench.place() as place, fresh() as servers:
            ends = list[tuple[int, str]]()

            def load(place: Any = place, name: str = servers.name, ends: list[tuple[int, str]] = ends) -> None:
                ended = command(place, "world", "copy", "shop", f"servers:{name}", "--quiet")
                ends.append((ended.code, ended.output))

            together = [threading.Thread(target=load) for _ in range(2)]
            for thread in together:
                thread.start()
            for thread in together:
                thread.join()
            row.tried += 1
            if 0 not in [code for code, _ in ends]:
                row.add("lost", f"none ends well: {ends}")
            for code, said in ends:
                if code and not (code == 2 and "has begun meanwhile (process " in said):
                    row.add("wrong", f"{code}: {said[-300:]}")
            if findings := check_servers(f"servers:{servers.name}", servers.settings):
                row.add("lost", f"what is live is damaged: {findings[0]}")
    return row

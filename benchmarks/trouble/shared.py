"""Worlds on servers that others use too: foreign objects, tampering, damaged records, refusals, two loads at once."""

from collections.abc import Callable, Iterable
from typing import Any

from drretail.env.catalog.elastic import as_document
from drretail.env.catalog.formulation import ENGLISH
from drretail.env.servers.clients import Servers
from drretail.env.servers.generations import Generation
from drretail.env.servers.marks import LIVE, WORLDS, index_name
from drretail.env.store.mongo import BY_USER, collections_of, read_product

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
    "the hashes of rows are gone": lambda servers, live: servers.database[f"g{live.key}_blocks"].delete_one({}),
    "the description is changed": lambda servers, live: servers.database[WORLDS].update_one(
        LIVE, {"$set": {"generations.0.record": live.model_copy(update={"writes": 9}).model_dump_json()}}
    ),
}
"""Ways of changing a world on servers behind drretail's back, all of which ``world check`` finds."""

"""The store in MongoDB: records as documents, and back."""

import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, Literal

from pymongo.collection import Collection

from drretail.env.clients import Document, Servers
from drretail.env.manifest import OrderRow, OrderValues
from drretail.env.store.base import Cached, OrderPage, of_variants, readable
from drretail.env.users import Aggregates, ProfilePool, derive_profile, sample_users, user_statistics
from drretail.errors import NotFound
from drretail.records.base import canonical_json
from drretail.records.shop import (
    Order,
    OrderStatus,
    Product,
    UserProfile,
    UserRow,
    UserStatistics,
    order_date,
    variant_ids,
)
from drretail.remembered import remembered
from drretail.shopping.vocabulary import SAMPLE, Vocabulary

BY_USER = ["user_id", "timestamp", "_id"]
"""The index of orders, in the order in which a world is written."""
INDEXES = {"products": ["variants"], "orders": BY_USER}
"""What each collection is searched by, besides the id."""


def collections_of(servers: Servers, key: str) -> dict[str, Collection[Document]]:
    """The collections of one generation of a world by table, whether they exist or not."""
    return {table: servers.database[f"g{key}_{table}"] for table in ("products", "users", "orders")}


def product_document(product: Product) -> Document:
    """Listing 3 with the ratings and the file's category. The details are JSON, since their keys may hold anything."""
    return {
        "_id": product.product_id,
        "product_url": product.product_url,
        **product.model_dump(mode="json", exclude={"details"}),
        "details": canonical_json(product.details),
        **({"variants": sorted(variants)} if (variants := variant_ids(product)) else {}),
    }


def read_product(document: Mapping[str, Any]) -> Product:
    """The product as it was written. Raises KeyError, TypeError or ValueError for a malformed document."""
    fields = {name: document[name] for name in Product.model_fields if name in document}
    return Product.model_validate({**fields, "details": json.loads(document["details"])})


def order_document(values: OrderValues) -> Document:
    """Listing 2 with the time in milliseconds UTC."""
    row = OrderRow(*values)
    return row._asdict() | {"_id": row.order_id, "order_date": order_date(row.timestamp, row.utc_offset)}


def order_row(document: Mapping[str, Any]) -> OrderRow:
    """The order of a document. Raises KeyError or TypeError for a malformed one: in a hash "1" would equal 1."""
    values = [document[name] for name in OrderRow._fields]
    if [isinstance(value, str) for value in values] != [True, True, True, False, False, True, False]:
        raise TypeError("a field of an order is of another type")
    # MongoDB's long integers are of a type of their own.
    return OrderRow._make(values)._replace(timestamp=int(document["timestamp"]))


def user_document(user: Aggregates) -> Document:
    """A user's aggregates, by which users are drawn."""
    return user._asdict() | {"_id": user.user_id}


def aggregates_of(document: Mapping[str, Any]) -> Aggregates:
    return Aggregates._make(document[name] for name in Aggregates._fields)


def read_order(document: Mapping[str, Any]) -> Order:
    """The order of a document. Raises DamagedRecord for a malformed one."""
    return readable("order", document["_id"], lambda: order_row(document).as_order())


def _product(document: Mapping[str, Any]) -> Product:
    return readable("product", document["_id"], lambda: read_product(document))


def _aggregates(document: Mapping[str, Any]) -> Aggregates:
    return readable("user", document["_id"], lambda: aggregates_of(document))


class MongoStore:
    """Implements ``base.Store`` on one generation, even if another goes live meanwhile.

    If the server fails, every method raises ToolError("unavailable") or ToolError("timeout").
    """

    def __init__(self, servers: Servers, key: str, pool: ProfilePool, seed: str) -> None:
        """``servers`` belong to the store: ``close`` closes them."""
        self.pool = pool
        self._servers = servers
        self._seed = seed
        self._rows = collections_of(servers, key)
        self._products = Cached(self._read_products)
        self._orders = Cached(self._read_orders)
        self._users = Cached(self._read_users)

    def product(self, product_id: str) -> Product:
        products = self.products([product_id])
        if product_id not in products:
            raise NotFound("product", product_id, field="product_id")
        return products[product_id]

    def products(self, product_ids: Sequence[str]) -> dict[str, Product]:
        return self._products.of(product_ids)

    def user(self, user_id: str) -> UserProfile:
        with self._servers.faults():
            if not self._users.of([user_id]):
                raise NotFound("user", user_id, field="user_id")
        return derive_profile(self.pool, self._seed, user_id)

    def order(self, order_id: str) -> Order:
        with self._servers.faults():
            document = self._rows["orders"].find_one({"_id": order_id})
        if document is None:
            raise NotFound("order", order_id, field="order_id")
        return read_order(document)

    def orders(
        self, user_id: str, status: OrderStatus | None = None, limit: int | None = None, offset: int = 0
    ) -> OrderPage:
        wanted = [order for order in self._orders_of(user_id) if status in (None, order.order_status)]
        return OrderPage(total=len(wanted), orders=tuple(wanted[offset:][:limit]))

    def statistics(self, user_id: str) -> UserStatistics:
        orders = self._orders_of(user_id)
        products = self.products(list({order.product_id for order in orders}))
        return user_statistics(user_id, orders, products)

    def sample_users(self, seed: int | str, n: int) -> list[UserRow]:
        users = self._rows["users"]
        with self._servers.faults():
            return sample_users(lambda: map(_aggregates, users.find()), seed, n)

    @property
    @remembered
    def vocabulary(self) -> Vocabulary:
        return Vocabulary(self._first_products)

    def _first_products(self) -> list[Product]:
        with self._servers.faults():
            return [_product(row) for row in self._rows["products"].find().sort("_id").limit(SAMPLE)]

    def close(self) -> None:
        """Closes the connections; the store cannot be used afterwards."""
        self._servers.close()

    def _read_products(self, product_ids: Sequence[str]) -> dict[str, Product]:
        rows = self._rows["products"]
        with self._servers.faults():
            products = {row["_id"]: _product(row) for row in rows.find({"_id": {"$in": [*product_ids]}})}
            missing = [product_id for product_id in product_ids if product_id not in products]
            return products | of_variants(missing, lambda ids: map(_product, rows.find({"variants": {"$in": [*ids]}})))

    def _read_users(self, user_ids: Sequence[str]) -> dict[str, Literal[True]]:
        return {row["_id"]: True for row in self._rows["users"].find({"_id": {"$in": [*user_ids]}}, {"_id": True})}

    def _orders_of(self, user_id: str) -> tuple[Order, ...]:
        """A user's orders, newest first. Raises NotFound without any: a user of the shop is who ordered in it."""
        with self._servers.faults():
            orders = self._orders.of([user_id])
        if user_id not in orders:
            raise NotFound("user", user_id, field="user_id")
        return orders[user_id]

    def _read_orders(self, user_ids: Sequence[str]) -> dict[str, tuple[Order, ...]]:
        documents = self._rows["orders"].find({"user_id": {"$in": [*user_ids]}}).sort(BY_USER)
        by_user = groupby(map(read_order, documents), key=attrgetter("user_id"))
        newest = {user_id: sorted(rows, key=lambda row: (-row.timestamp, row.order_id)) for user_id, rows in by_user}
        return {user_id: tuple(rows) for user_id, rows in newest.items()}

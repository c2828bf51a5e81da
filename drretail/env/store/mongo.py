"""The store in MongoDB: records as documents, and back."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from bson import Int64
from pymongo import ASCENDING, DESCENDING

from drretail.env.manifest import OrderRow
from drretail.env.servers.clients import Document, Servers, mongo_faults
from drretail.env.servers.live_generation import Generation, collections_of, still_kept
from drretail.env.servers.naming import SPEC_PREFIX
from drretail.env.store.base import STRATA, Kept, OrderPage, Stratum, of_variants
from drretail.env.store.users import Aggregates, derive_profile, sample_users, user_statistics
from drretail.errors import NotFound, ToolError
from drretail.grounding.kinds import KindGroup
from drretail.records.base import canonical_json
from drretail.records.shop import (
    VARIANTS,
    Order,
    OrderStatus,
    Product,
    UserProfile,
    UserRow,
    UserStatistics,
    order_date,
)

# MongoDB takes documents up to a hundred levels deep.
DEEPEST = 80
PRODUCT_FIELDS = tuple(name for name in Product.model_fields if name not in ("details", "bought_together"))


def product_document(product: Product) -> Document:
    """Listing 3 with the ratings and the file's category.

    Details that a document cannot hold, such as a key that begins with "$", are kept as JSON in ``details_json``.
    """
    fields = product.model_dump(mode="json")
    details = fields.pop("details")
    storable = is_storable(details)
    return {
        "_id": product.product_id,
        "product_url": product.product_url,
        **fields,
        "details": details if storable else None,
        **({} if storable else {"details_json": canonical_json(details)}),
    }


def product_of(document: Mapping[str, Any]) -> Product:
    """The product exactly as it was written, to the last digit."""
    kept = document.get("details_json")
    details = plain(document["details"]) if kept is None else json.loads(kept)
    fields = [name for name in PRODUCT_FIELDS if name in document or Product.model_fields[name].exclude_if is None]
    return Product.model_validate({**{name: document[name] for name in fields}, "details": details})


def order_document(row: OrderRow) -> Document:
    """Listing 2 with the time in milliseconds UTC."""
    return {
        "_id": row.order_id,
        "order_id": row.order_id,
        "product_id": row.product_id,
        "user_id": row.user_id,
        "order_date": order_date(row.timestamp),
        "timestamp": Int64(row.timestamp),
        "quantity": row.quantity,
        "order_status": row.order_status,
    }


def order_row(document: Mapping[str, Any]) -> OrderRow:
    """The order of a document. Raises KeyError, TypeError or ValueError if malformed: in a hash "1" would equal 1."""
    row = OrderRow(
        document["order_id"],
        document["user_id"],
        document["product_id"],
        int(document["timestamp"]),
        document["quantity"],
        document["order_status"],
    )
    texts = type(row[0]) is type(row[1]) is type(row[2]) is type(row[5]) is str
    if not texts or not isinstance(document["quantity"], int):
        raise TypeError("a field of an order is of another type")
    return row


def user_document(user: Aggregates) -> Document:
    """A user's aggregates, by which users are drawn."""
    return {"_id": user.user_id, **user._asdict(), "last_order": Int64(user.last_order)}


def aggregates_of(document: Mapping[str, Any]) -> Aggregates:
    return Aggregates(
        document["_id"],
        document["n_orders"],
        document["spend"],
        int(document["last_order"]),
        document["top_category"],
    )


def is_storable(value: Any, depth: int = 0) -> bool:
    """True for JSON that MongoDB returns unchanged."""
    if isinstance(value, dict):
        return depth < DEEPEST and all(
            not key.startswith("$") and "\0" not in key and is_storable(item, depth + 1) for key, item in value.items()
        )
    if isinstance(value, list | tuple):
        return depth < DEEPEST and all(is_storable(item, depth + 1) for item in value)
    return not isinstance(value, int) or -(2**63) <= value < 2**63


def plain(value: Any) -> Any:
    """The same value with Python's own integers in place of BSON's Int64."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return int(value) if isinstance(value, Int64) else value


VARIANT_ID = f"details.{VARIANTS}.id"
NEWEST_FIRST = [("timestamp", DESCENDING), ("_id", ASCENDING)]
USERS_AT_ONCE = 10_000
AGGREGATES = dict.fromkeys(Aggregates._fields, 1)


class MongoStore:
    """Implements ``base.Store`` on one generation, even if another goes live meanwhile.

    If the server fails, every method raises ToolError("unavailable") or ToolError("timeout").
    """

    def __init__(self, servers: Servers, generation: Generation) -> None:
        """``servers`` belong to the store: ``close`` closes them."""
        self.pool = generation.pool
        self._servers = servers
        self._faults = partial(mongo_faults, servers.mongo_address)
        self._number = generation.number
        self._seed = generation.manifest.seed
        collections = collections_of(servers.database, generation.number)
        self._products = collections["products"]
        self._kept = Kept(self._read_products)
        self._users = collections["users"]
        self._kept_users = Kept(self._read_users)
        self._orders = collections["orders"]
        self._kept_orders = Kept(self._read_orders)

    def product(self, product_id: str) -> Product:
        products = self.products([product_id])
        if product_id not in products:
            raise NotFound("product", product_id, field="product_id")
        return products[product_id]

    def products(self, product_ids: Sequence[str]) -> dict[str, Product]:
        return self._kept.of(product_ids)

    def _read_products(self, product_ids: Sequence[str]) -> dict[str, Product]:
        with self._faults():
            documents = list(self._products.find({"_id": {"$in": list(dict.fromkeys(product_ids))}}))
            products = {document["_id"]: product_of(document) for document in documents}
            missing = [product_id for product_id in product_ids if product_id not in products]
            if missing:
                self._check_is_kept()
            return products | of_variants(missing, self._with_variants)

    def _with_variants(self, variant_ids: Sequence[str]) -> Iterator[Product]:
        return map(product_of, self._products.find({VARIANT_ID: {"$in": list(variant_ids)}}))

    def user(self, user_id: str) -> UserProfile:
        with self._faults():
            self._user(user_id)
        return derive_profile(self.pool, self._seed, user_id)

    def order(self, order_id: str) -> Order:
        with self._faults():
            document = self._orders.find_one({"_id": order_id})
            if document is None:
                raise self._missing("order", order_id)
        return order_row(document).as_order()

    def orders(
        self, user_id: str, status: OrderStatus | None = None, limit: int | None = None, offset: int = 0
    ) -> OrderPage:
        with self._faults():
            user = self._user(user_id)
            of_user = self._kept_orders.of([user_id])[user_id]
            if len(of_user) < user["n_orders"]:
                self._check_is_kept()
        wanted = [order for order in of_user if status in (None, order.order_status)]
        total = user["n_orders"] if status is None else len(wanted)
        return OrderPage(total=total, orders=tuple(wanted[offset:][:limit]))

    def statistics(self, user_id: str) -> UserStatistics:
        orders = self.orders(user_id).orders
        products = self.products(list({order.product_id for order in orders}))
        return user_statistics(user_id, orders, products)

    def sample_users(self, seed: int | str, n: int, strata: Sequence[Stratum] = STRATA) -> list[UserRow]:
        with self._faults():
            return sample_users(self._aggregates, seed, n, strata)

    def kinds_in(self, part: tuple[str, ...]) -> list[KindGroup] | None:
        del part
        return None

    def close(self) -> None:
        """Closes the connections; the store cannot be used afterwards."""
        self._servers.close()

    def _aggregates(self) -> Iterator[Aggregates]:
        return map(aggregates_of, self._users.find({}, AGGREGATES, batch_size=USERS_AT_ONCE))

    def _user(self, user_id: str) -> Document:
        document = self._kept_users.of([user_id]).get(user_id)
        if document is None:
            raise self._missing("user", user_id)
        return document

    def _read_users(self, user_ids: Sequence[str]) -> dict[str, Document]:
        return {document["_id"]: document for document in self._users.find({"_id": {"$in": [*user_ids]}})}

    def _read_orders(self, user_ids: Sequence[str]) -> dict[str, tuple[Order, ...]]:
        """All orders of each user, newest first."""
        return {
            user_id: tuple(
                order_row(document).as_order()
                for document in self._orders.find({"user_id": user_id}).sort(NEWEST_FIRST)
            )
            for user_id in user_ids
        }

    def _missing(self, what: str, record_id: str) -> NotFound:
        self._check_is_kept()
        return NotFound(what, record_id, field=f"{what}_id")

    def _check_is_kept(self) -> None:
        """Raises ToolError if rows are missing because the generation was dropped."""
        if not still_kept(self._servers.database, self._number):
            raise ToolError(
                "unavailable",
                f"The world {SPEC_PREFIX}{self._servers.name} was replaced twice since it was opened; open it anew.",
            )

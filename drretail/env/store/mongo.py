"""The store of a world on servers: the collections of one generation in MongoDB."""

from collections.abc import Iterator, Sequence
from functools import partial

from pymongo import ASCENDING, DESCENDING

from drretail.env.servers.clients import Document, Servers
from drretail.env.servers.documents import aggregates_of, order_row, product_of, profile_of
from drretail.env.servers.faults import mongo_faults
from drretail.env.servers.live_generation import Generation, collections_of, still_kept
from drretail.env.servers.naming import SPEC_PREFIX
from drretail.env.store.base import STRATA, KeptProducts, OrderPage, Stratum
from drretail.env.store.sampling import Aggregates, sample_users
from drretail.env.store.statistics import user_statistics
from drretail.errors import NotFound, ToolError
from drretail.records.shop import Order, OrderStatus, Product, UserProfile, UserRow, UserStatistics

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
        self._kept = KeptProducts(self._read_products)
        self._users = collections["users"]
        self._orders = collections["orders"]
        self._updates = collections["profile_updates"]

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
            if len(documents) < len(set(product_ids)):
                self._check_is_kept()
        return {document["_id"]: product_of(document) for document in documents}

    def user(self, user_id: str) -> UserProfile:
        with self._faults():
            document = self._user(user_id)
            changed = self._updates.find_one({"_id": user_id})
        if changed is not None:
            return UserProfile.model_validate_json(changed["record"])
        return profile_of(document, self.pool, self._seed)

    def save_user(self, profile: UserProfile) -> None:
        with self._faults():
            self._user(profile.user_id)
            record = {"_id": profile.user_id, "record": profile.model_dump_json()}
            self._updates.replace_one({"_id": profile.user_id}, record, upsert=True)

    def order(self, order_id: str) -> Order:
        with self._faults():
            document = self._orders.find_one({"_id": order_id})
            if document is None:
                raise self._missing("order", order_id)
        return order_row(document).as_order()

    def orders(
        self, user_id: str, status: OrderStatus | None = None, limit: int | None = None, offset: int = 0
    ) -> OrderPage:
        which: Document = {"user_id": user_id} if status is None else {"user_id": user_id, "order_status": status}
        with self._faults():
            user = self._user(user_id)
            total: int = user["n_orders"] if status is None else self._orders.count_documents(which)
            # To MongoDB a limit of 0 means no limit.
            page = self._orders.find(which).sort(NEWEST_FIRST).skip(offset).limit(limit or 0) if limit != 0 else ()
            orders = tuple(order_row(document).as_order() for document in page)
            if len(orders) < min(max(total - offset, 0), total if limit is None else limit):
                self._check_is_kept()
        return OrderPage(total=total, orders=orders)

    def statistics(self, user_id: str) -> UserStatistics:
        orders = self.orders(user_id).orders
        products = self.products(list({order.product_id for order in orders}))
        return user_statistics(user_id, orders, products)

    def sample_users(self, seed: int | str, n: int, strata: Sequence[Stratum] = STRATA) -> list[UserRow]:
        with self._faults():
            return sample_users(self._aggregates, seed, n, strata)

    def close(self) -> None:
        """Closes the connections; the store cannot be used afterwards."""
        self._servers.close()

    def _aggregates(self) -> Iterator[Aggregates]:
        return map(aggregates_of, self._users.find({}, AGGREGATES, batch_size=USERS_AT_ONCE))

    def _user(self, user_id: str) -> Document:
        document = self._users.find_one({"_id": user_id})
        if document is None:
            raise self._missing("user", user_id)
        return document

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

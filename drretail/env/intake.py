"""Checks, sums up, counts and hashes the rows that go into a world, in a folder or on servers."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import NamedTuple

from drretail import __version__
from drretail.env.catalog.formulation import ENGLISH, Formulation
from drretail.env.manifest import (
    INDEX_VERSION,
    NOW_WITHOUT_ORDERS,
    Counts,
    LineHash,
    Manifest,
    OrderRow,
    WorldRows,
    order_line,
    product_line,
    world_fingerprint,
)
from drretail.env.store.users import Aggregates
from drretail.errors import UserError
from drretail.records.shop import VOID_STATUSES, Product

MILLISECONDS_PER_DAY = 86_400_000


class ProductFacts(NamedTuple):
    """The facts of a product that the sums over a user's orders need."""

    price: float | None
    category: str


class Intake:
    """Passes on products, then orders, and makes the manifest afterwards.

    Raises ValueError that names the row if rows are out of order, repeated or, but for one's own shop, without their
    product: bugs of ours.
    """

    def __init__(self, formulation: Formulation = ENGLISH) -> None:
        self.formulation = formulation
        self.listings: dict[str, ProductFacts] = {}
        self.product_hash = LineHash()
        self.order_hash = LineHash()
        self.users = 0
        self.orders = 0
        self.last_order: int | None = None
        self.without_product: OrderRow | None = None

    def take_products(self, products: Iterable[Product]) -> Iterator[tuple[Product, str]]:
        """Each product with its canonical line."""
        before = ""
        for product in products:
            if product.product_id <= before:
                raise ValueError(f"product {product.product_id!r} follows {before!r}: not sorted, or twice")
            before = product.product_id
            line = product_line(product)
            self.product_hash.add(line)
            self.listings[before] = ProductFacts(product.price, product.category)
            yield product, line

    def take_orders(
        self, orders: Iterable[OrderRow], finished: list[Aggregates], size: int
    ) -> Iterator[list[OrderRow]]:
        """The orders in batches of ``size``; the last batch is smaller and may be empty.

        A user's sums are added to ``finished`` when the next user's orders begin; the last user's, with the last batch.
        """
        before, user = ("", -1, ""), UserSum("")
        rows = iter(orders)
        while True:
            batch = list(islice(rows, size))
            for row in batch:
                order_id, user_id, product_id, timestamp, quantity, status = row
                place = (user_id, timestamp, order_id)
                if place <= before:
                    raise ValueError(f"order {row} after {before}: not sorted by user, time and id, or twice")
                if user_id != before[0]:
                    if self.users:
                        finished.append(user.total())
                    user = UserSum(user_id)
                    self.users += 1
                before = place
                listing = self.listings.get(product_id)
                if listing is None:
                    self.without_product = row
                user.add(timestamp, quantity, status, listing)
            self.order_hash.add_all(map(order_line, batch))
            self.orders += len(batch)
            if batch:
                self.last_order = max(self.last_order or 0, *(row[3] for row in batch))
            if len(batch) < size:
                if self.users:
                    finished.append(user.total())
                yield batch
                return
            yield batch

    def manifest(self, rows: WorldRows, engines: Mapping[str, str]) -> Manifest:
        """The manifest of a world that holds all rows, now taken; ``engines`` are the versions of its database and
        index. Raises UserError if its fingerprint is not the expected one.
        """
        origin = rows.origin
        now = NOW_WITHOUT_ORDERS
        if self.last_order is not None:  # the first midnight UTC after it
            now = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=self.last_order // MILLISECONDS_PER_DAY + 1)
        manifest = Manifest(
            fingerprint=world_fingerprint(
                products=self.product_hash.hexdigest(),
                orders=self.order_hash.hexdigest(),
                seed=str(rows.seed),
                pool=rows.pool.hash,
                formulation=self.formulation.version,
            ),
            seed=str(rows.seed),
            now=now,
            since=origin.get("since"),
            parameters=dict(origin.get("parameters") or {}),
            categories=tuple(origin.get("categories", ())),
            counts=Counts(products=len(self.listings), users=self.users, orders=self.orders),
            priced=sum(listing.price is not None for listing in self.listings.values()),
            sources=tuple(origin.get("sources", ())),
            versions={
                **(origin.get("versions") or {}),
                **engines,
                "drretail": __version__,
                INDEX_VERSION: self.formulation.version,
            },
            profile_pool=rows.pool.hash,
            analyzer=self.formulation.analyzer,
        )
        if self.without_product is not None and not manifest.is_own_shop:
            raise ValueError(f"order {self.without_product}: its product is not in the shop")
        if rows.expected not in ("", manifest.fingerprint):
            raise UserError(
                f"The rows make a world with another fingerprint ({manifest.fingerprint[:12]}) than their source says "
                f"({rows.expected[:12]}): it is damaged, or of an older version; `drretail world check` tells more. "
                "Nothing went live."
            )
        return manifest


class UserSum:
    """Sums up the orders of one user as they pass. Products that the shop has no more count in no category and sum."""

    __slots__ = ("categories", "last_order", "n_orders", "spend", "user_id")

    def __init__(self, user_id: str) -> None:
        self.user_id = user_id
        self.n_orders = 0
        self.spend = 0.0
        self.last_order = 0
        self.categories: dict[str, int] = {}

    def add(self, timestamp: int, quantity: int, status: str, listing: ProductFacts | None) -> None:
        self.n_orders += 1
        self.last_order = timestamp
        if status not in VOID_STATUSES and listing is not None:
            price, category = listing
            self.categories[category] = self.categories.get(category, 0) + 1
            if price is not None:
                self.spend += quantity * price

    def total(self) -> Aggregates:
        """The sums: spend in cents, and the category with most orders (ties by name; empty if all orders are void)."""
        top = max(sorted(self.categories), key=self.categories.__getitem__, default="")
        return Aggregates(self.user_id, self.n_orders, round(self.spend, 2), self.last_order, top)

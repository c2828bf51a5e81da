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
    OrderValues,
    WorldRows,
    order_line,
    product_line,
    world_fingerprint,
)
from drretail.env.users import Aggregates
from drretail.errors import UserError
from drretail.records.shop import VOID_STATUSES, Product

MILLISECONDS_PER_DAY = 86_400_000
UNSORTED = "not sorted by user, time and id, or twice"


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
        self.without_product: OrderValues | None = None
        self._before = ""

    def take_products(self, products: Iterable[Product]) -> Iterator[tuple[Product, str]]:
        """Each of the next products with its canonical line."""
        for product in products:
            if product.product_id <= self._before:
                raise ValueError(f"product {product.product_id!r} follows {self._before!r}: not sorted, or twice")
            self._before = product.product_id
            line = product_line(product)
            self.product_hash.add(line)
            self.listings[product.product_id] = ProductFacts(product.price, product.category)
            yield product, line

    def take_orders(
        self, orders: Iterable[OrderValues], finished: list[Aggregates], size: int
    ) -> Iterator[list[OrderValues]]:
        """The orders in batches of ``size``; the last batch is smaller and may be empty.

        A user's sums are added to ``finished`` when the next user's orders begin; the last user's, with the last batch.
        """
        rows, user, last, last_id = iter(orders), "", -1, ""
        count, spend, categories = 0, 0.0, dict[str, int]()
        listings, latest, is_last = self.listings, self.last_order or 0, False
        while not is_last:
            batch = list(islice(rows, size))
            is_last = len(batch) < size
            # One loop without calls, since millions of orders pass.
            for row in batch:
                order_id, user_id, product_id, timestamp, quantity, status, utc_offset = row
                if user_id != user:
                    if user_id < user:
                        raise ValueError(f"order {row} after those of {user!r}: {UNSORTED}")
                    if count:
                        finished.append(Aggregates(user, count, round(spend, 2), last, top_of(categories)))
                    user, count, spend, categories = user_id, 0, 0.0, {}
                    self.users += 1
                elif timestamp < last or (timestamp == last and order_id <= last_id):
                    raise ValueError(f"order {row} after {last_id!r}: {UNSORTED}")
                last, last_id = timestamp, order_id
                count += 1
                written = timestamp + utc_offset * 60_000 if utc_offset else timestamp
                latest = written if written > latest else latest
                if (listing := listings.get(product_id)) is None:
                    # It counts in no category and sum.
                    self.without_product = row
                elif status not in VOID_STATUSES:
                    price, category = listing
                    categories[category] = categories.get(category, 0) + 1
                    if price is not None:
                        spend += quantity * price
            if is_last and count:
                finished.append(Aggregates(user, count, round(spend, 2), last, top_of(categories)))
            self.order_hash.add_all(map(order_line, batch))
            self.orders += len(batch)
            if batch:
                self.last_order = latest
            yield batch

    def manifest(self, rows: WorldRows, engines: Mapping[str, str]) -> Manifest:
        """The manifest of a world that holds all rows, now taken; ``engines`` are the versions of its database and
        index. Raises UserError if its fingerprint is not the expected one.
        """
        origin = rows.origin
        now = NOW_WITHOUT_ORDERS
        if self.last_order is not None:  # the first midnight after it, as the shop writes its days
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


def top_of(categories: Mapping[str, int]) -> str:
    """The category with most orders, ties by name; empty if all orders are void."""
    if len(categories) == 1:
        return next(iter(categories))
    most = max(categories.values(), default=0)
    return min((name for name, orders in categories.items() if orders == most), default="")

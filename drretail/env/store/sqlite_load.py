"""Fills a new SQLite file with a shop, as fast as SQLite takes it: rows in the order of their keys, indexes last."""

import sqlite3
from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from drretail.env.manifest import LineHash, OrderRow, order_line, product_line
from drretail.env.profiles import ProfilePool
from drretail.records.shop import VOID_STATUSES, Product

TABLES = """
CREATE TABLE products (product_id TEXT PRIMARY KEY NOT NULL, record TEXT NOT NULL);
CREATE TABLE users (
    k INTEGER PRIMARY KEY,
    user_id TEXT NOT NULL,
    n_orders INTEGER NOT NULL,
    spend REAL NOT NULL,
    last_order INTEGER NOT NULL,
    top_category TEXT NOT NULL
);
CREATE TABLE orders (
    user INTEGER NOT NULL,
    timestamp INTEGER NOT NULL,
    order_id TEXT NOT NULL,
    product_id TEXT NOT NULL,
    quantity INTEGER NOT NULL,
    order_status TEXT NOT NULL,
    PRIMARY KEY (user, timestamp, order_id)
) WITHOUT ROWID;
CREATE TABLE profile_updates (user_id TEXT PRIMARY KEY, record TEXT NOT NULL);
CREATE TABLE profile_pool (record TEXT NOT NULL);
"""
# Built over finished tables: sorting once is several times faster than inserting in random order.
INDEXES = (
    "CREATE UNIQUE INDEX users_by_id ON users (user_id)",
    "CREATE UNIQUE INDEX orders_by_id ON orders (order_id)",
)
TWICE = "SELECT order_id FROM orders GROUP BY order_id HAVING count(*) > 1 LIMIT 1"
BATCH = 20_000
USER_ROW = "INSERT INTO users VALUES (?, ?, ?, ?, ?, ?)"
ORDER_ROW = "INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?)"


class Listing(NamedTuple):
    """What an order needs to know of its product."""

    price: float | None
    category: str


class SqliteWriter:
    """Writes products, then orders, then closes; counts and hashes what it wrote.

    Raises ValueError, naming the row, for rows out of order, repeated or without their product: bugs of ours.
    """

    def __init__(self, path: Path, pool: ProfilePool) -> None:
        self._db = sqlite3.connect(path, isolation_level=None)
        # The file is thrown away when anything fails, so nothing needs to be safe before the end.
        self._db.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-200000;" + TABLES)
        self._db.execute("BEGIN")
        self._db.execute("INSERT INTO profile_pool VALUES (?)", (pool.as_line(),))
        self._listings: dict[str, Listing] = {}
        self.product_hash = LineHash()
        self.order_hash = LineHash()
        self.users = 0
        self.orders = 0
        self.last_order: int | None = None

    @property
    def products(self) -> int:
        return len(self._listings)

    def add_products(self, products: Iterable[Product]) -> Iterator[Product]:
        """Passes the products on, each written when it is taken."""
        before = ""
        for product in products:
            if product.product_id <= before:
                raise ValueError(f"product {product.product_id!r} follows {before!r}: not sorted, or twice")
            before = product.product_id
            line = product_line(product)
            self.product_hash.add(line)
            self._db.execute("INSERT INTO products VALUES (?, ?)", (before, line))
            self._listings[before] = Listing(product.price, product.category)
            yield product

    def add_orders(self, orders: Iterable[OrderRow]) -> Iterator[int]:
        """Writes all orders in batches, with their users; gives each batch's size."""
        finished: list[tuple[object, ...]] = []
        rows = self._order_rows(orders, finished)
        while batch := list(islice(rows, BATCH)):
            self._db.executemany(ORDER_ROW, batch)
            self._db.executemany(USER_ROW, finished)
            finished.clear()
            self.orders += len(batch)
            yield len(batch)
        self._db.executemany(USER_ROW, finished)

    def _order_rows(
        self, orders: Iterable[OrderRow], finished: list[tuple[object, ...]]
    ) -> Generator[tuple[int, int, str, str, int, str]]:
        """The rows of the table orders; what is summed up of a user goes to ``finished`` when the next one begins."""
        before = ("", -1, "")
        user = UserSum(0, "")
        for row in orders:
            order_id, user_id, product_id, timestamp, quantity, status = row
            place = (user_id, timestamp, order_id)
            listing = self._listings.get(product_id)
            if place <= before or listing is None:
                raise ValueError(wrong_order(row, before))
            if user_id != before[0]:
                if user.k:
                    finished.append(user.as_row())
                user = UserSum(user.k + 1, user_id)
            before = place
            self.order_hash.add(order_line(row))
            user.add(timestamp, quantity, status, listing)
            if self.last_order is None or timestamp > self.last_order:
                self.last_order = timestamp
            yield user.k, timestamp, order_id, product_id, quantity, status
        if user.k:
            finished.append(user.as_row())
        self.users = user.k

    def close(self) -> None:
        """Commits, builds the indexes, and leaves the file in WAL mode, ready to be read."""
        try:
            for statement in INDEXES:
                self._db.execute(statement)
            self._db.execute("COMMIT")
            self._db.execute("PRAGMA journal_mode=WAL")
        except sqlite3.IntegrityError as problem:
            # Users cannot occur twice: their orders came sorted.
            (order_id,) = self._db.execute(TWICE).fetchone()
            raise ValueError(f"an order id occurs twice: {order_id!r}") from problem
        finally:
            self._db.close()

    def abandon(self) -> None:
        self._db.close()


class UserSum:
    """Sums up the orders of one user while they pass."""

    __slots__ = ("categories", "k", "last_order", "n_orders", "spend", "user_id")

    def __init__(self, k: int, user_id: str) -> None:
        self.k = k
        self.user_id = user_id
        self.n_orders = 0
        self.spend = 0.0
        self.last_order = 0
        self.categories: Counter[str] = Counter()

    def add(self, timestamp: int, quantity: int, status: str, listing: Listing) -> None:
        self.n_orders += 1
        self.last_order = timestamp
        if status not in VOID_STATUSES:
            self.categories[listing.category] += 1
            if listing.price is not None:
                self.spend += quantity * listing.price

    def as_row(self) -> tuple[int, str, int, float, int, str]:
        """Spend in cents; the category with most orders, ties by name, empty when all orders are void."""
        top = min(self.categories.items(), key=lambda item: (-item[1], item[0]), default=("", 0))[0]
        return self.k, self.user_id, self.n_orders, round(self.spend, 2), self.last_order, top


def wrong_order(row: OrderRow, before: tuple[str, int, str]) -> str:
    """What is wrong with a row that cannot be loaded."""
    if row.place <= before:
        return f"order {row} follows {before}: not sorted by user, time and id, or twice"
    return f"order {row} is of a product that is not in the shop"

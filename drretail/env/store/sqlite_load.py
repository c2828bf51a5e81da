"""Fills a new SQLite file with a shop, as fast as SQLite takes it: rows in the order of their keys, indexes last."""

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

from drretail.env.intake import Intake
from drretail.env.manifest import OrderRow
from drretail.env.profiles import ProfilePool
from drretail.env.store.sampling import Aggregates
from drretail.records.shop import Product

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


class SqliteWriter:
    """Writes products, then orders, then closes; ``intake`` has checked, counted and hashed them.

    Raises ValueError for an order id that occurs twice: a bug of ours.
    """

    def __init__(self, path: Path, pool: ProfilePool, intake: Intake) -> None:
        self._intake = intake
        self._user = (0, "")
        self._db = sqlite3.connect(path, isolation_level=None)
        # The file is thrown away when anything fails, so nothing needs to be safe before the end.
        self._db.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-200000;" + TABLES)
        self._db.execute("BEGIN")
        self._db.execute("INSERT INTO profile_pool VALUES (?)", (pool.as_line(),))

    def add_products(self, products: Iterable[Product]) -> Iterator[str]:
        """The canonical line of each product, which is written when it is taken."""
        for product, line in self._intake.take_products(products):
            self._db.execute("INSERT INTO products VALUES (?, ?)", (product.product_id, line))
            yield line

    def add_orders(self, orders: Iterable[OrderRow]) -> Iterator[int]:
        """Writes all orders in batches, with their users; gives each batch's size."""
        finished: list[Aggregates] = []
        users = 0
        for batch in self._intake.take_orders(orders, finished, BATCH):
            self._db.executemany(ORDER_ROW, self._order_rows(batch))
            self._db.executemany(USER_ROW, ((k, *user) for k, user in enumerate(finished, users + 1)))
            users += len(finished)
            finished.clear()
            yield len(batch)

    def _order_rows(self, batch: Iterable[OrderRow]) -> Iterator[tuple[int, int, str, str, int, str]]:
        """The rows of the table orders; users are numbered from 1 in the order in which they come."""
        number, before = self._user
        for order_id, user_id, product_id, timestamp, quantity, status in batch:
            if user_id != before:
                number, before = number + 1, user_id
            yield number, timestamp, order_id, product_id, quantity, status
        self._user = number, before

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

"""The store of an embedded world: one SQLite file, read by any number of threads, and its writer."""

import json
import sqlite3
import threading
from array import array
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar
from urllib.parse import quote

from pydantic import ValidationError

from drretail.env.manifest import OrderRow, OrderValues
from drretail.env.store.base import Cached, OrderPage, of_variants, readable
from drretail.env.users import (
    Aggregates,
    Cell,
    Cells,
    ProfilePool,
    derive_profile,
    drawn_from,
    user_rows,
    user_statistics,
)
from drretail.errors import NotFound, UserError
from drretail.records.base import lean
from drretail.records.shop import Order, OrderStatus, Product, UserProfile, UserRow, UserStatistics, variant_ids
from drretail.remembered import remembered
from drretail.shopping.vocabulary import SAMPLE, Vocabulary

if TYPE_CHECKING:
    from drretail.env.intake import Intake

P = ParamSpec("P")
T = TypeVar("T")
ORDERS = f"SELECT {', '.join(OrderRow._fields)} FROM orders JOIN users ON users.k = orders.user"  # noqa: S608 -- constants
USERS = f"SELECT {', '.join(Aggregates._fields)} FROM users"  # noqa: S608 -- constants
USERS_BY_ID = f"{USERS} WHERE user_id IN (SELECT value FROM json_each(?))"  # noqa: S608 -- constants
_KEYS = "I"
"""The type of the numbers of users in the table of cells, as an array packs them."""
OF_VARIANTS = (
    "SELECT DISTINCT product_id, record FROM products JOIN variants USING (product_id)"
    " WHERE variant_id IN (SELECT value FROM json_each(?))"
)

MOST_CONNECTIONS = 8
"""The most connections of all threads together: each holds three files, and a process may have but a thousand."""


def reads(method: Callable[Concatenate["SqliteStore", P], T]) -> Callable[Concatenate["SqliteStore", P], T]:
    """The method, which raises UserError if the database is damaged."""

    @wraps(method)
    def checked(self: "SqliteStore", *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return method(self, *args, **kwargs)
        except sqlite3.ProgrammingError:  # a wrong use of sqlite3, not a damaged file
            raise
        except (sqlite3.Error, ValueError, TypeError, OverflowError) as problem:
            # What was raised by the call itself, or asks for what no column holds, is the caller's mistake.
            begun = problem.__traceback__ is not None and problem.__traceback__.tb_next is not None
            if not begun or not all(map(_may_be_asked, (*args, *kwargs.values()))):
                raise
            raise unreadable(self.path, problem) from problem

    return checked


def _may_be_asked(value: object) -> bool:
    """True for ids, a status, a seed and counts, as the methods take them."""
    if isinstance(value, int):
        return abs(value) < 2**63
    if isinstance(value, str):
        return True
    return value is None or (isinstance(value, Sequence) and all(isinstance(each, str) for each in value))


def unreadable(path: Path, problem: Exception) -> UserError:
    reason = "a record is damaged" if isinstance(problem, ValidationError) else str(problem)
    return UserError(
        f"The shop's database {path} cannot be read: {reason}. `drretail world check` says more; make the world anew."
    )


class SqliteStore:
    """Implements ``base.Store``. All threads share a few read-only connections."""

    def __init__(self, path: Path, seed: str) -> None:
        """Raises UserError if the file is not a readable shop."""
        self.path = path
        self._seed = seed
        self._slots = threading.BoundedSemaphore(MOST_CONNECTIONS)
        self._opening = threading.Lock()
        self._open: list[sqlite3.Connection] = []
        self._free: list[sqlite3.Connection] = []
        self._closed = False
        self._kept = Cached(self._read_products)
        if not path.is_file():
            raise UserError(f"The shop's database {path} is missing. Make the world anew.")
        try:
            self._immutable = needs_immutable(path)
            record = self._one("SELECT record FROM profile_pool", ())
            self.pool = ProfilePool.model_validate_json(record[0] if record else "")
        except (sqlite3.Error, ValueError) as problem:
            self.close()
            raise unreadable(path, problem) from problem

    def product(self, product_id: str) -> Product:
        products = self.products([product_id])
        if product_id not in products:
            raise NotFound("product", product_id, field="product_id")
        return products[product_id]

    @reads
    def products(self, product_ids: Sequence[str]) -> dict[str, Product]:
        return self._kept.of(product_ids)

    @reads
    def user(self, user_id: str) -> UserProfile:
        self._user_key(user_id)
        return derive_profile(self.pool, self._seed, user_id)

    @reads
    def order(self, order_id: str) -> Order:
        row = self._one(f"{ORDERS} WHERE order_id = ?", (order_id,))
        if row is None:
            raise NotFound("order", order_id, field="order_id")
        return _order(row)

    @reads
    def orders(
        self, user_id: str, status: OrderStatus | None = None, limit: int | None = None, offset: int = 0
    ) -> OrderPage:
        key = self._user_key(user_id)
        which = "user = ?" if status is None else "user = ? AND order_status = ?"
        values = (key,) if status is None else (key, status)
        (total,) = self._rows(f"SELECT count(*) FROM orders WHERE {which}", values)[0]  # noqa: S608 -- constants
        rows = self._rows(
            f"{ORDERS} WHERE {which} ORDER BY timestamp DESC, order_id LIMIT ? OFFSET ?",
            (*values, -1 if limit is None else limit, offset),
        )
        return OrderPage(total=total, orders=tuple(map(_order, rows)))

    @reads
    def statistics(self, user_id: str) -> UserStatistics:
        orders = self.orders(user_id).orders
        products = self.products(list({order.product_id for order in orders}))
        return user_statistics(user_id, orders, products)

    @reads
    def sample_users(self, seed: int | str, n: int) -> list[UserRow]:
        rows = self._rows("SELECT cell, length(users) FROM cells", ())
        sizes: dict[Cell, int] = {tuple(json.loads(cell)): size // array(_KEYS).itemsize for cell, size in rows}
        drawn = drawn_from(sizes, self._ids_of, seed, n)
        return user_rows(drawn, self._rows(USERS_BY_ID, (json.dumps(drawn),)))

    @property
    @remembered
    def vocabulary(self) -> Vocabulary:
        return Vocabulary(self._first_products)

    @reads
    def _first_products(self) -> list[Product]:
        rows = self._rows("SELECT product_id, record FROM products ORDER BY product_id LIMIT ?", (SAMPLE,))
        return [_product(product_id, record) for product_id, record in rows]

    def close(self) -> None:
        """Closes all connections; the store cannot be used afterwards."""
        self._closed, self._kept = True, Cached(self._read_products)
        with self._opening:
            for connection in self._open:
                connection.close()

    def _read_products(self, product_ids: Sequence[str]) -> dict[str, Product]:
        rows = self._rows(
            "SELECT product_id, record FROM products WHERE product_id IN (SELECT value FROM json_each(?))",
            (json.dumps(product_ids),),
        )
        products = {product_id: _product(product_id, record) for product_id, record in rows}
        missing = [product_id for product_id in product_ids if product_id not in products]
        return products | of_variants(missing, self._with_variants)

    def _with_variants(self, variant_ids: Sequence[str]) -> Iterator[Product]:
        rows = self._rows(OF_VARIANTS, (json.dumps(variant_ids),))
        return (_product(product_id, record) for product_id, record in rows)

    def open_connections(self) -> int:
        """The number of open connections, in use or free."""
        return len(self._open)

    def connection(self) -> sqlite3.Connection:
        """A read-only connection that is not shared, for a long read; it is closed with the store."""
        with self._opening:
            if self._closed:
                raise sqlite3.ProgrammingError("the store is closed")
            connection = _connect(self.path, immutable=self._immutable)
            self._open.append(connection)
        return connection

    @contextmanager
    def _borrowed(self) -> Generator[sqlite3.Connection]:
        """One of the shared connections, for this thread alone; waits if all are in use."""
        with self._slots:
            try:
                connection = self._free.pop()
            except IndexError:
                connection = self.connection()
            try:
                yield connection
            finally:
                self._free.append(connection)

    def _ids_of(self, cell: Cell) -> Iterator[str]:
        (users,) = self._rows("SELECT users FROM cells WHERE cell = ?", (json.dumps(cell),))[0]
        numbers = json.dumps(memoryview(users).cast(_KEYS).tolist())
        rows = self._rows("SELECT user_id FROM users WHERE k IN (SELECT value FROM json_each(?))", (numbers,))
        return (user_id for (user_id,) in rows)

    def _user_key(self, user_id: str) -> int:
        row = self._one("SELECT k FROM users WHERE user_id = ?", (user_id,))
        if row is None:
            raise NotFound("user", user_id, field="user_id")
        return int(row[0])

    def _one(self, statement: str, values: tuple[Any, ...]) -> tuple[Any, ...] | None:
        with self._borrowed() as db:
            return db.execute(statement, values).fetchone()

    def _rows(self, statement: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        with self._borrowed() as db:
            return db.execute(statement, values).fetchall()


def _order(row: tuple[Any, ...]) -> Order:
    return readable("order", row[0], OrderRow(*row).as_order)


def _product(product_id: str, record: str) -> Product:
    return readable("product", product_id, lambda: lean(Product.model_validate_json(record)))


def _connect(path: Path, *, immutable: bool) -> sqlite3.Connection:
    """A read-only connection, which another thread may close."""
    mode = "mode=ro&immutable=1" if immutable else "mode=ro"
    uri = f"file:{quote(str(path.absolute()))}?{mode}"
    return sqlite3.connect(uri, uri=True, check_same_thread=False, timeout=30)


def needs_immutable(path: Path) -> bool:
    """True if SQLite cannot create its files beside the database, as in a read-only folder."""
    probe = _connect(path, immutable=False)
    try:
        probe.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except sqlite3.OperationalError:
        return True
    finally:
        probe.close()
    return False


TABLES = Path(__file__).with_name("tables.sql").read_text(encoding="utf-8")
# Built over finished tables: sorting once is several times faster than inserting in random order.
INDEXES = (
    "CREATE UNIQUE INDEX users_by_id ON users (user_id)",
    "CREATE UNIQUE INDEX orders_by_id ON orders (order_id)",
    "CREATE INDEX orders_by_user ON orders (user)",
)
TWICE = "SELECT order_id FROM orders GROUP BY order_id HAVING count(*) > 1 LIMIT 1"
PRODUCTS_AT_ONCE, ORDERS_AT_ONCE = 500, 20_000
# Rows in a statement. A statement for each of them takes half as long again; larger ones gain nothing.
ROWS_AT_ONCE = 50


class SqliteWriter:
    """Fills a new file as fast as SQLite can: rows in the order of their keys, indexes last.

    Write products, then orders, then close; ``intake`` checks, counts and hashes the rows. Raises ValueError for an
    order id that occurs twice: a bug of ours.
    """

    def __init__(self, path: Path, pool: ProfilePool, intake: "Intake") -> None:
        self._intake = intake
        self._user = (0, "")
        self._cells = Cells()
        self._db = sqlite3.connect(path, isolation_level=None)
        # The file is deleted if anything fails, so nothing needs to be durable before the end.
        self._db.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-50000;" + TABLES)
        self._db.execute("BEGIN")
        self._db.execute("INSERT INTO profile_pool VALUES (?)", (pool.as_line(),))

    def add_products(self, products: Iterable[Product]) -> Iterator[list[Product]]:
        """Writes all products in batches; yields each batch."""
        rest = iter(products)
        while batch := list(islice(rest, PRODUCTS_AT_ONCE)):
            lines = self._intake.take_products(batch)
            self._db.executemany(
                "INSERT INTO products VALUES (?, ?)", [(product.product_id, line) for product, line in lines]
            )
            variants = ((variant, product.product_id) for product in batch for variant in variant_ids(product))
            self._db.executemany("INSERT INTO variants VALUES (?, ?)", variants)
            yield batch

    def add_orders(self, orders: Iterable[OrderValues]) -> Iterator[int]:
        """Writes all orders in batches, with their users; yields the size of each batch."""
        finished: list[Aggregates] = []
        users = 0
        for batch in self._intake.take_orders(orders, finished, ORDERS_AT_ONCE):
            self._insert("orders", 7, self._order_values(batch))
            self._insert("users", 6, [value for k, user in enumerate(finished, users + 1) for value in (k, *user)])
            self._cells.add(finished)
            users += len(finished)
            finished.clear()
            yield len(batch)

    def _order_values(self, batch: Iterable[OrderValues]) -> list[Any]:
        """Rows of the table orders, one after the other; users are numbered from 1 in the order in which they come."""
        number, before = self._user
        values = list[Any]()
        for order_id, user_id, product_id, timestamp, quantity, status, offset in batch:
            if user_id != before:
                number, before = number + 1, user_id
            values += (number, timestamp, order_id, product_id, quantity, status, offset)
        self._user = number, before
        return values

    def _insert(self, table: str, columns: int, values: list[Any]) -> None:
        """Inserts rows whose values follow one another."""
        row, size = f"({', '.join('?' * columns)})", columns * ROWS_AT_ONCE
        for start in range(0, len(values), size):
            part = values[start : start + size]
            rows = ", ".join([row] * (len(part) // columns))
            self._db.execute(f"INSERT INTO {table} VALUES {rows}", part)  # noqa: S608 -- constants

    def close(self) -> None:
        """Commits, builds the indexes, and leaves the file in WAL mode, ready to be read."""
        try:
            for statement in INDEXES:
                self._db.execute(statement)
            cells = self._cells.users()
            rows = ((json.dumps(cell), array(_KEYS, [place + 1 for place in users])) for cell, users in cells)
            self._db.executemany("INSERT INTO cells VALUES (?, ?)", rows)
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

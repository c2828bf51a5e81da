"""All rows of a world in the order in which a world is written, from a folder or servers, in bounded memory."""

import sqlite3
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Protocol

from pydantic import ValidationError

from drretail.env.generations import live_generation
from drretail.env.manifest import DATABASE_FILE, HOLDOUT_FILE, OrderRow, WorldRows, by_user, read_manifest
from drretail.env.servers.naming import ServerSettings, check_place, is_on_servers, required
from drretail.env.store.sqlite import SqliteStore, unreadable
from drretail.errors import UserError
from drretail.parsing import parse_json
from drretail.records.shop import Product


@contextmanager
def rows_of(spec: str | Path, servers: ServerSettings | None = None) -> Generator[WorldRows]:
    """The rows of the live world at ``spec``, a folder or "servers:NAME", for the time of a ``with`` block.

    Raises UserError as ``open_world`` does. While rows are read, it raises ToolError if a server fails.
    """
    check_place(spec)
    if is_on_servers(spec):
        from drretail.env.servers.reading import rows_on_servers  # the clients take long to load

        with rows_on_servers(str(spec), required(servers, spec)) as rows:
            yield rows
        return
    generation = live_generation(Path(spec))
    manifest = read_manifest(generation)
    with closing(SqliteStore(generation / DATABASE_FILE, manifest.seed)) as store:
        db = store.connection()
        holdout = generation / HOLDOUT_FILE
        yield WorldRows(
            manifest=manifest,
            pool=store.pool,
            products=_products(db, generation / DATABASE_FILE),
            orders=order_rows(db),
            holdout=holdout_rows(holdout) if holdout.is_file() else None,
        )


def product_lines(db: sqlite3.Connection) -> Iterator[str]:
    """The canonical JSON of every product."""
    return (line for (line,) in db.execute("SELECT record FROM products ORDER BY product_id"))


def _products(db: sqlite3.Connection, path: Path) -> Iterator[Product]:
    for line in product_lines(db):
        try:
            yield Product.model_validate_json(line)
        except ValidationError as problem:
            raise unreadable(path, problem) from problem


def order_rows(db: sqlite3.Connection) -> Iterator[OrderRow]:
    rows = db.execute(
        "SELECT order_id, user_id, product_id, timestamp, quantity, order_status"
        " FROM orders CROSS JOIN users ON users.k = orders.user ORDER BY user, timestamp, order_id"
    )
    return map(OrderRow._make, rows)


def holdout_lines(path: Path) -> Iterator[str]:
    """The lines of a file of held-out orders. Raises UserError for bytes that are not UTF-8."""
    with path.open(encoding="utf-8", newline="\n") as file:
        try:
            for line in file:
                yield line.removesuffix("\n")
        except UnicodeDecodeError as problem:
            raise UserError(f"{path} is damaged: {problem}. Make the world anew.") from problem


def holdout_rows(path: Path) -> Iterator[OrderRow]:
    """The orders of a file of held-out orders. Raises UserError for a line that is not an order."""
    for number, line in enumerate(holdout_lines(path), 1):
        try:
            yield OrderRow(**parse_json(line))
        except (ValueError, TypeError) as problem:
            raise UserError(f"{path}, line {number}, is no order that was held out: {problem}.") from problem


class Holdout(Protocol):
    """The held-out orders of one world."""

    def orders(self, user_ids: Collection[str]) -> Mapping[str, Sequence[OrderRow]]:
        """The held-out orders of each of these users, oldest first; users without any are left out.

        Raises UserError for a damaged file, ToolError if a server fails.
        """
        ...


class FileHoldout:
    """The held-out orders of an embedded world. Each call reads the whole file: ask for many users at once."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def orders(self, user_ids: Collection[str]) -> Mapping[str, Sequence[OrderRow]]:
        wanted = frozenset(user_ids)
        return by_user(row for row in holdout_rows(self._path) if row.user_id in wanted)

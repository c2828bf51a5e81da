"""All rows of a world in the order in which a world is written, whatever keeps it, in bounded memory."""

import json
import sqlite3
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from drretail.env.generations import live_generation
from drretail.env.manifest import DATABASE_FILE, HOLDOUT_FILE, Manifest, OrderRow, read_manifest
from drretail.env.profiles import ProfilePool
from drretail.env.servers.naming import check_place, is_on_servers
from drretail.env.servers.settings import ServerSettings, required
from drretail.env.store.sqlite import SqliteStore
from drretail.errors import UserError
from drretail.records.shop import Product


@dataclass(frozen=True, slots=True)
class WorldRows:
    """What a world is made of. Each stream can be read once, products first."""

    manifest: Manifest
    pool: ProfilePool
    products: Iterable[Product]
    """In order of id."""
    orders: Iterable[OrderRow]
    """In order of user id, time and order id."""
    holdout: Iterable[OrderRow] | None
    """Orders that are held out, in their order; None where nothing is."""


@contextmanager
def rows_of(spec: str | Path, servers: ServerSettings | None = None) -> Generator[WorldRows]:
    """The rows of what is live at ``spec``, a folder or "servers:NAME", for the time of a ``with`` block.

    Raises UserError as ``open_world`` does; while rows are read, ToolError where a server fails.
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
            products=map(Product.model_validate_json, product_lines(db)),
            orders=order_rows(db),
            holdout=holdout_rows(holdout) if holdout.is_file() else None,
        )


def product_lines(db: sqlite3.Connection) -> Iterator[str]:
    """The canonical JSON of every product."""
    return (line for (line,) in db.execute("SELECT record FROM products ORDER BY product_id"))


def order_rows(db: sqlite3.Connection) -> Iterator[OrderRow]:
    rows = db.execute(
        "SELECT order_id, user_id, product_id, timestamp, quantity, order_status"
        " FROM orders CROSS JOIN users ON users.k = orders.user ORDER BY user, timestamp, order_id"
    )
    return map(OrderRow._make, rows)


def holdout_lines(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            yield line.removesuffix("\n")


def holdout_rows(path: Path) -> Iterator[OrderRow]:
    """Raises UserError for a line that is no order."""
    for number, line in enumerate(holdout_lines(path), 1):
        try:
            yield OrderRow(**json.loads(line))
        except (ValueError, TypeError) as problem:
            raise UserError(f"{path}, line {number}, is no order that was held out: {problem}.") from problem

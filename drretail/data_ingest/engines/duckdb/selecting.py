"""Algorithm 1 over what was read: one category at a time, then what spans them all. The SQL is that of every engine."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drretail.data_ingest.engines.duckdb.reading import IDS, REVIEWS, TALLY, reviews_of, write_table
from drretail.data_ingest.engines.duckdb.session import parquet, session, set_parameters
from drretail.data_ingest.plan import IngestOptions
from drretail.data_ingest.selection import ACCOUNTS, TABLES, sql_text
from drretail.data_ingest.stages import making
from drretail.files import write_json
from drretail.processes import Tell
from drretail.records.base import FORMAT

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

ELIGIBLE, KEPT, HASHES = "eligible.parquet", "kept.parquet", "order_hashes.parquet"
ORDERS, ACCOUNTED = "orders", "accounts.json"
_NO_REVIEWS = (
    "SELECT 0 AS source, '' AS user_id, '' AS product_id, CAST(0 AS BIGINT) AS milliseconds, "
    "'' AS order_id, 0 AS quantity, '' AS order_status WHERE false"
)
_NO_TALLY = (
    "SELECT 0 AS source, '' AS product_id, CAST(0 AS BIGINT) AS reviews, CAST(0 AS BIGINT) AS recent WHERE false"
)


@dataclass(frozen=True, slots=True)
class SelectTask:
    """What was read of all files, by the numbers that they have in the plan."""

    options: IngestOptions
    ids: Sequence[tuple[int, int, Path]]
    """Of product files: number, rank of the category, stage."""
    reviews: Sequence[tuple[int, Path]]
    """Of review files: number, stage."""
    work: Path
    memory_mb: int


def assign_products(task: SelectTask, ranks: Sequence[int], stage: Path, tell: Tell) -> None:
    """Gives each product to its category: one file of products a category, named by its rank."""
    del tell
    with making(stage) as folder, session(task.work, task.memory_mb) as db:
        _view_product_rows(db, task)
        db.execute(f"CREATE TABLE products AS {sql_text('products')}")
        for rank in ranks:
            query = f"SELECT product_id, category FROM products WHERE category = {rank}"  # noqa: S608 -- a number
            write_table(db, query, folder / f"{rank}.parquet")


def select_category(task: SelectTask, products: Path, stage: Path, tell: Tell) -> None:
    """Which of a category's products are kept, and the orders that they bring, still without their ids."""
    del tell
    with making(stage) as folder, session(task.work, task.memory_mb) as db:
        set_parameters(db, task.options)
        db.execute(f"CREATE TABLE products AS FROM {parquet([products])}")
        tally = f"SELECT t.* FROM ({_tallies(task)}) t SEMI JOIN products p ON p.product_id = t.product_id"  # noqa: S608
        db.execute(f"CREATE TABLE tally AS {tally}")
        # A review may stand in any file; in most there is none of this category, and those are not read.
        sources = {row[0] for row in db.execute("SELECT DISTINCT source FROM tally WHERE recent > 0").fetchall()}
        files = [
            (number, sorted((stage / REVIEWS).glob("*.parquet"))) for number, stage in task.reviews if number in sources
        ]
        db.execute(f"CREATE VIEW reviews AS {(reviews_of(files) if files else _NO_REVIEWS)}")
        for name in ("candidates", "repeated", "eligible", "kept", "interactions"):
            db.execute(f"CREATE TABLE {name} AS {sql_text(name)}")
        write_table(db, "FROM eligible", folder / ELIGIBLE)
        write_table(db, "FROM kept", folder / KEPT)
        write_table(db, sql_text("order_hashes"), folder / HASHES)


def merge_categories(task: SelectTask, stages: Sequence[Path], stage: Path, tell: Tell) -> None:
    """The orders of all categories with their ids, and the numbers that the report is counted from."""
    del tell
    with making(stage) as folder, session(task.work, task.memory_mb) as db:
        set_parameters(db, task.options)
        _view_product_rows(db, task)
        for name, file in (("eligible", ELIGIBLE), ("kept", KEPT), ("order_hashes", HASHES)):
            db.execute(f"CREATE VIEW {name} AS FROM {parquet([selected / file for selected in stages])}")
        db.execute(f"CREATE TABLE tally AS {_tallies(task)}")
        for name in ("products", *TABLES[TABLES.index("order_hashes") + 1 :]):
            db.execute(f"CREATE TABLE {name} AS {sql_text(name)}")
        (folder / ORDERS).mkdir()
        write_table(db, sql_text("order_rows"), folder / ORDERS / "0.parquet")
        accounts = {name: _rows(db, sql_text(name)) for name in ACCOUNTS}
        write_json(folder / ACCOUNTED, {"format": FORMAT, **accounts})


def _view_product_rows(db: "DuckDBPyConnection", task: SelectTask) -> None:
    parts = " UNION ALL ".join(
        f"SELECT {number} AS source, {rank} AS category, product_id FROM {parquet([stage / IDS])}"  # noqa: S608
        for number, rank, stage in task.ids
    )
    db.execute(f"CREATE VIEW product_rows AS {parts}")


def _tallies(task: SelectTask) -> str:
    found = [stage / TALLY for _, stage in task.reviews]
    return f"SELECT source, product_id, reviews, recent FROM {parquet(found)}" if found else _NO_TALLY  # noqa: S608


def _rows(db: "DuckDBPyConnection", query: str) -> list[dict[str, Any]]:
    cursor = db.execute(query)
    columns = [column[0] for column in cursor.description or ()]
    return [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]

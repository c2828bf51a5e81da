"""The selection on DuckDB: files are read by its own JSON reader, tables live in a file, memory is bounded."""

import os
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drretail.data_ingest.options import IngestOptions
from drretail.data_ingest.selection import TABLES, sql_text
from drretail.data_ingest.sources import Shape, check_packed
from drretail.errors import UserError

# Twenty million reviews were as fast within 1 GB as within 4; what needs more spills to the work folder.
MEMORY_MB = 2_000
_BATCH = 1000
_FORGET_BAD: dict[Shape, str] = {
    "products": "DELETE FROM product_rows WHERE product_id IS NULL",
    "reviews": "DELETE FROM reviews WHERE product_id IS NULL",
}


@dataclass(frozen=True, slots=True)
class Part:
    """Lines of JSON on disk: a source, or what a pass in Python made of one."""

    path: Path
    packed: bool
    said: Path
    """The file to name when something is wrong with it."""


class DuckDBEngine:
    """One selection; its tables live in the folder ``work``, which the caller removes."""

    name = "duckdb"

    def __init__(
        self, work: Path, options: IngestOptions, *, memory_mb: int | None = None, threads: int | None = None
    ) -> None:
        import duckdb

        self._work = work
        self._links = 0
        self.version = duckdb.__version__
        config: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": f"{memory_mb or own_share_mb()}MB",
            "threads": threads or os.cpu_count() or 1,
            "temp_directory": str(work / "spill"),
        }
        self._connection = duckdb.connect(work / "selection.duckdb", config=config)
        self._connection.execute("SET TimeZone = 'UTC'")
        self._connection.execute(sql_text("duckdb/inputs"))
        given = [options.seed, options.since_ms, options.cap, options.cap_by]
        given += [options.min_interactions, options.vary_orders]
        self._connection.execute("INSERT INTO parameters VALUES (?, ?, ?, ?, ?, ?)", given)

    def close(self) -> None:
        self._connection.close()

    def load_reviews(self, source: int, part: Part) -> tuple[int, int]:
        """Adds the good reviews of a part; how many rows it has, and how many are good."""
        return self._load("reviews", part, source=source)

    def load_products(self, source: int, category: int, part: Part) -> tuple[int, int]:
        """Adds the ids of the good product rows of a part; how many rows it has, and how many are good."""
        return self._load("products", part, source=source, category=category)

    def bad_rows(self, shape: Shape, part: Part) -> Sequence[int]:
        """Which rows of a part are not good: ascending, from 1, blank lines not counted."""
        return [row[0] for row in self._read(f"bad_{shape}", part)]

    def select(self) -> None:
        """Runs Algorithm 1; afterwards the tables kept and orders hold its result."""
        with engine_errors():
            for name in TABLES:
                self._connection.execute(f"CREATE TABLE {name} AS {sql_text(name)}")

    def query(self, name: str) -> list[dict[str, Any]]:
        """The rows of one of the small queries of sql/."""
        with engine_errors():
            cursor = self._connection.execute(sql_text(name))
            columns = [column[0] for column in cursor.description or ()]
            return [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]

    def load_kept_rows(self, source: int, category: int, part: Part) -> None:
        """Reads a product part once more, for the whole rows of the products that its category keeps."""
        self._read("load_kept_rows", part, source=source, category=category)

    def kept_rows(self) -> Iterator[tuple[str, int, dict[str, str | None]]]:
        """Product id, category and the fields as JSON texts; rows of one product stand together, in file order."""
        cursor = self._connection.cursor()
        with engine_errors():
            cursor.execute(sql_text("duckdb/kept_rows"))
        fields = [column[0] for column in cursor.description or ()][2:]
        for product_id, category, *values in _batches(cursor):
            yield product_id, category, dict(zip(fields, values, strict=True))

    def orders(self) -> Iterator[tuple[str, str, str, int, int, str]]:
        """Order id, user, product, milliseconds, quantity, status; by user, time and order id."""
        cursor = self._connection.cursor()
        with engine_errors():
            cursor.execute(sql_text("duckdb/order_rows"))
        yield from _batches(cursor)

    def _load(self, shape: Shape, part: Part, **given: int) -> tuple[int, int]:
        (rows,) = self._read(f"load_{shape}", part, **given)[0]
        with engine_errors(part.said):
            found = self._connection.execute(_FORGET_BAD[shape]).fetchall()
        return rows, rows - found[0][0]

    def _read(self, query: str, part: Part, **given: int) -> list[tuple[Any, ...]]:
        file = str(self._linked(part))
        with engine_errors(part.said):
            return self._connection.execute(sql_text(f"duckdb/{query}"), {"file": file, **given}).fetchall()

    def _linked(self, part: Part) -> Path:
        """A name by which the engine finds the compression, and which holds nothing that it takes for a pattern."""
        self._links += 1
        link = self._work / f"link-{self._links}.jsonl{'.gz' if part.packed else ''}"
        link.symlink_to(part.path.resolve())
        return link


def own_share_mb() -> int:
    """MEMORY_MB, or half of the machine's memory where that is less."""
    return min(MEMORY_MB, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2_000_000)


def _batches(cursor: Any) -> Iterator[Any]:
    with engine_errors():
        while rows := cursor.fetchmany(_BATCH):
            yield from rows


@contextmanager
def engine_errors(file: Path | None = None) -> Generator[None]:
    """Turns an error of the engine into a UserError that names the file, or says what the machine lacks."""
    import duckdb

    try:
        yield
    except duckdb.Error as problem:
        message = str(problem).splitlines()[0]
        if file is not None and "GZIP" in message:
            check_packed(file)
        if isinstance(problem, duckdb.OutOfMemoryException):
            raise UserError(f"The selection ran out of room ({message}); give it disk: set TMPDIR.") from problem
        if "No space left" in message:
            raise UserError("The disk for temporary files is full: set TMPDIR to a larger one.") from problem
        where = "The selection failed" if file is None else f"{file} cannot be read"
        raise UserError(f"{where}: {message}") from problem
    except RuntimeError as problem:
        # DuckDB's way of passing Ctrl-C on.
        if "interrupted" in str(problem).casefold():
            raise KeyboardInterrupt from problem
        raise

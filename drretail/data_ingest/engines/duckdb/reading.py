"""One raw file, read once: the stages that need nothing but the file."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drretail.data_ingest.engines.duckdb.session import parquet, session
from drretail.data_ingest.raw.cells import quoted
from drretail.data_ingest.raw.chunks import count_lines, read_chunks
from drretail.data_ingest.raw.lines import Saved, numbered_rows, save_elements, save_rows
from drretail.data_ingest.raw.mapped import save_table
from drretail.data_ingest.raw.sources import Source, reading
from drretail.data_ingest.report import BadLine
from drretail.data_ingest.selection import sql_text
from drretail.data_ingest.stages import making
from drretail.errors import UserError
from drretail.files import write_json
from drretail.processes import Tell
from drretail.records.base import Document

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

IDS, REVIEWS, TALLY, ROWS = "ids.parquet", "reviews", "tally.parquet", "rows.parquet"
# Whole product rows are of kilobytes.
WIDE_GROUP = 4096
SAVED, HELD = "saved.jsonl", "held.json"


class Held(Document):
    """What a file held."""

    rows: int
    bad_lines: int
    shown: tuple[BadLine, ...]
    saved: int
    """Rows in the stage's file of saved lines."""
    notes: tuple[str, ...] = ()
    first: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class FileTask:
    """A file to read, and where what is found in it goes."""

    number: int
    source: Source
    size: int
    modified: int
    """Nanoseconds; a file that changes while it is read is refused."""
    stage: Path
    work: Path
    """Where the engine keeps what does not fit into ``memory_mb``."""
    memory_mb: int
    since_ms: int = 0


def read_reviews(task: FileTask, tell: Tell) -> None:
    """The file's reviews in Parquet, and how many each product has."""
    own = task.source.layout == "table"
    query = sql_text(f"duckdb/{'read_orders' if own else 'read_reviews'}").replace("$since", str(task.since_ms))
    with making(task.stage) as folder, session(task.work, task.memory_mb, task.source.path) as db:
        (folder / REVIEWS).mkdir()
        count = _read(db, task, query, folder, tell)
        found = [folder / REVIEWS / f"{number}.parquet" for number in range(count.chunks)]
        db.execute(f"CREATE TABLE parameters AS SELECT {task.since_ms} AS since")
        db.execute(f"CREATE VIEW reviews AS {reviews_of([(task.number, found)])}")
        write_table(db, sql_text("tally"), folder / TALLY)


def read_products(task: FileTask, tell: Tell) -> None:
    """The ids of the file's product rows, and the rows that had to be saved."""
    with making(task.stage) as folder, session(task.work, task.memory_mb, task.source.path) as db:
        (folder / REVIEWS).mkdir()
        count = _read(db, task, sql_text("duckdb/read_products"), folder, tell)
        found = [folder / REVIEWS / f"{number}.parquet" for number in range(count.chunks)]
        rows = f"SELECT product_id FROM {parquet(found)} WHERE product_id IS NOT NULL"  # noqa: S608 -- our own paths
        write_table(db, rows, folder / IDS)
        for path in found:
            path.unlink()


def read_rows(task: FileTask, read: Path, kept: Path, rank: int, tell: Tell) -> None:
    """The file's whole rows of the products that its category keeps; ``read`` is the stage that read its ids."""
    with making(task.stage) as folder, session(task.work, task.memory_mb, task.source.path) as db:
        db.execute(f"CREATE TABLE kept AS SELECT product_id, {rank} AS category FROM {parquet([kept])}")  # noqa: S608
        query = sql_text("duckdb/read_rows").replace("$source", str(task.number))
        made, before = "CREATE TABLE kept_rows AS", 0
        for path, rows in _parts(task, read / SAVED, tell):
            text = query.replace("$file", quoted(path)).replace("$before", str(before))
            db.execute(f"{made} {text}")
            made, before = "INSERT INTO kept_rows", before + rows
        write_table(db, "SELECT * FROM kept_rows", folder / ROWS, WIDE_GROUP)


def reviews_of(files: list[tuple[int, list[Path]]]) -> str:
    """The reviews that were read from files, each given by its number and the Parquet files of its stage."""
    return " UNION ALL ".join(
        f"SELECT {number} AS source, user_id, product_id, milliseconds, order_id, quantity, order_status "  # noqa: S608 -- our own paths
        f"FROM {parquet(found)} WHERE product_id IS NOT NULL"
        for number, found in files
    )


def write_table(db: "DuckDBPyConnection", query: str, path: Path, group: int = 122_880) -> int:
    """Writes the rows of a query, and gives their number; ``group`` of them are in memory together when it is read."""
    # Fast rather than small: it is read once or twice and then removed.
    options = f"FORMAT parquet, COMPRESSION lz4, ROW_GROUP_SIZE {group}"
    row = db.execute(f"COPY ({query}) TO {quoted(path)} ({options})").fetchone()
    assert row is not None, "COPY tells how many rows it wrote"
    return int(row[0])


def check_unchanged(task: FileTask) -> None:
    """Raises UserError where the file is gone, or is not the one that the stage is named after."""
    path = task.source.path
    with reading(path):
        now = path.stat()
    if (now.st_size, now.st_mtime_ns) != (task.size, task.modified):
        raise UserError(f"{path} changed while it was read; run the same command again when it is complete.")


@dataclass(slots=True)
class _Count:
    """What was found so far in a file."""

    chunks: int = 0
    rows: int = 0
    good: int = 0
    saved: Saved = field(default_factory=Saved)

    def held(self) -> Held:
        bad = self.rows - self.good
        return Held(
            rows=self.rows,
            bad_lines=bad,
            shown=tuple(self.saved.shown),
            saved=self.saved.rows,
            notes=tuple(self.saved.notes),
            first=tuple(self.saved.first),
        )


def _read(db: "DuckDBPyConnection", task: FileTask, query: str, folder: Path, tell: Tell) -> _Count:
    """Writes what ``query`` finds in each chunk of the file to Parquet, and what the file held to the stage.

    Rows that the engine cannot read are NULLs there; those that Python can read come at the end as one more part.
    """
    count, target = _Count(), folder / SAVED
    with target.open("w", encoding="utf-8") as saved:
        if task.source.layout == "lines":
            source, meter, lines = task.source, _Heard(tell), None
            for chunk in read_chunks(source.path, source.packed, meter.place):
                rows, good = _write_part(db, query, folder, count, chunk.path)
                count.rows, count.good = count.rows + rows, count.good + good
                meter.rows(rows)
                if rows > good:
                    bad = db.execute(sql_text(f"duckdb/bad_{source.shape}"), {"file": str(chunk.path)}).fetchall()
                    if lines is None:
                        # To count the lines of every file costs a tenth of the time of reading it; few have bad ones.
                        lines = count_lines(source.path, source.packed, chunk.place)
                    with chunk.path.open("rb") as file:
                        save_rows(numbered_rows(file, [row[0] for row in bad], lines), source.shape, saved, count.saved)
                if lines is not None:
                    lines += chunk.path.read_bytes().count(b"\n")
    if task.source.layout != "lines":
        is_table = task.source.layout == "table"
        count.saved = save_table(db, task.source, target) if is_table else save_elements(task.source, target)
        count.rows = count.saved.bad + count.saved.rows
        tell(task.size, count.rows)
    if count.saved.rows or not count.chunks:
        count.good += _write_part(db, query, folder, count, target)[1]
    check_unchanged(task)
    write_json(folder / HELD, count.held().model_dump(mode="json"))
    return count


def _write_part(db: "DuckDBPyConnection", query: str, folder: Path, count: _Count, path: Path) -> tuple[int, int]:
    """How many rows there are, and how many of them are good."""
    part = folder / REVIEWS / f"{count.chunks}.parquet"
    rows = write_table(db, query.replace("$file", quoted(path)), part)
    count.chunks += 1
    good = db.execute(f"SELECT count(product_id) FROM {parquet([part])}").fetchone()  # noqa: S608 -- our own path
    assert good is not None, "count() gives a row"
    return rows, int(good[0])


def _parts(task: FileTask, saved: Path, tell: Tell) -> Iterator[tuple[Path, int]]:
    """Where the engine reads the file's rows, with how many lines each part has at most; what was saved comes last."""
    if task.source.layout == "lines":
        meter = _Heard(tell)
        for chunk in read_chunks(task.source.path, task.source.packed, meter.place):
            yield chunk.path, 1 + chunk.size // 2
            meter.rows(0)
        check_unchanged(task)
    else:
        tell(task.size, 0)
    if saved.stat().st_size or task.source.layout == "table":
        yield saved, 0


@dataclass(slots=True)
class _Heard:
    """Passes on what was read since the last time."""

    tell: Tell
    reported: int = 0
    waiting: int = 0

    def place(self, place: int) -> None:
        self.waiting = place - self.reported

    def rows(self, rows: int) -> None:
        self.tell(self.waiting, rows)
        self.reported, self.waiting = self.reported + self.waiting, 0

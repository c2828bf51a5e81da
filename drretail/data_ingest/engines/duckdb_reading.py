"""What DuckDB reads: one raw file gives its ids, its reviews, or its rows of kept products. A connection has its
share of memory, and its errors are in words.

A file of lines is unpacked chunk by chunk: DuckDB's own reader unpacks gzip three times slower than ISA-L. And a chunk
is cheap to read again for its bad lines, unlike the whole file.
"""

import os
import tempfile
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from string import Template
from threading import get_ident
from typing import TYPE_CHECKING, Any

from pydantic import Field

from drretail.data_ingest.plan import IngestSettings
from drretail.data_ingest.raw.lines import LAST_MILLISECOND, Saved, numbered_rows, save_elements, save_rows
from drretail.data_ingest.raw.products import ROW_FIELDS
from drretail.data_ingest.raw.shop_rows import save_table
from drretail.data_ingest.raw.sources import NO_ROOM, RawFile, check_unchanged, open_binary, open_unpacked, reading
from drretail.data_ingest.selection import parameters_of, sql_text
from drretail.data_ingest.stages import Tell, making
from drretail.errors import UserError
from drretail.files import write_json
from drretail.records.account import Account
from drretail.records.base import Document

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# What needs more spills to disk. The process around them holds 110 MB: the two of them stay below 700 MB with a margin.
MEMORY_MB = 400
LEAST_MB = 200


def share_mb(workers: int) -> int:
    """The megabytes for each of several engines: its share of MEMORY_MB, or of half the machine's if that is less."""
    whole = min(MEMORY_MB, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2_000_000)
    return max(LEAST_MB, whole // workers)


_engines: dict[tuple[Path, int], "DuckDBPyConnection"] = {}
"""One for each folder and thread: opening an engine takes 16 ms, as long as reading a small file."""
_running: dict[tuple[Path, int], "DuckDBPyConnection"] = {}


@contextmanager
def session(work: Path, memory_mb: int, reading: Path | None = None) -> Generator["DuckDBPyConnection"]:
    """A connection of one thread to an empty database, which ends with the ``with`` block.

    Tables beyond ``memory_mb`` go to a folder within ``work``. This thread keeps one engine for all sessions in
    ``work``, until ``close_engines``. The engine's errors become UserErrors, which name the file ``reading`` if one is
    given.
    """
    import duckdb

    config: dict[str, str | bool | int | float | list[str]] = {
        # Several cores are used by several engines, since categories are independent.
        "threads": 1,
        # All chunks of a file have one name, so their content must not come from a cache.
        "enable_external_file_cache": False,
        # Made when needed. What a killed run leaves there is removed with the stages of other inputs.
        "temp_directory": str(work / f".spill-{os.getpid()}-{get_ident()}"),
    }
    place = work, get_ident()
    with engine_errors(reading):
        try:
            engine = _engines.get(place) or duckdb.connect(config=config)
            _engines[place] = engine
            engine.execute(f"SET memory_limit = '{memory_mb}MB'")
            # Temporary tables end with the cursor, other tables and views with the attached database.
            with engine.cursor() as connection:
                _running[place] = connection
                connection.execute("ATTACH ':memory:' AS stage")
                connection.execute("USE stage")
                connection.execute("SET TimeZone = 'UTC'")
                # The progress bar would go to stdout, between the results.
                connection.execute("SET enable_progress_bar = false")
                yield connection
                connection.execute("USE memory")
                connection.execute("DETACH stage")
        except BaseException:
            # The engine's state is unknown.
            if place in _engines:
                _engines.pop(place).close()
            raise
        finally:
            _running.pop(place, None)


def close_engines(work: Path) -> None:
    """Closes the engines that are kept for sessions in ``work``, all of which have ended."""
    for place in [place for place in _engines if place[0] == work]:
        _engines.pop(place).close()


def interrupt_engines(work: Path) -> None:
    """Has the sessions in ``work`` of all threads end with an error."""
    for place, connection in [*_running.items()]:
        if place[0] == work:
            connection.interrupt()


def set_parameters(connection: "DuckDBPyConnection", options: IngestSettings) -> None:
    """Makes the table of one row from which the portable SQL takes the options."""
    connection.execute(f"CREATE TABLE parameters AS {sql_text('parameters')}", parameters_of(options))
    # Spark's function, for digits in base 16 only: the SQL needs no other base.
    connection.execute("CREATE TEMP MACRO conv(digits, old_base, new_base) AS CAST('0x' || digits AS BIGINT)")


def parquet(paths: Sequence[Path]) -> str:
    """SQL for FROM: the rows of Parquet files. Their names must not hold anything that DuckDB takes for a pattern."""
    return f"read_parquet([{', '.join(map(_sql_literal, paths))}])"


@contextmanager
def engine_errors(reading: Path | None = None) -> Generator[None]:
    """Turns an error of the engine into a UserError that names the file, or says what the machine lacks."""
    import duckdb

    try:
        yield
    except duckdb.Error as problem:
        message = str(problem).splitlines()[0]
        if isinstance(problem, duckdb.OutOfMemoryException):
            raise UserError(f"The selection ran out of room ({message}); give it disk, or memory.") from problem
        if any(os.strerror(number) in message for number in NO_ROOM):
            raise UserError(
                "The selection could not be written: no space is left on the disk, or a file may not grow so large. "
                "Make room and run the same command again."
            ) from problem
        where = "The selection failed" if reading is None else f"{reading} cannot be read"
        raise UserError(f"{where}: {message}") from problem
    except RuntimeError as problem:
        # DuckDB's way of passing Ctrl-C on.
        if "interrupted" in str(problem).casefold():
            raise KeyboardInterrupt from problem
        raise


# Bytes; large enough that a query for each chunk costs little.
CHUNK = 32 << 20
# Bytes unpacked at once: few enough to stay in the processor's caches until they are copied.
_PIECE = 1 << 18
# No row of the dataset comes near; the engine refuses longer ones.
LONGEST_LINE = 15 << 20


@dataclass(frozen=True, slots=True)
class Chunk:
    """Whole lines of a file."""

    path: Path
    """The file for the engine, valid until the next chunk is asked for."""
    place: int
    """The number of unpacked bytes in the file before this chunk."""
    size: int
    read: int
    """The bytes of the file on disk that were read since the chunk before."""


def read_chunks(path: Path, packed: bool, size: int = CHUNK) -> Iterator[Chunk]:
    """The lines of a file in chunks of about ``size`` bytes.

    Raises UserError if the file is cut, damaged or unreadable, or has a line that is too long for any row.
    """
    piece, place, before, rest = memoryview(bytearray(_PIECE)), 0, 0, b""
    with (
        _window() as (window, name),
        reading(path),
        path.open("rb", buffering=0) as raw,
        open_unpacked(raw, packed) as file,
    ):
        while True:
            os.lseek(window, 0, os.SEEK_SET)
            _put(window, rest)
            filled, read, end = len(rest), 1, 0
            while read and (filled < size or not end):
                read = file.readinto(piece)  # a packed file unpacks into this memory without a copy
                end = _end_of_lines(piece[:read], filled) or end
                _put(window, piece[:read])
                filled += read
                if filled - end > size + LONGEST_LINE:
                    raise UserError(f"{path} has a line of more than {LONGEST_LINE >> 20} MB: shorten or remove it.")
            # What comes after the last newline of a file is a line, too.
            end = end if read else filled
            rest = os.pread(window, filled - end, end)
            os.ftruncate(window, end)
            yield Chunk(name, place, end, raw.tell() - before)
            if not read:
                return
            place, before = place + end, raw.tell()


def count_lines(path: Path, packed: bool, place: int) -> int:
    """The number of lines before a place in the unpacked file."""
    lines = 0
    with open_binary(path, packed) as file:
        while place and (data := file.read(min(place, _PIECE))):
            lines, place = lines + data.count(b"\n"), place - len(data)
    return lines


def _end_of_lines(piece: memoryview, before: int) -> int:
    """The place after the last newline; 0 if there is none."""
    place = bytes(piece[-4096:]).rfind(b"\n")
    if place >= 0:
        return before + len(piece) - len(piece[-4096:]) + place + 1
    return before + place + 1 if (place := bytes(piece).rfind(b"\n")) >= 0 else 0


@contextmanager
def _window() -> Generator[tuple[int, Path]]:
    """A file in memory that an engine can open by name (a temporary file on systems other than Linux)."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("drretail-chunk")
        path = Path(f"/proc/self/fd/{descriptor}")
    else:
        descriptor, name = tempfile.mkstemp(prefix="drretail-chunk-", suffix=".jsonl")
        path = Path(name)
    try:
        yield descriptor, path
    finally:
        os.close(descriptor)
        if path.parent.name != "fd":
            path.unlink(missing_ok=True)


def _put(descriptor: int, data: bytes | memoryview) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


IDS, REVIEWS, TALLY, ROWS = "ids.parquet", "reviews", "tally.parquet", "rows.parquet"
# Rows in a Parquet row group of whole product rows, which take kilobytes each.
WIDE_GROUP = 4096
SAVED, HELD = "saved.jsonl", "held.json"


class Held(Document):
    """What a raw file held, in counts and first examples."""

    account: Account = Field(default_factory=lambda: Account("read", "row"))
    notes: tuple[str, ...] = ()
    first: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class FileTask:
    """A file to read, and the stage for the result."""

    number: int
    source: RawFile
    size: int
    modified: int
    """Time of modification in nanoseconds. A file that changes while it is read is refused."""
    stage: Path
    work: Path
    """The engine's folder for tables that do not fit into ``memory_mb``."""
    memory_mb: int
    since_ms: int = 0
    until_ms: int = LAST_MILLISECOND


def read_file(task: FileTask, tell: Tell) -> None:
    """Writes a review file's reviews, and how many each product has, as Parquet; of a product file, the product ids.

    The stage also holds the rows that DuckDB could not read and Python could.
    """
    is_table, shape = task.source.layout == "table", task.source.shape
    name = "read_orders" if is_table and shape == "reviews" else f"read_{shape}"
    query = sql_text(f"duckdb/{name}").replace("$since", str(task.since_ms)).replace("$until", str(task.until_ms))
    with making(task.stage) as folder, session(task.work, task.memory_mb, task.source.path) as db:
        (folder / REVIEWS).mkdir()
        count = _read(db, task, query, folder, tell)
        chunks = [folder / REVIEWS / f"{number}.parquet" for number in range(count.chunks)]
        if shape == "reviews":
            db.execute(f"CREATE TABLE parameters AS SELECT {task.since_ms} AS since")
            db.execute(f"CREATE VIEW reviews AS {reviews_of([(task.number, chunks)])}")
            write_table(db, sql_text("tally"), folder / TALLY)
            return
        rows = f"SELECT product_id FROM {parquet(chunks)} WHERE product_id IS NOT NULL"  # noqa: S608 -- our own paths
        write_table(db, rows, folder / IDS)
        for path in chunks:
            path.unlink()


def write_kept_rows(task: FileTask, read: Path, kept: Path, rank: int, tell: Tell) -> None:
    """Writes the file's whole rows of the products in ``kept``; ``read`` is the stage of ``read_file``."""
    with making(task.stage) as folder, session(task.work, task.memory_mb, task.source.path) as db:
        db.execute(f"CREATE TABLE kept AS SELECT product_id, {rank} AS category FROM {parquet([kept])}")  # noqa: S608
        fields = ", ".join(f"CAST(f.{field} AS VARCHAR) AS {field}" for field in ROW_FIELDS)
        columns = ", ".join(f"{field}: 'JSON'" for field in ROW_FIELDS)
        query = Template(sql_text("duckdb/kept_rows"))
        made, before = "CREATE TABLE kept_rows AS", 0
        for path, rows in _parts(task, read / SAVED, tell):
            part = {"source": task.number, "before": before, "file": _sql_literal(path)}
            db.execute(f"{made} {query.substitute(part, fields=fields, columns=columns)}")
            made, before = "INSERT INTO kept_rows", before + rows
        write_table(db, "SELECT * FROM kept_rows", folder / ROWS, WIDE_GROUP)


def reviews_of(files: list[tuple[int, list[Path]]]) -> str:
    """SQL for the reviews of files, each given by its number and the Parquet files of its stage."""
    return " UNION ALL ".join(
        f"SELECT {number} AS source, user_id, product_id, milliseconds, order_id, quantity, order_status, utc_offset "  # noqa: S608
        f"FROM {parquet(found)} WHERE product_id IS NOT NULL"
        for number, found in files
    )


def _sql_literal(text: object) -> str:
    """A text as an SQL literal, for statements that take no parameters (COPY, CREATE VIEW) or are made of parts."""
    return "'" + str(text).replace("'", "''") + "'"


def write_table(db: "DuckDBPyConnection", query: str, path: Path, group: int = 122_880) -> int:
    """Writes a query's rows as Parquet and returns their number. A reader holds ``group`` rows in memory together."""
    # Fast rather than small: it is read once or twice and then removed. Most texts differ, so a dictionary is no use.
    options = f"FORMAT parquet, PARQUET_VERSION v2, COMPRESSION lz4, DICTIONARY_SIZE_LIMIT 1, ROW_GROUP_SIZE {group}"
    row = db.execute(f"COPY ({query}) TO {_sql_literal(path)} ({options})").fetchone()
    assert row is not None, "COPY tells how many rows it wrote"
    return int(row[0])


@dataclass(slots=True)
class _Count:
    """Counts of a file so far."""

    chunks: int = 0
    rows: int = 0
    good: int = 0
    saved: Saved = field(default_factory=Saved)


def _read(db: "DuckDBPyConnection", task: FileTask, query: str, folder: Path, tell: Tell) -> _Count:
    """Writes the rows of ``query`` on each chunk of the file as Parquet, and the file's counts to the stage.

    Rows that the engine cannot read are NULLs there. Those that Python can read follow as one more part.
    """
    count, target = _Count(), folder / SAVED
    with target.open("w", encoding="utf-8") as saved:
        if task.source.layout == "lines":
            source, lines = task.source, None
            for chunk in read_chunks(source.path, source.packed):
                rows, good = _write_part(db, query, folder, count, chunk.path)
                count.rows, count.good = count.rows + rows, count.good + good
                tell(chunk.read, rows)
                if rows > good:
                    # The reader keeps the order of lines and leaves out blank ones.
                    numbered = f"SELECT row_number() OVER () AS number, product_id FROM ({query})"  # noqa: S608
                    refused = f"SELECT number FROM ({numbered}) WHERE product_id IS NULL ORDER BY number"  # noqa: S608
                    bad = db.execute(refused.replace("$file", _sql_literal(chunk.path))).fetchall()
                    if lines is None:
                        # Counting lines takes a tenth of the time of reading a file, and few files have bad lines.
                        lines = count_lines(source.path, source.packed, chunk.place)
                    with chunk.path.open("rb") as file:
                        refused_rows = numbered_rows(file, [row[0] for row in bad], lines)
                        save_rows(refused_rows, source.shape, saved, count.saved, task.until_ms)
                if lines is not None:
                    lines += chunk.path.read_bytes().count(b"\n")
    if task.source.layout != "lines":
        if task.source.layout == "table":
            count.saved = save_table(task.source, target, task.until_ms)
        else:
            count.saved = save_elements(task.source, target, task.until_ms)
        tell(task.size, count.saved.account.came)
    account = count.saved.account
    if account.used or not count.chunks:
        good = _write_part(db, query, folder, count, target)[1]
        account.leave_out("refused by the engine", count=account.used - good)
        account.used = good
    if task.source.layout == "lines":
        # Python saw only the rows that the engine could not read.
        account.came, account.used = count.rows, account.used + count.good
    check_unchanged(task.source.path, task.size, task.modified)
    held = Held(
        account=account,
        notes=tuple(count.saved.notes),
        first=tuple(count.saved.first),
    )
    write_json(folder / HELD, held.model_dump(mode="json"))
    return count


def _write_part(db: "DuckDBPyConnection", query: str, folder: Path, count: _Count, path: Path) -> tuple[int, int]:
    """Writes the rows of ``query`` on one chunk. Returns how many rows there are, and how many of them are good."""
    part = folder / REVIEWS / f"{count.chunks}.parquet"
    rows = write_table(db, query.replace("$file", _sql_literal(path)), part)
    count.chunks += 1
    good = db.execute(f"SELECT count(product_id) FROM {parquet([part])}").fetchone()  # noqa: S608 -- our own path
    assert good is not None, "count() gives a row"
    return rows, int(good[0])


def _parts(task: FileTask, saved: Path, tell: Tell) -> Iterator[tuple[Path, int]]:
    """The files from which the engine reads the rows, each with its most lines. Saved rows come last."""
    if task.source.layout == "lines":
        for chunk in read_chunks(task.source.path, task.source.packed):
            yield chunk.path, 1 + chunk.size // 2
            tell(chunk.read, 0)
        check_unchanged(task.source.path, task.size, task.modified)
    else:
        tell(task.size, 0)
    if saved.stat().st_size or task.source.layout == "table":
        yield saved, 0

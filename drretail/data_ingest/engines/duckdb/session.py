"""A connection to DuckDB with a share of the machine, and its errors in words for people."""

import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from drretail.data_ingest.plan import IngestOptions
from drretail.data_ingest.raw.cells import quoted
from drretail.data_ingest.raw.sources import NO_ROOM
from drretail.data_ingest.selection import sql_text
from drretail.errors import UserError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Twenty million reviews were as fast within 1 GB as within 4; what needs more spills to disk.
MEMORY_MB = 2_000
LEAST_MB = 200


def share_mb(workers: int) -> int:
    """What each of several processes may use: of MEMORY_MB, or of half of the machine's memory where that is less."""
    whole = min(MEMORY_MB, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2_000_000)
    return max(LEAST_MB, whole // workers)


# To open one takes 16 ms, which a small file is read in.
_engines: dict[Path, "DuckDBPyConnection"] = {}


@contextmanager
def session(work: Path, memory_mb: int, reading: Path | None = None) -> Generator["DuckDBPyConnection"]:
    """A connection of one thread to an empty database, which ends with it.

    Tables beyond ``memory_mb`` go to a folder within ``work``. This process keeps one engine for all sessions in
    ``work``, until ``close_engine``. Errors of the engine become UserErrors, about the file ``reading`` where one is
    given.
    """
    with engine_errors(reading):
        try:
            engine = _engines.get(work) or _open_engine(work)
            engine.execute(f"SET memory_limit = '{memory_mb}MB'")
            # A cursor has its own temporary tables, what is attached its own tables and views.
            with engine.cursor() as connection:
                connection.execute("ATTACH ':memory:' AS stage")
                connection.execute("USE stage")
                connection.execute("SET TimeZone = 'UTC'")
                # Its bar would go to stdout, where results stand.
                connection.execute("SET enable_progress_bar = false")
                yield connection
                connection.execute("USE memory")
                connection.execute("DETACH stage")
        except BaseException:
            # Nobody knows in what state it is.
            close_engine(work)
            raise


def _open_engine(work: Path) -> "DuckDBPyConnection":
    import duckdb

    config: dict[str, str | bool | int | float | list[str]] = {
        # Whoever wants several cores runs several processes: categories are independent.
        "threads": 1,
        # Chunks have one name after the other; their content must not be taken from a cache.
        "enable_external_file_cache": False,
        # Made when it is needed, and swept with other unfinished stages after a run that was killed.
        "temp_directory": str(work / f".part-spill-{os.getpid()}"),
    }
    _engines[work] = duckdb.connect(config=config)
    return _engines[work]


def close_engine(work: Path) -> None:
    """Ends what this process keeps for the sessions in ``work``."""
    if work in _engines:
        _engines.pop(work).close()


def set_parameters(connection: "DuckDBPyConnection", options: IngestOptions) -> None:
    """The table of one row from which the portable SQL takes what a person chose."""
    connection.execute(sql_text("duckdb/parameters"))
    given = [options.seed, options.since_ms, options.cap, options.cap_by]
    given += [options.min_interactions, options.vary_orders, options.holdout]
    connection.execute("INSERT INTO parameters VALUES (?, ?, ?, ?, ?, ?, ?)", given)


def parquet(paths: Sequence[Path]) -> str:
    """The rows of Parquet files, for FROM; their names hold nothing that is taken for a pattern."""
    return f"read_parquet([{', '.join(map(quoted, paths))}])"


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

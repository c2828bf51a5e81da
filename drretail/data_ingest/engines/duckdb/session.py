"""A connection to DuckDB with a share of the machine's memory, and its errors in words for people."""

import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from drretail.data_ingest.plan import IngestOptions
from drretail.data_ingest.raw.cells import quoted
from drretail.data_ingest.raw.sources import NO_ROOM
from drretail.data_ingest.selection import parameters_of, sql_text
from drretail.errors import UserError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Twenty million reviews were as fast within 1 GB as within 4; what needs more spills to disk.
MEMORY_MB = 2_000
LEAST_MB = 200


def share_mb(workers: int) -> int:
    """The megabytes that each of several processes may use: its share of MEMORY_MB, or of half the machine's memory if
    that is less.
    """
    whole = min(MEMORY_MB, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2_000_000)
    return max(LEAST_MB, whole // workers)


# Opening an engine takes 16 ms, as long as reading a small file.
_engines: dict[Path, "DuckDBPyConnection"] = {}


@contextmanager
def session(work: Path, memory_mb: int, reading: Path | None = None) -> Generator["DuckDBPyConnection"]:
    """A connection of one thread to an empty database, which ends with the ``with`` block.

    Tables beyond ``memory_mb`` go to a folder within ``work``. This process keeps one engine for all sessions in
    ``work``, until ``close_engine``. The engine's errors become UserErrors, which name the file ``reading`` if one is
    given.
    """
    import duckdb

    config: dict[str, str | bool | int | float | list[str]] = {
        # Several cores are used by several processes, since categories are independent.
        "threads": 1,
        # All chunks of a file have one name, so their content must not come from a cache.
        "enable_external_file_cache": False,
        # Made when needed. What a killed run leaves there is removed with the stages of other inputs.
        "temp_directory": str(work / f".spill-{os.getpid()}"),
    }
    with engine_errors(reading):
        try:
            engine = _engines.get(work) or duckdb.connect(config=config)
            _engines[work] = engine
            engine.execute(f"SET memory_limit = '{memory_mb}MB'")
            # Temporary tables end with the cursor, other tables and views with the attached database.
            with engine.cursor() as connection:
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
            close_engine(work)
            raise


def close_engine(work: Path) -> None:
    """Closes the engine that this process keeps for sessions in ``work``."""
    if work in _engines:
        _engines.pop(work).close()


def set_parameters(connection: "DuckDBPyConnection", options: IngestOptions) -> None:
    """Makes the table of one row from which the portable SQL takes the options."""
    connection.execute(f"CREATE TABLE parameters AS {sql_text('parameters')}", parameters_of(options))
    # Spark's function, for digits in base 16 only: the SQL needs no other base.
    connection.execute("CREATE TEMP MACRO conv(digits, old_base, new_base) AS CAST(concat('0x', digits) AS BIGINT)")


def parquet(paths: Sequence[Path]) -> str:
    """SQL for FROM: the rows of Parquet files. Their names must not hold anything that DuckDB takes for a pattern."""
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

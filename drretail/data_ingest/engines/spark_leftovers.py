"""The lines that Spark leaves: read as the engine of DuckDB reads files, with what only Python can read.

They are few, and the same code judges them, so that every engine keeps and counts them alike.
"""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from drretail.data_ingest.engines.duckdb.reading import (
    HELD,
    IDS,
    REVIEWS,
    FileTask,
    Held,
    read_products,
    read_reviews,
    read_rows,
    write_table,
)
from drretail.data_ingest.engines.duckdb.session import literal, session, share_mb
from drretail.data_ingest.engines.spark_lines import parquet_files
from drretail.data_ingest.report import BadLine
from drretail.data_ingest.sources import Shape, Source
from drretail.files import read_json


@dataclass(frozen=True, slots=True)
class LeftFile:
    """Lines of one source, and the numbers that they have there."""

    source: int
    path: Path
    numbers: "array[int]" = field(default_factory=lambda: array("Q"))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the lines of one source turned out to be; blank lines are no rows."""

    rows: int = 0
    bad: int = 0
    shown: tuple[BadLine, ...] = ()


def write_lines(rows: Iterable[tuple[int, int, bytes]], folder: Path) -> list[LeftFile]:
    """Files of lines by source, from (source, number, line) in the order of both."""
    files = list[LeftFile]()
    for source, lines in groupby(rows, key=itemgetter(0)):
        file = LeftFile(source, folder / f"lines-{source}.jsonl")
        files.append(file)
        with file.path.open("wb") as out:
            for _, number, line in lines:
                out.write(line + b"\n")
                file.numbers.append(number)
    return files


def judge(shape: Shape, file: LeftFile) -> Verdict:
    """What the lines are; ``judged_rows`` gives the good ones."""
    task = _task(shape, file, _judged(file))
    (read_products if shape == "products" else read_reviews)(task, _nobody)
    held = Held.model_validate(read_json(task.stage / HELD))
    shown = tuple(BadLine(line=file.numbers[bad.line - 1], problem=bad.problem) for bad in held.shown)
    return Verdict(held.rows, held.bad_lines, shown)


def judged_rows(shape: Shape, file: LeftFile) -> list[Path]:
    """Parquet files in a folder "judged-<source>" with the good rows; of reviews the bad ones too, without product."""
    stage = _judged(file)
    return [stage / IDS] if shape == "products" else sorted((stage / REVIEWS).glob("*.parquet"))


def keep_rows(file: LeftFile, kept: Path, rank: int, target: Path) -> None:
    """Writes the whole rows of the products in the Parquet folder ``kept`` that are of the category with this rank."""
    if target.is_dir():
        return
    judge("products", file)
    chosen = file.path.with_suffix(".kept.parquet")
    with session(file.path.parent, share_mb(1)) as db:
        of_category = f"SELECT product_id FROM read_parquet({literal(parquet_files(kept))}) WHERE category = {rank}"  # noqa: S608
        write_table(db, of_category, chosen)
    read_rows(_task("products", file, target), _judged(file), chosen, rank, _nobody)


def _judged(file: LeftFile) -> Path:
    return file.path.parent / f"judged-{file.source}"


def _task(shape: Shape, file: LeftFile, stage: Path) -> FileTask:
    state = file.path.stat()
    source = Source(file.path, packed=False, shape=shape)
    return FileTask(file.source, source, state.st_size, state.st_mtime_ns, stage, share_mb(1))


def _nobody(read: int, rows: int) -> None:
    """The bar of the whole step tells enough."""
    del read, rows

"""The files of a plan as lines that Spark can read, and the lines that it left to DuckDB."""

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from glob import escape
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drretail.data_ingest.engines.duckdb.reading import (
    HELD,
    IDS,
    REVIEWS,
    FileTask,
    Held,
    read_file,
    read_rows,
    write_table,
)
from drretail.data_ingest.engines.duckdb.session import close_engine, session, share_mb
from drretail.data_ingest.plan import Input, Plan
from drretail.data_ingest.raw.cells import quoted
from drretail.data_ingest.raw.lines import LAST_MILLISECOND, Saved, save_elements
from drretail.data_ingest.raw.sources import Shape, Source, file_state
from drretail.data_ingest.report import BadLine
from drretail.env.processes import ignore
from drretail.errors import UserError
from drretail.files import read_json

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


# Characters that have a meaning in Spark's path patterns.
_PATTERN = re.compile(r"([\\*?\[\]{},])")
_BATCH = 1000
FileState = tuple[str, int, int, str, str, str | None]


@dataclass(frozen=True, slots=True)
class LineFiles:
    """The files of one shape, under names that say their number in the plan and whether they are packed."""

    paths: dict[int, Path]
    saved: dict[int, Saved]
    """The counts of arrays and mappings. Spark cannot split these, so a pass in Python wrote them as lines."""


@dataclass(frozen=True, slots=True)
class Block:
    """A part of one file that one Spark task read. Its lines have consecutive ids."""

    source: int
    start: int
    lines: int
    plain: int
    first_id: int


@dataclass(slots=True)
class Blocks:
    """All blocks of one shape. They turn Spark's ids into line numbers."""

    blocks: Sequence[Block]
    _before: dict[tuple[int, int], int] = field(default_factory=dict[tuple[int, int], int])

    def __post_init__(self) -> None:
        lines = dict[int, int]()
        for block in sorted(self.blocks, key=lambda block: (block.source, block.start)):
            before = lines.get(block.source, 0)
            self._before[block.source, block.start] = before - block.first_id + 1
            lines[block.source] = before + block.lines

    @property
    def all_plain(self) -> bool:
        return all(block.lines == block.plain for block in self.blocks)

    def plain(self, source: int) -> int:
        return sum(block.plain for block in self.blocks if block.source == source)

    def line(self, source: int, start: int, line_id: int) -> int:
        """The number of a line in its file, from 1."""
        return self._before[source, start] + line_id


def input_state(item: Input) -> FileState:
    """Everything about a file that decides what is selected. The second item is its size."""
    source = item.source
    return str(source.path.resolve()), *file_state(source.path), source.shape, source.layout, item.category


def check_unchanged(plan: Plan, inputs: Sequence[FileState]) -> None:
    """Raises UserError if a file has changed since its state in ``inputs`` was taken."""
    for item, before in zip(plan.inputs, inputs, strict=True):
        if input_state(item) != before:
            path = item.source.path
            raise UserError(f"{path} changed while it was read; run the same command again when it is complete.")


def line_files(plan: Plan, shape: Shape, folder: Path, until_ms: int) -> LineFiles:
    """Links the files of a shape into ``folder``. Arrays and mappings are written out as lines of JSON."""
    files = LineFiles({}, {})
    for number, item in enumerate(plan.inputs):
        source = item.source
        if source.shape != shape:
            continue
        lines = source.layout == "lines"
        # Spark takes the compression from the name and leaves out files whose name begins with a dot or underscore.
        path = folder / f"source-{number}.jsonl{'.gz' if lines and source.packed else ''}"
        if lines:
            path.unlink(missing_ok=True)
            path.symlink_to(source.path.resolve())
        else:
            files.saved[number] = save_elements(source, path, until_ms)
        files.paths[number] = path
    return files


def text_lines(session: "SparkSession", files: LineFiles) -> "DataFrame":
    """Every line, including blank ones, with the columns source, block, id and value. Block and id grow with the place
    in the file.
    """
    if not files.paths:
        return session.sql("SELECT 0 AS source, 0L AS block, 0L AS id, '' AS value WHERE false")
    paths = [local_path(path, pattern=True) for path in files.paths.values()]
    return (
        session.read.option("lineSep", "\n")
        .text(paths)
        .selectExpr(
            "CAST(regexp_extract(_metadata.file_name, 'source-([0-9]+)', 1) AS INT) AS source",
            "_metadata.file_block_start AS block",
            "monotonically_increasing_id() AS id",
            "value",
        )
    )


def local_path(path: Path, *, pattern: bool = False) -> str:
    """A local path as Spark understands it, whatever its default file system is. ``pattern`` escapes characters for
    paths that Spark reads, since it takes these for patterns.
    """
    text = str(path.absolute())
    return "file://" + (_PATTERN.sub(r"\\\1", text) if pattern else text)


def parquet_files(folder: Path) -> str:
    """The pattern by which DuckDB finds the Parquet files of a folder."""
    return f"{escape(str(folder))}/*.parquet"


def parquet_rows(folder: Path, query: str) -> Iterator[tuple[Any, ...]]:
    """The rows of a query over the Parquet files of a folder, in bounded memory. The query calls the
    files ``$files``.
    """
    import duckdb

    with duckdb.connect(config={"threads": 1, "memory_limit": "1GB", "temp_directory": str(folder / "spill")}) as db:
        db.execute("SET enable_progress_bar = false")  # it would go to stdout, where results stand
        cursor = db.execute(query, {"files": parquet_files(folder)})
        while rows := cursor.fetchmany(_BATCH):
            yield from rows


@dataclass(frozen=True, slots=True)
class LeftFile:
    """Lines of one source that DuckDB is to read, with their line numbers in the source."""

    source: int
    path: Path
    numbers: "array[int]" = field(default_factory=lambda: array("Q"))


def write_lines(rows: Iterable[tuple[int, int, bytes]], folder: Path) -> list[LeftFile]:
    """Writes (source, number, line), sorted by both, into one file per source."""
    files = list[LeftFile]()
    for source, lines in groupby(rows, key=itemgetter(0)):
        file = LeftFile(source, folder / f"lines-{source}.jsonl")
        files.append(file)
        with file.path.open("wb") as out:
            for _, number, line in lines:
                out.write(line + b"\n")
                file.numbers.append(number)
    return files


def judge(shape: Shape, file: LeftFile, until_ms: int) -> Held:
    """Reads the lines with DuckDB and counts good and bad rows; blank lines are no rows. ``judged_rows`` gives the good
    ones.
    """
    task = replace(_task(shape, file, _judged(file)), until_ms=until_ms)
    read_file(task, ignore)
    close_engine(task.work)
    held = Held.model_validate(read_json(task.stage / HELD))
    shown = tuple(BadLine(line=file.numbers[bad.line - 1], problem=bad.problem) for bad in held.shown)
    return held.model_copy(update={"shown": shown})


def judged_rows(shape: Shape, file: LeftFile) -> list[Path]:
    """The Parquet files of the good rows, in a folder "judged-<source>". Those of reviews also hold the bad rows, whose
    product is NULL.
    """
    stage = _judged(file)
    return [stage / IDS] if shape == "products" else sorted((stage / REVIEWS).glob("*.parquet"))


def keep_rows(file: LeftFile, kept: Path, rank: int, target: Path) -> None:
    """Writes the whole rows of the kept products of one category. ``kept`` is the Parquet folder of all kept products,
    ``rank`` the category's.
    """
    if target.is_dir():
        return
    judge("products", file, LAST_MILLISECOND)
    chosen = file.path.with_suffix(".kept.parquet")
    with session(file.path.parent, share_mb(1)) as db:
        of_category = f"SELECT product_id FROM read_parquet({quoted(parquet_files(kept))}) WHERE category = {rank}"  # noqa: S608
        write_table(db, of_category, chosen)
    read_rows(_task("products", file, target), _judged(file), chosen, rank, ignore)
    close_engine(file.path.parent)


def _judged(file: LeftFile) -> Path:
    return file.path.parent / f"judged-{file.source}"


def _task(shape: Shape, file: LeftFile, stage: Path) -> FileTask:
    source = Source(file.path, packed=False, shape=shape)
    return FileTask(file.source, source, *file_state(file.path), stage, stage.parent, share_mb(1))

"""The files of a plan as lines that Spark can read, and what it found on them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drretail.data_ingest.lines import Saved, save_elements
from drretail.data_ingest.plan import Input, Plan
from drretail.data_ingest.sources import Shape, reading
from drretail.errors import UserError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_PATTERN = re.compile(r"([\\*?\[\]{},])")
_BATCH = 1000
FileState = tuple[str, int, int, str, str, str | None]


@dataclass(frozen=True, slots=True)
class LineFiles:
    """The files of one shape, each under a name that says its number in the plan and whether it is packed."""

    paths: dict[int, Path]
    saved: dict[int, Saved]
    """Of arrays and mappings, which Spark cannot split: what a pass in Python wrote as lines."""


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of one file that one task read: its lines have consecutive ids."""

    source: int
    start: int
    lines: int
    plain: int
    first_id: int


@dataclass(slots=True)
class Blocks:
    """All blocks of one shape, which turn ids into line numbers."""

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


def file_state(item: Input) -> FileState:
    """Everything about a file that decides what is selected; its size comes second."""
    source = item.source
    with reading(source.path):
        state = source.path.stat()
    return str(source.path.resolve()), state.st_size, state.st_mtime_ns, source.shape, source.layout, item.category


def check_unchanged(plan: Plan, inputs: Sequence[FileState]) -> None:
    """Raises UserError where a file is not what it was when it was named."""
    for item, before in zip(plan.inputs, inputs, strict=True):
        if file_state(item) != before:
            path = item.source.path
            raise UserError(f"{path} changed while it was read; run the same command again when it is complete.")


def line_files(plan: Plan, shape: Shape, folder: Path) -> LineFiles:
    """Links to the files of a shape; arrays and mappings are written out as lines of JSON."""
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
            files.saved[number] = save_elements(source, path)
        files.paths[number] = path
    return files


def text_lines(session: "SparkSession", files: LineFiles) -> "DataFrame":
    """Every line, blank ones too: source, block and id, which grow with the place in the file, and value."""
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
    """A path as Spark understands it whatever its default file system is; what it reads is a pattern."""
    text = str(path.absolute())
    return "file://" + (_PATTERN.sub(r"\\\1", text) if pattern else text)


def parquet_files(folder: Path) -> str:
    """The pattern by which DuckDB finds the Parquet files of a folder."""
    return f"{escape(str(folder))}/*.parquet"


def parquet_rows(folder: Path, query: str) -> Iterator[tuple[Any, ...]]:
    """The rows of a query over the Parquet files of a folder, there called ``$files``, in bounded memory."""
    import duckdb

    with duckdb.connect(config={"threads": 1, "memory_limit": "1GB", "temp_directory": str(folder / "spill")}) as db:
        db.execute("SET enable_progress_bar = false")  # it would go to stdout, where results stand
        cursor = db.execute(query, {"files": parquet_files(folder)})
        while rows := cursor.fetchmany(_BATCH):
            yield from rows

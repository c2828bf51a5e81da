"""The selection on Spark: a cluster reads lines, joins and counts; DuckDB judges the lines that are not plain. A
plan's files are lines that Spark can read.

Workers run nothing but Spark's own operators, so they need Spark and Java, but neither Python nor drretail. They and
this process must see the raw files and ``task.work`` under the same paths. Between the steps all tables are Parquet
files in ``task.work``, from which this process reads what it needs in batches.
"""

import json
import re
from array import array
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drretail.addons.spark.session import LOCAL, PATIENCE_SECONDS, check_installed, spark_session
from drretail.data_ingest.engines.base import Selected, SelectionTask
from drretail.data_ingest.engines.duckdb_reading import (
    HELD,
    IDS,
    REVIEWS,
    FileTask,
    Held,
    close_engines,
    parquet,
    read_file,
    session,
    share_mb,
    write_kept_rows,
    write_table,
)
from drretail.data_ingest.plan import FileReport, IngestPlan, Input
from drretail.data_ingest.raw.lines import LAST_MILLISECOND, Saved, save_elements
from drretail.data_ingest.raw.sources import RawFile, Shape, check_packed, check_unchanged, file_state
from drretail.data_ingest.selected import parquet_rows
from drretail.data_ingest.selection import ACCOUNTS, TABLES, parameters_of, sql_text
from drretail.data_ingest.stages import ignore, keep_only, stage_key
from drretail.errors import UserError
from drretail.files import read_json
from drretail.records.account import Account

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# Characters that have a meaning in Spark's path patterns.
_PATTERN = re.compile(r"([\\*?\[\]{},])")
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
    """Everything about a file that decides what is selected. After its path come its size and time."""
    source = item.source
    return str(source.path.resolve()), *file_state(source.path), source.shape, source.layout, item.category


def line_files(plan: IngestPlan, shape: Shape, folder: Path, until_ms: int) -> LineFiles:
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


def local_path(path: Path, *, pattern: bool = False) -> str:
    """A local path for Spark, whatever its default file system; ``pattern`` escapes what Spark reads as patterns."""
    text = str(path.absolute())
    return "file://" + (_PATTERN.sub(r"\\\1", text) if pattern else text)


@dataclass(frozen=True, slots=True)
class LeftFile:
    """Lines of one source that DuckDB is to read, with their line numbers in the source."""

    source: int
    path: Path
    numbers: "array[int]" = field(default_factory=lambda: array("Q"))


def _write_lines(rows: Iterable[tuple[int, int, bytes]], folder: Path) -> list[LeftFile]:
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


def _count_rows(shape: Shape, file: LeftFile, until_ms: int) -> Held:
    """Reads the lines with DuckDB and counts good and bad rows, not blank ones. ``judged_rows`` gives the good."""
    task = replace(_task(shape, file, _judged(file)), until_ms=until_ms)
    read_file(task, ignore)
    close_engines(task.work)
    held = Held.model_validate(read_json(task.stage / HELD))
    for fate in held.account.left_out.values():
        line, colon, detail = fate.first.partition(":")
        fate.first = line and f"{file.numbers[int(line) - 1]}{colon}{detail}"
    return held


def _account_of(plain: int, saved: Account, left: Account) -> Account:
    """What became of the rows of a file that Spark read, that an array lost, and that were left to DuckDB."""
    whole = Account(left.stage, left.unit)
    whole.add(left)
    whole.take(plain)
    whole.use(plain)
    # Those that were saved are among the plain ones or those left.
    whole.add(replace(saved, came=saved.n_left_out, used=0))
    return whole


def judged_rows(shape: Shape, file: LeftFile) -> list[Path]:
    """The Parquet files of good rows, in a folder "judged-<source>"; reviews' bad rows too, with product NULL."""
    stage = _judged(file)
    return [stage / IDS] if shape == "products" else sorted((stage / REVIEWS).glob("*.parquet"))


def _judged(file: LeftFile) -> Path:
    return file.path.parent / f"judged-{file.source}"


def _task(shape: Shape, file: LeftFile, stage: Path) -> FileTask:
    source = RawFile(file.path, packed=False, shape=shape)
    return FileTask(file.source, source, *file_state(file.path), stage, stage.parent, share_mb(1))


SQL = Path(__file__).with_name("sql")
SHAPES: tuple[Shape, ...] = ("products", "reviews")
# By shape: the table that the portable SQL reads, and those of its columns that a line holds.
_TABLE: dict[Shape, str] = {"products": "product_rows", "reviews": "reviews"}
_FOUND: dict[Shape, tuple[str, ...]] = {
    "products": ("product_id",),
    "reviews": ("user_id", "product_id", "milliseconds"),
}
_SCHEMA: dict[Shape, str] = {
    "products": "product_id STRING",
    "reviews": "user_id STRING, product_id STRING, milliseconds BIGINT",
}
# Columns that only the orders of your own shop have, which Spark does not read.
_NOT_SAID = (
    "CAST(NULL AS STRING) AS order_id",
    "CAST(NULL AS INT) AS quantity",
    "CAST(NULL AS STRING) AS order_status",
    "0 AS utc_offset",
)
# Tables that only one later step reads are not written.
_READ_ONCE = ("repeated", "interactions")
# As JSON text, because rows of Python objects would need Python on the workers.
_INPUTS = "SELECT inline(from_json(:inputs, 'ARRAY<STRUCT<source: INT, category: INT>>'))"
_LEFT = "SELECT source, block, id, line FROM {} ORDER BY source, block, id"
_SOURCE = re.compile(r"source-(\d+)\.jsonl")


def select(task: SelectionTask, *, patience: float = PATIENCE_SECONDS) -> Selected:
    """Runs Algorithm 1 on the task's master, by default on all cores of this machine.

    Raises UserError if pyspark, Java or a file fails, or if the cluster has no worker for ``patience`` seconds.
    """
    if task.options.mapping is not None:
        raise UserError("A shop of your own is read by DuckDB: leave --engine spark out.")
    check_installed()
    from pyspark import __version__

    inputs = list(map(input_state, task.plan.inputs))
    key = stage_key(__version__, task.options.model_dump(mode="json"), task.plan.categories, inputs, task.until_ms)
    keep_only(task.work, {key})
    work = task.work / key
    work.mkdir(exist_ok=True)
    master = task.master or LOCAL
    task.progress.note(f"Starting Spark at {master}.")
    size = sum(size for _, size, *_ in inputs)
    with spark_session(master, work, size, patience=patience) as session:
        selection = _Selection(session, task, work)
        with task.progress.track("reading files on Spark"), _named_file(task):
            files = selection.load()
        with task.progress.track("selecting products and orders on Spark"):
            selection.select()
            tables = {name: selection.query(name) for name in ACCOUNTS}
        if not task.counts_only:
            with task.progress.track("reading the products that are kept"), _named_file(task):
                selection.keep()
        for item, (_, size, modified, *_) in zip(task.plan.inputs, inputs, strict=True):
            check_unchanged(item.source.path, size, modified)
        return Selected(session.version, files, tables, selection.kept_rows, selection.orders)


class _Selection:
    """One run of the selection. Every table is Parquet in a folder below ``work``; existing ones are reused."""

    def __init__(self, session: "SparkSession", task: SelectionTask, work: Path) -> None:
        self._session, self._task, self._work = session, task, work
        self.kept_rows, self.orders = work / "kept_rows", work / "orders"
        self.kept_rows.mkdir(exist_ok=True)
        parameters = session.sql(sql_text("parameters").replace("$", ":"), args=parameters_of(task.options))
        parameters.createOrReplaceTempView("parameters")
        categories = [
            {"source": number, "category": task.plan.rank(item.category)}
            for number, item in enumerate(task.plan.inputs)
            if item.source.shape == "products" and item.category is not None
        ]
        inputs = session.sql(_INPUTS, args={"inputs": json.dumps(categories)})
        inputs.createOrReplaceTempView("inputs")

    def load(self) -> list[FileReport]:
        """Fills the tables that the portable SQL reads. Returns a report on each file, in the order of the plan."""
        reports = dict[int, FileReport]()
        for shape in SHAPES:
            files = line_files(self._task.plan, shape, self._folder(f"files-{shape}"), self._task.until_ms)
            blocks = self._read(shape, files)
            left = list[LeftFile]()
            if not blocks.all_plain:
                # Lines that are not plain are written to disk, where DuckDB in this process reads them.
                lines = self._session.table(f"{shape}_lines").where("product_id IS NULL")
                self._keep(f"{shape}_left", lines.select("source", "block", "id", "line"))
                leftovers = parquet_rows(self._work / f"{shape}_left", _LEFT)
                rows = ((source, blocks.line(source, start, number), line) for source, start, number, line in leftovers)
                left = _write_lines(rows, self._folder(f"files-left-{shape}"))
            verdicts = {file.source: _count_rows(shape, file, self._task.until_ms) for file in left}
            table = self._session.table(f"{shape}_lines").select("source", *_FOUND[shape])
            judged = [local_path(path, pattern=True) for file in left for path in judged_rows(shape, file)]
            if judged:
                number = "CAST(regexp_extract(_metadata.file_path, 'judged-([0-9]+)/', 1) AS INT) AS source"
                good = self._session.read.schema(_SCHEMA[shape]).parquet(*judged)
                table = table.unionByName(good.selectExpr(number, *_FOUND[shape]))
            table = table.where("product_id IS NOT NULL")
            if shape == "products":
                table = table.join(self._session.table("inputs"), "source")
            else:
                table = table.selectExpr("*", *_NOT_SAID)
            table.createOrReplaceTempView(_TABLE[shape])
            for number in files.paths:
                item = self._task.plan.inputs[number]
                saved, verdict = files.saved.get(number, Saved()), verdicts.get(number, Held())
                reports[number] = FileReport(
                    name=item.name,
                    shape=item.source.shape,
                    category=item.category,
                    account=_account_of(blocks.plain(number), saved.account, verdict.account),
                )
        return [reports[number] for number in range(len(self._task.plan.inputs))]

    def select(self) -> None:
        """Runs the portable SQL."""
        for name in TABLES:
            table = self._session.sql(sql_text(name))
            if name in _READ_ONCE:
                table.createOrReplaceTempView(name)
            else:
                self._keep(name, table)

    def query(self, name: str) -> list[dict[str, Any]]:
        """The rows of one of the small queries of sql/."""
        return [row.asDict() for row in self._session.sql(sql_text(name)).collect()]

    def keep(self) -> None:
        """Writes the whole rows of the kept products."""
        lines = self._work / "kept_lines"
        _write(self._session.sql(sql_text("kept_lines", SQL)), lines)
        rows = ((source, 0, line) for source, _, _, line in parquet_rows(lines, _LEFT))
        for file in _write_lines(rows, self._folder("files-kept")):
            rank = self._task.plan.rank(self._task.plan.inputs[file.source].category or "")
            target = self.kept_rows / str(file.source)
            if target.is_dir():
                continue
            _count_rows("products", file, LAST_MILLISECOND)
            chosen = file.path.with_suffix(".kept.parquet")
            with session(file.path.parent, share_mb(1)) as db:
                kept = parquet(sorted((self._work / "kept").glob("*.parquet")))
                of_category = f"SELECT product_id FROM {kept} WHERE category = {rank}"  # noqa: S608
                write_table(db, of_category, chosen)
            write_kept_rows(_task("products", file, target), _judged(file), chosen, rank, ignore)
            close_engines(file.path.parent)

    def _read(self, shape: Shape, files: LineFiles) -> Blocks:
        """Reads a shape's lines once. Then <shape>_lines has the fields of plain lines and the text of the others."""
        from pyspark.sql.functions import expr

        # Every line, blank ones too. Block and id grow with the place in the file.
        text = self._session.sql("SELECT 0 AS source, 0L AS block, 0L AS id, '' AS value WHERE false")
        if files.paths:
            paths = [local_path(path, pattern=True) for path in files.paths.values()]
            text = self._session.read.option("lineSep", "\n").text(paths)
            text = text.selectExpr(
                "CAST(regexp_extract(_metadata.file_name, 'source-([0-9]+)', 1) AS INT) AS source",
                "_metadata.file_block_start AS block",
                "monotonically_increasing_id() AS id",
                "value",
            )
        text.createOrReplaceTempView(f"{shape}_text")
        plain_lines = sql_text(f"plain_{shape}", SQL).replace("$until", str(self._task.until_ms))
        self._session.sql(plain_lines).createOrReplaceTempView(f"plain_{shape}")
        plain = self._session.table(f"plain_{shape}")
        line = "CASE WHEN product_id IS NULL THEN CAST(value AS BINARY) END AS line"
        self._keep(f"{shape}_lines", plain.selectExpr("source", "block", "id", *_FOUND[shape], line))
        counted = ("count(*) AS lines", "count(product_id) AS plain", "min(id) AS first_id")
        lines = self._session.table(f"{shape}_lines").groupBy("source", "block")
        counts = lines.agg(*map(expr, counted))
        return Blocks([Block(*row) for row in counts.collect()])

    def _keep(self, name: str, frame: "DataFrame") -> None:
        """Writes a table, so that no later step computes it again, and names it for SQL."""
        folder = self._work / name
        _write(frame, folder)
        self._session.read.schema(frame.schema).parquet(local_path(folder, pattern=True)).createOrReplaceTempView(name)

    def _folder(self, name: str) -> Path:
        folder = self._work / name
        folder.mkdir(exist_ok=True)
        return folder


def _write(frame: "DataFrame", folder: Path) -> None:
    """Writes a table as Parquet, unless a complete one exists."""
    if not (folder / "_SUCCESS").exists():
        frame.write.mode("overwrite").parquet(local_path(folder))


@contextmanager
def _named_file(task: SelectionTask) -> Generator[None]:
    """Turns Spark's error at a file into a UserError that names the user's file, and says if it is cut or damaged."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (Py4JError, PySparkException) as problem:
        match = _SOURCE.search(str(problem))
        if match is None:
            raise
        source = task.plan.inputs[int(match[1])].source
        if source.packed:
            check_packed(source.path)
        raise UserError(f"{source.path} cannot be read on every worker: it must have this path there too.") from problem

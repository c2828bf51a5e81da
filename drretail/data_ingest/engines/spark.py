"""The selection on Spark: a cluster reads lines, joins and counts; DuckDB judges the lines that are not plain.

Workers run nothing but Spark's own operators, so that they need Spark and Java, and neither Python nor drretail. They
and this process must see the raw files and ``task.work`` under the same paths. Between the steps everything lies in
``task.work`` as Parquet, and this process reads from there what it needs, in batches.
"""

import json
import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drretail.data_ingest.engines.base import Selected, Task
from drretail.data_ingest.engines.spark_lines import (
    Block,
    Blocks,
    LeftFile,
    LineFiles,
    Verdict,
    check_unchanged,
    file_state,
    judge,
    judged_rows,
    keep_rows,
    line_files,
    local_path,
    parquet_rows,
    text_lines,
    write_lines,
)
from drretail.data_ingest.engines.spark_session import (
    LOCAL,
    PATIENCE_SECONDS,
    check_installed,
    spark_session,
    spark_version,
)
from drretail.data_ingest.raw.lines import Saved
from drretail.data_ingest.raw.sources import Shape, open_binary
from drretail.data_ingest.report import FileReport
from drretail.data_ingest.selection import ACCOUNTS, TABLES, sql_text
from drretail.data_ingest.stages import keep_only, stage_key
from drretail.errors import UserError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SHAPES: tuple[Shape, ...] = ("products", "reviews")
# Of each shape: the table that the portable SQL reads, and what a line holds of it.
_TABLE: dict[Shape, str] = {"products": "product_rows", "reviews": "reviews"}
_FOUND: dict[Shape, tuple[str, ...]] = {
    "products": ("product_id",),
    "reviews": ("user_id", "product_id", "milliseconds"),
}
_SCHEMA: dict[Shape, str] = {
    "products": "product_id STRING",
    "reviews": "user_id STRING, product_id STRING, milliseconds BIGINT",
}
# What only the orders of one's own shop say, which Spark does not read.
_NOT_SAID = (
    "CAST(NULL AS STRING) AS order_id",
    "CAST(NULL AS INT) AS quantity",
    "CAST(NULL AS STRING) AS order_status",
)
_PARAMETERS = """
    SELECT :seed AS seed, CAST(:since AS BIGINT) AS since, CAST(:cap AS BIGINT) AS cap, :cap_by AS cap_by,
        CAST(:min_interactions AS BIGINT) AS min_interactions, CAST(:vary_orders AS BOOLEAN) AS vary_orders,
        :holdout AS holdout
"""
# Tables that only one later step reads are not written.
_READ_ONCE = ("repeated", "interactions", "order_hashes")
# As a text, because rows that are handed over as Python's come to the workers through a Python there.
_INPUTS = "SELECT inline(from_json(:inputs, 'ARRAY<STRUCT<source: INT, category: INT>>'))"
_LEFT = "SELECT source, block, id, line FROM read_parquet($files) ORDER BY source, block, id"
_SOURCE = re.compile(r"source-(\d+)\.jsonl")


def select(task: Task, *, patience: float = PATIENCE_SECONDS) -> Selected:
    """Runs Algorithm 1 on the master of the task, by default on all cores of this machine.

    Raises UserError where pyspark, Java or a file fails, and where the cluster has no worker for ``patience`` seconds.
    """
    if task.options.mapping is not None:
        raise UserError("A shop of your own is read by DuckDB: leave --engine spark out.")
    check_installed()
    inputs = list(map(file_state, task.plan.inputs))
    key = stage_key(spark_version(), task.options.model_dump(mode="json"), task.plan.categories, inputs)
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
        check_unchanged(task.plan, inputs)
        return Selected(session.version, files, tables, selection.kept_rows, selection.orders)


class _Selection:
    """One run; every table is Parquet in a folder below ``work``, and is not made again if it is there."""

    def __init__(self, session: "SparkSession", task: Task, work: Path) -> None:
        self._session, self._task, self._work = session, task, work
        self.kept_rows, self.orders = work / "kept_rows", work / "orders_out"
        self.kept_rows.mkdir(exist_ok=True)
        options = task.options
        given = {
            "seed": options.seed,
            "since": options.since_ms,
            "cap": options.cap,
            "cap_by": options.cap_by,
            "min_interactions": options.min_interactions,
            "vary_orders": options.vary_orders,
            "holdout": options.holdout,
        }
        session.sql(_PARAMETERS, args=given).createOrReplaceTempView("parameters")
        categories = [
            {"source": number, "category": task.plan.rank(item.category)}
            for number, item in enumerate(task.plan.inputs)
            if item.source.shape == "products" and item.category is not None
        ]
        inputs = session.sql(_INPUTS, args={"inputs": json.dumps(categories)})
        inputs.createOrReplaceTempView("inputs")

    def load(self) -> list[FileReport]:
        """Fills the tables that the portable SQL reads; what each file held, in the order of the plan."""
        reports = dict[int, FileReport]()
        for shape in SHAPES:
            files = line_files(self._task.plan, shape, self._folder(f"files-{shape}"))
            blocks = self._read(shape, files)
            left = [] if blocks.all_plain else self._left(shape, blocks)
            verdicts = {file.source: judge(shape, file) for file in left}
            table = self._session.table(f"{shape}_lines").select("source", *_FOUND[shape])
            judged = [local_path(path, pattern=True) for file in left for path in judged_rows(shape, file)]
            if judged:
                source = "CAST(regexp_extract(_metadata.file_path, 'judged-([0-9]+)/', 1) AS INT) AS source"
                rows = self._session.read.schema(_SCHEMA[shape]).parquet(*judged)
                table = table.unionByName(rows.selectExpr(source, *_FOUND[shape]))
            table = table.where("product_id IS NOT NULL")
            if shape == "products":
                table = table.join(self._session.table("inputs"), "source")
            else:
                table = table.selectExpr("*", *_NOT_SAID)
            table.createOrReplaceTempView(_TABLE[shape])
            reports |= {number: self._report(number, files, blocks, verdicts) for number in files.paths}
        return [reports[number] for number in range(len(self._task.plan.inputs))]

    def select(self) -> None:
        """Runs the portable SQL."""
        for name in TABLES:
            table = self._session.sql(sql_text(name))
            if name in _READ_ONCE:
                table.createOrReplaceTempView(name)
            else:
                self._keep(name, table)
        if not self._task.counts_only:
            _write(self._session.sql(sql_text("order_rows")), self.orders)

    def query(self, name: str) -> list[dict[str, Any]]:
        """The rows of one of the small queries of sql/."""
        return [row.asDict() for row in self._session.sql(sql_text(name)).collect()]

    def keep(self) -> None:
        """Fetches the whole lines of the products that are kept."""
        lines = self._work / "kept_lines"
        _write(self._session.sql(sql_text("spark/kept_lines")), lines)
        rows = ((source, 0, line) for source, _, _, line in parquet_rows(lines, _LEFT))
        for file in write_lines(rows, self._folder("files-kept")):
            rank = self._task.plan.rank(self._task.plan.inputs[file.source].category or "")
            keep_rows(file, self._work / "kept", rank, self.kept_rows / str(file.source))

    def _read(self, shape: Shape, files: LineFiles) -> Blocks:
        """Reads every line of a shape once; afterwards <shape>_lines has what is plain, and the text of what is not."""
        from pyspark.sql.functions import expr

        text_lines(self._session, files).createOrReplaceTempView(f"{shape}_text")
        self._session.sql(sql_text(f"spark/plain_{shape}")).createOrReplaceTempView(f"plain_{shape}")
        plain = self._session.table(f"plain_{shape}")
        line = "CASE WHEN product_id IS NULL THEN CAST(value AS BINARY) END AS line"
        self._keep(f"{shape}_lines", plain.selectExpr("source", "block", "id", *_FOUND[shape], line))
        counted = ("count(*) AS lines", "count(product_id) AS plain", "min(id) AS first_id")
        lines = self._session.table(f"{shape}_lines").groupBy("source", "block")
        counts = lines.agg(*map(expr, counted))
        return Blocks([Block(*row) for row in counts.collect()])

    def _left(self, shape: Shape, blocks: Blocks) -> list[LeftFile]:
        """The lines that are not plain, on the disk of this process."""
        name = f"{shape}_left"
        left = self._session.table(f"{shape}_lines").where("product_id IS NULL").select("source", "block", "id", "line")
        self._keep(name, left)
        found = parquet_rows(self._work / name, _LEFT)
        rows = ((source, blocks.line(source, start, number), line) for source, start, number, line in found)
        return write_lines(rows, self._folder(f"files-left-{shape}"))

    def _report(self, number: int, files: LineFiles, blocks: Blocks, verdicts: Mapping[int, Verdict]) -> FileReport:
        item = self._task.plan.inputs[number]
        saved, verdict = files.saved.get(number, Saved()), verdicts.get(number, Verdict())
        return FileReport(
            name=item.name,
            shape=item.source.shape,
            category=item.category,
            rows=blocks.plain(number) + verdict.rows + saved.bad,
            bad_lines=verdict.bad + saved.bad,
            shown=tuple(saved.shown) + verdict.shown,
        )

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
    """Writes a table as Parquet, unless it lies there complete."""
    if not (folder / "_SUCCESS").exists():
        frame.write.mode("overwrite").parquet(local_path(folder))


@contextmanager
def _named_file(task: Task) -> Generator[None]:
    """Where Spark failed at a file, says which one of the person's it was, and whether it is cut or damaged."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (Py4JError, PySparkException) as problem:
        found = _SOURCE.search(str(problem))
        if found is None:
            raise
        source = task.plan.inputs[int(found[1])].source
        with open_binary(source.path, source.packed) as file:
            while file.read(1 << 20):
                pass  # to its end, where a cut one is noticed
        raise UserError(f"{source.path} cannot be read on every worker: it must have this path there too.") from problem

"""DuckDB on one machine: ``select`` runs the stages in their order, Algorithm 1 over one category at a time, then
over all together. Tables are Parquet files in stages, memory is bounded.

The SQL is the one that every engine runs.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drretail.data_ingest.engines.base import Selected, SelectionTask
from drretail.data_ingest.engines.duckdb_reading import (
    HELD,
    IDS,
    REVIEWS,
    TALLY,
    FileTask,
    Held,
    close_engines,
    interrupt_engines,
    parquet,
    read_file,
    reviews_of,
    session,
    set_parameters,
    share_mb,
    write_kept_rows,
    write_table,
)
from drretail.data_ingest.plan import FileReport, IngestSettings, Input
from drretail.data_ingest.raw.sources import file_state
from drretail.data_ingest.selection import ACCOUNTS, sql_text
from drretail.data_ingest.stages import Job, Meter, Tell, do_all, ignore, keep_only, making, stage_key
from drretail.files import read_json, write_json
from drretail.records.base import FORMAT, file_name

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

ELIGIBLE, KEPT, HASHES = "eligible.parquet", "kept.parquet", "order_hashes.parquet"
ORDERS, ACCOUNTED = "orders", "accounts.json"
_NO_REVIEWS = (
    "SELECT 0 AS source, '' AS user_id, '' AS product_id, CAST(0 AS BIGINT) AS milliseconds, "
    "'' AS order_id, 0 AS quantity, '' AS order_status, 0 AS utc_offset WHERE false"
)
_NO_TALLY = (
    "SELECT 0 AS source, '' AS product_id, CAST(0 AS BIGINT) AS reviews, CAST(0 AS BIGINT) AS recent WHERE false"
)


def select(task: SelectionTask) -> Selected:
    """Runs Algorithm 1 in ``task.workers`` threads with an engine each; their number does not change the result."""
    import duckdb

    stages = _Stages(task, duckdb.__version__)
    keep_only(task.work, stages.names())
    given = SelectTask(
        options=task.options,
        ids=[
            (file.number, task.plan.rank(item.category or ""), file.stage)
            for file, item in zip(stages.files, task.plan.inputs, strict=True)
            if item.source.shape == "products"
        ],
        reviews=[(file.number, file.stage) for file in stages.files if file.source.shape == "reviews"],
        work=task.work,
        memory_mb=share_mb(task.workers),
    )
    alone = replace(given, memory_mb=share_mb(1))
    with ExitStack() as ending:
        ending.callback(close_engines, task.work)
        with ThreadPoolExecutor(task.workers) as threads:
            do = partial(do_all, threads, stop=partial(interrupt_engines, task.work))
            _read_files(task, stages, do)
            steps: list[list[tuple[Path, Job]]] = [
                [(stages.assigned, partial(assign_products, alone, range(len(task.plan.categories)), stages.assigned))],
                [
                    (stage, partial(select_category, given, stages.assigned / f"{rank}.parquet", stage))
                    for rank, stage in enumerate(stages.selected)
                ],
            ]
            with task.progress.track("selecting products and orders"):
                for step in steps:
                    do([job for stage, job in step if not stage.is_dir()], ignore)
            if not task.counts_only:
                _read_kept_rows(task, stages, do)
        # The tables of all categories take most memory: they come when the other engines are closed.
        close_engines(task.work)
        if not stages.merged.is_dir():
            with task.progress.track("giving the orders their ids"):
                merge_categories(alone, stages.selected, stages.merged, ignore)
    accounts = read_json(stages.merged / ACCOUNTED)
    return Selected(
        version=duckdb.__version__,
        files=[_file_report(item, file) for item, file in zip(task.plan.inputs, stages.files, strict=True)],
        tables={name: accounts[name] for name in ACCOUNTS},
        kept_rows=stages.rows,
        orders=stages.merged / ORDERS,
    )


def _read_files(task: SelectionTask, stages: "_Stages", do: Callable[[Sequence[Job], Tell], None]) -> None:
    files = [file for file in stages.files if not file.stage.is_dir()]
    # The largest first, so that no thread ends with a large file while the others wait.
    jobs: list[Job] = [partial(read_file, file) for file in sorted(files, key=lambda file: (-file.size, file.number))]
    with Meter.over(task.progress, "reading files", sum(file.size for file in files), len(files)) as meter:
        do(jobs, meter.tell)


def _read_kept_rows(task: SelectionTask, stages: "_Stages", do: Callable[[Sequence[Job], Tell], None]) -> None:
    """Reads the product files once more, for the whole rows of the kept products."""
    jobs, size = list[Job](), 0
    for file, item in zip(stages.files, task.plan.inputs, strict=True):
        stage = stages.rows / str(file.number)
        if item.source.shape != "products" or stage.is_dir():
            continue
        rank = task.plan.rank(item.category or "")
        kept = stages.selected[rank] / KEPT
        jobs.append(partial(write_kept_rows, replace(file, stage=stage), file.stage, kept, rank))
        size += file.size
    with Meter.over(task.progress, "reading the products that are kept", size, len(jobs)) as meter:
        do(jobs, meter.tell)


class _Stages:
    """The folder of each stage, named by what it holds and a hash of everything that decides the content."""

    def __init__(self, task: SelectionTask, version: str) -> None:
        work, plan, options = task.work, task.plan, task.options.model_dump(mode="json")
        memory = share_mb(task.workers)
        self.files = [_file_task(number, item, task, version, memory) for number, item in enumerate(plan.inputs)]
        key = stage_key(version, options, plan.categories, [(file.stage.name, file.number) for file in self.files])
        self.assigned = work / f"assigned-{key}"
        self.selected = [work / f"selected-{file_name(name)}-{key}" for name in plan.categories]
        self.merged = work / f"merged-{key}"
        self.rows = work / f"rows-{key}"

    def names(self) -> set[str]:
        files = [file.stage for file in self.files]
        return {stage.name for stage in (*files, self.assigned, *self.selected, self.merged, self.rows)}


def _file_task(number: int, item: Input, task: SelectionTask, version: str, memory_mb: int) -> FileTask:
    size, modified = file_state(item.source.path)
    since = task.options.since_ms if item.source.shape == "reviews" else 0
    # Sale prices of a table count on their days.
    until = task.until_ms if item.source.shape == "reviews" or item.source.mapping is not None else 0
    named = str(item.source.path.resolve())
    mapping = None if item.source.mapping is None else item.source.mapping.model_dump(mode="json")
    shape, layout = item.source.shape, item.source.layout
    beside = [(str(path), *file_state(path)) for path in item.source.beside]
    key = stage_key(version, named, size, modified, shape, layout, mapping, beside, since, until)
    # Stored reviews hold their file's number in the plan, so the stage depends on it.
    place = f"-{number}" if item.source.shape == "reviews" else ""
    return FileTask(
        number=number,
        source=item.source,
        size=size,
        modified=modified,
        stage=task.work / f"{item.source.shape}-{file_name(item.category or 'none')}-{key}{place}",
        work=task.work,
        memory_mb=memory_mb,
        since_ms=since,
        until_ms=until,
    )


def _file_report(item: Input, file: FileTask) -> FileReport:
    held = Held.model_validate(read_json(file.stage / HELD))
    counts = held.model_dump(exclude={"format"})
    return FileReport(name=item.name, shape=item.source.shape, category=item.category, **counts)


@dataclass(frozen=True, slots=True)
class SelectTask:
    """The stages of all files, for the selection. Files go by their number in the plan."""

    options: IngestSettings
    ids: Sequence[tuple[int, int, Path]]
    """The product files: number, rank of the category, stage."""
    reviews: Sequence[tuple[int, Path]]
    """The review files: number, stage."""
    work: Path
    memory_mb: int


def assign_products(task: SelectTask, ranks: Sequence[int], stage: Path, tell: Tell) -> None:
    """Assigns each product to one category. Writes one file of product ids per category, named by its rank."""
    del tell
    with making(stage) as folder, session(task.work, task.memory_mb) as db:
        _view_product_rows(db, task)
        db.execute(f"CREATE TABLE products AS {sql_text('products')}")
        for rank in ranks:
            query = f"SELECT product_id, category FROM products WHERE category = {rank}"  # noqa: S608 -- a number
            write_table(db, query, folder / f"{rank}.parquet")


def select_category(task: SelectTask, products: Path, stage: Path, tell: Tell) -> None:
    """Selects the products that a category keeps and their orders, which get their ids in ``merge_categories``."""
    del tell
    with making(stage) as folder, session(task.work, task.memory_mb) as db:
        set_parameters(db, task.options)
        db.execute(f"CREATE TABLE products AS FROM {parquet([products])}")
        tally = f"SELECT t.* FROM ({_tallies(task)}) t SEMI JOIN products p ON p.product_id = t.product_id"  # noqa: S608
        # Your own shop is one category, to which the products belong that are gone.
        db.execute(f"CREATE TABLE tally AS {_tallies(task) if task.options.mapping else tally}")
        # Any file may hold reviews of this category, but most hold none and are not read.
        sources = {row[0] for row in db.execute("SELECT DISTINCT source FROM tally WHERE recent > 0").fetchall()}
        files = [
            (number, sorted((stage / REVIEWS).glob("*.parquet"))) for number, stage in task.reviews if number in sources
        ]
        db.execute(f"CREATE VIEW reviews AS {(reviews_of(files) if files else _NO_REVIEWS)}")
        for name in ("candidates", "repeated", "eligible", "kept", "gone"):
            db.execute(f"CREATE TABLE {name} AS {sql_text(name)}")
        db.execute(f"CREATE VIEW interactions AS {sql_text('interactions')}")
        write_table(db, "FROM eligible", folder / ELIGIBLE)
        write_table(db, "FROM kept", folder / KEPT)
        write_table(db, sql_text("order_hashes"), folder / HASHES)


def merge_categories(task: SelectTask, stages: Sequence[Path], stage: Path, tell: Tell) -> None:
    """Gives the orders of all categories their ids, and counts the numbers of the report."""
    del tell
    with making(stage) as folder, session(task.work, task.memory_mb) as db:
        set_parameters(db, task.options)
        _view_product_rows(db, task)
        for name, file in (("eligible", ELIGIBLE), ("kept", KEPT), ("order_hashes", HASHES)):
            db.execute(f"CREATE VIEW {name} AS FROM {parquet([selected / file for selected in stages])}")
        db.execute(f"CREATE TABLE tally AS {_tallies(task)}")
        for name in ("products", "gone", "shared_ids"):
            db.execute(f"CREATE TABLE {name} AS {sql_text(name)}")
        (folder / ORDERS).mkdir()
        write_table(db, sql_text("orders"), folder / ORDERS / "0.parquet")
        db.execute(f"CREATE VIEW orders AS FROM {parquet([folder / ORDERS / '0.parquet'])}")
        accounts: dict[str, Any] = {"format": FORMAT}
        for name in ACCOUNTS:
            cursor = db.execute(sql_text(name))
            columns = [column[0] for column in cursor.description or ()]
            accounts[name] = [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]
        write_json(folder / ACCOUNTED, accounts)


def _view_product_rows(db: "DuckDBPyConnection", task: SelectTask) -> None:
    parts = " UNION ALL ".join(
        f"SELECT {number} AS source, {rank} AS category, product_id FROM {parquet([stage / IDS])}"  # noqa: S608
        for number, rank, stage in task.ids
    )
    db.execute(f"CREATE VIEW product_rows AS {parts}")


def _tallies(task: SelectTask) -> str:
    files = [stage / TALLY for _, stage in task.reviews]
    return f"SELECT source, product_id, reviews, recent FROM {parquet(files)}" if files else _NO_TALLY  # noqa: S608

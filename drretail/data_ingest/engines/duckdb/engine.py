"""The stages of a selection: what is there already is not made again."""

from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from drretail.data_ingest.engines.base import Selected, Task
from drretail.data_ingest.engines.duckdb.reading import (
    HELD,
    FileTask,
    Held,
    read_products,
    read_reviews,
    read_rows,
)
from drretail.data_ingest.engines.duckdb.selecting import (
    ACCOUNTED,
    KEPT,
    ORDERS,
    SelectTask,
    assign_products,
    merge_categories,
    select_category,
)
from drretail.data_ingest.engines.duckdb.session import close_engine, share_mb
from drretail.data_ingest.plan import Input
from drretail.data_ingest.progress_meter import Meter
from drretail.data_ingest.raw.sources import file_state
from drretail.data_ingest.report import FileReport
from drretail.data_ingest.selection import ACCOUNTS
from drretail.data_ingest.stages import keep_only, stage_key
from drretail.files import read_json
from drretail.processes import Job, WorkerPool, ignore
from drretail.records.ids import file_name


def select(task: Task) -> Selected:
    """Runs Algorithm 1 in ``task.workers`` processes of one thread each; their number does not change the result."""
    import duckdb

    stages = _Stages(task, duckdb.__version__)
    keep_only(task.work, stages.names())
    with WorkerPool(task.workers) as worker_pool, ExitStack() as ending:
        ending.callback(close_engine, task.work)
        _read(task, stages, worker_pool)
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
        ranks = range(len(task.plan.categories))
        steps: list[list[tuple[Path, Job]]] = [
            [(stages.assigned, partial(assign_products, alone, ranks, stages.assigned))],
            [
                (stage, partial(select_category, given, stages.assigned / f"{rank}.parquet", stage))
                for rank, stage in enumerate(stages.selected)
            ],
            [(stages.merged, partial(merge_categories, alone, stages.selected, stages.merged))],
        ]
        with task.progress.track("selecting products and orders"):
            for step in steps:
                worker_pool.do([job for stage, job in step if not stage.is_dir()], ignore)
        accounts = read_json(stages.merged / ACCOUNTED)
        tables: dict[str, list[dict[str, Any]]] = {name: accounts[name] for name in ACCOUNTS}
        if not task.counts_only:
            # The product files are read once more, for the whole rows of what is kept.
            jobs, size = list[Job](), 0
            for file, item in zip(stages.files, task.plan.inputs, strict=True):
                stage = stages.rows / str(file.number)
                if item.source.shape != "products" or stage.is_dir():
                    continue
                rank = task.plan.rank(item.category or "")
                kept = stages.selected[rank] / KEPT
                jobs.append(partial(read_rows, replace(file, stage=stage), file.stage, kept, rank))
                size += file.size
            with Meter.over(task.progress, "reading the products that are kept", size, len(jobs)) as meter:
                worker_pool.do(jobs, meter.tell)
    return Selected(
        version=duckdb.__version__,
        files=[_file_report(item, file) for item, file in zip(task.plan.inputs, stages.files, strict=True)],
        tables=tables,
        kept_rows=stages.rows,
        orders=stages.merged / ORDERS,
    )


class _Stages:
    """Where each stage lies. A name says what the stage holds and ends in a hash of everything that decides it."""

    def __init__(self, task: Task, version: str) -> None:
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


def _file_task(number: int, item: Input, task: Task, version: str, memory_mb: int) -> FileTask:
    size, modified = file_state(item.source.path)
    since = task.options.since_ms if item.source.shape == "reviews" else 0
    named = str(item.source.path.resolve())
    mapping = None if item.source.mapping is None else item.source.mapping.model_dump(mode="json")
    shape, layout = item.source.shape, item.source.layout
    beside = [(str(path), *file_state(path)) for path in item.source.beside]
    key = stage_key(version, named, size, modified, shape, layout, mapping, beside, since)
    # Reviews carry the number of their file, by which they are counted.
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
    )


def _read(task: Task, stages: _Stages, worker_pool: WorkerPool) -> None:
    files = [file for file in stages.files if not file.stage.is_dir()]
    # The largest first: at the end, no worker is left with one of them alone.
    jobs: list[Job] = [
        partial(read_reviews if file.source.shape == "reviews" else read_products, file)
        for file in sorted(files, key=lambda file: (-file.size, file.number))
    ]
    with Meter.over(task.progress, "reading files", sum(file.size for file in files), len(files)) as meter:
        worker_pool.do(jobs, meter.tell)


def _file_report(item: Input, file: FileTask) -> FileReport:
    held = Held.model_validate(read_json(file.stage / HELD))
    return FileReport(
        name=item.name,
        shape=item.source.shape,
        category=item.category,
        rows=held.rows,
        bad_lines=held.bad_lines,
        shown=held.shown,
        notes=held.notes,
        first=held.first,
    )

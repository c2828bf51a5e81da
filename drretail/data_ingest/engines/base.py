"""The interface between the steps of an ingest and its engines; the package's docstring explains it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from drretail.data_ingest.plan import IngestOptions, Plan
from drretail.data_ingest.raw.lines import LAST_MILLISECOND
from drretail.data_ingest.report import FileReport
from drretail.errors import UserError, install_line
from drretail.progress import Progress

EngineName = Literal["duckdb", "spark"]


@dataclass(frozen=True, slots=True)
class Task:
    """One selection for an engine to run."""

    plan: Plan
    options: IngestOptions
    work: Path
    """An existing folder for the engine's files. It is removed when the world is complete and stays
    after a killed run.
    """
    progress: Progress
    workers: int = 1
    master: str | None = None
    """The address of a Spark cluster, or "local[N]"; None leaves the choice to the engine."""
    counts_only: bool = False
    until_ms: int = LAST_MILLISECOND
    """Rows that are dated later are bad."""


@dataclass(frozen=True, slots=True)
class Selected:
    """An engine's result; the package's docstring describes each part."""

    version: str
    files: Sequence[FileReport]
    tables: Mapping[str, list[dict[str, Any]]]
    kept_rows: Path
    """source INTEGER, number BIGINT, product_id VARCHAR, category INTEGER (its rank); ``ROW_FIELDS`` as VARCHAR."""
    orders: Path


def load_engine(name: EngineName) -> Callable[[Task], Selected]:
    """The ``select`` function of an engine. Its module is imported only now, since Spark is an extra.

    Raises UserError if the engine is not installed.
    """
    try:
        return import_module(f"drretail.data_ingest.engines.{name}").select
    except ImportError as problem:
        needed = install_line({"spark": "pyspark"}.get(name, name))
        raise UserError(f"The engine {name!r} cannot be loaded ({problem}): {needed}.") from problem

"""The seam between the steps of an ingest and what executes the selection; the package's docstring explains it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from drretail.data_ingest.plan import IngestOptions, Plan
from drretail.data_ingest.report import FileReport
from drretail.errors import UserError, install_line
from drretail.progress import Progress

EngineName = Literal["duckdb", "spark"]

# An engine's module is imported when it is chosen: Spark is an extra.
ENGINES: dict[EngineName, str] = {
    "duckdb": "drretail.data_ingest.engines.duckdb:select",
    "spark": "drretail.data_ingest.engines.spark:select",
}

# The columns of a product row whose values are JSON texts.
ROW_FIELDS = (
    "title",
    "average_rating",
    "rating_number",
    "features",
    "description",
    "price",
    "shop_currency",
    "store",
    "categories",
    "details",
)
KEPT_COLUMNS = ("source", "number", "product_id", "category", *ROW_FIELDS)
"""source INTEGER, number BIGINT, product_id VARCHAR, category INTEGER (its rank), then the fields as VARCHAR."""


@dataclass(frozen=True, slots=True)
class Task:
    """One selection."""

    plan: Plan
    options: IngestOptions
    work: Path
    """A folder that exists; it is removed when the world is complete, and outlives a run that was killed."""
    progress: Progress
    workers: int = 1
    master: str | None = None
    """The address of a Spark cluster, or "local[N]"; None leaves the choice to the engine."""
    counts_only: bool = False


@dataclass(frozen=True, slots=True)
class Selected:
    """What an engine found."""

    version: str
    files: Sequence[FileReport]
    tables: Mapping[str, list[dict[str, Any]]]
    kept_rows: Path
    orders: Path


def load_engine(name: EngineName) -> Callable[[Task], Selected]:
    """The function ``select`` of the engine's module; raises UserError where it is an extra that is not installed."""
    module, _, attribute = ENGINES[name].partition(":")
    try:
        return getattr(import_module(module), attribute)
    except ImportError as problem:
        needed = install_line({"spark": "pyspark"}.get(name, name))
        raise UserError(f"The engine {name!r} cannot be loaded ({problem}): {needed}.") from problem

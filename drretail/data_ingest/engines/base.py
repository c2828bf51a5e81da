"""The interface between the steps of an ingest and its engines; the package's docstring explains it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from drretail.data_ingest.plan import FileReport, IngestPlan, IngestSettings
from drretail.data_ingest.raw.lines import LAST_MILLISECOND
from drretail.errors import UserError, missing_addon
from drretail.plugins import Plugins
from drretail.progress import Progress

ENGINES = Plugins("engine", {"duckdb": "drretail.data_ingest.engines.duckdb:select"}, "drretail.engines")
SPARK = "spark"


@dataclass(frozen=True, slots=True)
class SelectionTask:
    """One selection for an engine to run."""

    plan: IngestPlan
    options: IngestSettings
    work: Path
    """An existing folder for the engine's files, removed when the world is complete; it outlasts a killed run."""
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


def load_engine(name: str) -> Callable[[SelectionTask], Selected]:
    """The ``select`` function of an engine. Raises UnknownName for an unknown one, and UserError without its add-on."""
    if name == SPARK and name not in ENGINES.own:
        raise UserError(missing_addon(f"--engine {name}", SPARK))
    return cast(Callable[[SelectionTask], Selected], ENGINES.load(name)[1])

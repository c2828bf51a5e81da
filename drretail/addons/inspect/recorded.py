"""Keeps a run with all that judges need of it in a sample's store, so that the log alone can be scored again."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from inspect_ai.solver import TaskState

from drretail.agents.running.client_runs import save_runs
from drretail.agents.running.runner import Recorded
from drretail.env.world import World
from drretail.errors import UserError
from drretail.files import pack, read_lines, write_atomically
from drretail.records.query import Query
from drretail.records.run import System

KEPT = "drretail"
"""The key in a sample's store."""
FILES = ("experiment.json", "profiles/*.json", "rubrics/*/*.json", "runs/*/*/run.json", "runs/*/*/evidence.jsonl.gz")
"""The files of an experiment's folder by which its one run is judged."""
SEED = "42"


@dataclass(frozen=True, slots=True)
class Kept:
    """A run with its world, query and system."""

    world: World
    query: Query
    system: System
    recorded: Recorded


def saved(record: Kept, folder: Path) -> None:
    """Adds the run to the experiment in ``folder``; if a repeat of its number exists, as the next one.

    Raises UserError if another process writes there, or if the folder holds another experiment.
    """
    save_runs(folder, record.world, [record.query], record.system, [record.recorded], seed=SEED)


def keep(state: TaskState, record: Kept, spec: str) -> None:
    """Puts the run into its sample's store, with the ``spec`` of its world."""
    with TemporaryDirectory(prefix="drretail-") as name:
        folder = Path(name)
        saved(record, folder)
        files = sorted(path for pattern in FILES for path in folder.glob(pattern))
        texts = {str(path.relative_to(folder)): "".join(f"{line}\n" for line in read_lines(path)) for path in files}
    state.store.set(KEPT, {"run": record.recorded.run.run_id, "world": spec, "files": texts})


def kept_in(state: TaskState) -> Mapping[str, Any] | None:
    """What ``keep`` stored; None for a sample without a run."""
    return state.store.get(KEPT)


@contextmanager
def laid_out(files: Mapping[str, str]) -> Generator[Path]:
    """A temporary folder with the experiment of one run. Raises UserError for a file that no experiment has."""
    with TemporaryDirectory(prefix="drretail-") as name:
        for file, text in files.items():
            place = PurePosixPath(file)
            if ".." in place.parts or not any(place.match(pattern) for pattern in FILES) or place.is_absolute():
                raise UserError(f"The log's sample holds {file!r}, which is no file of an experiment.")
            write_atomically(Path(name) / place, pack(text.encode()) if place.suffix == ".gz" else text)
        yield Path(name)

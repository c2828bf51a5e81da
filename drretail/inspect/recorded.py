"""A run with all that judges need of it, in a sample's store: the log alone is enough to score it again."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from inspect_ai.solver import TaskState

from drretail.agents.base import Agent
from drretail.agents.client_prompts import question_prompt
from drretail.agents.running.new_experiment import open_experiment
from drretail.agents.running.runner import Recorded
from drretail.agents.running.system import SystemUnderTest
from drretail.env.session import Session
from drretail.env.world import World
from drretail.errors import ModelError, UserError
from drretail.files import pack, read_lines, write_atomically
from drretail.llm.models import Models
from drretail.records.query import Query, Reference, Task
from drretail.records.run import Answer, Limits, System

KEPT = "drretail"
"""The key of a sample's store."""
FILES = ("experiment.json", "profiles/*.json", "rubrics/*/*.json", "runs/*/*/run.json", "runs/*/*/evidence.jsonl.gz")
"""Of an experiment's folder: what its one run is judged by."""
SEED = "42"


@dataclass(frozen=True, slots=True)
class Kept:
    """A run, and what it is a run of."""

    world: World
    query: Query
    system: System
    recorded: Recorded
    reference: Callable[[Query], Reference]


def saved(kept: Kept, folder: Path) -> None:
    """Adds the run to the experiment in ``folder``, as the next repeat where there is one of its number.

    Raises UserError where another process writes there, or the folder holds another experiment.
    """
    agent = Agent(_made_by_inspect, roles=(), prompts=lambda: (question_prompt(),))
    sut = SystemUnderTest(kept.system.label(), kept.system, agent, {})
    run, repeat = kept.recorded.run, kept.recorded.run.repeat
    with open_experiment(
        folder, kept.world, [kept.query], [sut], SEED, reference=kept.reference, is_part=True
    ) as experiment:
        while experiment.state(sut.label, run.query_id, repeat) != "absent":
            repeat += 1
        named = {"repeat": repeat, "run_id": f"{sut.label}/{run.query_id}-r{repeat}"}
        recorded_ = kept.recorded
        experiment.save(run.model_copy(update=named), recorded_.evidence, recorded_.texts, recorded_.telemetry)


def keep(state: TaskState, kept: Kept, spec: str) -> None:
    """Puts the run into the store of its sample, with the ``spec`` of its world."""
    with TemporaryDirectory(prefix="drretail-") as name:
        folder = Path(name)
        saved(kept, folder)
        files = sorted(path for pattern in FILES for path in folder.glob(pattern))
        texts = {str(path.relative_to(folder)): "".join(f"{line}\n" for line in read_lines(path)) for path in files}
    state.store.set(KEPT, {"run": kept.recorded.run.run_id, "world": spec, "files": texts})


def kept_in(state: TaskState) -> Mapping[str, Any] | None:
    """What ``keep`` put there; None in a sample that left no run."""
    return state.store.get(KEPT)


@contextmanager
def laid_out(files: Mapping[str, str]) -> Generator[Path]:
    """The experiment of one run as a folder, while the context lasts. Raises UserError for files of no experiment."""
    with TemporaryDirectory(prefix="drretail-") as name:
        for file, text in files.items():
            place = PurePosixPath(file)
            if ".." in place.parts or not any(place.match(pattern) for pattern in FILES) or place.is_absolute():
                raise UserError(f"The log's sample holds {file!r}, which is no file of an experiment.")
            write_atomically(Path(name) / place, pack(text.encode()) if place.suffix == ".gz" else text)
        yield Path(name)


async def _made_by_inspect(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
    raise ModelError("agent", "a run of inspect's can't be made anew here: run its task again")

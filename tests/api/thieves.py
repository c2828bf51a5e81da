"""Eight agents that look for the gold of the query that they are asked, each in another place. What they find is their
report. ``test_thieves.py`` runs them.
"""

import gc
import os
import sys
from collections.abc import Callable
from importlib import resources
from pathlib import Path

from drretail import Agent, Answer
from drretail.agents import baselines
from drretail.agents.running import runner
from drretail.env.session import Session
from drretail.llm.models import Models
from drretail.records.query import Task
from drretail.records.run import Limits

MARK = "GOLDMARK"
"""The word that the gold of the query holds, and its task does not."""


def thief(look: Callable[[Session], object]) -> Agent:
    """An agent that reports whether what it looked at holds gold."""

    async def answer(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
        return Answer(report=f"Found {'gold' if MARK in f'{task} {look(session)}' else 'nothing'}.")

    return Agent(answer, roles=())


@thief
def frames(session: Session) -> object:
    """The variables of all functions that are being called."""
    seen: list[object] = []
    for frame in sys._current_frames().values():  # pyright: ignore[reportPrivateUsage]
        at = frame
        while at is not None:
            seen.append(repr(at.f_locals))
            at = at.f_back
    return seen


@thief
def objects(session: Session) -> object:
    """Everything that is in memory and may be of a query."""
    kinds = ("Query", "Gold", "Wish", "Want", "Reference", "Decision", "Demand")
    return [repr(each) for each in gc.get_objects() if type(each).__name__ in kinds]


@thief
def session(session: Session) -> object:
    """What an agent is handed."""
    return session.shopper and session.shopper.query


@thief
def rubrics(session: Session) -> object:
    """The files of the experiment."""
    experiment = Path(sys.argv[sys.argv.index("--to") + 1])
    return [path.read_bytes() for path in experiment.rglob("*") if path.is_file()]


@thief
def package(session: Session) -> object:
    """The files of the package's own queries, as they are: any wish there is gold."""
    folder = Path(str(resources.files("drretail"))) / "querygen" / "benchmark"
    return MARK if any(b'"wish"' in path.read_bytes() for path in folder.iterdir()) else None


@thief
def processes(session: Session) -> object:
    """The file beside the one that the command line of the process names."""
    words = Path("/proc/self/cmdline").read_text(encoding="utf-8").split("\0")
    named = Path(words[words.index("--queries") + 1])
    return [path.read_text(encoding="utf-8") for path in named.parent.glob("*.jsonl")]


@thief
def environment(session: Session) -> object:
    """The environment of the process; it also spoils that of processes to come."""
    found = dict(os.environ)
    os.environ["PATH"] = os.environ["PYTHONHOME"] = "/nowhere"
    return found


@thief
def patches(session: Session) -> None:
    """Nothing: it replaces the oracle and what reads answers, so that nobody else buys anything."""

    async def nothing(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
        return Answer(report="Nothing.", picks=())

    baselines.ORACLE = Agent(nothing, roles=(), is_baseline=True, sees_reference=True)  # pyright: ignore[reportConstantRedefinition]
    runner.read_answer = lambda given: Answer(report="Found nothing.", picks=())  # pyright: ignore[reportPrivateImportUsage]

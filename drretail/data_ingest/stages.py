"""What is finished of an ingest, kept beside the world until it is complete: each stage a folder, whole or absent."""

import hashlib
import os
import shutil
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from drretail.data_ingest.plan import Plan
from drretail.data_ingest.progress_meter import Meter
from drretail.data_ingest.raw.sources import reading
from drretail.env.generations import STAGES, sync_tree
from drretail.env.manifest import SourceFile
from drretail.files import sync_folder, write_atomically
from drretail.processes import Job, Tell, WorkerPool
from drretail.progress import Progress
from drretail.records.base import sha256_of

_UNFINISHED = ".part-"
# Part of every key: stages of another layout are of no use.
LAYOUT = 3
# Hashing so much takes longer than a process takes to start.
WORTH_A_PROCESS = 500_000_000


def stage_key(*parts: Any) -> str:
    """A name for everything that decides what a stage holds."""
    return sha256_of([LAYOUT, *parts])[:16]


@contextmanager
def making(stage: Path) -> Generator[Path]:
    """A new folder that becomes ``stage`` when the ``with`` block ends without an error, and is gone otherwise."""
    unfinished = stage.with_name(f"{_UNFINISHED}{os.getpid()}-{stage.name}")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    try:
        yield unfinished
        sync_tree(unfinished)
        # A worker that outlived its run may have finished the same stage meanwhile.
        if not stage.is_dir():
            unfinished.rename(stage)
            sync_folder(stage.parent)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def stages_in(world: Path) -> Path:
    """The folder of stages beside a world that is being made, swept; for who holds the world's lock."""
    folder = world / STAGES
    folder.mkdir(parents=True, exist_ok=True)
    for leftover in list(folder.rglob(f"{_UNFINISHED}*")):
        shutil.rmtree(leftover, ignore_errors=True)
    return folder


def keep_only(folder: Path, names: Iterable[str]) -> None:
    """Removes the stages of other inputs and options, which would never be used and may be large."""
    kept = set(names)
    for entry in folder.iterdir():
        if entry.is_dir() and entry.name not in kept:
            shutil.rmtree(entry)


def remove_stages(world: Path) -> None:
    """Nothing is left of the stages."""
    shutil.rmtree(world / STAGES, ignore_errors=True)


def source_files(plan: Plan, work: Path, workers: int, progress: Progress) -> Sequence[SourceFile]:
    """Name, size and sha256 of every file of the plan, in its order; digests are kept in ``work``."""
    jobs, kept, states = list[Job](), list[Path](), list[os.stat_result]()
    files = plan.files()
    for _, path in files:
        with reading(path):
            state = path.stat()
        kept.append(work / stage_key(str(path.resolve()), state.st_size, state.st_mtime_ns))
        states.append(state)
        if not kept[-1].is_file():
            jobs.append(partial(write_digest, path, state.st_size, kept[-1]))
    size = sum(state.st_size for state in states)
    processes = workers if size >= WORTH_A_PROCESS else 1
    with Meter.over(progress, "hashing files", size, len(jobs)) as meter, WorkerPool(processes) as worker_pool:
        worker_pool.do(jobs, meter.tell)
    return [
        SourceFile(
            name=name,
            size=state.st_size,
            sha256=file.read_text(encoding="utf-8"),
            modified=state.st_mtime_ns,
        )
        for (name, _), state, file in zip(files, states, kept, strict=True)
    ]


def write_digest(path: Path, size: int, target: Path, tell: Tell) -> None:
    """The file's sha256 as the text of the file ``target``."""
    with reading(path), path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    write_atomically(target, digest)
    tell(size, 0)

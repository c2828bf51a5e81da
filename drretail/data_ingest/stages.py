"""Finished stages of an ingest on disk, with the hashes of its files, and the progress of reading, in words."""

import hashlib
import shutil
import time
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Self

from drretail.data_ingest.plan import Plan
from drretail.data_ingest.raw.sources import file_state, reading
from drretail.env.manifest import SourceFile
from drretail.env.processes import Job, Tell, WorkerPool
from drretail.files import made_whole, write_atomically
from drretail.progress import Bar, Progress
from drretail.records.base import sha256_of
from drretail.records.tables.figures import counted

_PARTS = 100


class Meter:
    """Counts bytes and rows of files that are being read by any number of processes."""

    def __init__(self, bar: Bar, label: str, size: int, files: int) -> None:
        self._bar, self._label, self._size, self._files = bar, label, size, files
        self._began = time.monotonic()
        self._read = self._rows = self._parts = 0

    @classmethod
    @contextmanager
    def over(cls, progress: Progress, label: str, size: int, files: int) -> Generator[Self]:
        """A meter for ``size`` bytes in ``files`` files; the bar shows hundredths of the bytes."""
        with progress.track(label, _PARTS) as bar:
            meter = cls(bar, label, size, files)
            yield meter
            meter._move(_PARTS)
            if meter._rows:
                rate = f"{meter._rows:,} rows, {meter._rate():,.0f} rows/s"
                progress.note(f"{label}: {counted(files, 'file')}, {rate}")

    def tell(self, read: int, rows: int) -> None:
        self._read += read
        self._rows += rows
        self._bar.describe(str(self))
        self._move(_PARTS * self._read // max(self._size, 1))

    def __str__(self) -> str:
        """ "1,200,000 rows of 4 files, 612,000 rows/s, 41 % of 514 MB, 0:03 left"."""
        share = min(self._read / max(self._size, 1), 1.0)
        size = f"{self._size / 1e6:,.0f} MB" if self._size < 10e9 else f"{self._size / 1e9:,.1f} GB"
        status = f"{share:.0%} of {size}"
        if self._rows:
            status = f"{self._rows:,} rows of {counted(self._files, 'file')}, {self._rate():,.0f} rows/s, {status}"
        if not share:
            return status
        left = (time.monotonic() - self._began) * (1 - share) / share
        return f"{status}, {left // 60:.0f}:{left % 60:02.0f} left"

    def _rate(self) -> float:
        return self._rows / max(time.monotonic() - self._began, 1e-9)

    def _move(self, parts: int) -> None:
        parts = min(parts, _PARTS)
        if parts > self._parts:
            self._bar.advance(parts - self._parts)
            self._parts = parts


# Part of every key: stages of another layout are of no use.
LAYOUT = 4
# Bytes: hashing this many takes longer than starting a process.
WORTH_A_PROCESS = 500_000_000


def stage_key(*parts: Any) -> str:
    """A short hash of everything that decides what a stage holds."""
    return sha256_of([LAYOUT, *parts])[:16]


@contextmanager
def making(stage: Path) -> Generator[Path]:
    """A new folder that becomes ``stage`` if the ``with`` block ends without an error, and is removed otherwise.

    A worker that outlived its run may finish the same stage meanwhile.
    """
    with made_whole(stage, is_shared=True) as unfinished:
        unfinished.mkdir()
        yield unfinished


def keep_only(folder: Path, names: Iterable[str]) -> None:
    """Removes the stages of other inputs and options, which would never be used and may be large."""
    kept = set(names)
    for entry in folder.iterdir():
        if entry.is_dir() and entry.name not in kept:
            shutil.rmtree(entry)


def source_files(plan: Plan, work: Path, workers: int, progress: Progress) -> Sequence[SourceFile]:
    """Name, size and sha256 of every file of the plan, in its order; digests are kept in ``work``."""
    files, jobs = list[tuple[str, int, int, Path]](), list[Job]()
    for name, path in plan.files():
        size, modified = file_state(path)
        digest = work / stage_key(str(path.resolve()), size, modified)
        files.append((name, size, modified, digest))
        if not digest.is_file():
            jobs.append(partial(write_digest, path, size, digest))
    whole = sum(size for _, size, _, _ in files)
    processes = workers if whole >= WORTH_A_PROCESS else 1
    with Meter.over(progress, "hashing files", whole, len(jobs)) as meter, WorkerPool(processes) as worker_pool:
        worker_pool.do(jobs, meter.tell)
    return [
        SourceFile(name=name, size=size, sha256=digest.read_text(encoding="utf-8"), modified=modified)
        for name, size, modified, digest in files
    ]


def write_digest(path: Path, size: int, target: Path, tell: Tell) -> None:
    """Writes the file's sha256 as the text of ``target``."""
    with reading(path), path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    write_atomically(target, digest)
    tell(size, 0)

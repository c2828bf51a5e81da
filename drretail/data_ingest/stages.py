"""Finished stages of an ingest on disk, the threads that make them, and the progress of reading, in words."""

import hashlib
import os
import shutil
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Lock
from typing import Any, Self

from drretail.data_ingest.plan import IngestPlan
from drretail.data_ingest.raw.sources import file_state, reading
from drretail.env.manifest import SourceFile
from drretail.files import made_whole
from drretail.progress import Bar, Progress
from drretail.records.base import sha256_of
from drretail.records.figures import counted

Tell = Callable[[int, int], None]
"""Called with the bytes of a file (as on disk) and the rows that were read since the last call."""
Job = Callable[[Tell], None]
"""Works, reports progress, and leaves its result in files."""
_PARTS = 100


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def ignore(read: int, rows: int) -> None:
    """A Tell that does nothing."""
    del read, rows


def do_all(threads: ThreadPoolExecutor, jobs: Sequence[Job], tell: Tell, stop: Callable[[], None]) -> None:
    """Does all jobs, in any order. Threads will do: engine and gzip hold no lock of the interpreter while they work.

    Raises the first error. The other jobs then end: ``stop`` interrupts their engines, and they get no further chunk.
    """
    ended, telling = Event(), Lock()

    def tell_alone(read: int, rows: int) -> None:
        if ended.is_set():
            raise InterruptedError
        with telling:
            tell(read, rows)

    working = [threads.submit(job, tell_alone) for job in jobs]
    try:
        for done in as_completed(working):
            done.result()
    except BaseException:
        ended.set()
        threads.shutdown(wait=False, cancel_futures=True)
        stop()
        raise


class Meter:
    """Counts bytes and rows of files that are being read, some at a time."""

    def __init__(self, bar: Bar, label: str, size: int, files: int) -> None:
        self._bar, self._label, self._size, self._files = bar, label, size, files
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
                progress.note(f"{label}: {counted(files, 'file')}, {meter._rows:,} rows")

    def tell(self, read: int, rows: int) -> None:
        self._read += read
        self._rows += rows
        self._bar.describe(str(self))
        self._move(_PARTS * self._read // max(self._size, 1))

    def __str__(self) -> str:
        """ "1,200,000 rows of 4 files, 41 % of 514 MB"."""
        size = f"{self._size / 1e6:,.0f} MB" if self._size < 10e9 else f"{self._size / 1e9:,.1f} GB"
        status = f"{min(self._read / max(self._size, 1), 1.0):.0%} of {size}"
        if not self._rows:
            return status
        return f"{self._rows:,} rows of {counted(self._files, 'file')}, {status}"

    def _move(self, parts: int) -> None:
        parts = min(parts, _PARTS)
        if parts > self._parts:
            self._bar.advance(parts - self._parts)
            self._parts = parts


# Part of every key: stages of another layout are of no use.
LAYOUT = 5


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


def source_files(plan: IngestPlan, workers: int, progress: Progress) -> list[SourceFile]:
    """Name, size and sha256 of every file of the plan, in its order. Threads will do: to hash needs no interpreter."""
    files = [(name, path, *file_state(path)) for name, path in plan.files()]
    with progress.track("hashing files", len(files)) as bar, ThreadPoolExecutor(workers) as threads:
        found = list[SourceFile]()
        digests = threads.map(sha256_of_file, (path for _, path, _, _ in files))
        for (name, _, size, modified), digest in zip(files, digests, strict=True):
            found.append(SourceFile(name=name, size=size, sha256=digest, modified=modified))
            bar.advance()
    return found


def sha256_of_file(path: Path) -> str:
    with reading(path), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

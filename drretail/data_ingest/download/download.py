"""Many files at once, each from the first address that has it."""

import shutil
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from drretail.data_ingest.download.addresses import Wanted
from drretail.data_ingest.download.transfer import Surroundings, Unavailable, fetch
from drretail.errors import UserError
from drretail.progress import Bar, Progress
from drretail.records.base import Document, Record

if TYPE_CHECKING:
    from httpx2 import Client

ROOM_TO_SPARE = 100_000_000
_PARTS = 100


class Downloaded(Record):
    name: str
    category: str
    size: int
    state: Literal["fetched", "already there"]
    url: str | None


class DownloadReport(Document):
    folder: str
    files: tuple[Downloaded, ...]


class NowhereToBeHad(UserError):
    """No address has the file."""


class _Stopped(Exception):
    """Another file has failed, or the person wants to end."""


def download(
    wanted: Sequence[Wanted],
    folder: Path,
    client: "Client",
    progress: Progress,
    *,
    parallel: int = 2,
    sleep: Callable[[float], None] | None = None,
) -> DownloadReport:
    """Brings every file into ``folder``; what is there already is not asked for, what broke off goes on.

    Raises UserError: after the others have come where a file cannot be had, at once where there is no room.
    """
    folder.mkdir(parents=True, exist_ok=True)
    stop = threading.Event()
    with progress.track("downloading", _PARTS) as bar, ThreadPoolExecutor(parallel) as pool:
        tally = _Tally(folder, bar, len(wanted))

        def pause(seconds: float) -> None:
            """Waits, and ends the transfer that waits when the others are to stop."""
            if sleep and seconds:
                sleep(seconds)
            elif seconds:
                stop.wait(seconds)
            if stop.is_set():
                raise _Stopped

        around = Surroundings(client, pause, lambda: datetime.now(UTC), tally.on_bytes, tally.expect)
        jobs = [pool.submit(_bring, file, folder, around, tally) for file in wanted]
        try:
            # A file that nobody has does not keep the others from coming; any other trouble ends them all.
            for job in as_completed(jobs):
                if job.exception() is not None and not isinstance(job.exception(), NowhereToBeHad):
                    break
        finally:
            stop.set()
            for job in jobs:
                job.cancel()
        # The error that stopped the others, not one of those that were stopped.
        problems = [job.exception() for job in jobs if job.done() and not job.cancelled()]
        for problem in problems:
            if problem is not None and not isinstance(problem, _Stopped):
                raise problem
        return DownloadReport(folder=str(folder), files=tuple(job.result() for job in jobs))


def name_of(url: str) -> str:
    """The file's name, which says its category and kind."""
    return urlsplit(url).path.rpartition("/")[2]


def _bring(file: Wanted, folder: Path, around: Surroundings, tally: "_Tally") -> Downloaded:
    for url in file.urls:
        there = folder / name_of(url)
        if there.is_file():
            tally.finished()
            return _downloaded(file, there, None)
    problems: list[str] = []
    for url in file.urls:
        target = folder / name_of(url)
        around.wait(0)
        try:
            fetch(url, target, around)
        except Unavailable as problem:
            problems.append(str(problem))
        except OSError as problem:
            raise UserError(f"{target} cannot be written: {problem}.") from problem
        else:
            tally.finished()
            return _downloaded(file, target, url)
    raise NowhereToBeHad(f"{'; '.join(problems)}. What came of the files is kept; the same command goes on from there.")


def _downloaded(file: Wanted, path: Path, url: str | None) -> Downloaded:
    state: Literal["fetched", "already there"] = "fetched" if url else "already there"
    return Downloaded(name=path.name, category=file.category, size=path.stat().st_size, state=state, url=url)


class _Tally:
    """Sums up what all transfers tell, and keeps the disk from running full."""

    def __init__(self, folder: Path, bar: Bar, files: int) -> None:
        self._folder, self._bar, self._files = folder, bar, files
        self._lock = threading.Lock()
        self._sizes: dict[Path, int] = {}
        self._here = self._came = self._done = self._parts = 0
        self._began = time.monotonic()

    def on_bytes(self, change: int) -> None:
        with self._lock:
            self._here += change
            self._came += max(change, 0) if change < ROOM_TO_SPARE else 0
            self._bar.describe(f"downloading: {self}")
            whole = sum(self._sizes.values())
            share = self._here / whole if whole else 0.0
            # Files whose size is not known yet are taken to be as large as the others.
            parts = int(_PARTS * share * min(1.0, (len(self._sizes) + self._done) / self._files))
            if parts > self._parts:
                self._bar.advance(parts - self._parts)
                self._parts = parts

    def expect(self, part: Path, size: int) -> None:
        with self._lock:
            self._sizes[part] = size
            missing = sum(self._sizes.values()) - self._here
            free = shutil.disk_usage(self._folder).free
        if missing + ROOM_TO_SPARE > free:
            raise UserError(
                f"There is no room in {self._folder} for {part.name.removesuffix('.part')}: {_size(missing)} are still "
                f"to come, and {_size(free)} are free."
            )

    def finished(self) -> None:
        with self._lock:
            self._done += 1

    def __str__(self) -> str:
        """ "3 of 16 files, 1.20 GB of 5.60 GB, 11.0 MB/s, 6:40 left"."""
        seconds, whole = time.monotonic() - self._began, sum(self._sizes.values())
        rate = self._came / max(seconds, 1e-9)
        status = f"{self._done} of {self._files} files, {_size(self._here)} of {_size(whole)}, {_size(rate)}/s"
        left = (whole - self._here) / rate if rate and whole else 0.0
        return f"{status}, {left // 60:.0f}:{left % 60:02.0f} left" if left > 0 else status


def _size(size: float) -> str:
    return f"{size / 1e9:,.2f} GB" if size >= 1e9 else f"{size / 1e6:,.1f} MB"

"""The files of each category, and the download of many files at once, each from the first address that has it."""

import threading
import tomllib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from drretail.data_ingest.download.transfer import PARTS, Surroundings, Tally, Unavailable, fetch
from drretail.data_ingest.plan import PRESETS, STEMS, Preset, in_preset_order
from drretail.errors import UnknownName, UserError
from drretail.progress import Progress
from drretail.records.base import Document, Record

if TYPE_CHECKING:
    from httpx2 import Client


class Host(Record):
    """A copy of the dataset."""

    base: str
    meta: str
    reviews: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file of the dataset, with the addresses to try, best first."""

    category: str
    urls: tuple[str, ...]


def wanted_files(categories: Sequence[str], preset: Preset | None, mirror: str | None = None) -> list[Wanted]:
    """The product and the review file of each category, in preset order, with their addresses on all hosts of
    addresses.toml.

    ``mirror`` names the only host to ask, or is the address of a copy of the first host's tree. Raises UserError if no
    category is named, or if a category or the mirror is unknown.
    """
    if unknown := [name for name in categories if name not in STEMS]:
        raise UnknownName("category", unknown[0], STEMS)
    names = in_preset_order([*categories, *(PRESETS[preset] if preset else ())])
    if not names:
        raise UserError("Name categories, such as Pet_Supplies, or a preset: --preset paper.")
    text = resources.files("drretail.data_ingest.download").joinpath("addresses.toml").read_text(encoding="utf-8")
    known = {name: Host.model_validate(host) for name, host in tomllib.loads(text).items()}
    chosen = list(known.values())
    if mirror in known:
        chosen = [known[mirror]]
    elif mirror is not None:
        if not mirror.startswith(("http://", "https://")):
            raise UserError(
                f"There is no mirror {mirror!r}: give {', '.join(known)}, or an address that begins with https://."
            )
        chosen = [chosen[0].model_copy(update={"base": mirror.rstrip("/") + "/"})]
    return [
        Wanted(name, tuple(host.base + getattr(host, kind).format(category=name) for host in chosen))
        for name in names
        for kind in ("meta", "reviews")
    ]


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
    """Ends a transfer because another file has failed or the user has interrupted the download."""


def download(
    wanted: Sequence[Wanted],
    folder: Path,
    client: "Client",
    progress: Progress,
    *,
    parallel: int = 2,
    sleep: Callable[[float], None] | None = None,
) -> DownloadReport:
    """Downloads every file into ``folder``. Files that exist are not requested, and partial ones are resumed.

    Raises UserError: once the other files have come if no address has a file, and at once if the disk has no room.
    """
    folder.mkdir(parents=True, exist_ok=True)
    stop = threading.Event()
    with progress.track("downloading", PARTS) as bar, ThreadPoolExecutor(parallel) as pool:
        tally = Tally(folder, bar, len(wanted))

        def pause(seconds: float) -> None:
            """Waits, and ends the waiting transfer if all are to stop."""
            if sleep and seconds:
                sleep(seconds)
            elif seconds:
                stop.wait(seconds)
            if stop.is_set():
                raise _Stopped

        around = Surroundings(client, pause, tally)
        jobs = [pool.submit(_bring, file, folder, around) for file in wanted]
        try:
            # A file that no host has does not stop the others; any other error does.
            for job in as_completed(jobs):
                if job.exception() is not None and not isinstance(job.exception(), NowhereToBeHad):
                    break
        finally:
            stop.set()
            for job in jobs:
                job.cancel()
        # Raise the error that stopped the others, not the _Stopped of one of those.
        problems = [job.exception() for job in jobs if job.done() and not job.cancelled()]
        for problem in problems:
            if problem is not None and not isinstance(problem, _Stopped):
                raise problem
        return DownloadReport(folder=str(folder), files=tuple(job.result() for job in jobs))


def _bring(file: Wanted, folder: Path, around: Surroundings) -> Downloaded:
    # The name of a file says its category and kind.
    targets = {url: folder / urlsplit(url).path.rpartition("/")[2] for url in file.urls}
    for there in targets.values():
        if there.is_file():
            around.tally.finished()
            return _downloaded(file, there, None)
    problems: list[str] = []
    for url, target in targets.items():
        around.wait(0)
        try:
            fetch(url, target, around)
        except Unavailable as problem:
            problems.append(str(problem))
        except OSError as problem:
            raise UserError(f"{target} cannot be written: {problem}.") from problem
        else:
            around.tally.finished()
            return _downloaded(file, target, url)
    raise NowhereToBeHad(f"{'; '.join(problems)}. What came of the files is kept; the same command goes on from there.")


def _downloaded(file: Wanted, path: Path, url: str | None) -> Downloaded:
    state: Literal["fetched", "already there"] = "fetched" if url else "already there"
    return Downloaded(name=path.name, category=file.category, size=path.stat().st_size, state=state, url=url)

"""The official raw files, complete or not at all: many at once, each resumed, retried and checked, from the first
host of addresses.toml that has them.
"""

import json
import re
import shutil
import threading
import tomllib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from drretail.data_ingest.plan import PRESETS, STEMS, Preset, in_preset_order
from drretail.data_ingest.raw.sources import check_packed, is_packed
from drretail.errors import UserError, check_known
from drretail.files import sync_tree, write_atomically
from drretail.parsing import parse_json, retry_after
from drretail.progress import Bar, Progress
from drretail.records.account import Account
from drretail.records.base import Document, Record

if TYPE_CHECKING:
    from httpx2 import Client, Response

TRIES = 6
"""Consecutive attempts without a new byte. Each byte that comes starts the count anew."""
CONNECT_TRIES = 2
"""Attempts if the host is unknown or nobody listens. Waiting longer seldom helps, and another address may work."""
# Complete downloads that may be damaged before the address is given up.
DAMAGED_TRIES = 2
# Seconds between two attempts.
LONGEST_WAIT = 300.0
# Statuses of a busy server: the same request may succeed later.
AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})
_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+|\*)")


class Unavailable(Exception):
    """The file cannot be had from this address; another may have it."""


# Bytes that a download leaves free on the disk.
ROOM_TO_SPARE = 100_000_000


class _Tally:
    """Says how far all transfers are, and raises UserError before they fill the disk."""

    def __init__(self, folder: Path, bar: Bar, files: int) -> None:
        self._folder, self._bar, self._files = folder, bar, files
        self._lock = threading.Lock()
        self._left: dict[Path, int] = {}
        """By partial file, the bytes that are still to come."""
        self._here = self._done = 0

    def on_bytes(self, part: Path, change: int) -> None:
        with self._lock:
            self._here += change
            if part in self._left:
                self._left[part] -= change
            self._bar.describe(f"{self._done} of {self._files} files, {_size(self._here)} here")

    def expect(self, part: Path, left: int) -> None:
        with self._lock:
            self._left[part] = left
            missing, free = sum(self._left.values()), shutil.disk_usage(self._folder).free
        if missing + ROOM_TO_SPARE > free:
            raise UserError(
                f"There is no room in {self._folder} for {part.name.removesuffix('.part')}: {_size(missing)} are still "
                f"to come, and {_size(free)} are free."
            )

    def finished(self) -> None:
        with self._lock:
            self._done += 1
            self._bar.advance()


def _size(size: float) -> str:
    return f"{size / 1e9:,.2f} GB" if size >= 1e9 else f"{size / 1e6:,.1f} MB"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a transfer needs from its caller."""

    client: "Client"
    wait: Callable[[float], None]
    """Waits for so many seconds. Raises to end the transfer."""
    tally: _Tally


@dataclass(frozen=True, slots=True)
class _State:
    """What is known about a partial file, kept beside it."""

    url: str
    tag: str
    """The ETag or date by which the server tells versions apart; empty if it gives none."""
    size: int | None


def fetch(url: str, target: Path, around: Surroundings) -> None:
    """Downloads the whole file to ``target``. Until it is whole and sound, its bytes are in ``target``.part.

    Raises Unavailable if the address does not have it, UserError if this machine has no room.
    """
    part = target.with_name(f"{target.name}.part")
    for attempt in range(1, DAMAGED_TRIES + 1):
        _complete(url, part, around)
        problem = _damage(part)
        if problem is None:
            break
        _forget(part, around)
        if attempt == DAMAGED_TRIES:
            raise Unavailable(f"{url} came damaged {DAMAGED_TRIES} times ({problem})")
    sync_tree(part)
    part.replace(target)
    _state_file(part).unlink(missing_ok=True)


def _complete(url: str, part: Path, around: Surroundings) -> None:
    import httpx2

    failures, tries = 0, TRIES
    around.tally.on_bytes(part, _have(part))
    state = _read_state(part)
    if state and state.url == url and state.size == _have(part) > 0:
        return
    while True:
        before = _have(part)
        try:
            pause = _ask(url, part, around)
            problem = (
                f"it answered that it is busy, {TRIES} times" if pause is not None else "it sends less than it says"
            )
        except httpx2.TransportError as error:
            pause, problem = None, str(error) or type(error).__name__
            tries = CONNECT_TRIES if isinstance(error, httpx2.ConnectError) else TRIES
        except httpx2.TooManyRedirects:
            raise Unavailable(f"{url} leads in a circle") from None
        else:
            state = _read_state(part)
            if pause is None and state and part.is_file() and state.size in (None, _have(part)):
                return
        failures = 1 if _have(part) > before else failures + 1
        if failures >= tries:
            raise Unavailable(f"{url} cannot be had: {problem}")
        around.wait(min(LONGEST_WAIT, pause or 2.0 ** (failures - 1)))


def _ask(url: str, part: Path, around: Surroundings) -> float | None:
    """Makes one request and writes its body. Returns seconds to wait if the server is busy (0 if unsaid), else None."""
    have, state = _have(part), _read_state(part)
    headers = {"Accept-Encoding": "identity"}
    # Request only the rest if the bytes on disk are known to be of the same version.
    if have and state and state.url == url and state.tag:
        headers |= {"Range": f"bytes={have}-", "If-Range": state.tag}
    with around.client.stream("GET", url, headers=headers) as response:
        status = response.status_code
        if status in AGAIN:
            return retry_after(response.headers.get("Retry-After", ""), datetime.now(UTC)) or 0.0
        if status not in (200, 206, 416):
            raise Unavailable(f"{url} answers {status}")
        if status == 416:  # it has no such bytes
            _forget(part, around)
        else:
            _take(url, response, part, around)
        return None


def _take(url: str, response: "Response", part: Path, around: Surroundings) -> None:
    """Writes the body after the bytes on disk, or over them if the server sends the file from its start."""
    have, place, size = _have(part), 0, _whole_number(response.headers.get("Content-Length"))
    if response.status_code == 206:
        content_range = _RANGE.fullmatch(response.headers.get("Content-Range", ""))
        if content_range is None or _whole_number(content_range[1]) != have:
            _forget(part, around)
            return
        place, size = have, _whole_number(content_range[2])
    elif have:
        around.tally.on_bytes(part, -have)
    tag = response.headers.get("ETag", "")
    # Only a strong tag promises the same bytes.
    tag = response.headers.get("Last-Modified", "") if not tag or tag.startswith("W/") else tag
    if size is not None:
        around.tally.expect(part, size - place)
    write_atomically(_state_file(part), json.dumps({"url": url, "tag": tag, "size": size}))
    with part.open("r+b" if place else "wb") as file:
        file.seek(place)
        for block in response.iter_raw():
            file.write(block)
            around.tally.on_bytes(part, len(block))
            around.wait(0)


def _damage(part: Path) -> str | None:
    """What is wrong with the content, or None. A gzip file must unpack to its end, any other must end its last line."""
    try:
        if is_packed(part):
            check_packed(part)
            return None
    except UserError as problem:
        return str(problem)
    if part.name.removesuffix(".part").endswith(".gz"):
        return "it is not a packed file"
    with part.open("rb") as file:
        file.seek(max(0, _have(part) - 1))
        return None if file.read(1) == b"\n" else "its last line is cut"


def _whole_number(text: str | None) -> int | None:
    return int(text) if text and text.isdigit() else None


def _have(part: Path) -> int:
    return part.stat().st_size if part.is_file() else 0


def _state_file(part: Path) -> Path:
    return part.with_name(f"{part.name}.json")


def _read_state(part: Path) -> _State | None:
    try:
        state = parse_json(_state_file(part).read_text(encoding="utf-8"))
        return _State(str(state["url"]), str(state["tag"]), state["size"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _forget(part: Path, around: Surroundings) -> None:
    around.tally.on_bytes(part, -_have(part))
    part.unlink(missing_ok=True)
    _state_file(part).unlink(missing_ok=True)


class Host(Record):
    """A copy of the dataset."""

    base: str
    meta: str
    reviews: str


@dataclass(frozen=True, slots=True)
class WantedFile:
    """A file of the dataset, with the addresses to try, best first."""

    category: str
    urls: tuple[str, ...]


def wanted_files(categories: Sequence[str], preset: Preset | None, mirror: str | None = None) -> list[WantedFile]:
    """The product and the review file of each category, in preset order, with their addresses in addresses.toml.

    ``mirror`` names the only host to ask, or is the address of a copy of the first host's tree. Raises UserError if no
    category is named, or if a category or the mirror is unknown.
    """
    check_known("category", STEMS, *categories)
    names = in_preset_order([*categories, *(PRESETS[preset] if preset else ())])
    if not names:
        raise UserError("Name categories, such as Pet_Supplies, or a preset: --preset paper.")
    text = resources.files("drretail.addons.downloads").joinpath("addresses.toml").read_text(encoding="utf-8")
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
        WantedFile(name, tuple(host.base + getattr(host, kind).format(category=name) for host in chosen))
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
    account: Account
    """The files that were asked for."""


class NowhereToBeHad(UserError):
    """No address has the file."""


class _Stopped(Exception):
    """Ends a transfer because another file has failed or the user has interrupted the download."""


def download_files(
    wanted: Sequence[WantedFile],
    folder: Path,
    client: "Client",
    progress: Progress,
    *,
    parallel: int = 2,
    sleep: Callable[[float], None] | None = None,
) -> DownloadReport:
    """Downloads every file into ``folder``. Files that exist are not requested, and partial ones are resumed.

    A file that no address has is left out, and stops no other. Raises UserError if that is each of them, and at once if
    the disk has no room.
    """
    folder.mkdir(parents=True, exist_ok=True)
    stop = threading.Event()
    with progress.track("downloading", len(wanted)) as bar, ThreadPoolExecutor(parallel) as pool:
        tally = _Tally(folder, bar, len(wanted))

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
            # Any other error than that no host has the file.
            for job in as_completed(jobs):
                if job.exception() is not None and not isinstance(job.exception(), NowhereToBeHad):
                    break
        finally:
            stop.set()
            for job in jobs:
                job.cancel()
        files, account = list[Downloaded](), Account("download", "file")
        for job, file in zip(jobs, wanted, strict=True):
            problem = job.exception() if job.done() and not job.cancelled() else _Stopped()
            account.take()
            if isinstance(problem, NowhereToBeHad):
                account.leave_out(str(problem).rstrip("."), urlsplit(file.urls[0]).path.rpartition("/")[2], failed=True)
            elif problem is None:
                files.append(job.result())
                account.use()
            # The error that stopped the others, not the _Stopped of one of those.
            elif not isinstance(problem, _Stopped):
                raise problem
        if not files:
            raise UserError(f"{next(iter(account.left_out))}.")
        return DownloadReport(folder=str(folder), files=tuple(files), account=account)


def _bring(file: WantedFile, folder: Path, around: Surroundings) -> Downloaded:
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


def _downloaded(file: WantedFile, path: Path, url: str | None) -> Downloaded:
    state: Literal["fetched", "already there"] = "fetched" if url else "already there"
    return Downloaded(name=path.name, category=file.category, size=path.stat().st_size, state=state, url=url)

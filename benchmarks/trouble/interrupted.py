"""Commands that are killed, doubled, starved of disk or signalled while they write, and then started again.

What is there in the end has to be, byte for byte but for times, what an undisturbed command makes.
"""

import ctypes
import gzip
import hashlib
import locale
import mmap
import os
import resource
import shutil
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from drretail.experiments.packs import PACKS
from drretail.experiments.run_file import RUN_FILE, journal_path, read_evidence, read_members, read_results
from drretail.records.base import canonical_json

from .bench import IMPORT, INGEST, KILLED, MAIN, RUN, SCORE, TALKING, Bench, Ended, Row, run
from .clock import JumpingClock, negative_durations

# Times stand in these, so that no two runs write them alike; pages say when they were made.
TIMED = ("journal.jsonl", "journal.jsonl.gz", ".lock", ".html")
# SQLite's own, which come and go with whoever reads; an index names its files at random, and their hashes go by name.
KEPT_BY_OTHERS = ("shop.sqlite", "shop.sqlite-shm", "shop.sqlite-wal", "index", "SHA256SUMS")
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT


@dataclass(frozen=True)
class Job:
    """A command that writes, and the file or folder that it makes."""

    arguments: tuple[str, ...]
    made: str
    fresh: bool = True
    """What it makes is not there before."""

    @property
    def name(self) -> str:
        return " ".join(self.arguments[: 2 if self.arguments[1][:1].isalpha() and len(self.arguments[1]) > 4 else 1])

    def begin(self, place: Path) -> None:
        target = place / self.made
        if self.fresh and target.exists():
            shutil.rmtree(target) if target.is_dir() else target.unlink()


JOBS = (
    Job(("synth", "--to", "made", "--products", "60", "--reviews", "600", "--quiet"), "made"),
    Job(INGEST, "shop"),
    Job(("world", "copy", "w", "copied", "--quiet"), "copied"),
    Job(("queries", "generate", "--world", "shop", "--n", "2", "--to", "new.jsonl", "--quiet"), "new.jsonl"),
    Job(RUN, "exp"),
    Job(TALKING, "talked"),
    Job(SCORE, "exp", fresh=False),
    Job(("report", "exp", "--quiet"), "exp", fresh=False),
    Job(IMPORT, "imported"),
    Job(("export", "exp", "--format", "csv", "--to", "exported", "--quiet"), "exported"),
    Job(("forget", "imported", "--user", "u1", "--quiet"), "imported", fresh=False),
    Job(
        ("sandbox", "build", "--world", "shop", "--queries", "asked.jsonl", "--to", "pages", "--sizes", "32k"), "pages"
    ),
)


class Writings:
    """Counts a command's writings below a folder, in whatever thread; kills the process before one of them."""

    def __init__(self, below: str, kill_at: int | None = None) -> None:
        self._below, self._kill_at = below, kill_at
        self._count = mmap.mmap(-1, 8)  # shared with the forked process
        self._lock = threading.Lock()

    @property
    def count(self) -> int:
        return struct.unpack("=q", self._count[:8])[0]

    def watch(self) -> None:
        """From here on, in this process, for good."""
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[object, ...]) -> None:
        is_writing = event in ("os.rename", "os.remove", "os.mkdir", "os.link", "os.truncate", "sqlite3.connect")
        if event == "open":
            flags = arguments[2]
            is_writing = isinstance(flags, int) and bool(flags & WRITES)
        if not is_writing or not _absolute(arguments[0]).startswith(self._below):
            return
        with self._lock:
            count = self.count + 1
            self._count[:8] = struct.pack("=q", count)
            if count == self._kill_at:
                os.kill(os.getpid(), signal.SIGKILL)


def _absolute(path: object) -> str:
    return os.path.abspath(os.fsdecode(path)) if isinstance(path, (str, bytes, os.PathLike)) else ""  # noqa: PTH100


class Jobs:
    """The jobs of a bench, with what each makes undisturbed."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.end = cache(self._end)

    def _end(self, job: Job) -> tuple[str, float, int]:
        """What it makes, the seconds that it takes, and how often it writes."""
        with self.bench.place() as place:
            job.begin(place)
            began, writings = time.monotonic(), Writings(str(place))
            ended = run(place, job.arguments, writings.watch)
            assert ended.code in (0, 3), (job.name, ended.output)
            return content(place / job.made), time.monotonic() - began, writings.count

    @contextmanager
    def place(self, job: Job) -> Generator[Path]:
        with self.bench.place() as place:
            job.begin(place)
            yield place

    def compare(self, row: Row, attempt: str, job: Job, place: Path, ended: Ended | None = None) -> None:
        """Starts a job again, unless it has ``ended``; it has to end as if nothing had happened."""
        ended = ended or run(place, job.arguments)
        found = content(place / job.made)
        if problem := ended.problem:
            row.add("wrong", f"{attempt}: {problem}")
        elif found != self.end(job)[0]:
            what = ended.output[-300:] if ended.code == 2 else found
            row.add("lost", f"{attempt}: what is there is not what it makes undisturbed: {what}")


def kills(bench: Bench) -> Row:
    """Commands killed before one of their writings, or at some moment, and started again."""
    jobs = Jobs(bench)
    row = Row("kills", f"{len(JOBS)} commands killed before a writing or at some moment, then started again")
    for job in JOBS:
        _, seconds, writings = jobs.end(job)
        for number in bench.sample(range(1, writings + 1), 2, 12):
            with jobs.place(job) as place:
                if run(place, job.arguments, Writings(str(place), number).watch).code == KILLED:
                    row.tried += 1
                    jobs.compare(row, f"{job.name} killed before writing {number} of {writings}", job, place)
        for _ in range(bench.tries(1, 3)):
            with jobs.place(job) as place:
                moment = bench.draw.uniform(0.1, 0.9) * seconds
                if run(place, job.arguments, disturb=partial(_send, signal.SIGKILL, moment)).code == KILLED:
                    row.tried += 1
                    jobs.compare(row, f"{job.name} killed after {moment:.3f} s", job, place)
    return row


def signals(bench: Bench) -> Row:
    """Commands that are asked to end, or whose reader goes away."""
    jobs = Jobs(bench)
    row = Row("signals, closed pipes", "SIGTERM, SIGINT and SIGHUP at some moment; stdout that is closed")
    for job in JOBS:
        for name in bench.sample(("SIGTERM", "SIGINT", "SIGHUP"), 1, 3):
            with jobs.place(job) as place:
                moment = bench.draw.uniform(0.1, 0.9) * jobs.end(job)[1]
                ended = run(place, job.arguments, disturb=partial(_send, signal.Signals[name], moment))
                row.tried += 1
                if "Traceback" in ended.output or ended.code == 1:
                    row.add("wrong", f"{job.name} with {name}: {ended.problem}")
                jobs.compare(row, f"{job.name} with {name} after {moment:.3f} s", job, place)
    for arguments in (("tools",), ("world", "info", "w"), ("report", "exp", "--json"), SCORE[:-1]):
        with bench.place() as place:
            row.tried += 1
            code, said = into_a_closed_pipe(place, arguments)
            if "Traceback" in said or code == 1:
                row.add("wrong", f"{arguments[0]} into a closed pipe: {code}: {said[-300:]}")
    return row


def into_a_closed_pipe(place: Path, arguments: Sequence[str]) -> tuple[int, str]:
    """A command whose stdout nobody reads."""
    command = [sys.executable, "-c", MAIN, *arguments]
    environment = os.environ | {"DRRETAIL_CACHE_DIR": str(place / "cache")}
    process = subprocess.Popen(  # noqa: S603 -- ourselves
        command, cwd=place, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    said = process.stderr.read()
    return process.wait(), said


def _send(number: int, moment: float, child: int) -> None:
    time.sleep(moment)
    os.kill(child, number)  # a process that has ended waits for its parent, which is this one


def double_starts(bench: Bench) -> Row:
    """Two of a command started together in one place."""
    jobs = Jobs(bench)
    row = Row("two writers", "a command started twice at once in one place")
    for job in JOBS:
        for number in range(bench.tries(1, 3)):
            with jobs.place(job) as place:
                row.tried += 1
                first = os.fork()
                if not first:  # a process whose child is the command
                    ended = run(place, job.arguments)
                    os._exit(1 if ended.problem else 0)
                second = run_beside(place, job)
                first_failed = os.waitstatus_to_exitcode(os.waitpid(first, 0)[1])
                if second.problem or first_failed:
                    row.add("wrong", f"{job.name} {number}: {second.problem or 'the first of two fails'}")
                jobs.compare(row, f"{job.name} {number} after two at once", job, place)
    return row


def run_beside(place: Path, job: Job) -> Ended:
    """A command whose output goes to a file of its own."""
    output = place.parent / "beside"
    output.mkdir(exist_ok=True)
    (output / "copy").symlink_to(place)
    return run(output / "copy", job.arguments)


def full_disks(bench: Bench) -> Row:
    """Commands on a disk that is full at some moment, then has room again."""
    jobs = Jobs(bench)
    row = Row("full disks", "a disk that is full at some moment, then has room again")
    for job in JOBS:
        for number in range(bench.tries(1, 4)):
            with _small_disk(jobs, job) as (place, limit, make_room):
                ended = run(place, job.arguments, limit)
                if ended.code == 0:
                    continue
                row.tried += 1
                if problem := ended.problem:
                    row.add("wrong", f"{job.name} {number}: {problem}")
                make_room()
                jobs.compare(row, f"{job.name} {number} after a full disk", job, place)
    return row


@contextmanager
def _small_disk(jobs: Jobs, job: Job) -> Generator[tuple[Path, Callable[[], object] | None, Callable[[], object]]]:
    """A place with little room, what limits a process to it, and what makes room; without the right to mount a disk,
    a process that may write no large files."""
    with jobs.place(job) as place:
        disk = place.parent / "disk"
        disk.mkdir()
        room = jobs.bench.draw.randrange(4096, 400_000) // 4096 * 4096
        if _mounted("-t", "tmpfs", "-o", f"size={size_of(place) + room}", "tmpfs", str(disk)):
            try:
                shutil.copytree(place, disk / "copy")
                yield disk / "copy", None, partial(_mounted, "-o", "remount,size=500m", str(disk))
            finally:
                subprocess.run(["umount", "--lazy", str(disk)], check=True)  # noqa: S603, S607
        else:
            limit = jobs.bench.draw.randrange(100, 20_000)
            yield place, partial(resource.setrlimit, resource.RLIMIT_FSIZE, (limit, limit)), lambda: None


def _mounted(*arguments: str) -> bool:
    tool = shutil.which("mount")
    return tool is not None and not subprocess.run([tool, *arguments], stderr=subprocess.DEVNULL).returncode  # noqa: S603


def clock_jumps(bench: Bench) -> Row:
    """Commands under which the wall clock is set forward and back."""
    jobs = Jobs(bench)
    row = Row("clock jumps", "the wall clock set by an hour or 400 days, to and fro, under each command")
    with JumpingClock(bench.folder, every=0.02) as clock:
        for job in bench.sample(JOBS, 4, len(JOBS)):
            with jobs.place(job) as place:
                before = clock.jumps
                command = [sys.executable, "-c", MAIN, *job.arguments]
                environment = os.environ | clock.environment | {"DRRETAIL_CACHE_DIR": str(place / "cache")}
                done = subprocess.run(  # noqa: S603 -- ourselves
                    command, cwd=place, env=environment, capture_output=True, text=True, check=False
                )
                row.tried += clock.jumps - before
                jobs.compare(row, job.name, job, place, Ended(done.returncode, done.stderr))
                for duration in negative_durations(place / job.made):
                    row.add("wrong", f"{job.name}: {duration}")
    return row


def hard_places(bench: Bench) -> Row:
    """Folders that may not be written, long paths, a locale without UTF-8."""
    row = Row("places", "folders that are read-only, long paths, a file where a folder should be, a locale of ASCII")
    for job in bench.sample(JOBS, 2, len(JOBS)):
        for name, change in PLACES.items():
            with Jobs(bench).place(job) as place:
                row.tried += 1
                ended = run(place, job.arguments, partial(change, place / job.made))
                os.chmod(place, 0o755)  # noqa: PTH101, S103
                if problem := ended.problem:
                    row.add("wrong", f"{job.name}, {name}: {problem}")
    return row


def _read_only(made: Path) -> None:
    """Root may write everywhere: it loses that right, and keeps the one to read what Python loads later."""
    for path in (made.parent, *made.parent.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    if os.geteuid() == 0:
        _drop_capability(CAP_DAC_OVERRIDE)


CAP_DAC_OVERRIDE = 1
CAPABILITY_VERSION_3 = 0x20080522  # of linux/capability.h


def _drop_capability(number: int) -> None:
    """Of this process and those it starts, as in capset(2)."""
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    sets = (ctypes.c_uint32 * 6)()  # effective, permitted and inheritable, twice 32 of each
    libc = ctypes.CDLL(None, use_errno=True)
    libc.capget(header, sets)
    for at in range(3):
        sets[at] &= ~(1 << number)
    if libc.capset(header, sets):
        raise OSError(ctypes.get_errno(), "capset")


def _file_in_the_way(made: Path) -> None:
    shutil.rmtree(made, ignore_errors=True)
    made.parent.mkdir(exist_ok=True)
    made.write_bytes(b"not yours")


def _ascii(made: Path) -> None:
    del made
    os.environ |= {"LC_ALL": "C", "PYTHONIOENCODING": "latin-1"}
    locale.setlocale(locale.LC_ALL, "C")
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="latin-1", errors="strict")  # pyright: ignore[reportAttributeAccessIssue]


def _long_path(made: Path) -> None:
    deep = made.parent
    for _ in range(18):
        deep /= "d" * 200
        os.mkdir(deep.name)  # noqa: PTH102 -- the whole path is longer than a system call takes
        os.chdir(deep.name)
    for name in ("w", "q.jsonl", "exp", "raw", "log.jsonl", "imported"):
        os.symlink(made.parent / name, name)  # noqa: PTH211


PLACES = {
    "read-only": _read_only,
    "a file in the way": _file_in_the_way,
    "latin-1": _ascii,
    "a path of 3,600 characters": _long_path,
}


def content(made: Path) -> str:
    """A hash of all that a command made, but for times; what is left over of its writing counts."""
    found = hashlib.sha256()
    for path in [made] if made.is_file() else sorted(made.rglob("*")):
        name = path.relative_to(made.parent).as_posix()
        if path.is_file() and not path.name.endswith(TIMED) and not set(Path(name).parts) & set(KEPT_BY_OTHERS):
            data = path.read_bytes()
            if path.match(f"runs/*/*{RUN_FILE}"):  # without its journal and telemetry
                evidence = [entry.as_line() for entry in read_evidence(path)]
                data = canonical_json([read_members(path, "run"), evidence, sorted(read_results(path))]).encode()
            if name.endswith(PACKS):  # without the index, which holds the sizes of parts
                data = gzip.decompress(data).partition(b"\n")[2]
            if "/verdicts/" in name:  # claims are judged side by side, and kept as they end
                data = b"".join(sorted(data.splitlines(keepends=True)))
            found.update(f"{name}\0{hashlib.sha256(data).hexdigest()}\n".encode())
    is_left = any(journal_path(path).exists() for path in made.rglob(f"runs/*/*{RUN_FILE}"))
    return "a finished run has a journal still" if is_left else found.hexdigest()


def size_of(folder: Path) -> int:
    """The bytes of its files on a disk of pages."""
    return sum(-(-path.stat().st_size // 4096) * 4096 for path in folder.rglob("*") if path.is_file())

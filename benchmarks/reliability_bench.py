"""A shop, queries and an experiment to break, and the commands that work on them in processes of their own.

``Bench`` makes them once; a row of reliability.py runs a ``Job`` in a copy, disturbs it, and compares with its
``End``.
"""

import gzip
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.command import MAIN
from drretail.packs import PACKS
from drretail.records.base import canonical_json
from drretail.run_file import RUN_FILE, journal_path, read_members, read_results

SECONDS = 300
"""More than anything here takes: what is not over by then hangs."""
# Times stand in these, so that no two runs write them alike.
TIMED = ("journal.jsonl", "journal.jsonl.gz", ".lock")
# SQLite's own, which come and go with whoever reads; an index names its files at random, and their hashes go by name.
KEPT_BY_OTHERS = ("shop.sqlite", "shop.sqlite-shm", "shop.sqlite-wal", "index", "SHA256SUMS")


@dataclass
class Row:
    """One line of the table."""

    name: str
    what: str
    tried: int = 0
    lost: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Ended:
    """What a command ended with."""

    code: int
    output: str

    @property
    def in_one_sentence(self) -> bool:
        """It ended well, or told a person what to do."""
        return "Traceback" not in self.output and self.code in (0, 1, 2, 3)


@dataclass(frozen=True)
class Job:
    """A command, where it writes, and what has to be there before it."""

    name: str
    arguments: Callable[[Path, int], list[str]]
    """For the folder in which it works, and one of two variants that give another result."""
    needs: tuple[str, ...]


def _ingest(folder: Path, variant: int) -> list[str]:
    world = ["--world", str(folder / "made"), "--min-interactions", "2"]
    return ["ingest", str(folder / "raw"), *world, "--seed", str(variant), "--parallel", "1"]


def _queries(folder: Path, variant: int) -> list[str]:
    asked = ["--n", "2", "--seed", str(variant), "--to", str(folder / "made" / "queries.jsonl")]
    return ["queries", "generate", "--world", str(folder / "world"), *asked]


def _run(folder: Path, variant: int) -> list[str]:
    agents = ["--agent", "react", "--no-floors"]
    asked = ["--queries", str(folder / "queries.jsonl"), "--to", str(folder / "made")]
    return ["run", "--world", str(folder / "world"), *asked, *agents, "--seed", str(variant)]


def _score(folder: Path, variant: int) -> list[str]:
    del variant
    return ["score", str(folder / "made"), "--world", str(folder / "world"), "--metrics", "faithfulness,checks"]


def _synth(folder: Path, variant: int) -> list[str]:
    return ["synth", "--to", str(folder / "made"), "--products", "300", "--reviews", "6000", "--seed", str(variant)]


def _sandbox(folder: Path, variant: int) -> list[str]:
    made = ["--to", str(folder / "made" / "sandbox"), "--sizes", "32k", "--seed", str(variant)]
    return ["sandbox", "build", "--world", str(folder / "world"), "--queries", str(folder / "queries.jsonl"), *made]


SYNTH = Job("synth", _synth, ())
INGEST = Job("ingest", _ingest, ("raw",))
QUERIES = Job("queries generate", _queries, ("world",))
RUN = Job("run", _run, ("world", "queries.jsonl"))
SCORE = Job("score", _score, ("world", "made"))
SANDBOX = Job("sandbox build", _sandbox, ("world", "queries.jsonl"))


@dataclass(frozen=True)
class End:
    """What an undisturbed job leaves, how long it takes, and the bytes that it writes."""

    content: str
    seconds: float
    size: int


class Bench:
    """A shop, queries and an experiment to break, made once; commands run as processes of their own."""

    def __init__(self, folder: Path, *, quick: bool, seed: int) -> None:
        self.folder, self.quick, self.seed, self.draw = folder, quick, seed, random.Random(seed)
        self.environment = {**os.environ, "DRRETAIL_CACHE_DIR": str(folder / "cache"), "COLUMNS": "200"}
        start = folder / "start"
        start.mkdir()
        for job, made in ((SYNTH, "raw"), (INGEST, "world"), (QUERIES, "queries.jsonl"), (RUN, "experiment")):
            ended = self.start(job, start).wait()
            assert ended.code == 0, ended.output
            written = start / "made" / made
            (written if written.is_file() else start / "made").rename(start / made)
            shutil.rmtree(start / "made", ignore_errors=True)
        self._ends: dict[tuple[str, int], End] = {}

    def tries(self, few: int, many: int) -> int:
        return few if self.quick else many

    @contextmanager
    def place(self, job: Job) -> Generator[Path]:
        """A folder with what a job needs, and nothing of what it makes."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        try:
            self.furnish(folder, job)
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def furnish(self, folder: Path, job: Job) -> None:
        """Puts there what a job needs; what is only read is a link."""
        start = self.folder / "start"
        for name in job.needs:
            if name == "made":
                shutil.copytree(start / "experiment", folder / "made")
            else:
                (folder / name).symlink_to(start / name)

    def start(
        self,
        job: Job,
        folder: Path,
        variant: int = 1,
        prepare: Callable[[], object] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> "Process":
        if job in (QUERIES, SANDBOX):
            (folder / "made").mkdir(exist_ok=True)
        return Process(job.arguments(folder, variant), {**self.environment, **(environment or {})}, prepare)

    def end(self, job: Job, variant: int = 1) -> "End":
        """What a job makes when nothing disturbs it."""
        if (job.name, variant) not in self._ends:
            with self.place(job) as folder:
                began, before = time.monotonic(), size_of(folder / "made")
                ended = self.start(job, folder, variant).wait()
                assert ended.code == 0, ended.output
                made = folder / "made"
                self._ends[job.name, variant] = End(content(made), time.monotonic() - began, size_of(made) - before)
        return self._ends[job.name, variant]


class Process:
    """A command under way."""

    def __init__(
        self, arguments: Sequence[str], environment: dict[str, str], prepare: Callable[[], object] | None = None
    ) -> None:
        self._process = subprocess.Popen(  # noqa: S603 -- ourselves
            [sys.executable, "-c", MAIN, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=environment,
            preexec_fn=prepare,
        )

    def wait(self) -> Ended:
        try:
            _, output = self._process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return Ended(-1, "it hangs")
        return Ended(self._process.returncode, output.decode(errors="replace"))

    def kill_after(self, seconds: float) -> bool:
        """True when it was still at work."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.send_signal(signal.SIGKILL)
        self._process.communicate()
        return self._process.returncode == -signal.SIGKILL


def content(made: Path) -> str:
    """A hash of all that a command made, but for times; what is left over of its writing counts."""
    found = hashlib.sha256()
    for path in sorted(made.rglob("*")):
        name = path.relative_to(made).as_posix()
        if path.is_file() and not path.name.endswith(TIMED) and not set(Path(name).parts) & set(KEPT_BY_OTHERS):
            data = path.read_bytes()
            if path.match(f"runs/*/*{RUN_FILE}"):  # without its journal and telemetry
                data = canonical_json([read_members(path, "run", "evidence"), sorted(read_results(path))]).encode()
            if name.endswith(PACKS):  # without the index, which holds the sizes of parts
                data = gzip.decompress(data).partition(b"\n")[2]
            if name.startswith("verdicts/"):  # claims are judged side by side, and kept as they end
                data = b"".join(sorted(data.splitlines(keepends=True)))
            found.update(f"{name}\0{hashlib.sha256(data).hexdigest()}\n".encode())
    is_left = any(journal_path(path).exists() for path in made.rglob(f"runs/*/*{RUN_FILE}"))
    return "a finished run has a journal still" if is_left else found.hexdigest()


def size_of(folder: Path) -> int:
    """The bytes of its files on a disk of pages."""
    return sum(-(-path.stat().st_size // 4096) * 4096 for path in folder.rglob("*") if path.is_file())

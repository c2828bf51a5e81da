"""What is lost when things go wrong: one row a kind of trouble, each tried many times with real processes.

    PYTHONPATH=. python benchmarks/reliability.py [--quick] [--only kills,"double starts"] [--seed N] [--json FILE]

A row is a function in ROWS that takes a Bench and gives a Row: how often it was tried, and what was lost, a sentence
each. Three rows stand in files of their own beside this one. docs/reliability.md holds the table.
"""

import argparse
import hashlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

from benchmarks.reliability_faults import faults
from benchmarks.reliability_fuzz import fuzz_inputs
from benchmarks.reliability_injections import injections

MAIN = "from drretail.cli.entry import main; main()"
SECONDS = 300
"""More than anything here takes: what is not over by then hangs."""
# Times stand in these, so that no two runs write them alike.
TIMED = ("telemetry.json", "journal.jsonl", "journal.jsonl.gz", ".lock")
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
    return ["ingest", str(folder / "raw"), *world, "--seed", str(variant), "--workers", "1"]


def _queries(folder: Path, variant: int) -> list[str]:
    asked = ["--users", "2", "--seed", str(variant), "--to", str(folder / "made" / "queries.jsonl")]
    return ["queries", "generate", "--world", str(folder / "world"), *asked]


def _run(folder: Path, variant: int) -> list[str]:
    agents = ["--agent", "react", "--no-floors"]
    asked = ["--queries", str(folder / "queries.jsonl"), "--to", str(folder / "made")]
    return ["run", "--world", str(folder / "world"), *asked, *agents, "--seed", str(variant)]


def _score(folder: Path, variant: int) -> list[str]:
    del variant
    return ["score", str(folder / "made"), "--world", str(folder / "world"), "--metrics", "faithfulness,checks"]


def _synth(folder: Path, variant: int) -> list[str]:
    return ["synth", "--to", str(folder / "made"), "--products", "60", "--reviews", "900", "--seed", str(variant)]


SYNTH = Job("synth", _synth, ())
INGEST = Job("ingest", _ingest, ("raw",))
QUERIES = Job("queries generate", _queries, ("world",))
RUN = Job("run", _run, ("world", "queries.jsonl"))
SCORE = Job("score", _score, ("world", "made"))


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

    def start(self, job: Job, folder: Path, variant: int = 1, prepare: Callable[[], object] | None = None) -> "Process":
        if job is QUERIES:
            (folder / "made").mkdir(exist_ok=True)
        return Process(job.arguments(folder, variant), self.environment, prepare)

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
            if name.startswith("verdicts/"):  # claims are judged side by side, and kept as they end
                data = b"".join(sorted(data.splitlines(keepends=True)))
            found.update(f"{name}\0{hashlib.sha256(data).hexdigest()}\n".encode())
    unfinished = [each for each in made.rglob("journal.jsonl") if each.with_name("run.json").exists()]
    return "a finished run has a journal still" if unfinished else found.hexdigest()


def size_of(folder: Path) -> int:
    """The bytes of its files on a disk of pages."""
    return sum(-(-path.stat().st_size // 4096) * 4096 for path in folder.rglob("*") if path.is_file())


def kills(bench: Bench) -> Row:
    """Commands killed at random moments and started again."""
    row = Row("kills", "ingest, queries generate, run and score killed at random moments, then started again")
    for job in (INGEST, QUERIES, RUN, SCORE):
        whole = bench.end(job)
        for number in range(bench.tries(2, 12)):
            with bench.place(job) as folder:
                moment = bench.draw.uniform(0.2, 1) * whole.seconds
                if not bench.start(job, folder).kill_after(moment):
                    continue
                row.tried += 1
                _compare(row, f"{job.name} {number} killed after {moment:.3f} s", bench, job, folder)
    return row


def double_starts(bench: Bench) -> Row:
    """Two of a command started together, which would make different things."""
    row = Row("double starts", "two ingests, synths, runs and scores of one place started together")
    for job in (INGEST, SYNTH, RUN, SCORE):
        ends = {bench.end(job, variant).content for variant in (1, 2)}
        for number in range(bench.tries(1, 5)):
            with bench.place(job) as folder:
                row.tried += 1
                ended = [process.wait() for process in [bench.start(job, folder, variant) for variant in (1, 2)]]
                attempt = f"{job.name} {number}"
                if not any(each.code == 0 for each in ended) or not all(each.in_one_sentence for each in ended):
                    row.lost.append(f"{attempt}: {' | '.join(f'{each.code} {each.output[-300:]}' for each in ended)}")
                elif content(folder / "made") not in ends:
                    row.lost.append(f"{attempt}: what is there is neither's")
    return row


def disk_full_moments(bench: Bench) -> Row:
    """Commands on a disk that is full at some moment, then has room again."""
    row = Row(
        "disk-full moments", "ingest, queries generate, run and score on a disk that fills up, then has room again"
    )
    for job in (INGEST, QUERIES, RUN, SCORE):
        for number in range(bench.tries(1, 6)):
            with _small_disk(bench, job) as (folder, limit, room):
                ended = bench.start(job, folder, prepare=limit).wait()
                if ended.code == 0:
                    continue
                row.tried += 1
                if not ended.in_one_sentence:
                    row.lost.append(f"{job.name} {number}: {ended.output[-300:]}")
                room()
                _compare(row, f"{job.name} {number}", bench, job, folder)
    return row


def _compare(row: Row, attempt: str, bench: Bench, job: Job, folder: Path) -> None:
    """Starts a job again, which has to end as if nothing had happened."""
    ended = bench.start(job, folder).wait()
    if ended.code:
        row.lost.append(f"{attempt}: started again it ends with {ended.code}: {ended.output[-300:]}")
    elif (found := content(folder / "made")) != bench.end(job).content:
        row.lost.append(
            f"{attempt}: what is there is not what it makes undisturbed{f': {found}' if ' ' in found else ''}"
        )


@contextmanager
def _small_disk(bench: Bench, job: Job) -> Generator[tuple[Path, Callable[[], object] | None, Callable[[], object]]]:
    """A folder of little room, what limits a process to it, and what makes room; without the right to mount one,
    a process that may write no large files."""
    with bench.place(job) as folder:
        size = int(bench.draw.uniform(0.05, 0.95) * bench.end(job).size) // 4096 * 4096 + 4096
        disk = folder / "disk"
        disk.mkdir()
        if _mounted("-t", "tmpfs", "-o", f"size={size + size_of(folder / 'made')}", "tmpfs", str(disk)):
            try:
                bench.furnish(disk, job)
                yield disk, None, partial(_mounted, "-o", "remount,size=500m", str(disk))
            finally:
                subprocess.run(["umount", "--lazy", str(disk)], check=True)  # noqa: S603, S607
        else:
            limit = bench.draw.randrange(100, 20_000)
            yield folder, partial(resource.setrlimit, resource.RLIMIT_FSIZE, (limit, limit)), lambda: None


def _mounted(*arguments: str) -> bool:
    tool = shutil.which("mount")
    return tool is not None and not subprocess.run([tool, *arguments], stderr=subprocess.DEVNULL).returncode  # noqa: S603


def fuzzed(bench: Bench) -> Row:
    """Commands over damaged files, nasty input and plugins that fail."""
    what = "commands over damaged files, JSON without end, failing plugins and odd names: a traceback, or a hang"
    return Row("fuzz inputs", what, *fuzz_inputs(bench.folder / "fuzz", quick=bench.quick, seed=bench.seed))


def failing_provider(bench: Bench) -> Row:
    """A model's provider that fails for a while, or denies all."""
    folder = bench.folder / "faults"
    folder.mkdir()
    what = "answers of a model's provider that were dropped, cut, broken, 429, 5xx or denied: runs, or paid calls"
    return Row("faults", what, *faults(folder, quick=bench.quick))


def injected(bench: Bench) -> Row:
    """Hostile texts that a model obeys."""
    return Row(*injections(quick=bench.quick))


# Those that start threads come last: the fuzzed commands are forked.
ROWS: dict[str, Callable[[Bench], Row]] = {
    "kills": kills,
    "double starts": double_starts,
    "disk-full moments": disk_full_moments,
    "fuzz inputs": fuzzed,
    "faults": failing_provider,
    "injections": injected,
}


def table(rows: Sequence[Row]) -> str:
    """As Markdown."""
    lines = ["| | what was done | tried | lost |", "|---|---|---:|---:|"]
    return "\n".join([*lines, *(f"| {row.name} | {row.what} | {row.tried:,} | {len(row.lost):,} |" for row in rows)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default=",".join(ROWS), help="names of rows, with commas")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory(prefix="drretail-reliability-") as name:
        bench = Bench(Path(name), quick=asked.quick, seed=asked.seed)
        for wanted in sorted(asked.only.split(","), key=list(ROWS).index):
            rows.append(ROWS[wanted](bench))
            for loss in rows[-1].lost:
                print(f"{wanted}: {loss}", file=sys.stderr)
    print(table(rows))
    if asked.json is not None:
        document = {"seed": asked.seed, "quick": asked.quick, "rows": [asdict(row) for row in rows]}
        asked.json.write_text(json.dumps(document, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()

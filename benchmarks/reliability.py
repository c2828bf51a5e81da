"""What is lost when things go wrong: one row a kind of trouble, each tried many times with real processes.

    PYTHONPATH=. python benchmarks/reliability.py [--quick] [--only kills,"double starts"] [--seed N] [--json FILE]

A row is a function in ROWS that takes a Bench and gives a Row: how often it was tried, and what was lost, a sentence
each. Their larger parts are in files of their own beside this one. docs/experiments.md holds the table.
"""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path

from figures import keep, parser_of

from benchmarks.reliability_bench import (
    INGEST,
    QUERIES,
    RUN,
    SANDBOX,
    SCORE,
    SYNTH,
    Bench,
    Ended,
    Job,
    Process,
    Row,
    content,
    size_of,
)
from benchmarks.reliability_clock import JumpingClock, negative_durations
from benchmarks.reliability_faults import faults, uncounted
from benchmarks.reliability_fuzz import damages, fuzz_inputs
from drretail.experiment import read_runs

AT_ONCE = 200
JOBS = (SYNTH, INGEST, QUERIES, RUN, SCORE, SANDBOX)
ALL_JOBS = "synth, ingest, queries generate, run, score and sandbox build"


def kills(bench: Bench) -> Row:
    """Commands killed at random moments and started again."""
    row = Row("kills", f"{ALL_JOBS} killed at random moments, then started again")
    for job in JOBS:
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
    row = Row("double starts", f"two of {ALL_JOBS} started together on one place")
    for job in JOBS:
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
    row = Row("disk-full moments", f"{ALL_JOBS} on a disk that fills up, then has room again")
    for job in JOBS:
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


def clock_jumps(bench: Bench) -> Row:
    """Commands under which the wall clock is set forward and back."""
    row = Row("clock jumps", f"the wall clock set by an hour or 400 days, to and fro, under {ALL_JOBS}")
    with JumpingClock(bench.folder, every=0.05) as clock:
        for job in JOBS:
            for number in range(bench.tries(2, 12)):
                with bench.place(job) as folder:
                    before = clock.jumps
                    ended = bench.start(job, folder, environment=clock.environment).wait()
                    row.tried += clock.jumps - before
                    _compare(row, f"{job.name} {number}", bench, job, folder, ended)
                    row.lost += [f"{job.name} {number}: {each}" for each in negative_durations(folder / "made")]
    return row


def damaged_ingest(bench: Bench) -> Row:
    """Raw files of a shop that are damaged."""
    what = (
        "ingest of a shop with a damaged file: it makes a whole world, or none and a whole one from the file as it was"
    )
    return _damaged(Row("damaged rows", what), bench, INGEST, "raw", "raw")


def damaged_score(bench: Bench) -> Row:
    """Files of runs that are damaged when they are scored."""
    what = "score of an experiment with a damaged file, then with the file as it was"
    return _damaged(Row("damaged runs", what), bench, SCORE, "experiment", "made")


def _damaged(row: Row, bench: Bench, job: Job, made: str, name: str) -> Row:
    """Commands over a folder with one damaged file, which is put back; ``name`` is what the job calls the folder."""
    start = bench.folder / "start" / made
    files = [path for path in sorted(start.rglob("*")) if path.is_file() and path.stat().st_size]
    all_damages = [(path, *each) for path in files for each in damages(bench.draw, path, bench.quick)]
    for path, damage, change in bench.draw.sample(all_damages, min(len(all_damages), bench.tries(24, 400))):
        with bench.place(job) as folder:
            if (folder / name).is_symlink():
                (folder / name).unlink()
                shutil.copytree(start, folder / name)
            target, attempt = folder / name / path.relative_to(start), f"{path.relative_to(start)}: {damage}"
            change(target)
            row.tried += 1
            ended = bench.start(job, folder).wait()
            if not ended.in_one_sentence:
                row.lost.append(f"{attempt}: {ended.code}: {ended.output[-300:]}")
            shutil.copy2(path, target)  # with its time, which a world names
            if job is not INGEST or ended.code:
                _compare(row, attempt, bench, job, folder)
            elif Process(["world", "check", str(folder / "made")], bench.environment).wait().code:
                row.lost.append(f"{attempt}: it made a world that is not whole")
    return row


def parallel_runs(bench: Bench) -> Row:
    """Runs that go on all at once on a world of MongoDB and Elasticsearch."""
    row = Row("parallel runs", f"{AT_ONCE} runs at once on a world on MongoDB and Elasticsearch, against a folder's")
    if not {"MONGO_URL", "ES_URL"} <= set(os.environ):
        row.lost.append("not tried: it needs MONGO_URL and ES_URL")
        return row
    start, world = bench.folder / "start", f"servers:reliability-{os.getpid()}"
    queries = len((start / "queries.jsonl").read_text("utf-8").splitlines())
    repeats = str(-(-AT_ONCE // queries))
    reports: list[dict[str, str | None]] = []
    for place, copied in ((str(start / "world"), False), (world, True)):
        made = bench.folder / f"parallel-{copied}"
        commands = [["run", "--world", place, "--queries", str(start / "queries.jsonl"), "--to", str(made)]]
        commands[0] += ["--agent", "react", "--no-floors", "--repeats", repeats]
        commands[0] += ["--parallel", str(AT_ONCE if copied else 4)]
        if copied:
            commands.insert(0, ["world", "copy", str(start / "world"), world])
        for command in commands:
            ended = Process(command, bench.environment).wait()
            if ended.code:
                row.lost.append(f"{' '.join(command)}: {ended.code}: {ended.output[-300:]}")
        reports.append({run.run_id: run.report_sha for run in read_runs(made)})
    row.tried = len(reports[0])
    row.lost += [run_id for run_id, sha in reports[0].items() if sha is None or reports[1].get(run_id) != sha]
    return row


def _compare(row: Row, attempt: str, bench: Bench, job: Job, folder: Path, ended: Ended | None = None) -> None:
    """Starts a job again, unless it has ``ended``; it has to end as if nothing had happened."""
    ended = ended or bench.start(job, folder).wait()
    if ended.code:
        row.lost.append(f"{attempt}: it ends with {ended.code}: {ended.output[-300:]}")
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


def uncounted_usage(bench: Bench) -> Row:
    """A model's provider that counts no tokens, or impossible ones."""
    folder = bench.folder / "uncounted"
    folder.mkdir()
    what = "caps on tokens of an experiment and of a run, with a provider that counts none or impossible ones"
    return Row("uncounted usage", what, *uncounted(folder, quick=bench.quick))


# Those that start threads come last: the fuzzed commands are forked.
ROWS: dict[str, Callable[[Bench], Row]] = {
    "kills": kills,
    "double starts": double_starts,
    "disk-full moments": disk_full_moments,
    "clock jumps": clock_jumps,
    "damaged rows": damaged_ingest,
    "damaged runs": damaged_score,
    "parallel runs": parallel_runs,
    "fuzz inputs": fuzzed,
    "faults": failing_provider,
    "uncounted usage": uncounted_usage,
}


def table(rows: Sequence[Row]) -> str:
    """As Markdown."""
    lines = ["| | what was done | tried | lost |", "|---|---|---:|---:|"]
    return "\n".join([*lines, *(f"| {row.name} | {row.what} | {row.tried:,} | {len(row.lost):,} |" for row in rows)])


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default=",".join(ROWS), help="names of rows, with commas")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory(prefix="drretail-reliability-") as name:
        bench = Bench(Path(name), quick=asked.quick, seed=asked.seed)
        for wanted in sorted(asked.only.split(","), key=list(ROWS).index):
            rows.append(ROWS[wanted](bench))
            for loss in rows[-1].lost:
                print(f"{wanted}: {loss}", file=sys.stderr)
    print(table(rows))
    keep(asked.json, {"seed": asked.seed, "quick": asked.quick, "rows": [asdict(row) for row in rows]})


if __name__ == "__main__":
    main()

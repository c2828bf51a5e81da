"""Jobs in other processes end, or say why not; and of several writers of a folder there is one at a time."""

import multiprocessing
import os
import pickle
import subprocess
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from drretail.env.processes import Job, Tell, WorkerPool, ignore
from drretail.errors import UserError
from drretail.locks import LOCK, locked_folder


class TwoArguments(UserError):
    """Pickles, and cannot be made again of what was pickled."""

    def __init__(self, one: str, other: str) -> None:
        super().__init__(one + other)


class Unreadable:
    """Pickles, and cannot be read where it arrives."""

    def __reduce__(self) -> tuple[object, ...]:
        return (int, ("no number",))

    def __call__(self, tell: Tell) -> None: ...


def fail(tell: Tell) -> None:
    raise TwoArguments("a", "b")


def err(tell: Tell) -> None:
    raise TypeError("a bug of ours")


def write(path: Path, tell: Tell) -> None:
    path.write_text("done", encoding="utf-8")
    tell(4, 1)


@pytest.mark.parametrize(
    ("job", "error", "message"),
    [
        (lambda tell: tell(1, 1), (AttributeError, pickle.PicklingError), "pickle"),
        (fail, TypeError, "other"),
        (Unreadable(), ValueError, "no number"),
        (err, UserError, "A worker of the ingest ended"),
    ],
    ids=["not pickled", "an error that is not made again", "not read where it arrives", "a bug ends its worker"],
)
def test_a_job_that_cannot_be_sent_ends_jobs(tmp_path: Path, job: Job, error: type[Exception], message: str) -> None:
    with WorkerPool(2) as pool, pytest.raises(error, match=message):
        pool.do([job, partial(write, tmp_path / "a")], ignore)


def test_jobs_are_done_and_what_they_tell_is_heard(tmp_path: Path) -> None:
    events = list[tuple[int, int]]()
    with WorkerPool(2) as pool:
        pool.do([partial(write, tmp_path / name) for name in "abc"], lambda read, rows: events.append((read, rows)))
    assert events == [(4, 1)] * 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b", "c"]


HOLD = """
import os, sys
from pathlib import Path
from drretail.locks import locked_folder
with locked_folder(Path(sys.argv[1])):
    print(flush=True)
"""


def test_a_second_writer_is_told_which_process_writes(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", f"{HOLD}    sys.stdin.read()", str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None
    holder.stdout.readline()
    try:
        refused = rf"writing the shop \(process {holder.pid}, since .* UTC\): wait"
        with pytest.raises(UserError, match=refused), locked_folder(tmp_path, "the shop"):
            pass
    finally:
        holder.communicate()


def test_the_lock_of_a_killed_process_is_free_and_one_that_was_given_back_leaves_nothing(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", f"{HOLD}    os.kill(os.getpid(), 9)", str(tmp_path)])
    assert (tmp_path / LOCK).exists()
    with locked_folder(tmp_path, "the shop"):
        assert (tmp_path / LOCK).read_text().startswith(f"{os.getpid()} ")
    assert list(tmp_path.iterdir()) == []


def _count(folder: Path, rounds: int) -> None:
    for _ in range(rounds):
        while True:
            with suppress(UserError), locked_folder(folder, "the count"):
                number = int((folder / "count").read_text())
                (folder / "count").write_text(str(number + 1))
                break


def test_of_many_writers_there_is_one_at_a_time(tmp_path: Path) -> None:
    (tmp_path / "count").write_text("0")
    with multiprocessing.get_context("spawn").Pool(3) as processes:
        processes.starmap_async(_count, [(tmp_path, 100)] * 3, chunksize=1).get(60)
    assert (tmp_path / "count").read_text() == "300"

"""Jobs in other processes end, or say why not."""

import pickle
from functools import partial
from pathlib import Path

import pytest

from drretail.env.processes import Job, Tell, WorkerPool, ignore
from drretail.errors import UserError


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

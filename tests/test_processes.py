"""Jobs in other processes end, or say why not."""

import pickle
from functools import partial
from pathlib import Path

import pytest

from drretail.errors import UserError
from drretail.processes import Tell, WorkerPool, ignore


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


def write(path: Path, tell: Tell) -> None:
    path.write_text("done", encoding="utf-8")
    tell(4, 1)


def test_a_job_that_cannot_be_pickled_is_refused(tmp_path: Path) -> None:
    jobs = [partial(write, tmp_path / "a"), lambda tell: tell(1, 1)]
    with WorkerPool(2) as pool, pytest.raises((AttributeError, pickle.PicklingError)):
        pool.do(jobs, ignore)


def test_an_error_that_cannot_be_made_again_ends_the_jobs(tmp_path: Path) -> None:
    with WorkerPool(2) as pool, pytest.raises(TypeError, match="other"):
        pool.do([fail, partial(write, tmp_path / "a")], ignore)


def test_a_job_that_cannot_be_read_by_its_worker_ends_the_jobs(tmp_path: Path) -> None:
    with WorkerPool(2) as pool, pytest.raises(ValueError, match="no number"):
        pool.do([Unreadable(), partial(write, tmp_path / "a")], ignore)


def test_jobs_are_done_and_what_they_tell_is_heard(tmp_path: Path) -> None:
    events = list[tuple[int, int]]()
    with WorkerPool(2) as pool:
        pool.do([partial(write, tmp_path / name) for name in "abc"], lambda read, rows: events.append((read, rows)))
    assert events == [(4, 1)] * 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b", "c"]

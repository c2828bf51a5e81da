"""So many runs side by side as the process may have open files for, or one sentence."""

import resource

import pytest

from drretail.agents.running.run import check_open_files
from drretail.errors import UserError


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """The limits of the process, of which the last one holds: at first 1,024, and 4,096 at the most."""
    held = [(1024, 4096)]
    monkeypatch.setattr(resource, "getrlimit", lambda _: held[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda _, given: held.append(given))
    return held


def test_two_hundred_runs_need_nothing_that_is_not_there(limits: list[tuple[int, int]]) -> None:
    check_open_files(200)
    assert limits == [(1024, 4096)]


def test_what_the_process_may_have_it_takes(limits: list[tuple[int, int]]) -> None:
    check_open_files(1000)
    assert limits[-1] == (2100, 4096)


def test_more_than_it_may_have_is_one_sentence_with_what_would_go(limits: list[tuple[int, int]]) -> None:
    with pytest.raises(UserError, match=r"needs 10,100 open files.*may have 4,096.*at most --parallel 1998"):
        check_open_files(5000)
    assert limits == [(1024, 4096)]

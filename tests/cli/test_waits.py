"""What is waited for is said on a terminal, and nothing of it in a pipe."""

import sys

import pytest

from drretail.progress import Waits


def on_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(sys.stderr), "isatty", lambda _: True)


def test_many_calls_that_wait_for_the_same_are_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    on_terminal(monkeypatch)
    times = iter([0.0, 0.1, 1.9, 2.1])
    waits = Waits(clock=lambda: next(times))
    for number in range(4):
        waits(f"Waiting: {number}")
    assert capsys.readouterr().err == "Waiting: 0\nWaiting: 3\n"


def test_who_is_to_be_quiet_says_nothing(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    on_terminal(monkeypatch)
    Waits(quiet=True)("Waiting")
    assert capsys.readouterr().err == ""


def test_nothing_of_it_goes_into_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    Waits()("Waiting")
    assert capsys.readouterr().err == ""

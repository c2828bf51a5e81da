"""What is waited for is said on a terminal, and nothing of it in a pipe."""

import os
import pty
import subprocess
import sys
from contextlib import suppress

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


def test_nothing_of_it_goes_into_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    Waits()("Waiting")
    assert capsys.readouterr().err == ""


BUSY = "import time; from drretail.progress import busy\nwith busy('reading it all'): time.sleep(0.5)"


def test_what_is_done_is_shown_live_on_a_terminal() -> None:
    main, helper = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", BUSY], stdout=helper, stderr=helper, env=os.environ | {"TERM": "xterm"}
    )
    os.close(helper)
    shown = b""
    with suppress(OSError):  # so Linux tells of a closed terminal
        while data := os.read(main, 65536):
            shown += data
    os.close(main)
    assert process.wait(timeout=280) == 0
    assert b"reading it all" in shown

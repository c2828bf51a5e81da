"""Several runs at once through the real command line: what is told, and Ctrl-C."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.commands import MAIN, Command, environment

SLOW_REACT = "tests.agents.slowed:REACT"


def run_command(queries: str, shop: str, *more: str) -> list[str]:
    return ["run", "--no-floors", "--queries", queries, "--world", shop, "--agent", SLOW_REACT, *more]


def interrupted(
    tmp_path: Path,
    command: list[str],
    presses: int,
    slowed_by: str,
    number: signal.Signals = signal.SIGINT,
    main: str = MAIN,
) -> tuple[int, str]:
    """Exit code and stderr of a command that got Ctrl-C, or another signal, so often once its runs had begun."""
    process = subprocess.Popen(
        [sys.executable, "-c", main, *command],
        cwd=tmp_path,
        env=environment(tmp_path, SLOWED_BY=slowed_by),
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob("exp/runs/*/*/journal.jsonl")) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert process.stderr is not None
    text = ""
    for press in range(presses):
        os.kill(process.pid, number)
        while press + 1 < presses and "Stopping" not in text and (line := process.stderr.readline()):
            text += line
    text += process.stderr.read()
    return process.wait(timeout=280), text


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_ctrl_c_keeps_the_run_in_flight_and_the_same_command_goes_on(
    drretail: Command, shop: str, queries: str, tmp_path: Path, number: signal.Signals
) -> None:
    command = run_command(queries, shop, "--to", "exp", "--repeats", "3")
    code, text = interrupted(tmp_path, [*command, "--parallel", "2"], 1, "0.2", number)
    assert code == 130
    assert "Stopping: no new run begins, and the 2 current runs are finished." in text
    assert text.rstrip().endswith("Interrupted: the same command continues from here.")
    assert len(list(tmp_path.glob("exp/runs/*/*/run.json"))) == 2
    (counts,) = json.loads(drretail(*command, "--json").stdout)["systems"]
    assert (counts["done"], counts["before"]) == (6, 2)


@pytest.mark.parametrize("presses", [pytest.param(1, marks=pytest.mark.slow), 2])
def test_sigterm_ends_without_a_traceback_where_ctrl_c_is_ignored(
    shop: str, queries: str, tmp_path: Path, presses: int
) -> None:
    background = f"import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); {MAIN}"
    command = run_command(queries, shop, "--to", "exp")
    slowed_by = "0.2" if presses == 1 else "3600"
    code, text = interrupted(tmp_path, command, presses, slowed_by, signal.SIGTERM, background)
    assert code == 130
    assert "Traceback" not in text
    assert "Stopping: no new run begins" in text
    assert text.rstrip().endswith("Interrupted: the same command continues from here.")


def test_a_second_ctrl_c_stops_at_once_and_nothing_is_lost(
    drretail: Command, shop: str, queries: str, tmp_path: Path
) -> None:
    command = run_command(queries, shop, "--to", "exp")
    code, text = interrupted(tmp_path, command, 2, "3600")  # one that waited for its runs would hang
    assert code == 130
    assert "Traceback" not in text
    assert not list(tmp_path.glob("exp/runs/*/*/run.json"))
    (counts,) = json.loads(drretail(*command, "--json").stdout)["systems"]
    assert (counts["done"], counts["before"]) == (2, 0)


def test_many_runs_are_counted_and_their_steps_are_not_told(drretail: Command, shop: str, queries: str) -> None:
    done = drretail("run", "--no-floors", "--queries", queries, "--world", shop, "--to", "exp", "--repeats", "3")
    assert done.returncode == 0, done.stderr
    assert "product_catalog_search" not in done.stderr
    assert len(done.stderr.splitlines()) <= 6
    again = drretail("run", "--no-floors", "--queries", queries, "--world", shop, "--to", "exp", "--repeats", "3")
    assert "6 of 6 runs had ended before." in again.stderr


def test_runs_that_go_one_by_one_tell_their_steps(drretail: Command, shop: str, queries: str) -> None:
    done = drretail("run", "--queries", queries, "--world", shop, "--to", "exp", "--parallel", "1")
    assert "product_catalog_search" in done.stderr
    assert "q2 · react@offline-shopper" in done.stderr

"""Runs at once and in parts: what is told, Ctrl-C, and shards; all end like a whole run. Tests entry.py."""

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from drretail.cli.entry import begins_anew
from drretail.experiments.experiment import run_files
from drretail.experiments.run_file import JOURNAL, RUN_FILE
from drretail.files import LOCK, write_lines
from drretail.records.query import Query
from tests import build
from tests.cli.commands import MAIN, Command, Start, environment
from tests.cli.forked import ForkedCommand
from tests.run_files import runs_in
from tests.shop import USER

SLOW_REACT = "tests.agents.slowed:REACT"


def run_command(queries: str, shop: str, *more: str) -> list[str]:
    return ["run", "--no-floors", "--queries", queries, "--world", shop, "--agent", SLOW_REACT, *more]


def interrupt(
    tmp_path: Path,
    process: "ForkedCommand | subprocess.Popen[bytes]",
    errors: Callable[[], str],
    presses: int,
    number: signal.Signals = signal.SIGINT,
) -> None:
    """Presses Ctrl-C, or sends another signal, so often once the command's runs have begun."""
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob(f"exp/runs/*/*{JOURNAL}")) and time.monotonic() < deadline:
        time.sleep(0.01)
    for press in range(presses):
        process.send_signal(number)
        while press + 1 < presses and "Stopping" not in errors() and time.monotonic() < deadline:
            time.sleep(0.01)


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_ctrl_c_keeps_the_run_in_flight_and_the_same_command_goes_on(
    drretail: Command, start: Start, shop: str, queries: str, tmp_path: Path, number: signal.Signals
) -> None:
    command = run_command(queries, shop, "--to", "exp", "--repeats", "3")
    process = start(*command, "--parallel", "2", SLOWED_BY="0.2")
    interrupt(tmp_path, process, lambda: process.stderr, 1, number)
    ended = process.wait()
    assert ended.returncode == 130
    assert "Stopping: no new run begins, and the 2 current runs have a minute to end." in ended.stderr
    assert ended.stderr.rstrip().endswith("Interrupted: the same command continues from here.")
    assert len(run_files(tmp_path / "exp")) == 2
    (counts,) = json.loads(drretail(*command, "--json").stdout)["systems"]
    assert (counts["done"], counts["before"]) == (6, 2)


def test_a_command_that_keeps_nothing_begins_anew() -> None:
    names = ("run", "lab", "export")
    assert [name for name in names if begins_anew(["drretail", name])] == ["export"]


@pytest.mark.parametrize("presses", [pytest.param(1, marks=pytest.mark.slow), 2])
def test_sigterm_ends_in_words_where_ctrl_c_is_ignored(shop: str, queries: str, tmp_path: Path, presses: int) -> None:
    background = f"import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); {MAIN}"
    command = run_command(queries, shop, "--to", "exp")
    errors = tmp_path / "errors"
    with errors.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-c", background, *command],
            cwd=tmp_path,
            env=environment(tmp_path, SLOWED_BY="0.2" if presses == 1 else "3600"),
            stderr=file,
            stdout=subprocess.DEVNULL,
        )
    interrupt(tmp_path, process, errors.read_text, presses, signal.SIGTERM)
    assert process.wait(timeout=280) == 130
    text = errors.read_text()
    assert "Traceback" not in text
    assert "Stopping: no new run begins" in text
    assert text.rstrip().endswith("Interrupted: the same command continues from here.")


def files(folder: Path) -> dict[str, Any]:
    """What is the same however it was made."""
    kept = build.files(folder, journals=False)
    return {name: data for name, data in kept.items() if not name.endswith((RUN_FILE, LOCK))} | runs_in(folder)


def runs(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in run_files(folder)}


def test_shards_copied_together_are_the_whole(succeeds: Command, shop: str, tmp_path: Path) -> None:
    texts = ("Which bird feeder under $30?", "Is there a bird bath?", "How do I clean a feeder?", "Which hopper?")
    asked = [Query(query_id=f"q{n}", user_id=USER, text=text, source="test") for n, text in enumerate(texts)]
    write_lines(tmp_path / "four.jsonl", (query.as_line() for query in asked))
    agents = ("--agent", "react", "--agent", "plan_to_function")
    command = ["run", "--no-floors", "--queries", "four.jsonl", "--world", shop, *agents, "--json"]
    whole, one, two = (tmp_path / name for name in ("whole", "one", "two"))
    succeeds(*command, "--to", "whole")
    for shard, folder in (("1/2", one), ("2/2", two)):
        done = succeeds(*command, "--to", folder.name, "--shard", shard)
        assert sum(system["done"] for system in json.loads(done.stdout)["systems"]) == len(runs(folder))
    assert runs(one)
    assert runs(two)
    assert not runs(one) & runs(two)
    shutil.copytree(two, one, dirs_exist_ok=True)
    assert files(one) == files(whole)
    for folder in ("whole", "one"):
        succeeds("score", folder, "--metrics", "checks,faithfulness")
    assert files(one) == files(whole)

"""Runs at once and in parts: what is told, Ctrl-C, kills at random moments, and shards; all end like a whole run.

More moments: DRRETAIL_KILLS=20 DRRETAIL_KILL_SEED=2 pytest -s tests/cli/test_interrupting.py -k killed
"""

import gzip
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from drretail.agents.registry import BUILT_IN
from drretail.files import write_lines
from drretail.records.query import Query
from tests import build
from tests.cli.commands import MAIN, Command, Start, environment
from tests.cli.forked import ForkedCommand
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
    while not list(tmp_path.glob("exp/runs/*/*/journal.jsonl")) and time.monotonic() < deadline:
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
    assert "Stopping: no new run begins, and the 2 current runs are finished." in ended.stderr
    assert ended.stderr.rstrip().endswith("Interrupted: the same command continues from here.")
    assert len(list(tmp_path.glob("exp/runs/*/*/run.json"))) == 2
    (counts,) = json.loads(drretail(*command, "--json").stdout)["systems"]
    assert (counts["done"], counts["before"]) == (6, 2)


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


def test_many_runs_are_counted_and_a_single_one_tells_its_steps(succeeds: Command, shop: str, queries: str) -> None:
    command = ("run", "--no-floors", "--queries", queries, "--world", shop, "--to", "exp", "--repeats", "3")
    done = succeeds(*command)
    assert "product_catalog_search" not in done.stderr
    assert len(done.stderr.splitlines()) <= 6
    again = succeeds(*command)
    assert "6 of 6 runs had ended before." in again.stderr
    slowly = succeeds("run", "--queries", queries, "--world", shop, "--to", "slow", "--parallel", "1")
    assert "product_catalog_search" in slowly.stderr
    assert "q2 · react@offline-shopper" in slowly.stderr


IN_A_ROW = 4
"""So often is one experiment killed before it may end."""


def killed(start: Start, tmp_path: Path, command: list[str], effects: int, pause: float) -> bool:
    """Kills the command once its journal holds so many effects and a little later; False when it was done before."""
    process = start(*command, SLOWED_BY="0.02")
    while not process.has_ended and _effects(tmp_path / "exp") < effects:
        time.sleep(0.002)
    time.sleep(pause)
    process.send_signal(signal.SIGKILL)
    return process.wait().returncode == -signal.SIGKILL


def _effects(experiment: Path) -> int:
    """How many effects stand in the journals of an experiment, of runs that are cut and of whole ones; -1 without."""
    found = -1
    for path in experiment.glob("runs/*/*/journal.jsonl*"):
        try:
            data = path.read_bytes()
        except FileNotFoundError:  # packed just now
            continue
        found = max(found, 0) + (gzip.decompress(data) if path.suffix == ".gz" else data).count(b"\n")
    return found


VOLATILE = ("telemetry.json", ".lock")


def files(folder: Path) -> dict[str, bytes]:
    """What is the same however it was made."""
    kept = build.files(folder, journals=False)
    return {name: data for name, data in kept.items() if not name.endswith(VOLATILE)}


@pytest.mark.parametrize(
    "agent", [pytest.param(agent, marks=[pytest.mark.slow] if agent != "react" else []) for agent in BUILT_IN]
)
def test_killed_runs_go_on_and_end_like_those_that_were_not(
    succeeds: Command, start: Start, shop: str, queries: str, tmp_path: Path, agent: str
) -> None:
    seed, kills = os.environ.get("DRRETAIL_KILL_SEED", "1"), int(os.environ.get("DRRETAIL_KILLS", "2"))
    rng = random.Random(f"{seed} {agent}")
    command = ["run", "--no-floors", "--queries", queries, "--world", shop]
    command += ["--agent", f"tests.agents.slowed:{agent.upper()}"]
    succeeds(*command, "--to", "whole")
    whole, most = files(tmp_path / "whole"), _effects(tmp_path / "whole")
    while kills > 0:
        moments = sorted(rng.randint(0, most) for _ in range(min(kills, IN_A_ROW)))
        for effects in moments:
            pause = rng.uniform(0, 0.03)
            hit = killed(start, tmp_path, [*command, "--to", "exp"], effects, pause)
            print(f"{agent}, seed {seed}: after {effects} of {most} effects and {pause:.3f} s", "" if hit else "(over)")
            kills -= hit
        succeeds(*command, "--to", "exp")
        assert files(tmp_path / "exp") == whole
        shutil.rmtree(tmp_path / "exp")


TEXTS = ("Which bird feeder under $30?", "Is there a bird bath?", "How do I clean a feeder?", "Which hopper feeder?")


@pytest.fixture
def four(tmp_path: Path) -> str:
    asked = [Query(query_id=f"q{n}", user_id=USER, text=text, source="test") for n, text in enumerate(TEXTS)]
    write_lines(tmp_path / "four.jsonl", (query.as_line() for query in asked))
    return "four.jsonl"


def runs(folder: Path) -> set[str]:
    return {str(path.parent.relative_to(folder)) for path in folder.glob("runs/*/*/run.json")}


def test_shards_copied_together_are_the_whole(succeeds: Command, shop: str, four: str, tmp_path: Path) -> None:
    command = ["run", "--queries", four, "--world", shop, "--agent", "react", "--agent", "plan_to_function", "--json"]
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


def test_a_shard_may_be_empty_and_is_estimated_alone(drretail: Command, shop: str, queries: str) -> None:
    command = ["run", "--queries", queries, "--world", shop, "--to", "exp"]
    shards = [drretail(*command, "--shard", f"{n}/40") for n in (1, 40)]
    assert [done.returncode for done in shards] == [0, 0]
    assert "None of the 2 queries falls into shard 1/40." in shards[0].stderr
    halves = [json.loads(drretail(*command, "--estimate", "--json", "--shard", f"{n}/2").stdout) for n in (1, 2)]
    assert sum(row["count"] for half in halves for row in half["estimates"]) == 2

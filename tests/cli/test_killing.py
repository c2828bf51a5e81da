"""Runs that are killed at random moments, again and again, end like those that were not.

More moments: DRRETAIL_KILLS=20 DRRETAIL_KILL_SEED=2 pytest -s tests/cli/test_killing.py
"""

import gzip
import os
import random
import shutil
import signal
import time
from pathlib import Path

import pytest

from drretail.agents.registry import BUILT_IN
from tests.cli.commands import Command, Start

IN_A_ROW = 4
"""So often is one experiment killed before it may end."""
KEPT = ("run.json", "evidence.jsonl.gz", "results.jsonl.gz")


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


def files_of(experiment: Path) -> dict[str, bytes]:
    return {str(path.relative_to(experiment)): path.read_bytes() for name in KEPT for path in experiment.rglob(name)}


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
    whole, most = files_of(tmp_path / "whole"), _effects(tmp_path / "whole")
    while kills > 0:
        moments = sorted(rng.randint(0, most) for _ in range(min(kills, IN_A_ROW)))
        for effects in moments:
            pause = rng.uniform(0, 0.03)
            hit = killed(start, tmp_path, [*command, "--to", "exp"], effects, pause)
            print(f"{agent}, seed {seed}: after {effects} of {most} effects and {pause:.3f} s", "" if hit else "(over)")
            kills -= hit
        succeeds(*command, "--to", "exp")
        assert files_of(tmp_path / "exp") == whole
        shutil.rmtree(tmp_path / "exp")

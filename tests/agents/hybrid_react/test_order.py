"""Nothing depends on what ends first, and a run that was cut goes on where it stopped."""

import asyncio
import gzip
import json
import random
from pathlib import Path

import pytest

from drretail.agents.running.runner import Recorded, Runner
from drretail.agents.running.system import definition
from drretail.env.world import World
from drretail.errors import ModelError
from drretail.experiment import Experiment
from drretail.records.run import Limits, Run
from tests.agents.conftest import QUERY, calls
from tests.agents.hybrid_react.cast import (
    BATH,
    DONE,
    FEEDER,
    PAGES,
    PROFILE,
    Cast,
    cast,
    launch,
    perform,
    reported,
    sut_of,
)

END = calls(DONE)
SEARCHES = 1
"""Effects of runs side by side that ask no model."""


def batched_runs(seed: int | None = None) -> Cast:
    """Four researchers in two turns, one of whom fails; with a seed, each turn takes another few milliseconds."""
    dice = random.Random(seed)
    return cast(
        (launch("a", "b", "c"), launch("d"), END),
        {
            "a": (calls(FEEDER, PAGES), calls(PROFILE), END),
            "b": (calls(BATH), END),
            "c": (calls(FEEDER), ModelError("timeout", "slow")),
            "d": (calls(PROFILE, FEEDER), END),
        },
        {"b": (reported("P:B0TEST0004"),), "d": (reported("U:profile", "P:B0NONE"),) * 3},
        pause=lambda role, about: 0.0 if seed is None else dice.uniform(0, 0.02),
    )


def as_kept(recorded: Recorded) -> str:
    evidence = [entry.as_line() for entry in recorded.evidence]
    return json.dumps([recorded.run.as_line(), evidence, recorded.texts])


@pytest.mark.parametrize("seed", range(5))
def test_a_run_is_the_same_whatever_ends_first(world: World, seed: int) -> None:
    assert as_kept(perform(world, batched_runs(seed))) == as_kept(perform(world, batched_runs()))


@pytest.mark.parametrize(("seed", "part"), [(1, 0.9), (2, 0.7), (3, 0.5)])
def test_a_token_budget_cuts_at_the_same_place_whatever_ends_first(world: World, seed: int, part: float) -> None:
    unlimited = sum(usage.total for usage in perform(world, batched_runs()).run.usage.values())
    limits = Limits(tokens=int(part * unlimited))
    usual = perform(world, batched_runs(), limits=limits)
    assert usual.run.stop == "token_budget"
    assert as_kept(perform(world, batched_runs(seed), limits=limits)) == as_kept(usual)


def kept(world: World, folder: Path, played: Cast) -> Run:
    player = sut_of("hybrid_react", world, played.models())
    with Experiment(folder, definition(world, (QUERY,), [player], "42")) as experiment:
        return asyncio.run(Runner(world, "w").run_into(experiment, player, QUERY))


def cut(folder: Path, lines: int) -> None:
    """Leaves what a process leaves that was killed after so many lines of its journal, in the middle of the next."""
    (packed,) = folder.glob("runs/*/*/journal.jsonl.gz")
    whole = gzip.decompress(packed.read_bytes()).splitlines(keepends=True)
    packed.with_name("journal.jsonl").write_bytes(b"".join([*whole[:lines], *(it[:40] for it in whole[lines:][:1])]))
    for path in packed.parent.iterdir():
        if path.name != "journal.jsonl":
            path.unlink()


def test_a_run_that_was_cut_after_any_effect_goes_on_where_it_stopped(world: World, tmp_path: Path) -> None:
    first = batched_runs(1)
    whole = kept(world, tmp_path, first)
    everything = [path.read_bytes() for path in files(tmp_path)]
    calls_of_all = sum(len(turns) for turns in first.shown.values())
    for lines in [*range(0, effects(tmp_path), 4), effects(tmp_path)]:
        cut(tmp_path, lines)
        again = batched_runs(lines)
        assert kept(world, tmp_path, again) == whole
        assert [path.read_bytes() for path in files(tmp_path)] == everything
        asked = sum(len(turns) for turns in again.shown.values())
        assert asked <= calls_of_all - lines + SEARCHES


def files(folder: Path) -> list[Path]:
    """What must be equal in an uninterrupted run and a resumed one."""
    return [next(folder.glob(f"runs/*/*/{name}")) for name in ("run.json", "evidence.jsonl.gz", "results.jsonl.gz")]


def effects(folder: Path) -> int:
    (packed,) = folder.glob("runs/*/*/journal.jsonl.gz")
    return len(gzip.decompress(packed.read_bytes()).splitlines())


def test_a_replay_asks_no_model(world: World, tmp_path: Path) -> None:
    whole = kept(world, tmp_path, batched_runs(1))
    silent = batched_runs()
    player = sut_of("hybrid_react", world, silent.models())
    recorded = asyncio.run(Runner(world, "w", replay=tmp_path).run(player, QUERY))
    assert recorded.run == whole
    assert not any(silent.shown.values())

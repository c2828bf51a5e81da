"""Nothing depends on what ends first, and a run that was cut goes on where it stopped."""

import json
import random

import pytest

from drretail.agents.running.runner import Recorded
from drretail.env.world import World
from drretail.errors import ModelError
from drretail.records.run import Limits
from tests.agents.conftest import calls
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
)

END = calls(DONE)


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

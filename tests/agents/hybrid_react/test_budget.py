"""A token budget ends the research while syntheses and report still fit."""

import pytest

from drretail.env.world import World
from drretail.records.run import Limits, Run
from tests.agents.conftest import calls
from tests.agents.hybrid_react.cast import DONE, FEEDER, Cast, cast, launch, perform

ENDLESS = [calls(FEEDER)] * 20


def spent(run: Run) -> int:
    return sum(usage.total for usage in run.usage.values())


def endless() -> Cast:
    return cast([launch("a", "b")] * 20, {"": ENDLESS})


def test_researchers_share_what_is_left_and_the_report_is_written_from_it(world: World) -> None:
    limits = Limits(tokens=60_000, supervisor_turns=20, tool_turns=20)
    played = endless()
    run = perform(world, played, limits=limits).run
    assert (run.status, run.stop) == ("done", "token_budget")
    turns = [len(played.of("researcher", about)) for about in ("a", "b")]
    assert turns[0] == turns[1] > 1
    assert {"0.1: its research ended at the token_budget", "0.2: its research ended at the token_budget"} <= {
        *run.notes
    }


@pytest.mark.parametrize("tokens", [30_000, 45_000, 60_000, 90_000])
def test_the_budget_is_kept_but_for_the_last_call(world: World, tokens: int) -> None:
    run = perform(world, endless(), limits=Limits(tokens=tokens, supervisor_turns=20, tool_turns=20)).run
    assert run.status == "done"
    assert 0.5 * tokens < spent(run) < 1.1 * tokens


def test_a_budget_too_small_for_any_finding_fails_the_run_and_says_so(world: World) -> None:
    run = perform(world, cast((launch("a", "b"), calls(DONE))), limits=Limits(tokens=5_000)).run
    assert run.error is not None
    assert (run.status, run.error.kind) == ("failed", "budget")
    assert "0.2: budget: the" in run.error.message

"""A token budget ends the research while syntheses and report still fit."""

import pytest

from drretail.env.world import World
from drretail.records.run import Limits, Run, Step
from tests.agents.conftest import calls
from tests.agents.hybrid_react.cast import DONE, FEEDER, Cast, cast, launch, perform

ENDLESS = [calls(FEEDER)] * 20
FIRST_TWO = ("0.1", "0.2")


def spent(run: Run) -> int:
    return sum(usage.total for usage in run.usage.values())


def at(run: Run, path: str) -> list[Step]:
    return [step for step in run.steps if step.path == path]


def endless() -> Cast:
    return cast([launch("a", "b")] * 20, {"": ENDLESS})


def test_researchers_share_what_is_left_and_the_report_is_written_from_it(world: World) -> None:
    limits = Limits(tokens=60_000, supervisor_turns=20, tool_turns=20)
    run = perform(world, endless(), limits=limits).run
    assert (run.status, run.stop) == ("done", "token_budget")
    turns = [sum(step.role == "researcher" and step.kind == "model" for step in at(run, path)) for path in FIRST_TWO]
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
    assert "the tokens allowed do not suffice for one researcher" in run.error.message
    assert spent(run) < 5_500


def test_no_more_researchers_are_launched_than_the_tokens_suffice_for(world: World) -> None:
    run = perform(world, endless(), limits=Limits(tokens=30_000, supervisor_turns=1)).run
    launches = [step for step in at(run, "0") if step.name == "LaunchResearcher"]
    assert [step.error is None for step in launches] == [True, False]
    assert "The tokens that are left do not suffice for more than 1 in this turn" in str(launches[1].error)

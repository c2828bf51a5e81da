"""Floors and the ceiling beside the systems that are measured: how often they run, and at whose cost."""

from pathlib import Path

import pytest

from drretail.agents.running.batch import Batch
from drretail.agents.running.new_experiment import open_experiment
from drretail.agents.running.outcomes import Tally
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import with_baselines
from drretail.env.world import World
from drretail.experiment import read_definition, read_reference, read_runs
from drretail.llm.budget import ExperimentBudget
from drretail.llm.prices import read_prices
from drretail.records.query import Query, Reference
from drretail.records.run import NULL_AGENTS, ORACLE_AGENT
from tests.agents.conftest import QUERY, calls, scripted, sut
from tests.agents.running.test_runner import REPORT, SEARCH

BESIDE = (*NULL_AGENTS, ORACLE_AGENT)


def none_found(query: Query) -> Reference:
    return Reference(query_id=query.query_id, lack="no_things")


def run_all(
    world: World,
    folder: Path,
    repeats: int = 1,
    experiment_budget: ExperimentBudget | None = None,
    replay: Path | None = None,
) -> list[Tally]:
    """One agent of a scripted model, and the baselines."""
    model, _ = scripted(*[calls(SEARCH), REPORT] * repeats)
    players = with_baselines([sut(world, model)], world)
    with open_experiment(folder, world, [QUERY], players, "42", reference=none_found) as experiment:
        runner = Runner(world, "w", replay=replay)
        batch = Batch(runner, experiment, parallel=1, experiment_budget=experiment_budget)
        return batch.run_all(players, [QUERY], repeats)


def test_baselines_run_once_for_each_query_however_often_the_others_do(world: World, folder: Path) -> None:
    tallies = run_all(world, folder, repeats=3)
    assert {tally.label: tally.done for tally in tallies} == {"react@scripted-test": 3} | dict.fromkeys(BESIDE, 1)
    assert sorted(run.repeat for run in read_runs(folder)) == [1] * (1 + len(BESIDE)) + [2, 3]
    assert all(not run.usage for run in read_runs(folder) if run.system in BESIDE)


def test_one_that_is_named_as_an_agent_stands_there_once(world: World) -> None:
    twice = with_baselines(with_baselines([], world), world)
    assert [player.label for player in twice] == list(BESIDE)


def test_an_empty_budget_holds_no_baseline_back(world: World, folder: Path) -> None:
    experiment_budget = ExperimentBudget(read_prices(), tokens=1)
    experiment_budget.spent["tokens"] = 1.0
    held_back = {
        tally.label for tally in run_all(world, folder, experiment_budget=experiment_budget) if tally.not_started
    }
    assert held_back == {"react@scripted-test"}
    assert experiment_budget.refused == 1


def test_an_experiment_without_them_is_replayed_with_them(world: World, folder: Path, tmp_path: Path) -> None:
    model, _ = scripted(calls(SEARCH), REPORT)
    alone = [sut(world, model)]
    with open_experiment(folder, world, [QUERY], alone, "42") as experiment:
        Batch(Runner(world, "w"), experiment).run_all(alone, [QUERY])
    assert all(tally.failed == 0 for tally in run_all(world, tmp_path / "again", replay=folder))


def test_baskets_are_found_once_and_stay_whatever_is_found_later(world: World, folder: Path) -> None:
    run_all(world, folder)
    with open_experiment(folder, world, [QUERY], [], "42", reference=lambda query: pytest.fail(query.query_id)):
        pass
    assert read_reference(folder, "q1") == none_found(QUERY)
    assert read_definition(folder).systems["oracle"].models == {}

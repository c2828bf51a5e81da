"""What runs may take and took. Also tests llm/spending.py. document, opened_budget: tests/cli/test_money.py."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from drretail.agents.registry import BUILT_IN, split_web_mode
from drretail.agents.running.estimate import estimate_left
from drretail.agents.running.outcomes import ALL
from drretail.agents.running.system import SystemUnderTest, definition
from drretail.env.world import World
from drretail.errors import ModelError
from drretail.experiments.experiment import Experiment, run_path
from drretail.experiments.run_file import read_journal
from drretail.llm.estimates import Estimate
from drretail.llm.prices import price_version
from drretail.llm.registry import Model, build_model
from drretail.llm.spending import Spending, spending_of
from tests.agents.conftest import QUERY, calls, reporting, scripted, sut, tally_of
from tests.build import known
from tests.run_files import cut, lines_of

BOTH = (QUERY, QUERY.model_copy(update={"query_id": "q2", "text": "Which bird bath?"}))
SEARCH = ("product_catalog_search", {"query": "bird feeder"})
REPORT = reporting("The **tube** feeder [P:B0TEST0001] – take it.", "P:B0TEST0001 x 1")
MODEL = "anthropic:claude-haiku-4-5"


def priced(*turns: AIMessage | ModelError) -> Model:
    """A model that plays the turns as MODEL."""
    model = scripted(*turns)[0]
    chat = model.chat.model_copy(update={"model": MODEL.partition(":")[2]})
    return replace(model.with_chat(chat), spec=MODEL)


def experiment(folder: Path, world: World, *turns: AIMessage | ModelError, **given: Any) -> list[int]:
    """Two queries by a scripted model; how many runs were done, had failed, and were not started."""
    player = sut(world, priced(*turns))
    tally = tally_of(folder, world, player, queries=BOTH, **given)
    return [tally.done, tally.failed, tally.not_started]


def spent(folder: Path) -> Spending:
    (row,) = spending_of(folder)
    return row


def test_spreads_are_over_done_runs_and_totals_over_all(world: World, folder: Path) -> None:
    assert experiment(folder, world, calls(SEARCH), REPORT, ModelError("refusal", "no")) == [1, 1, 0]
    row = spent(folder)
    assert (row.runs, row.done) == (2, 1)
    assert (row.calls.mean, row.calls.sd) == (2, None)
    assert row.words.mean == 18  # with the list of sources
    assert row.total.usage.calls == 2
    assert row.total.dollars == row.dollars.mean
    assert row.by_role["researcher"] == row.total
    assert row.prices == {price_version()}


def test_what_a_run_took_that_was_made_again_stays_counted(world: World, folder: Path) -> None:
    experiment(folder, world, calls(SEARCH), REPORT, calls(SEARCH), REPORT)
    before = spent(folder)
    player = sut(world, priced(calls(SEARCH), REPORT))
    with Experiment(folder, definition(world, BOTH, [player], "42")) as opened:
        opened.discard(run_path(folder, player.label, QUERY.query_id, 1))
    tally = tally_of(folder, world, player, queries=BOTH)
    after = spent(folder)
    assert (before.runs, after.runs) == (2, 2)
    assert after.total.usage.calls == 1.5 * before.total.usage.calls
    assert tally.tokens == after.total.usage.total > before.total.usage.total


def test_a_resumed_run_sums_its_parts_in_which_calls_side_by_side_count_once(world: World, folder: Path) -> None:
    player = sut(world, priced(calls(SEARCH), REPORT))
    tally_of(folder, world, player)
    path = run_path(folder, player.label, QUERY.query_id, 1)
    took = [
        effect.model_copy(update={"started": f"2026-01-30T12:0{minute}:00+00:00", "seconds": 90.0, "retries": 1})
        for minute, effect in enumerate(read_journal(path))
    ]
    cut(path).write_text("".join(f"{line}\n" for line in lines_of(took)), encoding="utf-8")
    tally_of(folder, world, player)
    row = spent(folder)
    assert (len(took), row.retries) == (2, 2)
    assert 150 <= known(row.seconds.mean) < 160


def estimated(to: Path, *suts: SystemUnderTest, repeats: int = 1) -> list[Estimate]:
    return [*estimate_left(to, suts, BOTH, repeats)]


@pytest.mark.parametrize("agent", [*BUILT_IN, "react+ws"])
def test_a_system_without_runs_takes_what_its_agent_typically_takes(world: World, folder: Path, agent: str) -> None:
    model = build_model("anthropic:claude-sonnet-5", environ={"ANTHROPIC_API_KEY": "k" * 20})
    name, web_mode = split_web_mode(agent)
    (estimate,) = estimated(folder, sut(world, model, name, web_mode=web_mode))
    assert (estimate.count, estimate.basis) == (2, "typical runs")
    assert known(estimate.calls) >= 4
    dollars = (known(estimate.input) * 2 + known(estimate.output) * 10) / 1e6
    assert known(estimate.dollars) == pytest.approx(dollars, rel=1e-2)
    assert not folder.exists()


def test_finished_runs_are_a_better_basis(world: World, folder: Path) -> None:
    player = sut(world, priced(calls(SEARCH), REPORT, calls(SEARCH), REPORT))
    tally_of(folder, world, player, queries=BOTH)
    (estimate,) = estimated(folder, player, repeats=3)
    assert (estimate.count, estimate.basis, estimate.calls) == (4, "2 runs here", 8)
    assert estimate.dollars == pytest.approx(2 * known(spent(folder).total.dollars))
    (retried,) = estimate_left(folder, [player], BOTH, 1, retry=[ALL])
    assert retried.count == 2

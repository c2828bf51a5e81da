"""What runs took, by system, and what more of them are likely to take."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from drretail.agents.base import Answer
from drretail.agents.registry import BUILT_IN, split_web_mode
from drretail.agents.running.estimate import dry_runs, estimate_left
from drretail.agents.running.spending import Spending, spending_of
from drretail.agents.running.system import SystemUnderTest, definition
from drretail.env.session import Session
from drretail.env.web.base import WebPage, WebResult
from drretail.env.world import World
from drretail.errors import ModelError
from drretail.experiment import Experiment, read_runs, run_files
from drretail.llm.estimates import Estimate
from drretail.llm.models import Models
from drretail.llm.registry import Model, open_model
from drretail.llm.usage import read_prices
from drretail.records.models import Price
from drretail.records.query import Task
from drretail.records.run import Limits
from drretail.run_file import read_journal
from tests.agents.conftest import QUERY, calls, reporting, scripted, sut, tally_of
from tests.build import known
from tests.run_files import edit_run

BOTH = (QUERY, QUERY.model_copy(update={"query_id": "q2", "text": "Which bird bath?"}))
SEARCH = ("product_catalog_search", {"query": "bird feeder"})
REPORT = reporting("The **tube** feeder [P:B0TEST0001] – take it.", "P:B0TEST0001 x 1")
MODEL = "acme:test"
"""No table knows its price."""
PRICES = read_prices({MODEL: Price(input=10, output=100)})


def experiment(folder: Path, world: World, *turns: AIMessage | ModelError, **given: Any) -> list[int]:
    """Two queries by a scripted model; how many runs were done, had failed, and were not started."""
    player = sut(world, replace(scripted(*turns)[0], spec=MODEL))
    tally = tally_of(folder, world, player, queries=BOTH, **given)
    return [tally.done, tally.failed, tally.not_started]


def spent(folder: Path) -> Spending:
    (row,) = spending_of(folder, PRICES)
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


def test_usage_that_an_agent_does_not_tell_is_unknown_and_not_0(world: World, folder: Path) -> None:
    experiment(folder, world, calls(SEARCH), REPORT, calls(SEARCH), REPORT)
    told = spent(folder)
    for place, path in enumerate(run_files(folder)):
        edit_run(path, usage={})
        row = spent(folder)
        assert (row.unknown, row.is_known) == (place + 1, place == 0)
        assert row.calls.mean == (told.calls.mean if row.is_known else None)
    document = spent(folder).document
    assert (document["usage_unknown"], document["total"]) == (2, None)
    assert document["input"] == document["dollars"] == {"mean": None, "sd": None}


def test_what_a_run_took_that_was_made_again_stays_counted(world: World, folder: Path) -> None:
    experiment(folder, world, calls(SEARCH), REPORT, calls(SEARCH), REPORT)
    before = spent(folder)
    player = sut(world, replace(scripted(calls(SEARCH), REPORT)[0], spec=MODEL))
    with Experiment(folder, definition(world, BOTH, [player], "42")) as opened:
        opened.discard(player.label, QUERY.query_id, 1)
    tally = tally_of(folder, world, player, queries=BOTH)
    after = spent(folder)
    assert (before.runs, after.runs) == (2, 2)
    assert after.total.usage.calls == 1.5 * before.total.usage.calls
    assert tally.tokens == after.total.usage.total > before.total.usage.total


def test_tokens_of_an_answer_that_could_not_be_used_are_paid_for(world: World, folder: Path) -> None:
    used = {"calls": 1, "input_uncached": 500, "cache_read": 0, "cache_creation": 0, "output": 8000}
    experiment(folder, world, ModelError("model", "cut at the longest length", usage=used), calls(SEARCH), REPORT)
    assert spent(folder).total.usage.output >= 8000
    first, _ = run_files(folder)
    assert read_journal(first)[0].usage == used


def sonnet() -> Model:
    environ = {"ANTHROPIC_API_KEY": "k" * 20}
    return open_model("anthropic:claude-sonnet-5", environ=environ, prices=read_prices())


def a_system(world: World, agent: str, model: Model) -> SystemUnderTest:
    name, web_mode = split_web_mode(agent)
    return sut(world, model, name, web_mode=web_mode)


def estimated(to: Path, world: World, *suts: SystemUnderTest, repeats: int = 1) -> list[Estimate]:
    return estimate_left(to, suts, BOTH, repeats, read_prices(), world)


@pytest.mark.parametrize("agent", [*BUILT_IN, "react+ws"])
def test_rules_are_run_themselves_so_that_calls_and_tokens_are_exact(world: World, folder: Path, agent: str) -> None:
    shopper = a_system(world, agent, open_model("offline:shopper"))
    (before,) = estimated(folder, world, shopper)
    assert not folder.exists()
    tally_of(folder, world, shopper, queries=BOTH)
    used = [use for run in read_runs(folder) for use in run.usage.values()]
    assert known(before.calls).low == known(before.calls).high == sum(use.calls for use in used) > 0
    assert known(before.input).low == known(before.input).high == sum(use.input_uncached for use in used)
    assert known(before.output).low == known(before.output).high == sum(use.output for use in used)


def test_a_model_takes_a_range_around_what_the_shopper_took_at_its_own_price(world: World, folder: Path) -> None:
    (shopper,) = estimated(folder, world, a_system(world, "react", open_model("offline:shopper")))
    (model,) = estimated(folder, world, a_system(world, "react", sonnet()))
    assert known(model.calls).low < known(shopper.calls).low < known(model.calls).high
    assert known(model.input).low < known(shopper.input).low < known(model.input).high
    assert known(shopper.output).low < known(model.output).low  # models write longer reports
    assert known(model.dollars).low == pytest.approx((known(model.input).low * 2 + known(model.output).low * 10) / 1e6)
    assert "2 dry runs" in model.basis
    (unpriced,) = estimated(folder, world, a_system(world, "react", replace(sonnet(), spec="anthropic:claude-99")))
    assert (unpriced.dollars, unpriced.unpriced) == (None, ("anthropic:claude-99",))


def test_nothing_is_searched_in_an_open_web(world: World, folder: Path) -> None:
    class Open:
        provider, corpus = "open", None

        def search(self, query: str, k: int) -> list[WebResult]:
            raise AssertionError(query)

        def fetch(self, url: str) -> WebPage:
            raise AssertionError(url)

    system = a_system(world, "react+ws", sonnet())
    dry = dry_runs(replace(world, web=Open()), [(system, QUERY)])
    (run,) = dry[system.label]
    assert run.status == "done"
    assert run.usage["summariser"].calls > 0  # it read the stand-in's pages


def test_finished_runs_are_a_better_basis_than_a_dry_run(world: World, folder: Path) -> None:
    player = sut(world, scripted(calls(SEARCH), REPORT, calls(SEARCH), REPORT)[0])
    tally_of(folder, world, player, queries=BOTH)
    (estimate,) = estimated(folder, world, player, repeats=3)
    assert (estimate.count, estimate.basis) == (4, "its 2 finished runs here")
    assert (known(estimate.calls).low, known(estimate.calls).high) == (8, 8)


def test_what_an_agent_prints_in_a_dry_run_is_no_result(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    async def chat(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
        print("The agent's own print.")
        return Answer(report="Nothing.")

    system = a_system(world, "react", sonnet())
    dry_runs(world, [(replace(system, agent=replace(system.agent, answer=chat)), QUERY)])
    assert capsys.readouterr() == ("", "The agent's own print.\n")

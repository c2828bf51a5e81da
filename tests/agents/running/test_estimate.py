"""What runs are likely to take: a dry run of the agent itself, until there are runs."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from drretail.agents.registry import BUILT_IN, load_agent, split_web_mode
from drretail.agents.running.batch import Batch
from drretail.agents.running.estimate import dry_runs, estimate_left
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import SystemUnderTest, definition
from drretail.env.web.base import WebPage, WebResult
from drretail.env.world import World
from drretail.experiment import Experiment, read_run, run_folder
from drretail.llm.estimates import Estimate
from drretail.llm.prices import PriceTable, read_prices
from drretail.llm.registry import Model, open_model
from drretail.records.run import Limits
from tests.agents.conftest import QUERY, calls, reporting, scripted, sut

SEARCH = ("product_catalog_search", {"query": "bird feeder"})
REPORT = reporting("The **tube** feeder [P:B0TEST0001] – take it.", "P:B0TEST0001 x 1")
OTHER = QUERY.model_copy(update={"query_id": "q2", "text": "Which bird bath?"})
SONNET = "anthropic:claude-sonnet-5"


def sonnet(spec: str = SONNET) -> Model:
    return open_model(spec, environ={"ANTHROPIC_API_KEY": "k" * 20}, prices=read_prices())


def a_system(world: World, agent: str, model: Model, **given: Any) -> SystemUnderTest:
    name, web_mode = split_web_mode(agent)
    return SystemUnderTest.of(name, load_agent(name), {"": model}, world, web_mode=web_mode, **given)


def estimated(
    to: Path, world: World, *suts: SystemUnderTest, repeats: int = 1, prices: PriceTable | None = None
) -> list[Estimate]:
    asked = [QUERY, OTHER]
    return estimate_left(
        to, suts, asked, repeats, prices or read_prices(), world, retry_failed=False, retry_spoiled=False
    )


@pytest.mark.parametrize("agent", [*BUILT_IN, "react+ws"])
def test_rules_are_run_themselves_so_that_calls_and_tokens_are_exact(world: World, folder: Path, agent: str) -> None:
    shopper = a_system(world, agent, open_model("offline:shopper"))
    (before,) = estimated(folder, world, shopper)
    assert not folder.exists()
    with Experiment(folder, definition(world, (QUERY, OTHER), [shopper], "42")) as opened:
        Batch(Runner(world, "w"), opened, parallel=1).run_all([shopper], [QUERY, OTHER])
    used = [use for path in (QUERY, OTHER) for use in opened_usage(folder, shopper.label, path.query_id)]
    assert before.calls.low == before.calls.high == sum(use.calls for use in used) > 0
    assert before.input.low == before.input.high == sum(use.input_uncached for use in used)
    assert before.output.low == before.output.high == sum(use.output for use in used)


def opened_usage(folder: Path, label: str, query_id: str) -> list[Any]:
    return [*read_run(run_folder(folder, label, query_id, 1)).usage.values()]


def test_a_model_takes_a_range_around_what_the_shopper_took_at_its_own_price(world: World, folder: Path) -> None:
    (shopper,) = estimated(folder, world, a_system(world, "react", open_model("offline:shopper")))
    (model,) = estimated(folder, world, a_system(world, "react", sonnet()))
    assert model.calls.low < shopper.calls.low < model.calls.high
    assert model.input.low < shopper.input.low < model.input.high
    assert shopper.output.low < model.output.low  # models write longer reports
    assert model.dollars is not None
    assert model.dollars.low == pytest.approx((model.input.low * 2 + model.output.low * 10) / 1e6)
    assert "2 dry runs" in model.basis


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


def test_an_estimate_without_a_price_says_for_which_model(world: World, folder: Path) -> None:
    (estimate,) = estimated(folder, world, a_system(world, "react", replace(sonnet(), spec="anthropic:claude-99")))
    assert (estimate.dollars, estimate.unpriced) == (None, ("anthropic:claude-99",))


def test_a_runs_own_limits_bound_the_estimate(world: World, folder: Path) -> None:
    limits = Limits(dollars=0.002, tokens=5_000)
    (estimate,) = estimated(folder, world, a_system(world, "react", sonnet(), limits=limits))
    assert estimate.dollars is not None
    assert (estimate.dollars.high, estimate.input.high) == (0.004, 10_000)


def test_finished_runs_are_a_better_basis_than_a_dry_run(world: World, folder: Path) -> None:
    model, _ = scripted(calls(SEARCH), REPORT, calls(SEARCH), REPORT)
    player = sut(world, model)
    with Experiment(folder, definition(world, (QUERY, OTHER), [player], "42")) as opened:
        Batch(Runner(world, "w"), opened, parallel=1).run_all([player], [QUERY, OTHER])
    (estimate,) = estimated(folder, world, player, repeats=3)
    assert (estimate.count, estimate.basis) == (4, "its 2 finished runs here")
    assert (estimate.calls.low, estimate.calls.high) == (8, 8)

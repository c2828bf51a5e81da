"""What runs took, by system, and what more of them are likely to take."""

from dataclasses import replace
from pathlib import Path

from langchain_core.messages import AIMessage

from drretail.agents.running.batch import Batch
from drretail.agents.running.runner import Runner
from drretail.agents.running.spending import Spending, spending_of
from drretail.agents.running.system import definition
from drretail.env.world import World
from drretail.errors import ModelError
from drretail.experiment import Experiment
from drretail.files import read_json
from drretail.journal import read_effects
from drretail.llm.budget import ExperimentBudget
from drretail.llm.prices import PriceTable, read_prices
from drretail.records.models import Price
from tests.agents.conftest import QUERY, calls, reporting, scripted, sut

OTHER = QUERY.model_copy(update={"query_id": "q2", "text": "Which bird bath?"})
SEARCH = ("product_catalog_search", {"query": "bird feeder"})
REPORT = reporting("The **tube** feeder [P:B0TEST0001] – take it.", "P:B0TEST0001 x 1")
MODEL = "acme:test"
"""No table knows its price."""
PRICES = read_prices({MODEL: Price(input=10, output=100)})


def experiment(
    folder: Path, world: World, *turns: AIMessage | ModelError, experiment_budget: ExperimentBudget | None = None
) -> list[int]:
    """Two queries by a scripted model; how many runs were done, had failed, and were not started."""
    model, _ = scripted(*turns)
    player = sut(world, replace(model, spec=MODEL))
    with Experiment(folder, definition(world, (QUERY, OTHER), [player], "42")) as opened:
        (tally,) = Batch(Runner(world, "w"), opened, parallel=1, experiment_budget=experiment_budget).run_all(
            [player], [QUERY, OTHER]
        )
    return [tally.done, tally.failed, tally.not_started]


def spent(folder: Path, prices: PriceTable = PRICES) -> Spending:
    (row,) = spending_of(folder, prices)
    return row


def test_spreads_are_over_done_runs_and_totals_over_all(world: World, folder: Path) -> None:
    assert experiment(folder, world, calls(SEARCH), REPORT, ModelError("refusal", "no")) == [1, 1, 0]
    row = spent(folder)
    assert (row.runs, row.done) == (2, 1)
    assert (row.calls.mean, row.calls.sd) == (2, None)
    assert row.words.mean == 5
    assert row.total.usage.calls == 2
    assert row.total.dollars == row.dollars.mean
    assert row.by_role["researcher"] == row.total


def test_a_price_that_is_not_known_leaves_the_dollars_open_and_is_named(world: World, folder: Path) -> None:
    experiment(folder, world, calls(SEARCH), REPORT, calls(SEARCH), REPORT)
    row = spent(folder, read_prices())
    assert (row.dollars.mean, row.total.dollars, row.unpriced) == (None, None, (MODEL,))
    assert row.input.mean


def test_tokens_of_an_answer_that_could_not_be_used_are_paid_for(world: World, folder: Path) -> None:
    used = {"calls": 1, "input_uncached": 500, "cache_read": 0, "cache_creation": 0, "output": 8000}
    experiment(folder, world, ModelError("model", "cut at the longest length", usage=used), calls(SEARCH), REPORT)
    assert spent(folder).total.usage.output >= 8000
    (first,) = (folder / "runs").glob("*/q1-r1/journal.jsonl.gz")
    assert read_effects(first)[0].usage == used


def test_time_and_retries_stand_in_telemetry_by_role(world: World, folder: Path) -> None:
    experiment(folder, world, calls(SEARCH), REPORT, ModelError("timeout", "slow"))
    runs = {path.parent.name: read_json(path)["models"] for path in folder.glob("runs/*/*/telemetry.json")}
    assert runs["q1-r1"]["researcher"] | {"seconds": 0, "slowest": 0} == {
        "calls": 2,
        "failed": 0,
        "retries": 0,
        "seconds": 0,
        "slowest": 0,
    }
    assert runs["q2-r1"]["researcher"]["failed"] == 1


def test_a_spent_budget_starts_no_more_runs_and_a_fuller_one_goes_on(world: World, folder: Path) -> None:
    turns = (calls(SEARCH), REPORT)
    assert experiment(folder, world, *turns, experiment_budget=ExperimentBudget(PRICES, tokens=1)) == [1, 0, 1]
    fuller = ExperimentBudget(PRICES, tokens=10**9)
    assert experiment(folder, world, *turns, experiment_budget=fuller) == [2, 0, 0]
    assert fuller.closing is None

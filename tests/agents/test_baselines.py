"""Floors and the ceiling: what they answer, and how they run beside the systems that are measured."""

import re
from pathlib import Path
from typing import Any

from drretail.agents.running.run import Batch, open_for_writing
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import with_baselines
from drretail.env.gold import add_gold
from drretail.env.world import World
from drretail.experiments.experiment import read_definition
from drretail.experiments.run_file import Recorded
from drretail.llm.usage import ExperimentBudget
from drretail.records.criteria import OF_KIND, Decision, Gold
from drretail.records.query import Query
from drretail.records.reading import Outcome
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish
from drretail.shopping.constraints import record_sha
from tests.agents.conftest import QUERY, record, scripted, sut
from tests.build import demands, known
from tests.shop import OTHER, PRODUCTS


def recorded(world: World, name: str, query: Query = QUERY, **given: Any) -> Recorded:
    return record(world, sut(world, {}, name), query, **given)


def test_a_search_that_reads_no_question_keeps_to_no_budget_and_no_hit_is_an_empty_cart(world: World) -> None:
    dear, cheap, nothing = (
        recorded(world, "null_search", QUERY.model_copy(update={"text": text})).run
        for text in ("A bird feeder.", "A bird feeder under $1.", "Qwxyz?")
    )
    assert dear.picks == cheap.picks != ()
    assert [step.args for step in cheap.steps] == [{"query": "bird feeder", "limit": 5}]
    assert (nothing.status, nothing.picks, nothing.notes) == ("done", (), ())


FEEDER = Want(name="bird feeder", kinds=("bird feeder",), quantity=2, brands_wanted=("Tanagrove",))
BIRD_BATH = Want(name="bird bath", kinds=("bird bath",), brands_wanted=("Tanagrove",))
WISH = Wish(wants=(FEEDER, BIRD_BATH), budget=Money.of(120))


def asked(wish: Wish = WISH) -> Query:
    bath = PRODUCTS[3]  # which the shop keeps among the feeders
    of = {"product_id": bath.product_id, "record_sha": record_sha(bath), "by": "model:a"}
    gold = Gold(query_id="q1", decisions=(Decision(want="bird bath", demand=OF_KIND, state="met", **of),))
    text = "Two feeders and a bath, under $120?"
    return Query(query_id="q1", user_id=OTHER, text=text, wish=wish, gold=gold, source="t")


def test_the_best_basket_is_written_down_with_everything_cited(world: World) -> None:
    made = recorded(world, "oracle", asked())
    report = made.run.report or ""
    assert "- 2 × **Tanagrove Tube Bird Feeder, 18 inch**: the bird feeder, Tanagrove, $24.99 each, 4.5 stars" in report
    assert re.search(r"\$55\.00.* \[P:B0TEST0004\]\.", report)
    assert "Together: 2 * 24.99 + 55 = $104.98 [C:" in report
    assert "Left of the budget: 120 - 104.98 = $15.02 [C:" in report
    assert {citation.type for citation in made.run.citations} == {"product", "internal"}
    assert all(step.error is None for step in made.run.steps)
    assert made.run.usage == {}


def test_what_is_proved_is_refused_for_its_reason_with_what_comes_nearest(world: World) -> None:
    poor = asked(WISH.model_copy(update={"budget": Money.of(10)}))
    run = recorded(world, "oracle", poor).run
    nearest = Outcome(decision="none", because=("too_dear",), nearest=("B0TEST0001", "B0TEST0004"))
    assert (run.picks, run.outcome) == ((), nearest)
    assert "what keeps to the wish costs more than its budget" in (run.report or "")
    silent = asked(Wish(wants=(WISH.wants[0].model_copy(update={"must": demands("heated")}),)))
    run = recorded(world, "oracle", silent).run
    assert (run.picks, known(run.outcome).because) == ((), ("not_said",))
    assert known(run.outcome).nearest
    nothing = asked(Wish())
    assert "nothing is to be bought" in (recorded(world, "oracle", nothing).run.report or "")


def test_an_empty_budget_holds_no_baseline_back(world: World, folder: Path) -> None:
    players = with_baselines([sut(world, scripted()[0])], world, ())
    experiment_budget = ExperimentBudget(tokens=1)
    experiment_budget.spent["tokens"] = 1.0
    with open_for_writing(folder, world, [QUERY], players, "42") as experiment:
        add_gold(experiment, world, [QUERY])
        batch = Batch(Runner(world, "w"), experiment, parallel=1, experiment_budget=experiment_budget)
        held_back = {tally.label for tally in batch.run_all(players, [QUERY]) if tally.not_started}
    assert (held_back, experiment_budget.refused) == ({"react@scripted-test"}, 1)
    assert read_definition(folder).systems["oracle"].models == {}

"""Whole experiments with agents of which it is known what they do with a profile."""

import asyncio
import shutil
from pathlib import Path

from drretail.agents.base import Agent
from drretail.agents.running.batch import Batch
from drretail.agents.running.new_experiment import open_experiment
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import SystemUnderTest, counterfactuals
from drretail.env.world import open_world
from drretail.eval.counterfactual import counterfactual_rows
from drretail.eval.counterfactual.scores import NO_FACTUAL, NO_REPEATS
from drretail.eval.judging.subject import read_subjects
from drretail.eval.scoring import score
from drretail.progress import choose_progress
from drretail.records.counterfactual import CounterfactualRow
from drretail.records.money import Money
from drretail.records.query import Query
from drretail.records.wish import Want, Wish
from tests.agents.profile_minded import IGNORING, OBEYING
from tests.build import scripted_judge
from tests.two_tastes import BIRDS, build

WANTED = Wish(wants=(Want(name="feeder", kinds=("bird feeder",)),), budget=Money.of(30))
ANOTHER = WANTED.model_copy(update={"owned": ("B0BIRD0000",)})
QUERIES = [
    Query(query_id="q1", user_id=BIRDS, text="I bought a feeder; another under $30?", source="t", wish=ANOTHER),
    Query(query_id="q2", user_id=BIRDS, text="A bird feeder, at most $30.", source="t", wish=WANTED),
    Query(query_id="q3", text="A bird feeder under $30, please.", source="t", wish=WANTED),
]
Rows = dict[str, CounterfactualRow]


def an_experiment(folder: Path, agent: Agent, repeats: int = 2) -> Path:
    with open_world(build(folder / "w")) as shop:
        plain = SystemUnderTest.of("minded", agent, {}, shop)
        players = [plain, *counterfactuals([plain], ["swap", "neutral"])]
        with open_experiment(folder / "exp", shop, QUERIES, players, "42") as experiment:
            Batch(Runner(shop, str(folder / "w")), experiment).run_all(players, QUERIES, repeats)
    return folder / "exp"


def of(rows: list[CounterfactualRow], kind: str) -> Rows:
    return {f"{row.measure} {row.of or ''}".strip(): row for row in rows if row.kind == kind}


def test_who_never_looks_at_the_profile_ignores_it_everywhere(tmp_path: Path) -> None:
    rows = counterfactual_rows(an_experiment(tmp_path, IGNORING))
    for kind in ("swap", "neutral"):
        found = of(rows, kind)
        assert (found["ignored"].value, found["change products"].value, found["beyond products"].value) == (
            1.0,
            0.0,
            0.0,
        )
        assert found["direction"].value is None
    assert of(rows, "swap")["overused"].value == 0.0
    assert "overused" not in of(rows, "neutral")


def test_who_looks_at_nothing_else_over_uses_it_everywhere(tmp_path: Path) -> None:
    rows = counterfactual_rows(an_experiment(tmp_path, OBEYING))
    found = of(rows, "swap")
    assert (found["ignored"].value, found["change products"].value, found["direction"].value) == (0.0, 1.0, 1.0)
    assert [found[f"overused{part}"].value for part in ("", "_constraint", "_category")] == [1.0, 1.0, 1.0]
    assert found["direction"].items == {"toward_other": 16, "toward_own": 0, "neither": 0, "owned": 0}
    assert (found["ignored"].ci_low, found["ignored"].ci_high) == (None, None)  # of two queries
    assert of(rows, "neutral")["change products"].value == 1.0


def test_every_row_accounts_for_every_query(tmp_path: Path) -> None:
    folder = an_experiment(tmp_path, OBEYING)
    shutil.rmtree(folder / "runs" / "minded-counterfactual-swap" / "q2-r1")
    shutil.rmtree(folder / "runs" / "minded-counterfactual-swap" / "q2-r2")
    rows = counterfactual_rows(folder)
    assert all(row.n_planned == 3 == row.n_scored + row.n_na + row.n_failed for row in rows)
    swap = of(rows, "swap")["change products"]
    assert (swap.n_scored, swap.n_na, swap.n_failed, swap.items) == (1, 1, 1, {"queries_of_own_history": 1})
    assert rows == counterfactual_rows(folder)


def test_without_repeats_the_bare_change_is_shown_and_what_is_missing_is_named(tmp_path: Path) -> None:
    found = of(counterfactual_rows(an_experiment(tmp_path, OBEYING, repeats=1)), "swap")
    assert (found["change products"].value, found["beyond products"].value, found["ignored"].value) == (1.0, None, 0.0)
    assert {found[name].note for name in ("change products", "beyond products", "ignored")} == {NO_REPEATS}
    assert found["direction"].note is None


def test_a_system_without_its_factual_one_is_named_and_not_measured(tmp_path: Path) -> None:
    with open_world(build(tmp_path / "w")) as shop:
        players = counterfactuals([SystemUnderTest.of("minded", OBEYING, {}, shop)], ["swap"])
        with open_experiment(tmp_path / "exp", shop, QUERIES, players, "42") as experiment:
            Batch(Runner(shop, "w"), experiment).run_all(players, QUERIES)
    (row,) = counterfactual_rows(tmp_path / "exp")
    assert (row.value, row.n_failed, row.factual, row.note) == (None, 3, "minded", NO_FACTUAL)


def test_a_run_is_judged_by_the_data_that_it_could_see(tmp_path: Path) -> None:
    folder = an_experiment(tmp_path, IGNORING, repeats=1)
    with open_world(tmp_path / "w") as shop:
        subjects = {
            subject.label: subject for subject in read_subjects(folder, shop.store) if subject.query.query_id == "q1"
        }
        seen = {
            label: None if it.store is None else it.store.statistics(BIRDS).orders for label, it in subjects.items()
        }
    assert seen == {"minded": 3, "minded-counterfactual-swap": 4, "minded-counterfactual-neutral": 0}
    assert {label for label, it in subjects.items() if it.profile is not None} == {"minded"}


def test_score_keeps_the_rows_and_asks_no_model_about_other_profiles(tmp_path: Path) -> None:
    folder = an_experiment(tmp_path, OBEYING)
    judge, asked = scripted_judge(lambda text: {"rating": 5, "justification": "It is so."})
    with open_world(tmp_path / "w") as shop:
        scoring = score(folder, ["checks", "quality"], [judge], store=shop.store, progress=choose_progress("none"))
        scores = asyncio.run(scoring)
    assert scores.counterfactuals == tuple(counterfactual_rows(folder))
    assert {row.system for row in scores.scores if row.metric == "quality"} == {"minded"}
    assert len({row.system for row in scores.scores if row.metric == "checks"}) == 3
    assert not any("Dog Bed" in question for question in asked)


def test_what_only_the_system_itself_was_asked_counts_neither_as_planned_nor_as_failed(tmp_path: Path) -> None:
    with open_world(build(tmp_path / "w")) as shop:
        plain = SystemUnderTest.of("minded", IGNORING, {}, shop)
        swapped = counterfactuals([plain], ["swap"])
        for players, asked, is_part in (([plain], QUERIES, False), (swapped, QUERIES[:1], True)):
            with open_experiment(tmp_path / "exp", shop, asked, players, "42", is_part=is_part) as experiment:
                Batch(Runner(shop, "w"), experiment).run_all(players, asked)
    row = of(counterfactual_rows(tmp_path / "exp"), "swap")["ignored"]
    assert (row.n_planned, row.n_scored, row.n_failed, row.n_na) == (1, 1, 0, 0)

"""Several judges: how far they agree, and their panel."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from drretail.errors import ModelError
from drretail.eval.judging.session import Judge
from drretail.eval.scores.correlation import agreements
from drretail.eval.scores.gathering import Gathered
from drretail.records.run import ModelKind
from drretail.records.score import Score, Scores
from tests import build
from tests.build import LABEL, SYSTEM, experiment, scripted_judge
from tests.eval.compare.crafted import JUDGE, OTHER, gathered

MINE = {"a@m": [1.0, 3.0], "b@m": [5.0, 2.0]}
THEIRS = {"a@m": [9.0, 3.0], "b@m": [5.0, 8.0]}
LOW = {"null_empty": [0.0, 0.0], "oracle": [10.0, 10.0], "a@m-counterfactual-swap": [0.0, 0.0]}


def judged(mine: dict[str, list[float]], theirs: dict[str, list[float]]) -> Gathered:
    def runs(values: dict[str, list[float]]) -> dict[str, dict[str, list[float]]]:
        return {label: {f"q{at}": [value] for at, value in enumerate(its)} for label, its in values.items()}

    held = gathered(("quality", "depth", JUDGE, runs(mine)), ("quality", "depth", OTHER, runs(theirs)))
    systems = {
        label: SYSTEM.model_copy(update={"agent": label} if "@" not in label else {"options": options(label)})
        for label in mine
    }
    return replace(held, definition=held.definition.model_copy(update={"systems": systems}))


def options(label: str) -> dict[str, str]:
    return {"counterfactual": "swap"} if "counterfactual" in label else {}


def test_floors_the_oracle_and_other_users_profiles_do_not_make_judges_agree() -> None:
    (alone,) = [row for row in agreements(judged(MINE, THEIRS)) if row.variant == "depth"]
    (beside,) = [row for row in agreements(judged({**MINE, **LOW}, {**THEIRS, **LOW})) if row.variant == "depth"]
    assert beside == alone
    assert (alone.n_reports, alone.n_systems, alone.n_dropped) == (4, 2, 0)
    assert alone.rho_report == pytest.approx(-0.8)  # 1 − 6 · 18 / 60
    assert (alone.exact, alone.difference) == (0.5, 3.5)


REPORTS = {LABEL: {"q1-r1": "one", "q2-r1": "two"}, "b@model": {"q1-r1": "three", "q2-r1": None}}


def rating(value: int) -> Any:
    return lambda question: {"rating": value, "justification": "So it is."}


def table_key(*scripts: Any, kind: ModelKind = "llm") -> list[Judge]:
    return [scripted_judge(script, name=f"j{place}", kind=kind)[0] for place, script in enumerate(scripts, 1)]


def scored(folder: Path, judges: list[Judge]) -> Scores:
    return build.scored(folder, ["quality"], *judges)


def rows(scores: Scores, judge: str, variant: str = "depth") -> dict[str, Score]:
    return {
        row.system: row for row in scores.scores if (row.judge, row.variant, row.policy) == (judge, variant, "answered")
    }


def test_a_panel_has_the_median_of_its_judges_and_their_spread(tmp_path: Path) -> None:
    scores = scored(experiment(tmp_path / "exp", REPORTS), table_key(rating(3), rating(9), rating(4)))
    (row, failed) = (rows(scores, "panel(median):scripted:j1+scripted:j2+scripted:j3")[label] for label in REPORTS)
    assert (row.value, row.judge_kind) == (4, "llm")
    assert row.items == {"judges": 6, "spread": 12}
    assert (failed.n_planned, failed.n_scored, failed.n_failed) == (2, 1, 1)
    assert rows(scores, "scripted:j2")[LABEL].value == 9
    assert len([row for row in scores.agreements if row.variant == "depth"]) == 3, "every two judges have a row"


def test_one_judge_is_no_panel_and_a_rule_based_one_has_no_seat(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", REPORTS)
    assert not any("panel" in row.judge for row in scored(folder, table_key(rating(3))).scores)
    followed = scripted_judge(rating(5), name="rules", kind="rule_based")[0]
    scores = scored(folder, [*table_key(rating(3)), followed])
    assert not any("panel" in row.judge for row in scores.scores)
    assert scores.agreements == ()


def test_a_report_that_half_of_the_panel_rated_has_no_value_of_the_panel(tmp_path: Path) -> None:
    judges = table_key(
        rating(3), lambda question: ModelError("refusal", "no answer") if "three" in question else rating(5)(question)
    )
    scores = scored(experiment(tmp_path / "exp", REPORTS), judges)
    panel = rows(scores, "panel(median):scripted:j1+scripted:j2")
    assert (panel["b@model"].value, panel["b@model"].n_failed) == (None, 2)
    assert panel[LABEL].value == 4


def test_a_judge_that_is_not_done_leaves_the_panel_not_judged(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", REPORTS)
    scores = scored(folder, table_key(rating(3), rating(5)))
    for path in (folder / "verdicts" / "quality" / "scripted-j2" / LABEL).glob("q1*"):
        path.unlink()
    scores = scored(folder, table_key(rating(3)))
    panel = rows(scores, "panel(median):scripted:j1+scripted:j2")[LABEL]
    assert (panel.n_scored, panel.items["not_judged"]) == (1, 1)

from pathlib import Path
from typing import Any

from drretail.eval.judging.session import Judge
from drretail.eval.judging.spending import Allowance
from tests.build import experiment, scripted_judge
from tests.eval.families.pairwise.judging import (
    A,
    B,
    chosen,
    compared,
    fails_where_b_is_first,
    prefers_a,
    prefers_the_first,
    rank,
    row,
    shown,
    two,
)

PANEL = "panel(majority):scripted:j1+scripted:j2"


def prefers_b(question: str) -> dict[str, Any]:
    return chosen("B" if "of b." in shown(question)[1] else "A")


def table_key(*scripts: Any) -> list[Judge]:
    return [scripted_judge(script, name=f"j{place}", kind="llm")[0] for place, script in enumerate(scripts, 1)]


def test_what_most_judges_say_is_the_panels_word(tmp_path: Path) -> None:
    scores = compared(experiment(tmp_path / "exp", two()), *table_key(prefers_a, prefers_b, prefers_a))
    found = row(scores, judge=f"{PANEL}+scripted:j3")
    assert (found.wins, found.ties, found.losses) == (4, 0, 0)
    assert (found.disagreement, found.flip_rate, found.judge_kind) == (1.0, None, "llm")


def test_without_a_majority_it_is_a_tie(tmp_path: Path) -> None:
    scores = compared(experiment(tmp_path / "exp", two()), *table_key(prefers_a, prefers_b))
    found = row(scores, judge=PANEL)
    assert (found.wins, found.ties, found.losses, found.disagreement) == (0, 4, 0, 1.0)


def test_a_tie_of_most_judges_is_a_tie_on_which_they_agree(tmp_path: Path) -> None:
    scores = compared(experiment(tmp_path / "exp", two()), *table_key(prefers_the_first, prefers_the_first))
    found = row(scores, judge=PANEL)
    assert (found.ties, found.disagreement) == (4, 0.0)


def test_what_half_of_the_panel_failed_to_judge_has_no_outcome(tmp_path: Path) -> None:
    scores = compared(experiment(tmp_path / "exp", two()), *table_key(prefers_a, fails_where_b_is_first))
    found = row(scores, judge=PANEL)
    assert (found.n_planned, found.n_scored, found.n_failed) == (4, 0, 4)


def test_a_panel_has_strengths_of_its_own(tmp_path: Path) -> None:
    scores = compared(experiment(tmp_path / "exp", two()), *table_key(prefers_a, prefers_a))
    strengths = {
        found.system: found.strength for found in scores.ranks if found.judge == PANEL and found.dimension == "depth"
    }
    assert strengths[A] is not None
    assert strengths[A] == -(strengths[B] or 0) > 0


def test_one_judge_is_no_panel(tmp_path: Path) -> None:
    scores = compared(experiment(tmp_path / "exp", two()), *table_key(prefers_a))
    assert {found.judge for found in scores.pairs} == {"scripted:j1"}
    assert rank(scores, A).strength


def test_a_judge_that_met_the_cap_at_once_has_no_seat(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", two())
    one, two_, late = table_key(prefers_a, prefers_a, prefers_a)
    compared(folder, one, two_)
    scores = compared(folder, late, allowance=Allowance(tokens=1, spent_tokens=1))
    assert {found.judge for found in scores.pairs} == {"scripted:j1", "scripted:j2", "scripted:j3", PANEL}

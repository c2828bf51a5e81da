"""``score --metrics pairwise``: what judges that follow one rule come to, and that nothing is asked twice."""

from pathlib import Path
from typing import Any

import pytest

from drretail.errors import UserError
from drretail.eval.judging.dimensions import DIMENSIONS
from drretail.eval.judging.spending import Allowance
from tests import build
from tests.build import experiment, scripted_judge
from tests.eval.families.pairwise.judging import (
    SIX,
    A,
    B,
    C,
    chosen,
    compared,
    fails_where_b_is_first,
    finds_equal,
    finds_equal_where_b_is_first,
    prefers_a,
    prefers_the_first,
    rank,
    reports,
    row,
    shown,
    two,
)


def change(folder: Path, label: str, report: str) -> None:
    """Another report of a label's first query."""
    path = folder / "runs" / label / "q1-r1" / "run.json"
    path.write_text(build.run("q1-r1", report, label=label).model_dump_json(exclude_none=True), encoding="utf-8")


def test_a_judge_that_looks_at_the_place_alone_makes_ties_and_is_found_out(tmp_path: Path) -> None:
    scores = compared(experiment(tmp_path / "exp", two(6)), scripted_judge(prefers_the_first)[0])
    for dimension in DIMENSIONS:
        if dimension == "personalization":
            continue
        found = row(scores, dimension)
        assert (found.wins, found.ties, found.losses) == (0, 6, 0)
        assert (found.win_rate, found.flip_rate, found.first_position_rate) == (0.5, 1.0, 1.0)
        assert build.known(found.ci_high) - build.known(found.ci_low) > 0.5
    drawn = rank(scores, A)
    assert drawn.strength == 0
    assert build.known(drawn.ci_low) < 0 < build.known(drawn.ci_high)


def test_reports_that_are_called_equal_are_tied_without_a_flip(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", two(6))
    found = row(compared(folder, scripted_judge(finds_equal)[0]))
    assert (found.wins, found.ties, found.losses) == (0, 6, 0)
    assert (found.win_rate, found.flip_rate, found.first_position_rate) == (0.5, 0.0, 0.5)
    once = row(compared(folder, scripted_judge(finds_equal_where_b_is_first)[0], again="everything"))
    assert (once.wins, once.ties, once.losses) == (0, 6, 0)
    assert (once.flip_rate, once.first_position_rate) == (0.0, 0.75)


def test_a_judge_that_prefers_a_system_lets_it_win_wherever_it_stands(tmp_path: Path) -> None:
    scores = compared(experiment(tmp_path / "exp", two(6)), scripted_judge(prefers_a)[0])
    found = row(scores)
    assert (found.wins, found.ties, found.losses) == (6, 0, 0)
    assert (found.win_rate, found.ci_high) == (1.0, 1.0)
    assert found.ci_low == pytest.approx(0.025 ** (1 / found.n_queries))  # all of so many queries: no certainty
    assert (found.flip_rate, found.first_position_rate) == (0.0, 0.5)
    assert (found.n_planned, found.n_scored, found.n_failed, found.n_na) == (6, 6, 0, 0)
    strong, weak = rank(scores, A), rank(scores, B)
    assert weak.strength == -build.known(strong.strength) < 0
    assert (strong.n_opponents, strong.n_scored) == (1, 6)


def test_one_order_without_an_answer_fails_the_pair_and_is_no_win(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", two())
    judge, asked = scripted_judge(fails_where_b_is_first)
    scores = compared(folder, judge)
    found = row(scores)
    assert (found.n_scored, found.n_failed, found.failed_verdicts, found.not_judged) == (0, 4, 4, 0)
    assert (found.wins, found.win_rate, found.flip_rate, found.win.value) == (0, None, None, None)
    assert rank(scores, A).strength is None
    assert rank(scores, A).note == "never compared"
    before = len(asked)
    compared(folder, judge)
    assert len(asked) == before  # a failed verdict stands until it is asked for again


def test_a_run_that_failed_loses_and_nobody_is_asked(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", {A: reports("a"), B: {**reports("b"), "q4-r1": None}})
    judge, asked = scripted_judge(prefers_a)
    found = row(compared(folder, judge))
    assert (found.n_planned, found.n_scored, found.n_failed, found.runs_failed) == (4, 4, 0, 0)
    assert (found.wins, found.forfeits, found.win_rate) == (4, 1, 1.0)
    assert len(asked) == 3 * 2 * SIX


def test_a_judge_that_is_asked_several_times_counts_in_parts(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", two(1))
    answers = 0

    def wavering(question: str) -> dict[str, Any]:
        nonlocal answers
        answers += 1
        return prefers_a(question) if answers <= 2 * SIX else prefers_the_first(question)

    found = row(compared(folder, scripted_judge(wavering)[0], judge_repeats=2))
    assert (found.wins, found.ties, found.losses, found.n_scored) == (0.5, 0.5, 0, 1)
    assert (found.win_rate, found.flip_rate, found.first_position_rate) == (0.75, 0.5, 0.75)


def test_the_paper_s_rules_know_no_ties(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", two(16))
    judge, asked = scripted_judge(prefers_the_first)
    scores = compared(folder, judge, rules="paper")
    found = row(scores)
    assert len(asked) == 16 * SIX
    assert (found.ties, found.flip_rate, found.first_position_rate, found.rules) == (0, None, 1.0, "paper")
    assert 3 < build.known(found.wins) < 13  # who stands first is drawn
    both = compared(folder, judge)
    assert len(asked) == 16 * SIX * 3  # both orders, in words that offer "equal"
    assert {pair.rules for pair in both.pairs} == {"default", "paper"}
    assert row(both, rules="default").ties == 16
    assert row(both, rules="paper") == found


def test_all_systems_are_compared_and_ranked(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", {**two(), C: reports("c")})

    def by_letter(question: str) -> dict[str, Any]:
        first, second = shown(question)
        return chosen("A" if first < second else "B")

    judge, asked = scripted_judge(by_letter)
    scores = compared(folder, judge)
    assert len(asked) == 3 * 4 * 2 * SIX
    assert [(pair.a, pair.b) for pair in scores.pairs if pair.dimension == "depth"] == [(A, B), (A, C), (B, C)]
    strengths = [rank(scores, label).strength or 0.0 for label in (A, B, C)]
    assert strengths == sorted(strengths, reverse=True)
    assert abs(sum(strengths)) < 1e-8
    assert [rank(scores, label).n_opponents for label in (A, B, C)] == [2, 2, 2]


def test_only_named_pairs_are_asked_and_who_was_never_compared_has_no_strength(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", {**two(), C: reports("c")})
    judge, asked = scripted_judge(prefers_a)
    scores = compared(folder, judge, pairs=[f"{B}~{A}"])
    assert len(asked) == 4 * 2 * SIX
    assert {(pair.a, pair.b) for pair in scores.pairs} == {(A, B)}
    assert (rank(scores, C).strength, rank(scores, C).note) == (None, "never compared")
    later = compared(folder, judge, pairs=[f"{A}~{C}"])
    assert {(pair.a, pair.b) for pair in later.pairs} == {(A, B), (A, C)}  # the pairs of an earlier command stay
    assert rank(later, C).note is None


@pytest.mark.parametrize("label", [A, B])
def test_when_either_report_changes_its_comparisons_are_stale_and_asked_anew(tmp_path: Path, label: str) -> None:
    folder = experiment(tmp_path / "exp", two())
    judge, asked = scripted_judge(prefers_a)
    compared(folder, judge)
    change(folder, label, "Now I am another report of a.")
    other, _ = scripted_judge(prefers_a, name="other")
    held = row(compared(folder, other), judge=judge.ref.spec)
    assert (held.stale_verdicts, held.not_judged, held.n_scored, held.n_failed, held.wins) == (2, 1, 3, 1, 3)
    before = len(asked)
    fresh = row(compared(folder, judge), judge=judge.ref.spec)
    assert (fresh.stale_verdicts, fresh.n_scored) == (0, 4)
    assert len(asked) == before + 2 * SIX


def test_when_the_cap_is_reached_what_was_not_asked_is_missing_and_no_tie(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", two(2))
    allowance = Allowance(tokens=1)
    scores = compared(folder, scripted_judge(prefers_a)[0], concurrency=1, allowance=allowance)
    first, later = row(scores, "clarity"), row(scores, "depth")
    assert allowance.cut == 2
    assert (first.n_scored, first.not_judged, first.wins) == (1, 1, 1)  # both orders were on their way
    assert (later.n_scored, later.not_judged, later.failed_verdicts, later.ties) == (0, 2, 0, 0)


def test_one_system_has_nobody_to_be_compared_with(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", {A: reports("a")})
    judge, asked = scripted_judge(prefers_a)
    scores = compared(folder, judge)
    assert (scores.pairs, scores.ranks, asked) == ((), (), [])
    with pytest.raises(UserError, match="There is no system in this experiment 'b@model'"):
        compared(folder, judge, pairs=[f"{A}~{B}"])

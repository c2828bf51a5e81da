"""Pairwise judging as tables, on the page and as text."""

from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from drretail.records.base import Rules
from drretail.records.comparison import PairScore, Share
from drretail.records.score import Score, Scores
from drretail.viewer.drawing.result import part_lines
from drretail.viewer.sections import metric_parts
from drretail.viewer.tables.pairs import NOTHING, pair_sections
from tests.build import experiment, scored, scripted_judge, systems
from tests.eval.metrics.pairwise.judging import prefers_the_first, two
from tests.eval.numbers.crafted import preference
from tests.viewer.dom import parse
from tests.viewer.experiment import render_page

A, B, C = "hybrid_react@m", "plan_to_function@m", "react@m"
JUDGED: dict[str, Any] = {"version": 1, "judge": "anthropic:m", "judge_kind": "llm"}


def row(a: str = A, b: str = B, dimension: str = "overall", **given: Any) -> PairScore:
    shares = {"win": Share(value=0.125, ci_low=0.05, ci_high=0.2), "tie": Share(value=0.75), "loss": Share(value=0.125)}
    numbers: dict[str, Any] = {"win_rate": 0.5, "ci_low": 0.46, "ci_high": 0.54, **shares}
    numbers |= {"n_planned": 40, "n_scored": 40, "flip_rate": 0.75, "first_position_rate": 0.8}
    return preference(a=a, b=b, dimension=dimension, **{**JUDGED, **numbers, **given})


def rank(system: str, strength: float, dimension: str = "overall") -> Score:
    counts: dict[str, Any] = {"n_planned": 0, "n_scored": 0, "items": {"opponents": 2}}
    return Score(**JUDGED, **counts, metric="pairwise", variant=dimension, system=system, value=strength)


@pytest.mark.parametrize("rules", ["default", "paper"])
def test_a_judge_that_chooses_by_the_order_is_not_read_from_the_first_sentence_on(tmp_path: Path, rules: Rules) -> None:
    folder = experiment(tmp_path / "exp", two(6))
    made = scored(folder, ["process", "pairwise"], scripted_judge(prefers_the_first, kind="llm")[0], rules=rules)
    page = parse(render_page(folder)).text
    table = "\n".join(part_lines(metric_parts(made), 1_000))
    for shown in (page, table):
        assert "the order decided" in shown
    assert "Not read: preference (scripted:test: the order decided)." in " ".join(page.split())
    for words in ("a tie", "Strengths", "win rate"):
        assert words not in page + table, words


def test_what_was_not_compared_has_no_table_and_what_was_not_asked_about_is_not_failed() -> None:
    lacking: dict[str, Any] = {"n_scored": 0, "n_failed": 40, "not_judged": 40, "win": Share(), "win_rate": None}
    (empty,) = pair_sections([row(**lacking)], [])
    assert empty.tables == ()
    assert empty.notes == [NOTHING, f"{A} over {B}: 40 comparisons not asked yet."]
    (ruled,) = pair_sections([row(judge_kind="rule_based", note="not rated (rule-based)")], [])
    assert ruled.notes[0].startswith("not rated (rule-based). Numbers need a language model")
    (text,) = pair_sections([row(n_scored=30, n_failed=10, not_judged=8)], [])
    counts = [cell.counts for cell in text.tables[0].rows[0].cells if cell is not None]
    assert counts[0] == "30 of 40, 2 failed, 8 not judged"


MEASURED: dict[str, Any] = {
    **{"win": Share(value=0.6, ci_low=0.46, ci_high=0.72), "tie": Share(value=0.1), "loss": Share(value=0.3)},
    **{"win_rate": 0.65, "flip_rate": 0.1, "first_position_rate": 0.48, "n_planned": 50, "n_scored": 49, "n_failed": 1},
}


def scores_of(pairs: Sequence[PairScore], ranks: Sequence[Score] = ()) -> Scores:
    labels = {label for pair in pairs for label in (pair.a, pair.b)}
    return Scores(scores=(), judgings=(), pairs=tuple(pairs), ranks=tuple(ranks), systems=systems(labels))


def test_a_table_has_shares_with_intervals_flips_and_what_failed(printed: Callable[..., str]) -> None:
    pairs = [row(A, B, "depth", **MEASURED, failed_verdicts=2), row(A, B, **MEASURED)]
    result = printed(160, metric_parts, scores_of(pairs))
    titles = ("hybrid_react over plan_to_function", "in both orders")
    for text in (*titles, "60% (46–72)", "0.65", "49 of 50", "1 failed", "10%", "48%"):
        assert text in result
    assert f"{A} over {B}: 2 judgements without a usable answer." in result
    assert "strengths" not in result


def test_of_many_pairs_the_overall_quality_is_shown_and_strengths_of_all(printed: Callable[..., str]) -> None:
    strong = {"a@m": -0.001, "b@m": 1.5, "c@m": -1.5, "d@m": 0.001}
    pairs = [row(a, b, dimension) for a, b in combinations(strong, 2) for dimension in ("depth", "overall")]
    ranks = [rank(system, value, dimension) for dimension in ("depth", "overall") for system, value in strong.items()]
    shown = printed(160, metric_parts, scores_of(pairs, ranks))
    table, _, strengths = shown.partition("Strengths, strongest first by overall")
    assert "depth" not in table
    assert [line.split()[0] for line in strengths.splitlines()[3:7]] == ["b", "d", "a", "c"]
    for text in ("depth", "+1.50", "-1.50", " 0.00", "P(i beats j)"):
        assert text in strengths
    assert "-0.00" not in strengths


def test_where_no_heading_stands_above_a_table_it_says_who_judged() -> None:
    strong = {"a@m": 1.0, "b@m": 0.0, "c@m": -1.0}
    ranks = [rank(system, value) for system, value in strong.items()]
    (section,) = pair_sections([row(a, b) for a, b in combinations(strong, 2)], ranks)
    titles = [table.full_title for table in section.separate_tables]
    assert titles[-1] == "Strengths, strongest first by overall, judged by anthropic:m (language model)"
    assert all(title.count("judged by anthropic:m") == 1 for title in titles)

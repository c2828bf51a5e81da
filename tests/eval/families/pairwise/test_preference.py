"""What counts as a preference: queries, not repeats, tested and corrected for seven dimensions."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drretail.eval.judging.dimensions import DIMENSIONS
from drretail.eval.scores.pair_outcomes import Lead, corrected, lead_of, preferred
from drretail.records.pairs import PairScore
from drretail.stats.clusters import Clusters
from drretail.stats.intervals import share_interval
from tests.build import experiment, scripted_judge
from tests.eval.families.pairwise.judging import A, B, compared, prefers_a, reports, row


def by_id(results: list[list[float]]) -> dict[str, list[float]]:
    return {f"q{at}": repeats for at, repeats in enumerate(results)}


def a_row(results: list[list[float]], interval: tuple[float | None, float | None], **given: Any) -> PairScore:
    its = lead_of(by_id(results), Clusters())
    return PairScore(
        version=1,
        dimension="depth",
        a="a",
        b="b",
        judge="anthropic:m",
        judge_kind="llm",
        n_planned=len(results),
        n_scored=len(results),
        ci_low=interval[0],
        ci_high=interval[1],
        n_queries=its.n_queries,
        queries_won=its.queries_won,
        queries_lost=its.queries_lost,
        p=its.p,
    ).model_copy(update=given)


def test_a_query_counts_once_whatever_its_repeats() -> None:
    assert lead_of(by_id([[1.0, 1.0], [0.0, 0.5], [1.0, 0.0]]), Clusters()) == Lead(3, 1, 1, 1.0)
    assert lead_of(by_id([[1.0] * 9] * 6), Clusters()) == lead_of(by_id([[1.0]] * 6), Clusters())
    assert lead_of(by_id([[1.0]] * 6), Clusters()) == Lead(6, 6, 0, 2 / 2**6)
    assert lead_of({}, Clusters()) == Lead(0, 0, 0, None)


def test_queries_of_one_user_count_once() -> None:
    of_three = Clusters({f"q{at}": f"u{at % 3}" for at in range(9)})
    assert lead_of(by_id([[1.0]] * 9), of_three) == Lead(9, 9, 0, 2 / 2**3)


def test_two_queries_show_no_preference_and_nine_that_agree_do() -> None:
    two, eight, nine = (corrected([a_row([[1.0]] * n, (1.0, 1.0))] * 7)[0] for n in (2, 8, 9))
    assert (two.p, two.p_holm, preferred(two)) == (0.5, 1.0, None)
    assert (eight.p_holm, preferred(eight)) == (7 * 2 / 2**8, None)
    assert preferred(nine) == "a"
    (lost,) = corrected([a_row([[0.0]] * 9, (0.0, 0.0))])
    assert preferred(lost) == "b"


def test_test_and_interval_have_to_agree() -> None:
    held = a_row([[1.0]] * 9, (0.4, 1.0), p_holm=0.01)
    assert preferred(held) is None
    assert preferred(held.model_copy(update={"ci_low": 0.6})) == "a"
    assert preferred(held.model_copy(update={"ci_low": 0.6, "p_holm": 0.06})) is None
    assert preferred(held.model_copy(update={"ci_low": 0.1, "ci_high": 0.4})) is None
    assert preferred(held.model_copy(update={"ci_low": None, "ci_high": None})) is None


@pytest.mark.parametrize(("queries", "repeats"), [(10, 1), (20, 2)])
def test_without_any_difference_one_of_twenty_judges_at_most_prefers_anything(queries: int, repeats: int) -> None:
    """Seven independent dimensions."""
    rng = np.random.default_rng(17)
    drawn = rng.choice([0.0, 0.5, 1.0], (400, 7, queries, repeats), p=[0.3, 0.4, 0.3])
    groups = tuple(range(queries))
    wrong = 0
    for made in drawn:
        found = [share_interval(it.tolist(), groups, is_whole=True) for it in made.mean(axis=2)]
        rows = corrected([a_row(it.tolist(), (at.low, at.high)) for it, at in zip(made, found, strict=True)])
        wrong += any(map(preferred, rows))
    assert wrong / 400 <= 0.05


def test_scores_hold_what_queries_say_and_p_of_seven_dimensions(tmp_path: Path) -> None:
    two = {A: reports("a", queries=6, repeats=2), B: reports("b", queries=6, repeats=2)}
    found = row(compared(experiment(tmp_path / "exp", two), scripted_judge(prefers_a)[0]))
    assert (found.n_scored, found.n_queries, found.queries_won, found.queries_lost) == (12, 6, 6, 0)
    # Overall is corrected apart, and personalization, without profiles, is no test.
    assert (found.p, found.p_holm) == (0.03125, 5 * 0.03125)
    assert len(DIMENSIONS) == 7

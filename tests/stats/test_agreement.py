from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drretail.stats.agreement import (
    cohen_kappa,
    kappa_without_ties,
    kendall,
    krippendorff_alpha,
    mean_absolute_deviation,
    pairwise_comparison_accuracy,
    pearson,
    percent,
    ranking_agreement,
    soft_disagreement,
    spearman,
    weighted_kappa,
)

# Two raters read 50 texts: 20 times both say yes, 5 times only the first, 10 times only the second, 15 times neither.
FIRST = ["yes"] * 20 + ["yes"] * 5 + ["no"] * 10 + ["no"] * 15
SECOND = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
NUMBERS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=15)


def split(pairs: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    return [a for a, _ in pairs], [b for _, b in pairs]


def test_kappas_of_tables_worked_by_hand() -> None:
    assert percent(FIRST, SECOND) == 0.7
    assert cohen_kappa(FIRST, SECOND) == pytest.approx(0.4, abs=1e-12)
    table = [(0, 0)] * 4 + [(0, 1)] + [(1, 0)] + [(1, 1)] * 3 + [(1, 2)] + [(2, 1)] * 2 + [(2, 2)] * 3
    first, second = split(table)
    # Linear: observed 5; expected (5·6 + 2·5·4 + 5·5 + 5·4 + 2·5·5 + 5·6) / 15 = 195 / 15.
    assert weighted_kappa(first, second, [0, 1, 2], "linear") == pytest.approx(1 - 5 / (195 / 15), abs=1e-12)
    # Squared: observed 5; expected (5·6 + 4·5·4 + 5·5 + 5·4 + 4·5·5 + 5·6) / 15 = 285 / 15.
    assert weighted_kappa(first, second, [0, 1, 2], "quadratic") == pytest.approx(1 - 5 / (285 / 15), abs=1e-12)


def test_ties_are_dropped_when_either_rater_says_tie() -> None:
    first = ["A", "A", "B", "B", "tie", "A", "tie"]
    second = ["A", "A", "B", "A", "B", "tie", "tie"]
    assert kappa_without_ties(first, second) == cohen_kappa(["A", "A", "B", "B"], ["A", "A", "B", "A"])
    assert soft_disagreement(first, second) == pytest.approx(2 / 3)


def test_what_is_not_defined_is_none() -> None:
    assert cohen_kappa(["A", "A"], ["A", "A"]) is None
    assert weighted_kappa(["A"], ["A"], ["A", "B"], "linear") is None
    assert cohen_kappa([], []) is percent([], []) is weighted_kappa([], [], [], "linear") is None
    assert kappa_without_ties(["tie"], ["A"]) is None
    assert soft_disagreement(["A"], ["A"]) is None
    for correlation in (pearson, spearman, kendall):
        assert correlation([1.0, 1.0], [1.0, 2.0]) is None
        assert correlation([1.0], [1.0]) is None


def test_raters_of_different_items_are_refused() -> None:
    with pytest.raises(ValueError, match=r"shorter|longer"):
        cohen_kappa(["A"], ["A", "B"])
    with pytest.raises(ValueError, match="not among the labels: 'C'"):
        weighted_kappa(["A"], ["C"], ["A", "B"], "linear")


@settings(max_examples=60, deadline=None)
@given(NUMBERS)
def test_correlations_are_scipy_s(pairs: list[tuple[int, int]]) -> None:
    from scipy.stats import kendalltau, pearsonr, spearmanr

    a, b = split(pairs)
    if len(set(a)) > 1 and len(set(b)) > 1:
        assert pearson(a, b) == pytest.approx(_of(pearsonr(a, b)), abs=1e-9)
        assert spearman(a, b) == pytest.approx(_of(spearmanr(a, b)), abs=1e-9)
        assert kendall(a, b) == pytest.approx(_of(kendalltau(a, b)), abs=1e-9)


def _of(found: Any) -> float:
    return float(found.statistic)  # types of these results are not declared


# Krippendorff (2011), example C: four observers, twelve units, of which one has a single value.
OBSERVED = [
    [1, 1, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
    [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [5, 5, 5], [1, 1], [3],
]  # fmt: skip


def test_alpha_is_that_of_its_author_s_example_and_none_where_nobody_could_have_disagreed() -> None:
    assert krippendorff_alpha(OBSERVED, "nominal") == pytest.approx(0.743, abs=5e-4)
    assert krippendorff_alpha(OBSERVED, "ordinal") == pytest.approx(0.815, abs=5e-4)
    assert krippendorff_alpha(OBSERVED, "interval") == pytest.approx(0.849, abs=5e-4)
    assert krippendorff_alpha([], "nominal") is None
    assert krippendorff_alpha([[1], [2], [3]], "nominal") is None
    assert krippendorff_alpha([[1, 1], [1, 1]], "interval") is None


# Two queries, three systems: by the judge a > b > c and a > b = c, by people a > b > c and b > a > c.
JUDGED = {"q1": {"a": 8.0, "b": 6.0, "c": 5.0}, "q2": {"a": 7.0, "b": 4.0, "c": 4.0}}
PEOPLE = {"q1": {"a": 9.0, "b": 7.0, "c": 2.0}, "q2": {"a": 5.0, "b": 6.0, "c": 4.0}}


def test_distance_and_order_by_hand_leave_out_what_only_one_of_them_rated() -> None:
    assert mean_absolute_deviation(JUDGED, PEOPLE) == (1 + 1 + 3 + 2 + 2 + 0) / 6
    # q1: all three pairs; q2: only a > c, since a > b is turned round and the judge has b = c.
    assert pairwise_comparison_accuracy(JUDGED, PEOPLE) == 4 / 6
    assert ranking_agreement(JUDGED, PEOPLE) == 1 / 2, "orders agree only where every pair does"
    more = {**PEOPLE, "q1": {"a": 9.0, "d": 1.0}, "q3": {"a": 1.0}}
    assert mean_absolute_deviation({"q1": JUDGED["q1"]}, more) == 1
    assert pairwise_comparison_accuracy({"q1": JUDGED["q1"]}, more) is None
    assert ranking_agreement({"q9": {}}, more) is None

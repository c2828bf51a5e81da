from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drretail.stats.significance import SignedRank, SignTest, fewest_queries, holm, sign_test, signed_rank

TIED = st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=12)
P_VALUES = st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=12)


def two_sided(differences: Sequence[float], statistic: Callable[[Sequence[float]], float]) -> float:
    """The p value from every pattern of signs."""
    moved = [abs(d) for d in differences if d]
    observed = statistic([d for d in differences if d])
    every = [
        statistic([sign * d for sign, d in zip(signs, moved, strict=True)])
        for signs in product((1, -1), repeat=len(moved))
    ]
    below = sum(value <= observed for value in every) / len(every)
    return min(1.0, 2 * min(below, sum(value >= observed for value in every) / len(every)))


def rank_sum(differences: Sequence[float]) -> float:
    from scipy.stats import rankdata

    ranks = rankdata(np.abs(differences))
    return float(sum(rank for rank, d in zip(ranks, differences, strict=True) if d > 0))


def test_queries_without_a_difference_are_left_out_and_counted() -> None:
    assert sign_test([1.0, 0.0, 2.0, -1.0, 0.0]) == SignTest(2, 1, 2, 1.0)
    ranked = signed_rank([1.0, 0.0, 2.0, -1.0, 0.0])
    assert (ranked.zeros, ranked.ties, ranked.method) == (2, 2, "exact")


def test_nothing_has_no_p_value_and_no_difference_has_1() -> None:
    assert (sign_test([]).p, signed_rank([]).p) == (None, None)
    assert sign_test([0.0, 0.0]) == SignTest(0, 0, 2, 1.0)
    assert signed_rank([0.0, 0.0]) == SignedRank(1.0, "none", 2, 0)


def test_six_queries_that_agree_are_the_fewest_that_can_reach_five_percent() -> None:
    assert sign_test([1.0] * 5).p == 0.0625
    assert sign_test([1.0] * 6).p == 0.03125
    assert [fewest_queries(tests) for tests in (1, 4, 8)] == [6, 8, 9]
    for tests in (1, 4, 8):
        few = fewest_queries(tests)
        assert holm([sign_test([1.0] * few).p, *[1.0] * (tests - 1)])[0] <= 0.05  # type: ignore[operator]
        assert holm([sign_test([1.0] * (few - 1)).p, *[1.0] * (tests - 1)])[0] > 0.05  # type: ignore[operator]


@settings(max_examples=60, deadline=None)
@given(TIED)
def test_the_sign_test_is_scipy_s_binomial_test_and_the_count_of_all_patterns(differences: list[float]) -> None:
    from scipy.stats import binomtest

    found = sign_test(differences)
    if found.above + found.below:
        assert found.p == pytest.approx(binomtest(found.above, found.above + found.below).pvalue, abs=1e-9)
        brute = two_sided(differences, lambda values: sum(value > 0 for value in values))
        assert found.p == pytest.approx(brute, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=9))
def test_the_signed_rank_test_with_ties_is_the_count_of_all_patterns(differences: list[float]) -> None:
    if any(differences):
        assert signed_rank(differences).p == pytest.approx(two_sided(differences, rank_sum), abs=1e-9)


@pytest.mark.parametrize("queries", [1, 5, 13, 51, 200])
@pytest.mark.parametrize("kind", ["untied", "tied", "zeros"])
def test_the_signed_rank_test_is_scipy_s_default_where_that_is_exact_or_queries_are_many(
    queries: int, kind: str
) -> None:
    from scipy.stats import wilcoxon

    rng = np.random.default_rng(queries)
    if kind == "untied":
        drawn = rng.normal(0.3, 1.0, queries)
    else:
        drawn = rng.integers(1, 4, queries) * rng.choice([-1, 1], queries, p=[0.3, 0.7])
        drawn = np.append(drawn, 0) if kind == "zeros" and queries != 13 else drawn
    theirs: Any = wilcoxon(drawn)
    assert signed_rank([float(value) for value in drawn]).p == pytest.approx(theirs.pvalue, abs=1e-9)


@pytest.mark.parametrize("queries", [14, 30, 50])
def test_with_ties_and_zeros_the_signed_rank_test_stays_exact_up_to_50(queries: int) -> None:
    """Against the sum of signed ranks added up by convolution, query by query."""
    from scipy.stats import rankdata

    rng = np.random.default_rng(queries)
    moved = rng.integers(1, 4, queries) * rng.choice([-1, 1], queries, p=[0.3, 0.7])
    doubled = np.rint(2 * rankdata(np.abs(moved))).astype(int)
    shares = np.ones(1)
    for rank in doubled:
        shares = np.convolve(shares, np.bincount([0, rank], weights=[0.5, 0.5]))
    above = int(doubled[moved > 0].sum())
    p = min(1.0, 2 * min(shares[: above + 1].sum(), shares[above:].sum()))
    assert signed_rank([*map(float, moved), 0.0, 0.0]).p == pytest.approx(p, abs=1e-9)


def test_six_equal_differences_among_twenty_queries_are_no_more_than_six_heads_in_a_row() -> None:
    differences = [1.0] * 6 + [0.0] * 14
    assert signed_rank(differences).p == sign_test(differences).p == 2 / 2**6


@given(TIED)
def test_swapping_the_sides_leaves_p_and_p_is_a_share(differences: list[float]) -> None:
    flipped = [-d for d in differences]
    for test in (sign_test, signed_rank):
        p = test(differences).p
        assert p is not None
        assert 0 <= p <= 1
        assert p == pytest.approx(test(flipped).p or 0.0, abs=1e-12)


def test_holm_gives_the_figures_of_a_worked_example() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.02, None, 0.5]) == [0.04, None, 0.5]
    assert holm([]) == []


@given(P_VALUES)
def test_holm_never_lowers_nor_reorders_and_stays_a_share(p_values: list[float | None]) -> None:
    adjusted = holm(p_values)
    made = sorted((p, q) for p, q in zip(p_values, adjusted, strict=True) if p is not None and q is not None)
    assert [p is None for p in p_values] == [q is None for q in adjusted]
    assert all(p <= q <= 1 for p, q in made)
    assert [q for _, q in made] == sorted(q for _, q in made)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_accepts_what_its_steps_accept(p_values: list[float]) -> None:
    """Step by step, as the procedure is described: stop at the first that is above alpha over those that are left."""
    order = sorted(range(len(p_values)), key=lambda at: (p_values[at], at))
    accepted: set[int] = set()
    for place, at in enumerate(order):
        if p_values[at] * (len(p_values) - place) > 0.05:
            break
        accepted.add(at)
    assert {at for at, p in enumerate(holm(p_values)) if p is not None and p <= 0.05} == accepted

"""Tests over users against scipy and against every pattern of signs, and Holm's correction."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drretail.stats.clusters import Groups, cluster_sums
from drretail.stats.significance import fewest_users, flip_test, holm, sign_test

TIED = st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=12)


def every_pattern(sums: Sequence[float]) -> float:
    """The p value from every pattern of signs."""
    sizes = [abs(each) for each in sums]
    every = np.array(list(product((1, -1), repeat=len(sizes)))) @ np.array(sizes)
    return min(1.0, float((np.abs(every) >= abs(sum(sums)) - 1e-9).mean()))


def test_queries_without_a_difference_are_left_out_of_the_sign_test() -> None:
    assert sign_test([1.0, 0.0, 2.0, -1.0, 0.0]) == sign_test([1.0, 2.0, -1.0]) == 1.0


def test_nothing_has_no_p_value_and_no_difference_has_1() -> None:
    assert (sign_test([]), flip_test([], ())) == (None, None)
    assert sign_test([0.0, 0.0]) == 1.0
    assert flip_test([0.0, 0.0], (0, 1)) == 1.0


@settings(max_examples=60, deadline=None)
@given(TIED)
def test_the_sign_test_is_scipy_s_binomial_test(differences: list[float]) -> None:
    from scipy.stats import binomtest

    above, apart = sum(value > 0 for value in differences), sum(value != 0 for value in differences)
    if apart:
        assert sign_test(differences) == pytest.approx(binomtest(above, apart).pvalue, abs=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_with_one_query_a_user_flips_are_scipy_s_permutations_of_paired_samples(seed: int) -> None:
    from scipy.stats import permutation_test

    values = np.random.default_rng(seed).normal(0.4, 1.0, 11)
    theirs = permutation_test(
        (values, np.zeros(11)), lambda a, b: float(np.mean(a - b)), permutation_type="samples", n_resamples=5000
    )
    assert flip_test(values.tolist(), tuple(range(11))) == pytest.approx(theirs.pvalue, abs=1e-3)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(-3, 3).map(float), st.integers(0, 5)), min_size=1, max_size=14))
def test_flips_are_the_count_of_all_patterns_of_the_users_signs(held: list[tuple[float, int]]) -> None:
    """Whole numbers, whose ties are many: no pattern may count by a rounding."""
    names = list(dict.fromkeys(user for _, user in held))
    groups = tuple(names.index(user) for _, user in held)
    differences = [difference for difference, _ in held]
    assert flip_test(differences, groups) == pytest.approx(every_pattern(cluster_sums(differences, groups)), abs=1e-9)


def test_of_many_users_flips_are_near_the_t_test_over_their_sums() -> None:
    from scipy.stats import ttest_1samp

    values = np.random.default_rng(2).normal(0.1, 1.0, (150, 2))
    groups: Groups = tuple(at // 2 for at in range(300))
    theirs: Any = ttest_1samp(values.sum(axis=1), 0.0)
    assert flip_test(values.ravel().tolist(), groups) == pytest.approx(theirs.pvalue, abs=0.005)


def test_the_least_p_value_is_two_over_all_patterns_of_the_users() -> None:
    assert flip_test([1.0] * 20, tuple(range(20))) == pytest.approx(2 / 2**20)
    assert flip_test([1.0] * 20, tuple(at % 7 for at in range(20))) == pytest.approx(2 / 2**7)
    assert flip_test([1.0] * 6 + [0.0] * 14, tuple(range(20))) == pytest.approx(2 / 2**6)


def test_six_users_that_agree_are_the_fewest_that_can_reach_five_percent() -> None:
    assert [fewest_users(tests) for tests in (1, 4, 8, 75)] == [6, 8, 9, 12]
    for tests in (1, 4, 8, 75):
        few = fewest_users(tests)
        enough, too_few = (flip_test([1.0] * users, tuple(range(users))) for users in (few, few - 1))
        assert (holm([enough, *[1.0] * (tests - 1)])[0] or 0) <= 0.05
        assert (holm([too_few, *[1.0] * (tests - 1)])[0] or 0) > 0.05


def test_without_a_difference_one_experiment_in_twenty_is_below_five_percent() -> None:
    rng = np.random.default_rng(6)
    groups = tuple(at // 3 for at in range(30))
    drawn = [np.repeat(rng.standard_normal(10), 3) + rng.standard_normal(30) for _ in range(600)]
    by_user = [flip_test(each.tolist(), groups) or 0 for each in drawn]
    by_query = [flip_test(each.tolist(), tuple(range(30))) or 0 for each in drawn]
    assert sum(p <= 0.05 for p in by_user) / 600 <= 0.07
    assert sum(p <= 0.05 for p in by_query) / 600 > 0.12  # what taking users' queries for independent would have found


def test_holm_gives_the_figures_of_a_worked_example() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.02, None, 0.5]) == [0.04, None, 0.5]
    assert holm([]) == []


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

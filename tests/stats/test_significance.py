"""A gate's false alarms and what it catches: stated, and as often as it says."""

import random
from itertools import combinations
from math import sqrt
from statistics import mean, variance
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drretail.stats.intervals import (
    Estimate,
    Groups,
    Noise,
    cluster_sums,
    estimate,
    noise,
    numbered,
    pass_power,
    run_variance,
    worst_of,
)
from drretail.stats.significance import (
    Gate,
    detectable,
    fewest_users,
    flip_test,
    holm,
    pair,
    power,
    sign_test,
    users_needed,
    users_range,
)
from tests.build import known

TIED = st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=12)


def test_without_a_difference_p_is_1_and_without_a_value_there_is_none() -> None:
    assert (sign_test([]), flip_test([], ())) == (None, None)
    assert sign_test([0.0, 0.0]) == flip_test([0.0, 0.0], (0, 1)) == 1.0
    assert sign_test([1.0, 0.0, 2.0, -1.0, 0.0]) == sign_test([1.0, 2.0, -1.0]) == 1.0


@settings(max_examples=60, deadline=None)
@given(TIED)
def test_the_sign_test_is_scipy_s_binomial_test(differences: list[float]) -> None:
    from scipy.stats import binomtest

    above, apart = sum(value > 0 for value in differences), sum(value != 0 for value in differences)
    if apart:
        assert sign_test(differences) == pytest.approx(binomtest(above, apart).pvalue, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(-3, 3).map(float), st.integers(0, 5)), min_size=1, max_size=14))
def test_flips_are_scipy_s_permutations_of_the_sums_of_users(held: list[tuple[float, int]]) -> None:
    """Whole numbers, whose ties are many: no pattern may count by a rounding."""
    from scipy.stats import permutation_test

    differences, groups = [difference for difference, _ in held], numbered([user for _, user in held])
    sums = np.array([0.0, *cluster_sums(differences, groups)])  # scipy takes no single value
    theirs = permutation_test((sums, 0 * sums), lambda a, b: float(np.sum(a - b)), permutation_type="samples")
    assert flip_test(differences, groups) == pytest.approx(theirs.pvalue, abs=1e-9)


def test_of_many_users_flips_are_near_the_t_test_over_their_sums() -> None:
    from scipy.stats import ttest_1samp

    values = np.random.default_rng(2).normal(0.1, 1.0, (150, 2))
    groups: Groups = tuple(at // 2 for at in range(300))
    theirs: Any = ttest_1samp(values.sum(axis=1), 0.0)
    assert flip_test(values.ravel().tolist(), groups) == pytest.approx(theirs.pvalue, abs=0.005)


def test_the_fewest_users_that_agree_are_those_whose_least_p_value_can_reach_five_percent() -> None:
    assert flip_test([1.0] * 20, tuple(range(20))) == pytest.approx(2 / 2**20)
    assert flip_test([1.0] * 20, tuple(at % 7 for at in range(20))) == pytest.approx(2 / 2**7)
    assert flip_test([1.0] * 6 + [0.0] * 14, tuple(range(20))) == pytest.approx(2 / 2**6)
    assert [fewest_users(tests) for tests in (1, 4, 8, 75)] == [6, 8, 9, 12]
    for tests in (1, 4, 8, 75):
        few = fewest_users(tests)
        enough, too_few = (flip_test([1.0] * users, tuple(range(users))) for users in (few, few - 1))
        assert (holm([enough, *[1.0] * (tests - 1)])[0] or 0) <= 0.05
        assert (holm([too_few, *[1.0] * (tests - 1)])[0] or 0) > 0.05


def test_holm_gives_the_figures_of_a_worked_example() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.02, None, 0.5]) == [0.04, None, 0.5]
    assert holm([0.6, 0.9, 0.01]) == [1, 1, pytest.approx(0.03)]
    assert holm([]) == []


def test_means_of_repeats_are_compared_inside_the_queries_that_both_sides_have() -> None:
    pairs = pair({"q1": [1.0, 0.0], "q2": [0.5]}, {"q1": [0.25], "q2": [0.0, 0.0, 0.3]})
    assert pairs.queries == ("q1", "q2")
    assert pairs.differences == (0.25, 0.4)
    assert pairs.means == (0.5, 0.175)
    pairs = pair({"q1": [1.0], "q2": [1.0], "q3": []}, {"q1": [0.0], "q3": [0.5], "q4": [0.5]})
    assert pairs.queries == ("q1",)
    assert pair({"q": [0.1, 0.2]}, {"q": [0.15]}).differences == (0.0,)


def seen(difference: float, sd: float, n: int = 10) -> Estimate:
    """As of n users with one query each."""
    return Estimate(difference, sd / sqrt(n), n - 1)


def needed(difference: float, sd: float, tests: int = 1) -> int | None:
    return users_needed(seen(difference, sd), 10, tests)


def test_power_is_that_of_tables_of_the_paired_t_test_and_unknown_of_one_user_or_no_difference() -> None:
    assert [needed(0.5, 1.0), needed(0.2, 1.0), needed(-0.8, 1.0)] == [34, 199, 15]
    assert power(0.5 * sqrt(34), 33) == pytest.approx(0.808, abs=1e-3)
    assert detectable(None) is None
    assert detectable(Estimate(0.3, 0.0, 4)) is None
    assert users_needed(None, 1) is None
    assert needed(0.0, 1.0) is None
    assert needed(0.3, 0.0) == 2


def test_queries_of_one_user_count_for_what_they_are_worth() -> None:
    """Of 10 users with 5 queries that are all alike, a difference is shown as by 10 queries."""
    values = np.repeat(np.random.default_rng(4).standard_normal(10), 5)
    groups = tuple(at // 5 for at in range(50))
    of_users, alone = estimate(values.tolist(), groups), estimate(values[::5].tolist(), tuple(range(10)))
    assert alone is not None
    assert detectable(of_users) == pytest.approx(detectable(alone))
    assert users_needed(of_users, 10) == users_needed(alone, 10)


@pytest.mark.parametrize(("n", "tests"), [(2, 1), (20, 8), (500, 4), (2000, 1), (2001, 1)])
def test_as_one_of_several_tests_it_is_found_as_often_as_is_said(n: int, tests: int) -> None:
    found = known(detectable(seen(0.0, 2.0, n), tests))
    away = found / (2.0 / sqrt(n))
    assert power(away, n - 1, 0.05 / tests) == pytest.approx(0.8, abs=1e-6)


def test_a_negligible_probability_that_scipy_does_not_give_counts_as_none() -> None:
    of_nan = power(5.667604041000137, 50.0, 0.05 / 78)
    assert of_nan == pytest.approx(1 - 0.0275, abs=1e-3)


@given(st.floats(0.05, 3.0), st.floats(0.1, 5.0), st.sampled_from([1, 8]))
def test_the_users_needed_suffice_and_one_fewer_does_not(difference: float, sd: float, tests: int) -> None:
    n, level = needed(difference, sd, tests), 0.05 / tests
    assert n is not None
    assert power(difference / sd * sqrt(n), n - 1, level) >= 0.8
    assert n == 2 or power(difference / sd * sqrt(n - 1), n - 2, level) < 0.8


REPEATS = st.lists(st.integers(0, 10).map(float), min_size=1, max_size=5)


def test_noise_is_pooled_over_queries_and_what_was_not_repeated_can_not_be_told_apart() -> None:
    assert noise([[[1.0]], [[3.0]]]) == Noise(round(2**0.5, 10), None, None)
    assert noise([[[1.0], [3.0]], [[2.0], [4.0]]]).judge is None
    assert noise([[[1.0, 3.0]], [[2.0, 4.0]]]).agent is None
    assert noise([[[1.0]]]) == noise([]) == Noise(None, None, None)
    assert noise([[[1.0, 3.0], []], [], [[], []]]) == noise([[[1.0, 3.0]]])
    assert run_variance([[1.0, 3.0], [5.0], [], [2.0, 2.0, 5.0]]) == pytest.approx((2 + 6) / 3)
    assert run_variance([[1.0], []]) is None


def test_balanced_repeats_give_the_variances_of_the_textbook_and_an_agent_below_zero_is_zero() -> None:
    values = np.random.default_rng(3).integers(0, 11, (6, 3, 4)).astype(float) + np.arange(6)[:, None, None] * 5
    judge = mean(variance(run) for query in values for run in query)
    runs = 4 * mean(variance([mean(run) for run in query]) for query in values)
    queries = 12 * variance([mean(query.ravel()) for query in values])
    found = noise(values.tolist())
    assert found.judge == pytest.approx(judge**0.5)
    assert found.agent == pytest.approx(max(0.0, (runs - judge) / 4) ** 0.5)
    assert found.queries == pytest.approx(((queries - runs) / 12) ** 0.5)
    alike = noise([[[1.0, 5.0], [3.0, 3.0]], [[7.0, 11.0], [9.0, 9.0]]])  # runs of a query have one mean
    assert alike.agent == 0
    assert alike.judge == pytest.approx((16 / 4) ** 0.5)
    assert alike.queries == pytest.approx((72 / 4) ** 0.5)  # mean square 4 · 2 · 3², less that between runs: 0


def test_the_noise_that_was_put_in_comes_out_though_repeats_are_unequal_in_number() -> None:
    rng = np.random.default_rng(11)
    values = [
        [
            [float(query + agent + judge) for judge in rng.normal(0, 0.5, 1 + (at + turn) % 3)]
            for turn, agent in enumerate(rng.normal(0, 1.0, 1 + at % 4))
        ]
        for at, query in enumerate(rng.normal(0, 2.0, 3000))
    ]
    found = noise(values)
    assert found.judge == pytest.approx(0.5, rel=0.05)
    assert found.agent == pytest.approx(1.0, rel=0.05)
    assert found.queries == pytest.approx(2.0, rel=0.05)


@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=5), min_size=1, max_size=4), st.integers(1, 5))
def test_pass_power_k_is_the_share_of_all_choices_of_k_that_pass(passed: list[list[bool]], k: int) -> None:
    shares = [mean(float(all(choice)) for choice in combinations(query, k)) for query in passed if len(query) >= k]
    assert pass_power(passed, k) == (pytest.approx(mean(shares)) if shares else None)


@given(st.lists(REPEATS, min_size=1, max_size=4), st.integers(1, 5))
def test_the_worst_of_k_is_the_mean_lowest_of_all_choices_of_k(values: list[list[float]], k: int) -> None:
    lowest = [mean(min(choice) for choice in combinations(query, k)) for query in values if len(query) >= k]
    assert worst_of(values, k) == (pytest.approx(mean(lowest)) if lowest else None)


def test_the_number_needed_has_a_range_that_is_open_above_if_the_difference_may_be_none() -> None:
    few, many = users_range(Estimate(0.1, 0.02, 49), 50)
    assert known(few) < known(users_needed(Estimate(0.1, 0.02, 49), 50)) < known(many)
    assert users_range(Estimate(0.1, 0.09, 49), 50)[1] is None
    assert users_range(Estimate(0.0, 0.09, 49), 50) == users_range(None, 50) == (None, None)


ALPHA = 0.05


def differences(rng: random.Random, queries: int, users: int, drop: float, repeats: int) -> tuple[list[float], Groups]:
    """An agent whose chance to be right differs by query, beside itself with a smaller one."""

    def share(chance: float) -> float:
        return sum(rng.random() < chance for _ in range(repeats)) / repeats

    chances = [rng.uniform(0.2, 0.95) for _ in range(queries)]
    found = [round(share(max(0, chance - drop)) - share(chance), 10) for chance in chances]
    return found, tuple(at % users for at in range(queries))


@pytest.mark.parametrize(("queries", "users", "repeats"), [(60, 32, 1), (8, 8, 1), (120, 60, 3)])
def test_an_unchanged_agent_fails_as_rarely_as_is_said_and_a_drop_is_caught_as_often(
    queries: int, users: int, repeats: int
) -> None:
    rng, tries = random.Random(7), 300
    unchanged = [Gate(*differences(rng, queries, users, 0, repeats), ALPHA) for _ in range(tries)]
    worse = [Gate(*differences(rng, queries, users, 0.1, repeats), ALPHA) for _ in range(tries)]
    said = sum(gate.catches(0.1) for gate in unchanged[:20]) / 20
    assert sum(gate.fails for gate in unchanged) / tries <= ALPHA + 0.025  # two standard errors of 300 tries
    assert sum(gate.fails for gate in worse) / tries >= said - 0.06


def test_what_is_said_to_be_needed_is_enough() -> None:
    gate = Gate(*differences(random.Random(3), 40, 20, 0, 1), ALPHA)
    users = gate.users_needed(0.1)
    assert users is not None
    assert gate.catches(0.1, users) == pytest.approx(0.8, abs=0.06)
    assert gate.detectable is not None
    assert gate.catches(gate.detectable) >= 0.8 > gate.catches(0.1)


def test_without_noise_it_takes_five_users_who_fail_anew() -> None:
    def failing(count: int) -> Gate:
        return Gate([-1.0] * count + [0.0] * (50 - count), tuple(range(50)), ALPHA)

    assert [failing(count).fails for count in (4, 5)] == [False, True]
    # At least five of fifty fail anew in 57 % of comparisons, if each does with a chance of 0.1.
    assert failing(0).catches(0.1) == pytest.approx(0.57, abs=0.05)
    assert failing(0).catches(0) == 0
    assert not Gate([], (), ALPHA).fails


def test_a_drop_that_is_larger_than_what_there_is_is_not_said_to_be_caught() -> None:
    assert Gate([0.0] * 12, tuple(range(12)), ALPHA, most=0.2).detectable is None
    # Ratings fall by a part each.
    assert Gate([0.5, -0.5] * 20, tuple(range(40)), ALPHA, is_share=False).catches(1) == 1

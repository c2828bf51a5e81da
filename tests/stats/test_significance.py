"""A gate's false alarms and what it catches: stated, and as often as it says."""

import random
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from statistics import variance
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ttest_1samp

from drretail.stats.intervals import FEWEST, Groups, cluster_sums, run_variance
from drretail.stats.significance import (
    Gate,
    difference_test,
    holm,
    margin_ends,
    power,
    queries_needed,
    sign_test,
    spread_when_apart,
)
from tests.build import known

TIED = st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=12)


def test_without_a_difference_p_is_1_and_without_a_value_there_is_none() -> None:
    assert sign_test([]) is None
    assert sign_test([0.0, 0.0]) == 1.0
    assert sign_test([1.0, 0.0, 2.0, -1.0, 0.0]) == sign_test([1.0, 2.0, -1.0]) == 1.0
    assert difference_test([0.0] * 8, tuple(range(8)))[1] == 1.0


@settings(max_examples=60, deadline=None)
@given(TIED)
def test_the_sign_test_is_scipy_s_binomial_test(differences: list[float]) -> None:
    from scipy.stats import binomtest

    above, apart = sum(value > 0 for value in differences), sum(value != 0 for value in differences)
    if apart:
        assert sign_test(differences) == pytest.approx(binomtest(above, apart).pvalue, abs=1e-9)


def by_matrices(values: np.ndarray, groups: Groups) -> tuple[float, float]:
    """The variance CR2 of a mean and its degrees of freedom, from the matrices of Bell and McCaffrey (2002)."""
    n, design = len(values), np.ones((len(values), 1))
    bread = np.linalg.inv(design.T @ design)
    rest = np.eye(n) - design @ bread @ design.T
    residuals, variance, columns = rest @ values, 0.0, []
    for group in range(max(groups) + 1):
        member = np.array(groups) == group
        own, vectors = np.linalg.eigh(rest[np.ix_(member, member)])
        root = vectors @ np.diag(own**-0.5) @ vectors.T
        weights = (bread @ design[member].T @ root).ravel()
        variance += float(weights @ residuals[member]) ** 2
        columns.append(rest[:, member] @ weights)
    every = np.linalg.eigvalsh(np.array(columns) @ np.array(columns).T)
    return variance, float(every.sum() ** 2 / (every**2).sum())


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(1, 5), min_size=5, max_size=9), st.integers(0, 99))
def test_the_test_of_a_difference_is_student_s_with_cr2_and_the_freedom_of_bell_and_mccaffrey(
    sizes: list[int], seed: int
) -> None:
    from scipy.stats import t

    groups: Groups = tuple(user for user, size in enumerate(sizes) for _ in range(size))
    values = np.random.default_rng(seed).normal(0.2, 1, len(groups))
    variance, freedom = by_matrices(values, groups)
    interval, p = difference_test(values.tolist(), groups)
    assert p == pytest.approx(2 * t.sf(abs(values.mean()) / variance**0.5, freedom))
    assert known(interval.high) - known(interval.value) == pytest.approx(t.ppf(0.975, freedom) * variance**0.5)


def test_equal_differences_are_tested_by_the_signs_of_users_and_four_users_not_at_all() -> None:
    interval, p = difference_test([1 / 7] * 20, tuple(at % 7 for at in range(20)))
    assert (interval.low, interval.lacks, p) == (None, "alike", 2 / 2**7)
    assert difference_test([1.0, 2.0, 3.0, 4.0], (0, 1, 2, 3))[1] is None
    assert difference_test([], ())[1] is None


def test_holm_gives_the_figures_of_a_worked_example() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.02, None, 0.5]) == [0.04, None, 0.5]
    assert holm([0.6, 0.9, 0.01]) == [1, 1, pytest.approx(0.03)]
    assert holm([]) == []


@pytest.mark.parametrize(("n", "apart", "tests"), [(49, 0.1, 1), (50, 0.1, 1), (20, 0.25, 6), (8, 5.0, 2)])
def test_the_number_needed_and_its_range_are_those_of_scipy_s_t_and_chi_squared(
    n: int, apart: float, tests: int
) -> None:
    """The range by how much a variance of n users with these tails varies, its ends at 3 in 100."""
    from scipy.stats import chi2, nct, t

    values = np.random.default_rng(n).standard_t(5, n)
    away, spread = values - values.mean(), float(variance(values))

    def least(of: float) -> int:
        def shows(count: int) -> bool:
            errors = t.ppf(1 - 0.025 / tests, count - 1) + t.ppf(0.8, count - 1)
            return bool(count * apart**2 >= errors**2 * of)

        return FEWEST + bisect_left(range(FEWEST, 1_000_000), True, key=shows)

    needed = known(queries_needed(apart, values.tolist(), tuple(range(n)), tests))
    twice = known(queries_needed(apart, np.repeat(values, 2).tolist(), tuple(at // 2 for at in range(2 * n)), tests))
    assert twice.queries == 2 * needed.queries, "of users with two alike queries"
    shown = power(apart, values.tolist(), tuple(range(n)), tests)
    assert shown == pytest.approx(nct.sf(t.ppf(1 - 0.025 / tests, n - 1), n - 1, apart * (n / spread) ** 0.5))
    for value, users in ((0.2, tuple(range(n))), (0.1, tuple(range(6)))):
        assert queries_needed(apart, [value] * len(users), users) is None, "they do not vary"
    few = (queries_needed(apart, values[:users].tolist(), tuple(range(users))) for users in (FEWEST - 1, FEWEST))
    assert [number is None for number in few] == [True, False]
    tails = n * float((away**4).sum()) / float((away**2).sum()) ** 2
    freedom = min(n - 1, 2 / (tails / n - (n - 3) / (n * (n - 1))))
    parts = [least(spread * freedom / float(chi2.isf(beyond, freedom))) for beyond in (0.5, 0.03, 0.97)]
    assert [needed.queries, needed.low, needed.high] == parts


def test_users_with_unlike_numbers_of_queries_have_fewer_degrees_of_freedom_and_so_more_are_needed() -> None:
    from scipy.stats import chi2, t

    groups: Groups = (*range(40), *(user for user in range(40, 50) for _ in range(8)))
    values = np.random.default_rng(2).normal(0, 1, len(groups))
    variance, freedom = by_matrices(values, groups)
    sums = cluster_sums((values - values.mean()).tolist(), groups)
    tails = 50 * sum(total**4 for total in sums) / sum(total**2 for total in sums) ** 2
    of_variance = min(freedom, 2 / (tails / 50 - 47 / (50 * 49)))
    middle = 50 * variance * of_variance / chi2.median(of_variance)
    users = known(queries_needed(0.5, values.tolist(), groups)).queries / len(groups) * 50
    shown = [
        count * 0.5**2 >= (t.ppf(0.975, free) + t.ppf(0.8, free)) ** 2 * middle
        for count in (round(users - 1), round(users))
        for free in [freedom / 49 * (count - 1)]
    ]
    assert shown == [False, True]


def test_the_variance_between_repeats_is_pooled() -> None:
    assert run_variance([[1.0, 3.0], [5.0], [], [2.0, 2.0, 5.0]]) == pytest.approx((2 + 6) / 3)
    assert run_variance([[1.0], []]) is None


@pytest.mark.parametrize(
    ("means", "whole", "wider"),
    [
        ((0.6, 0.7), 1.0, 1.0),  # they are apart already
        ((0.5, 0.5), 1.0, (0.25 + 0.24) / 0.5),
        ((0.99, 0.99), 1.0, (0.0099 + 0.0979) / 0.0198),
        ((0.02, 0.02), 1.0, (0.0196 + 0.1056) / 0.0392),
        ((9.9, 9.9), 10.0, (0.0099 + 0.0979) / 0.0198),
        ((1.0, 1.0), 1.0, 1.0),
        ((3.0, 4.0), float("inf"), 1.0),
    ],
)
def test_near_an_end_of_the_scale_values_vary_more_once_a_system_has_left_it(
    means: tuple[float, float], whole: float, wider: float
) -> None:
    assert spread_when_apart(whole / 10, means, whole) == pytest.approx(wider)
    assert spread_when_apart(whole / 10, (means[1], means[0]), whole) == pytest.approx(wider)


def test_a_margin_is_judged_by_the_interval_with_one_further_query_that_differs_by_the_whole_scale() -> None:
    from scipy.stats import ttest_1samp

    values = np.random.default_rng(4).normal(0, 0.1, 30)
    low, high = known(margin_ends(values.tolist(), tuple(range(30)), 1.0))
    assert low == pytest.approx(ttest_1samp([*values, -1], 0).confidence_interval().low)
    assert high == pytest.approx(ttest_1samp([*values, 1], 0).confidence_interval().high)
    low, high = known(margin_ends(values.tolist(), tuple(range(30)), float("inf")))
    assert (low, high) == pytest.approx(tuple(ttest_1samp(values, 0).confidence_interval()))
    assert margin_ends([0.0] * 40, tuple(range(40)), 1.0) == pytest.approx((-0.0737, 0.0737), abs=1e-3)
    assert margin_ends([0.0] * 40, tuple(range(40)), float("inf")) is None
    assert margin_ends([0.1, 0.2, 0.1, 0.2], (0, 1, 2, 3), 1.0) is None


ALPHA = 0.05


def gate_of(differences: Sequence[float], groups: Groups, size: float = 0.01, *, before: float = 1.0) -> Gate:
    """Of values that were all ``before``, on no scale unless they are shares."""
    is_share = all(0 <= before + difference <= 1 for difference in differences)
    after = [before + difference for difference in differences]
    return Gate([before] * len(after), after, groups, ALPHA, size, 0.0 if is_share else None)


def drawn(rng: random.Random, queries: int, users: int, drop: float, repeats: int, size: float = 0.01) -> Gate:
    """An agent whose chance to be right differs by query, beside itself with a smaller one."""

    def share(chance: float) -> float:
        return sum(rng.random() < chance for _ in range(repeats)) / repeats

    chances = [rng.uniform(0.2, 0.95) for _ in range(queries)]
    after, before = ([share(max(0, chance - by)) for chance in chances] for by in (drop, 0))
    return Gate(before, after, tuple(at % users for at in range(queries)), ALPHA, size, 0.0)


@pytest.mark.parametrize(("queries", "users", "repeats", "size"), [(8, 8, 1, 0.01), (60, 30, 1, 0.2)])
def test_an_unchanged_agent_fails_as_rarely_as_is_said_and_a_drop_is_caught_as_often(
    queries: int, users: int, repeats: int, size: float
) -> None:
    rng, tries = random.Random(7), 150
    unchanged = [drawn(rng, queries, users, 0, repeats, size) for _ in range(tries)]
    worse = [drawn(rng, queries, users, 0.2, repeats, size) for _ in range(tries)]
    said = sum(gate.catches(0.2) for gate in unchanged[:20]) / 20
    assert sum(gate.fails for gate in unchanged) / tries <= ALPHA + 0.036  # two standard errors of 150 tries
    assert sum(gate.fails for gate in worse) / tries == pytest.approx(said, abs=0.12)


def test_a_drop_that_is_shown_fails_only_from_its_size_on() -> None:
    after = [1.0] * 60 + [0.0] * 8
    gates = [Gate([1.0] * 68, after, tuple(range(68)), ALPHA, size, 0.0) for size in (0.1, 8 / 68, 0.12)]
    assert [(gate.is_shown, gate.fails) for gate in gates] == [(True, True), (True, True), (True, False)]
    assert gates[0].catches(0.2) > 0.9 > gates[2].catches(0.12) > 0.3, "half of the drops of this size look smaller"
    detectable = known(gates[0].detectable)
    assert gates[0].catches(detectable) >= 0.8 > gates[0].catches(detectable - 0.02)


def test_without_noise_it_takes_three_users_who_fail_anew() -> None:
    def failing(count: int) -> Gate:
        return gate_of([-1.0] * count + [0.0] * (50 - count), tuple(range(50)))

    assert [failing(count).fails for count in (2, 3)] == [False, True]
    # At least three of fifty fail anew in 89 % of comparisons, if each does with a chance of 0.1.
    assert failing(0).catches(0.1) == pytest.approx(0.89, abs=0.05)
    assert failing(0).catches(0) == 0
    assert not gate_of([], ()).fails


@pytest.mark.parametrize(
    ("before", "users", "most", "reaches"),
    [([0.0] * 20, 20, 0.0, False), ([0.0] * 18 + [1.0] * 2, 20, 0.1, False), ([1.0] * 20, 5, 1.0, True)],
)
def test_what_can_not_fail_is_known_from_what_was_there_before(
    before: list[float], users: int, most: float, *, reaches: bool
) -> None:
    gate = Gate(before, before, tuple(at % users for at in range(20)), ALPHA, 0.1, 0.0)
    assert (gate.most, gate.reaches) == (most, reaches)
    assert gate.detectable is None or reaches
    assert not replace(gate, alpha=0.025).reaches or users > 5, "five users reach 3.1 %"


def test_a_gate_s_p_is_that_of_the_one_sided_t_test() -> None:
    differences = [-0.5, 0.25, -1.0, -0.25, 0.0, -0.75]
    for sign in (1, -1):
        signed = [sign * each for each in differences]
        gate = Gate([0.0] * 6, signed, tuple(range(6)), ALPHA, 0.1)
        test: Any = ttest_1samp(signed, 0.0, alternative="less")
        assert gate.p == pytest.approx(test.pvalue)
    alike = [gate_of([each] * 5, tuple(range(5)), before=7.0).p for each in (-1.0, 0.0, 1.0)]
    assert alike == [0.5**5, 0.5, 1 - 0.5**5]


def test_a_gate_catches_as_much_however_much_better_the_new_agent_is() -> None:
    chance = np.random.default_rng(1).normal(0, 0.05, 20)
    groups = tuple(place // 2 for place in range(20))
    gates = [gate_of(tuple(chance + better), groups, before=0.4) for better in (0, 0.1, 0.25)]
    assert len({round(gate.catches(0.1), 1) for gate in gates}) == 1
    before = [0.0] * 40 + [1.0] * 60
    after = [[1.0] * ups + [0.0] * (40 - ups) + [0.0] * 10 + [1.0] * 50 for ups in (10, 40)]
    least, most = sorted(Gate(before, each, tuple(range(100)), ALPHA, 0.01, 0.0).catches(0.1) for each in after)
    assert most - least < 0.08


def test_counts_rise_by_whole_ones_and_ratings_fall_by_a_part_each() -> None:
    counts = Gate([-1.0] * 40, [-1.0] * 40, tuple(range(40)), ALPHA, 0.1)
    assert counts.catches(0.1) == pytest.approx(0.58, abs=0.06), "four of forty or more, each with a chance of 0.1"
    assert gate_of([0.5, -0.5] * 20, tuple(range(40)), before=7.3).catches(1) == 1

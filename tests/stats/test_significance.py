"""A gate's false alarms and what it catches: stated, and as often as it says."""

import random
from bisect import bisect_left
from statistics import variance

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from drretail.stats.intervals import FEWEST, Groups, numbered, run_variance
from drretail.stats.significance import Gate, difference_test, holm, queries_needed, sign_test, user_sums
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
    from scipy.stats import chi2, t

    values = np.random.default_rng(n).standard_t(5, n)
    away, spread = values - values.mean(), float(variance(values))

    def least(of: float) -> int:
        def shows(count: int) -> bool:
            errors = t.ppf(1 - 0.025 / tests, count - 1) + t.ppf(0.8, count - 1)
            return bool(count * apart**2 >= errors**2 * of)

        return FEWEST + bisect_left(range(FEWEST, 1_000_000), True, key=shows)

    needed = known(queries_needed(apart, values.tolist(), tuple(range(n)), tests))
    assert needed.queries == least(spread)
    twice = known(queries_needed(apart, np.repeat(values, 2).tolist(), tuple(at // 2 for at in range(2 * n)), tests))
    assert twice.queries == 2 * needed.queries, "of users with two alike queries"
    for value, users in ((0.2, tuple(range(n))), (0.1, tuple(range(6)))):
        assert queries_needed(apart, [value] * len(users), users) is None, "they do not vary"
    few = (queries_needed(apart, values[:users].tolist(), tuple(range(users))) for users in (FEWEST - 1, FEWEST))
    assert [number is None for number in few] == [True, False]
    if n >= 50:
        assert (needed.low, needed.high) == (None, None)
        return
    tails = n * float((away**4).sum()) / float((away**2).sum()) ** 2
    freedom = min(n - 1, 2 / (tails / n - (n - 3) / (n * (n - 1))))
    ends = [least(spread * freedom / float(chi2.isf(beyond, freedom))) for beyond in (0.03, 0.97)]
    assert [needed.low, needed.high] == ends


def test_users_with_unlike_numbers_of_queries_have_fewer_degrees_of_freedom_and_so_more_are_needed() -> None:
    from scipy.stats import t

    groups: Groups = (*range(40), *(user for user in range(40, 50) for _ in range(8)))
    values = np.random.default_rng(2).normal(0, 1, len(groups))
    variance, freedom = by_matrices(values, groups)
    users = known(queries_needed(0.5, values.tolist(), groups)).queries / len(groups) * 50
    shown = [
        count * 0.5**2 >= (t.ppf(0.975, free) + t.ppf(0.8, free)) ** 2 * 50 * variance
        for count in (round(users - 1), round(users))
        for free in [freedom / 49 * (count - 1)]
    ]
    assert shown == [False, True]


def test_the_variance_between_repeats_is_pooled() -> None:
    assert run_variance([[1.0, 3.0], [5.0], [], [2.0, 2.0, 5.0]]) == pytest.approx((2 + 6) / 3)
    assert run_variance([[1.0], []]) is None


ALPHA = 0.05


def differences(rng: random.Random, queries: int, users: int, drop: float, repeats: int) -> tuple[list[float], Groups]:
    """An agent whose chance to be right differs by query, beside itself with a smaller one."""

    def share(chance: float) -> float:
        return sum(rng.random() < chance for _ in range(repeats)) / repeats

    chances = [rng.uniform(0.2, 0.95) for _ in range(queries)]
    found = [round(share(max(0, chance - drop)) - share(chance), 10) for chance in chances]
    return found, tuple(at % users for at in range(queries))


@pytest.mark.parametrize(("queries", "users", "repeats"), [(8, 8, 1), (60, 30, 3)])
def test_an_unchanged_agent_fails_as_rarely_as_is_said_and_a_drop_is_caught_as_often(
    queries: int, users: int, repeats: int
) -> None:
    rng, tries = random.Random(7), 150
    unchanged = [Gate(*differences(rng, queries, users, 0, repeats), ALPHA) for _ in range(tries)]
    worse = [Gate(*differences(rng, queries, users, 0.1, repeats), ALPHA) for _ in range(tries)]
    said = sum(gate.catches(0.1) for gate in unchanged[:20]) / 20
    assert sum(gate.fails for gate in unchanged) / tries <= ALPHA + 0.036  # two standard errors of 150 tries
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


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(-3, 3).map(float), st.integers(0, 5)), min_size=1, max_size=14))
@example([(2.0, 2), (3.0, 1), (-3.0, 2), (2.0, 0), (-3.0, 3)])
def test_a_gate_s_p_is_that_of_all_flips_of_the_sums_of_users(held: list[tuple[float, int]]) -> None:
    differences, groups = [each / 7 for each, _ in held], numbered([user for _, user in held])
    sums = np.array(user_sums([each for each, _ in held], groups))
    signs = np.array(np.meshgrid(*[[1, -1]] * len(sums))).reshape(len(sums), -1).T
    exact = float(((signs * sums).sum(axis=1) <= sums.sum()).mean())
    assert Gate(differences, groups, ALPHA).p == pytest.approx(exact)


def test_a_gate_catches_as_much_however_much_better_the_new_agent_is() -> None:
    chance = np.random.default_rng(1).normal(0, 0.05, 20)
    groups = tuple(place // 2 for place in range(20))
    for is_share in (True, False):
        gates = [Gate(tuple(chance + better), groups, 0.05, is_share=is_share) for better in (0, 0.1, 0.5)]
        assert len({gate.catches(0.1) for gate in gates}) == 1
    equal, better = ([1.0] * ups + [-1.0] * 10 + [0.0] * (90 - ups) for ups in (10, 40))
    least, most = sorted(Gate(tuple(answers), tuple(range(100)), 0.05).catches(0.1) for answers in (equal, better))
    assert most - least < 0.05


def test_a_drop_that_is_larger_than_what_there_is_is_not_said_to_be_caught() -> None:
    assert Gate([0.0] * 12, tuple(range(12)), ALPHA, most=0.2).detectable is None
    # Ratings fall by a part each.
    assert Gate([0.5, -0.5] * 20, tuple(range(40)), ALPHA, is_share=False).catches(1) == 1

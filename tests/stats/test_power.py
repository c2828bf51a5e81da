from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.stats.intervals import Estimate, estimate
from drretail.stats.power import detectable, power, power_of_half, users_needed
from tests.build import known


def seen(difference: float, sd: float, n: int = 10) -> Estimate:
    """As of n users with one query each."""
    return Estimate(difference, sd / sqrt(n), n - 1)


def needed(difference: float, sd: float, tests: int = 1) -> int | None:
    return users_needed(seen(difference, sd), 10, tests)


def test_the_figures_are_those_of_tables_of_the_paired_t_test() -> None:
    assert [needed(0.5, 1.0), needed(0.2, 1.0), needed(-0.8, 1.0)] == [34, 199, 15]
    assert power(0.5 * sqrt(34), 33) == pytest.approx(0.808, abs=1e-3)


def test_queries_of_one_user_count_for_what_they_are_worth() -> None:
    """Of 10 users with 5 queries that are all alike, a difference is shown as by 10 queries."""
    values = np.repeat(np.random.default_rng(4).standard_normal(10), 5)
    groups = tuple(at // 5 for at in range(50))
    of_users, alone = estimate(values.tolist(), groups), estimate(values[::5].tolist(), tuple(range(10)))
    assert alone is not None
    assert detectable(of_users) == pytest.approx(detectable(alone))
    assert users_needed(of_users, 10) == users_needed(alone, 10)


@pytest.mark.parametrize(("n", "tests"), [(2, 1), (20, 8), (500, 4), (2000, 1), (2001, 1)])
def test_as_one_of_several_tests_it_is_found_as_often_and_half_of_it_as_often_as_is_said(n: int, tests: int) -> None:
    found = known(detectable(seen(0.0, 2.0, n), tests))
    away = found / (2.0 / sqrt(n))
    assert power(away, n - 1, 0.05 / tests) == pytest.approx(0.8, abs=1e-6)
    assert power_of_half(n - 1, tests) == pytest.approx(power(away / 2, n - 1, 0.05 / tests), abs=1e-6)


def test_nothing_can_be_said_of_a_single_user_or_of_no_difference() -> None:
    assert detectable(None) is None
    assert detectable(Estimate(0.3, 0.0, 4)) is None
    assert users_needed(None, 1) is None
    assert needed(0.0, 1.0) is None
    assert needed(0.3, 0.0) == 2


@given(st.floats(0.05, 3.0), st.floats(0.1, 5.0), st.sampled_from([1, 8]))
def test_the_users_needed_suffice_and_one_fewer_does_not(difference: float, sd: float, tests: int) -> None:
    n, level = needed(difference, sd, tests), 0.05 / tests
    assert n is not None
    assert power(difference / sd * sqrt(n), n - 1, level) >= 0.8
    assert n == 2 or power(difference / sd * sqrt(n - 1), n - 2, level) < 0.8

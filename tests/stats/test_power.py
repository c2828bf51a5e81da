from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.stats.power import detectable, power, power_of_half, queries_needed, spread


def test_the_spread_is_the_sample_standard_deviation() -> None:
    assert spread([1.0, 2.0, 4.0]) == pytest.approx(np.std([1.0, 2.0, 4.0], ddof=1))
    assert spread([1.0]) is None


def test_the_figures_are_those_of_tables_of_the_paired_t_test() -> None:
    assert queries_needed(0.5, 1.0) == 34
    assert queries_needed(0.2, 1.0) == 199
    assert queries_needed(-0.8, 1.0) == 15
    assert power(0.5, 1.0, 34) == pytest.approx(0.808, abs=1e-3)


def test_power_is_the_share_of_simulated_experiments_that_find_the_difference() -> None:
    from scipy.stats import ttest_1samp

    drawn = np.random.default_rng(5).normal(0.6, 1.0, (20_000, 15))
    tested: Any = ttest_1samp(drawn, 0.0, axis=1)
    found = float(np.mean(tested.pvalue <= 0.05))
    assert power(0.6, 1.0, 15) == pytest.approx(found, abs=0.015)


@pytest.mark.parametrize("n", [2, 3, 5, 50, 1999, 2000, 2001, 5000])
def test_the_detectable_difference_is_found_with_80_percent(n: int) -> None:
    found = detectable(2.0, n)
    assert found is not None
    assert power(found, 2.0, n) == pytest.approx(0.8, abs=1e-6)


@pytest.mark.parametrize(("n", "tests"), [(2, 1), (20, 1), (20, 8), (500, 4)])
def test_as_one_of_several_tests_it_is_found_as_often_and_half_of_it_as_often_as_is_said(n: int, tests: int) -> None:
    found = detectable(2.0, n, tests)
    assert found is not None
    assert power(found, 2.0, n, 0.05 / tests) == pytest.approx(0.8, abs=1e-6)
    assert power_of_half(n, tests) == pytest.approx(power(found / 2, 2.0, n, 0.05 / tests), abs=1e-6)


def test_half_of_it_is_still_shown_in_one_of_four_experiments_not_mostly_missed_below_it() -> None:
    assert power_of_half(50) == pytest.approx(0.285, abs=0.005)
    assert power_of_half(50, 8) == pytest.approx(0.172, abs=0.005)


def test_one_of_several_tests_takes_more_queries_as_it_is_held_against_a_part_of_the_level() -> None:
    alone, of_eight = queries_needed(0.5, 1.0), queries_needed(0.5, 1.0, 8)
    assert alone is not None
    assert of_eight is not None
    assert alone < of_eight
    assert power(0.5, 1.0, of_eight, 0.05 / 8) >= 0.8 > power(0.5, 1.0, of_eight - 1, 0.05 / 8)


def test_large_experiments_go_over_to_the_normal_distribution_without_a_step() -> None:
    assert detectable(1.0, 2001) == pytest.approx(detectable(1.0, 2000) or 0.0, rel=2e-3)


def test_nothing_can_be_said_of_a_single_query_or_of_no_difference() -> None:
    assert detectable(None, 1) is None
    assert queries_needed(0.0, 1.0) is None
    assert queries_needed(0.3, None) is None
    assert detectable(0.0, 5) is None
    assert power_of_half(1) is None
    assert queries_needed(0.3, 0.0) == 2


@given(st.floats(0.05, 3.0), st.floats(0.1, 5.0))
def test_the_queries_needed_suffice_and_one_fewer_does_not(difference: float, sd: float) -> None:
    n = queries_needed(difference, sd)
    assert n is not None
    assert power(difference, sd, n) >= 0.8
    assert n == 2 or power(difference, sd, n - 1) < 0.8

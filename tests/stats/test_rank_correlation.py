"""Spearman's ρ inside systems."""

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from drretail.stats.rank_correlation import Values, spearman_within
from tests.build import known


def values(system: str, numbers: list[float]) -> dict[tuple[str, str], float]:
    return {(system, f"q{index:02}"): number for index, number in enumerate(numbers)}


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=4, max_size=30))
def test_with_one_system_it_is_scipys_test(pairs: list[tuple[int, int]]) -> None:
    first, second = [float(a) for a, _ in pairs], [float(b) for _, b in pairs]
    assume(len(set(first)) > 1 and len(set(second)) > 1)
    found = known(spearman_within(values("a", first), values("a", second)))
    expected: Any = spearmanr(first, second)
    assert found.rho == pytest.approx(expected.statistic, abs=1e-9)
    assert found.p == pytest.approx(expected.pvalue, abs=1e-9)
    assert found.n_effective == pytest.approx(len(pairs), abs=1e-9)


def test_a_difference_between_systems_is_no_correlation() -> None:
    few, many = [1.0, 2, 3, 4, 5], [101.0, 102, 103, 104, 105]
    bad, good = [0.1, 0.4, 0.2, 0.5, 0.3], [0.94, 0.91, 0.95, 0.92, 0.93]
    calls, scores = values("a", few) | values("b", many), values("a", bad) | values("b", good)
    pooled: Any = spearmanr(few + many, bad + good)
    assert pooled.statistic > 0.7
    found = known(spearman_within(calls, scores))
    assert abs(found.rho) < 0.3


def test_systems_that_do_the_same_in_every_query_are_worth_one() -> None:
    calls, scores = [1.0, 2, 3, 4, 5, 6], [1.0, 3, 2, 4, 6, 5]
    alone = known(spearman_within(values("a", calls), values("a", scores)))
    thrice = known(spearman_within(together(calls, calls, calls), together(scores, scores, scores)))
    assert (thrice.n, thrice.n_queries, thrice.n_effective) == (18, 6, pytest.approx(6))
    assert (thrice.rho, thrice.p) == (pytest.approx(alone.rho), pytest.approx(alone.p))


def test_systems_without_anything_in_common_are_worth_their_reports_less_one_each() -> None:
    calls = together([1.0, 2, 3, 4, 5, 6, 7], [4.0, 1, 6, 2, 7, 3, 5])
    scores = together([2.0, 1, 3, 5, 4, 7, 6], [5.0, 1, 6, 3, 7, 2, 4])
    found = known(spearman_within(calls, scores))
    assert 8 < found.n_effective <= 13


def test_a_system_whose_runs_all_do_the_same_says_nothing() -> None:
    calls = values("a", [2.0, 2, 2, 2]) | values("b", [1.0, 2, 3, 4])
    scores = values("a", [1.0, 2, 3, 4]) | values("b", [1.0, 2, 3, 4])
    found = known(spearman_within(calls, scores))
    assert (found.rho, found.n, found.p) == (1.0, 4, 0.0)
    assert spearman_within(values("a", [2.0, 2, 2]), values("a", [1.0, 2, 3])) is None
    assert spearman_within({}, {}) is None


def together(*systems: list[float]) -> Values:
    made: dict[tuple[str, str], float] = {}
    for number, numbers in enumerate(systems):
        made |= values(f"s{number}", numbers)
    return made

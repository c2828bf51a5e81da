from itertools import combinations
from statistics import mean, variance

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.eval.stats.reliability import Noise, noise, pass_power, worst_of

REPEATS = st.lists(st.integers(0, 10).map(float), min_size=1, max_size=5)


def test_values_that_never_differ_have_no_noise() -> None:
    assert noise([[[2.0, 2.0], [2.0, 2.0]], [[2.0, 2.0], [2.0, 2.0]]]) == Noise(0.0, 0.0, 0.0)


def test_what_was_not_repeated_can_not_be_told_apart() -> None:
    assert noise([[[1.0]], [[3.0]]]) == Noise(round(2**0.5, 10), None, None)
    assert noise([[[1.0], [3.0]], [[2.0], [4.0]]]).judge is None
    assert noise([[[1.0, 3.0]], [[2.0, 4.0]]]).agent is None
    assert noise([[[1.0]]]) == noise([]) == Noise(None, None, None)
    assert noise([[[1.0, 3.0], []], [], [[], []]]) == noise([[[1.0, 3.0]]])


def test_balanced_repeats_give_the_variances_of_the_textbook() -> None:
    values = np.random.default_rng(3).integers(0, 11, (6, 3, 4)).astype(float) + np.arange(6)[:, None, None] * 5
    judge = mean(variance(run) for query in values for run in query)
    runs = 4 * mean(variance([mean(run) for run in query]) for query in values)
    queries = 12 * variance([mean(query.ravel()) for query in values])
    found = noise(values.tolist())
    assert found.judge == pytest.approx(judge**0.5)
    assert found.agent == pytest.approx(max(0.0, (runs - judge) / 4) ** 0.5)
    assert found.queries == pytest.approx(((queries - max(runs, judge)) / 12) ** 0.5)


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


@given(st.lists(st.lists(st.integers(0, 10).map(float), min_size=4, max_size=4), min_size=1, max_size=4))
def test_more_repeats_never_pass_more_often_nor_end_better(values: list[list[float]]) -> None:
    worst = [worst_of(values, k) or 0.0 for k in (1, 2, 3, 4)]
    passed = [pass_power([[value >= 5 for value in query] for query in values], k) or 0.0 for k in (1, 2, 3, 4)]
    assert worst == sorted(worst, reverse=True)
    assert passed == sorted(passed, reverse=True)
    assert worst[0] == pytest.approx(mean(mean(query) for query in values))

from itertools import combinations
from statistics import mean, variance

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.stats.noise import Noise, agent_test, noise, pass_power, run_variance, worst_of

REPEATS = st.lists(st.integers(0, 10).map(float), min_size=1, max_size=5)


def test_noise_is_pooled_over_queries_and_what_was_not_repeated_can_not_be_told_apart() -> None:
    assert noise([[[1.0]], [[3.0]]]) == Noise(round(2**0.5, 10), None, None)
    assert noise([[[1.0], [3.0]], [[2.0], [4.0]]]).judge is None
    assert noise([[[1.0, 3.0]], [[2.0, 4.0]]]).agent is None
    assert noise([[[1.0]]]) == noise([]) == Noise(None, None, None)
    assert noise([[[1.0, 3.0], []], [], [[], []]]) == noise([[[1.0, 3.0]]])
    assert agent_test([[[1.0], [2.0]]]) is None
    assert agent_test([[[1.0, 2.0]]]) is None
    assert agent_test([[[1.0, 1.0], [2.0, 2.0]]]) == 0
    assert agent_test([[[1.0, 1.0], [1.0, 1.0]], []]) == 1
    assert run_variance([[1.0, 3.0], [5.0], [], [2.0, 2.0, 5.0]]) == pytest.approx((2 + 6) / 3)
    assert run_variance([[1.0], []]) is None


def test_balanced_repeats_give_the_variances_of_the_textbook() -> None:
    values = np.random.default_rng(3).integers(0, 11, (6, 3, 4)).astype(float) + np.arange(6)[:, None, None] * 5
    judge = mean(variance(run) for query in values for run in query)
    runs = 4 * mean(variance([mean(run) for run in query]) for query in values)
    queries = 12 * variance([mean(query.ravel()) for query in values])
    found = noise(values.tolist())
    assert found.judge == pytest.approx(judge**0.5)
    assert found.agent == pytest.approx(max(0.0, (runs - judge) / 4) ** 0.5)
    assert found.queries == pytest.approx(((queries - runs) / 12) ** 0.5)


def test_an_agent_below_zero_is_told_as_zero_and_leaves_the_other_parts_as_they_were_solved() -> None:
    values = [[[1.0, 5.0], [3.0, 3.0]], [[7.0, 11.0], [9.0, 9.0]]]  # runs of a query have one mean
    found = noise(values)
    assert found.agent == 0
    assert found.judge == pytest.approx((16 / 4) ** 0.5)
    assert found.queries == pytest.approx((72 / 4) ** 0.5)  # mean square 4 · 2 · 3², less that between runs: 0


def test_runs_that_differ_as_judgements_do_are_no_sign_of_the_agent_in_nineteen_of_twenty() -> None:
    rng = np.random.default_rng(8)
    found = [agent_test(rng.normal(0, 1, (10, 2, 2)).tolist()) for _ in range(400)]
    assert np.mean([p is not None and p <= 0.05 for p in found]) == pytest.approx(0.05, abs=0.025)
    loud = rng.normal(0, 1, (10, 2, 1)) * 3 + rng.normal(0, 1, (10, 2, 2))
    assert (agent_test(loud.tolist()) or 0) < 0.01


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

import numpy as np
import pytest

from drretail.stats.length_control import length_controlled
from tests.build import known


def drawn(lead: float, liking: float, meetings: int = 400) -> tuple[list[float], list[float]]:
    """Wins of a judge with a true lead of the first system and a liking of length; differences in words."""
    rng = np.random.default_rng(5)
    words = rng.normal(60, 150, meetings)
    chance = 1 / (1 + np.exp(-(lead + liking * np.tanh(words / words.std()))))
    return [float(each) for each in rng.random(meetings) < chance], [float(word) for word in words]


def test_a_judge_that_looks_at_length_alone_prefers_nobody_of_one_length() -> None:
    results, words = drawn(0.0, 3.0)
    assert sum(results) / len(results) > 0.6
    assert length_controlled(results, words).value == pytest.approx(0.5, abs=0.08)


def test_the_fit_is_that_of_scipy_s_optimiser() -> None:
    from scipy.optimize import minimize

    results, words = drawn(0.5, 1.0, 60)
    x = np.tanh(np.array(words) / np.std(words))

    def loss(at: np.ndarray) -> float:
        z = at[0] + at[1] * x
        return float(np.sum(np.log1p(np.exp(z)) - np.array(results) * z) + 0.005 * np.sum(at**2))

    lead = minimize(loss, [0.0, 0.0], tol=1e-12).x[0]
    assert length_controlled(results, words).value == pytest.approx(1 / (1 + np.exp(-lead)), abs=1e-5)


def test_nothing_is_told_of_few_meetings_or_where_one_system_is_always_longer() -> None:
    assert length_controlled([1.0, 0.0], [5.0, -5.0]).value is None
    assert length_controlled([1.0] * 20, [50.0 + at for at in range(20)]).value is None


def test_one_side_that_always_wins_stays_finite() -> None:
    found = length_controlled([1.0] * 20, [float(at - 10) for at in range(20)])
    assert 0.95 < known(found.value) < 1


def test_the_interval_holds_the_rate_that_other_meetings_would_give_and_users_make_it_wider() -> None:
    results, words = drawn(1.0, 2.0, 120)
    found = length_controlled(results, words)
    assert known(found.low) < 1 / (1 + np.exp(-1)) < known(found.high)
    alike = length_controlled(results * 3, words * 3, tuple(at % 120 for at in range(360)))
    assert alike.low == pytest.approx(found.low, abs=0.02)  # each meeting three times tells no more than once
    assert alike.high == pytest.approx(found.high, abs=0.02)
    assert length_controlled(results, words, tuple(at % 4 for at in range(120))).lacks == "few"

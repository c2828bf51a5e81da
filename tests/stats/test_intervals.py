import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drretail.records.base import sha256_of
from drretail.stats import intervals as stats
from drretail.stats.intervals import Interval, Ratio, mean_interval, mean_intervals, ratio_interval, share_interval

SHARES = st.floats(0, 1)
INSIDE = st.lists(SHARES, max_size=3)


def test_the_mean_inside_a_query_comes_first() -> None:
    assert mean_interval([[1.0, 0.0, 0.5], [1.0]], "42").value == 0.75


def test_repeats_stay_inside_their_query() -> None:
    spread = mean_interval([[0.0], [1.0]], "42")
    assert mean_interval([[0.0] * 50, [1.0] * 50], "42") == spread
    assert (spread.low, spread.high) == (0.0, 1.0)


def student_s_tail(queries: int) -> float:
    """The tail of an expanded percentile interval, by scipy's distributions."""
    from scipy.stats import norm, t

    return float(norm.cdf(-((queries / (queries - 1)) ** 0.5) * t.ppf(0.975, queries - 1)))


@pytest.mark.parametrize("shares", [[1.0] * 3, [0.0] * 5, [1.0, 0.0, 1.0, 1.0], [0.5] * 8])
def test_the_interval_of_shares_is_clopper_and_pearson_s(shares: list[float]) -> None:
    from scipy.stats import beta

    won, count = sum(shares), len(shares)
    found = share_interval(shares)
    low = 0.0 if won == 0 else beta.ppf(0.025, won, count - won + 1)
    high = 1.0 if won == count else beta.ppf(0.975, won + 1, count - won)
    assert found.value == won / count
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)


def test_ties_alone_leave_an_interval_with_its_width() -> None:
    found = share_interval([0.5] * 8)
    assert found.low is not None
    assert found.high is not None
    assert found.high - found.low > 0.5


def test_intervals_of_eight_queries_hold_the_truth_as_often_as_they_promise() -> None:
    rng = np.random.default_rng(42)
    samples = [tuple(float(value) for value in rng.beta(6, 1.5, 8)) for _ in range(1500)]
    found = mean_intervals(samples, "42", resamples=1000)
    held = [it.low <= 0.8 <= it.high for it in found if it.low is not None and it.high is not None]
    assert sum(held) / len(held) >= 0.92  # the plain percentiles hold it in 0.88


def test_nothing_gives_nothing() -> None:
    assert mean_interval([], "42") == Interval(None)
    assert mean_interval([[], []], "42") == Interval(None)
    assert ratio_interval([], "42") == Interval(None)


def test_one_query_has_a_value_and_no_interval() -> None:
    assert mean_interval([[0.2, 0.4], []], "42") == Interval(0.3)


def test_queries_that_agree_have_an_interval_without_width() -> None:
    assert mean_interval([[0.1]] * 7, "42") == Interval(0.1, 0.1, 0.1)


def test_the_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    values = [[float(value)] for value in np.random.default_rng(2).random(21)]
    assert mean_interval(values, "42") == mean_interval(values, "42")
    assert mean_interval(values, "42") != mean_interval(values, "43")


@pytest.mark.parametrize("queries", [2, 5, 50, 300])
def test_the_same_draws_give_scipy_s_interval_of_student_s_tails_to_the_last_digit(queries: int) -> None:
    from scipy.stats import bootstrap

    values = np.random.default_rng(queries).random(queries)
    ours = mean_interval([[float(value)] for value in values], "42", resamples=2000)
    same = np.random.default_rng(int(sha256_of("bootstrap|42")[:16], 16))
    level = 1 - 2 * student_s_tail(queries)
    theirs = bootstrap(
        (values,), np.mean, method="percentile", n_resamples=2000, rng=same, confidence_level=level
    ).confidence_interval
    assert (ours.low, ours.high) == (round(theirs.low, 10), round(theirs.high, 10))


def test_other_draws_give_scipy_s_interval_closely() -> None:
    from scipy.stats import bootstrap

    values = np.random.default_rng(50).random(50)
    ours = mean_interval([[float(value)] for value in values], "42")
    other = np.random.default_rng(7)
    level = 1 - 2 * student_s_tail(50)
    theirs = bootstrap(
        (values,), np.mean, method="percentile", n_resamples=40_000, rng=other, confidence_level=level
    ).confidence_interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.003)


def test_a_pooled_interval_is_that_of_scipy() -> None:
    from scipy.stats import bootstrap

    rng = np.random.default_rng(3)
    claims = rng.integers(1, 30, 40)
    supported = rng.binomial(claims, 0.7)
    ours = ratio_interval([Ratio(supported.tolist(), claims.tolist())], "42")
    theirs = bootstrap(
        (supported, claims),
        lambda above, below, axis=-1: above.sum(axis=axis) / below.sum(axis=axis),
        paired=True,
        vectorized=True,
        method="percentile",
        confidence_level=1 - 2 * student_s_tail(40),
        n_resamples=40_000,
        rng=np.random.default_rng(7),
    ).confidence_interval
    assert ours.value == pytest.approx(supported.sum() / claims.sum())
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.002)


def test_two_ratios_are_halved_and_drawn_together() -> None:
    web = Ratio([1, 0, 2], [2, 0, 2])
    product = Ratio([0, 1, 1], [1, 1, 1])
    both = ratio_interval([web, product], "42")
    assert both.value == round((3 / 4 + 2 / 3) / 2, 10)
    assert both.low is not None
    assert both.high is not None
    assert 0 <= both.low < both.high <= 1


def test_a_part_that_counts_nothing_leaves_no_value() -> None:
    assert ratio_interval([Ratio([1, 1], [1, 2]), Ratio([0, 0], [0, 0])], "42") == Interval(None)


def test_many_queries_are_drawn_in_blocks_and_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    values = [[float(value)] for value in np.random.default_rng(1).random(33)]
    whole = mean_interval(values, "42", resamples=1000)
    monkeypatch.setattr(stats, "_BLOCK", 33 * 7)
    assert mean_interval(values, "42", resamples=1000) == whole


@settings(max_examples=40, deadline=None)
@given(st.lists(INSIDE, max_size=8))
def test_an_interval_encloses_its_value_and_stays_between_the_extremes(values: list[list[float]]) -> None:
    found = mean_interval(values, "42", resamples=300)
    means = [sum(inside) / len(inside) for inside in values if inside]
    assert (found.value is None) == (not means)
    if found.low is not None and found.high is not None:
        assert min(means) - 1e-9 <= found.low <= found.high <= max(means) + 1e-9

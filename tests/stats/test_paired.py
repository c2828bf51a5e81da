from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drretail.records.base import sha256_of
from drretail.stats.intervals import Interval, tail
from drretail.stats.paired import mean_difference, pair

VALUES = st.dictionaries(st.sampled_from("qrstuvw"), st.lists(st.integers(0, 10).map(float), max_size=3))


def test_the_mean_of_repeats_comes_first_and_the_difference_is_taken_inside_the_query() -> None:
    pairs = pair({"q1": [1.0, 0.0], "q2": [0.5]}, {"q1": [0.25], "q2": [0.0, 0.0, 0.3]})
    assert pairs.queries == ("q1", "q2")
    assert pairs.differences == (0.25, 0.4)
    assert pairs.means == (0.5, 0.175)


def test_a_query_that_one_side_lacks_is_dropped_and_told_on_the_side_that_lacks_it() -> None:
    pairs = pair({"q1": [1.0], "q2": [1.0], "q3": []}, {"q1": [0.0], "q3": [0.5], "q4": [0.5]})
    assert (pairs.queries, pairs.without_a, pairs.without_b) == (("q1",), ("q3", "q4"), ("q2",))
    assert pairs.dropped == 3


def test_values_that_are_equal_but_for_the_last_bits_do_not_differ() -> None:
    assert pair({"q": [0.1, 0.2]}, {"q": [0.15]}).differences == (0.0,)


def test_no_pair_has_no_difference_and_one_has_no_interval() -> None:
    assert mean_difference(pair({}, {"q": [1.0]}), "42") == Interval(None)
    assert pair({}, {}).means is None
    assert mean_difference(pair({"q": [1.0]}, {"q": [0.25]}), "42") == Interval(0.75)


@pytest.mark.parametrize("queries", [2, 7, 50])
def test_the_same_draws_give_scipy_s_paired_interval(queries: int) -> None:
    from scipy.stats import bootstrap

    a, b = np.random.default_rng(queries).random((2, queries))
    held = [{f"q{at:03}": [float(value)] for at, value in enumerate(side)} for side in (a, b)]
    ours = mean_difference(pair(*held), "42", resamples=2000)
    theirs = bootstrap(
        (a, b),
        lambda a, b, axis: np.mean(a - b, axis=axis),
        paired=True,
        vectorized=True,
        method="percentile",
        confidence_level=1 - 2 * tail(queries),
        n_resamples=2000,
        rng=np.random.default_rng(int(sha256_of("bootstrap|42")[:16], 16)),
    ).confidence_interval
    assert ours.low == pytest.approx(theirs.low, abs=1e-9)
    assert ours.high == pytest.approx(theirs.high, abs=1e-9)


def test_the_interval_is_near_that_of_all_possible_draws() -> None:
    differences = [0.0, 1.0, 2.0, 4.0]
    pairs = pair({f"q{at}": [value] for at, value in enumerate(differences)}, {f"q{at}": [0.0] for at in range(4)})
    every = [sum(drawn) / 4 for drawn in product(differences, repeat=4)]
    low, high = np.percentile(every, [100 * tail(4), 100 * (1 - tail(4))])
    found = mean_difference(pairs, "42")
    assert found.low == pytest.approx(low, abs=0.25)
    assert found.high == pytest.approx(high, abs=0.25)


@settings(max_examples=50, deadline=None)
@given(VALUES, VALUES)
def test_swapping_the_sides_flips_all_signs(a: dict[str, list[float]], b: dict[str, list[float]]) -> None:
    one, other = pair(a, b), pair(b, a)
    assert one.differences == tuple(-d for d in other.differences)
    assert (one.without_a, one.without_b) == (other.without_b, other.without_a)
    found, flipped = mean_difference(one, "42", resamples=200), mean_difference(other, "42", resamples=200)
    assert found.value == (None if flipped.value is None else pytest.approx(-flipped.value))
    if found.low is not None and flipped.high is not None:
        assert found.low == pytest.approx(-flipped.high, abs=1e-9)

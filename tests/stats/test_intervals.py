"""Intervals over users: scipy's where users have one query each, and what they promise where they have several.
run_variance: tests/stats/test_significance.py.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.stats.intervals import (
    FEWEST,
    Clusters,
    Interval,
    Ratio,
    binomial_ends,
    cluster_variance,
    mean_interval,
    numbered,
    ratio_interval,
    share_interval,
)
from tests.build import known, query

SHARES = st.floats(0, 1)
GROUPED = st.lists(st.tuples(SHARES, st.integers(0, 6)), min_size=1, max_size=25)


def ends(found: Interval) -> tuple[float, float]:
    return known(found.low), known(found.high)


@pytest.mark.parametrize("queries", [5, 50])
def test_with_one_query_a_user_a_mean_has_the_interval_of_scipy_s_t_test(queries: int) -> None:
    from scipy.stats import ttest_1samp

    values = np.random.default_rng(queries).random(queries)
    theirs = ttest_1samp(values, 0.0).confidence_interval(0.95)
    found = mean_interval(values.tolist())
    assert found == mean_interval(values.tolist(), tuple(range(queries)))
    assert ends(found) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


@pytest.mark.parametrize("won", [0, 1, 4, 8])
def test_shares_that_are_all_or_nothing_have_clopper_and_pearson_s_interval(won: int) -> None:
    from scipy.stats import binomtest

    shares = [1.0] * won + [0.0] * (8 - won)
    theirs = binomtest(won, 8).proportion_ci(method="exact")
    for groups in (None, tuple(range(8))):
        assert ends(share_interval(shares, groups)) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_shares_of_few_users_are_worth_fewer_queries_and_shares_in_between_more() -> None:
    from scipy.stats import binomtest

    alone = binomtest(14, 21).proportion_ci(method="exact")
    of_seven = ends(share_interval([1.0] * 14 + [0.0] * 7, tuple(at // 3 for at in range(21))))
    # Worth 0.227572 / 0.030489 = 7.464 queries, of which t takes the part (2.0860 / 2.4469)².
    assert of_seven == pytest.approx(binomial_ends(2 / 3, 5.4246), abs=1e-4)
    between = ends(share_interval([2 / 3] * 10 + [0.6, 0.7] * 5 + [2 / 3], tuple(range(21))))
    assert between[1] - between[0] < 0.5 * (alone.high - alone.low)


def test_where_there_is_no_interval_it_says_why() -> None:
    assert mean_interval([7.0] * 20) == Interval(7.0, lacks="alike")
    assert mean_interval([0.1] * 7, (0, 1, 2, 3, 4, 5, 5)) == Interval(0.1, lacks="alike")
    values = np.random.default_rng(1).random(12).tolist()
    of_four = tuple(at % 4 for at in range(12))
    assert mean_interval(values, of_four).lacks == share_interval(values, of_four).lacks == "few"
    assert mean_interval(values[:4]).lacks == "few"
    assert mean_interval(values[:FEWEST]).lacks is share_interval(values[:FEWEST]).lacks is None
    assert mean_interval([]) == share_interval([]) == ratio_interval([]) == Interval(None)
    assert ratio_interval([Ratio([1, 1], [1, 2]), Ratio([0, 0], [0, 0])]) == Interval(None)
    refused = Ratio([2.0, *[0.0] * 9], [1.0, *[0.0] * 9])
    wrongly = Ratio([0.0, *[-0.0] * 9], [0.0, *[1.0] * 9])
    assert ratio_interval([refused, wrongly]) == Interval(1.0, lacks="few")


def test_a_pooled_interval_is_that_of_the_jackknife_over_users() -> None:
    """Leaving out one user at a time is another way to the variance of a ratio (Efron), and knows no derivative."""
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(40), 2)
    claims = rng.integers(5, 30, 80)
    supported = rng.binomial(claims, np.repeat(rng.beta(6, 2, 40), 2))
    found = ratio_interval([Ratio(supported.tolist(), claims.tolist())], tuple(groups.tolist()))
    left = np.array([supported[groups != user].sum() / claims[groups != user].sum() for user in range(40)])
    error = (39 / 40 * ((left - left.mean()) ** 2).sum()) ** 0.5
    low, high = ends(found)
    assert found.value == pytest.approx(supported.sum() / claims.sum())
    assert (high - low) / 2 == pytest.approx(2.0227 * error, rel=0.03)  # t of 39


def test_two_ratios_are_halved_and_their_errors_add_up_by_query() -> None:
    # The last query counts in the web's ratio alone, and moves the mean all the same.
    web, product = Ratio([1, 0, 2, 1, 3, 2], [2, 1, 2, 2, 3, 2]), Ratio([0, 1, 1, 1, 0, 0], [1, 1, 1, 2, 1, 0])
    found = ratio_interval([web, product])
    assert found.value == pytest.approx((9 / 12 + 3 / 6) / 2)
    residuals = [
        (x / 12 - 9 / 12 * n / 12 + y / 6 - 1 / 2 * m / 6) / 2
        for x, n, y, m in zip(web.numerators, web.denominators, product.numerators, product.denominators, strict=True)
    ]
    low, high = ends(found)
    assert (high - low) / 2 == pytest.approx(2.5706 * cluster_variance(residuals, (0, 1, 2, 3, 4, 5)) ** 0.5, rel=1e-4)


@given(GROUPED)
def test_an_interval_encloses_its_value_has_a_width_and_stays_in_its_scale(held: list[tuple[float, int]]) -> None:
    values, groups = [value for value, _ in held], numbered([user for _, user in held])
    for found in (share_interval(values, groups), mean_interval(values, groups)):
        assert found.value == pytest.approx(sum(values) / len(values), abs=1e-9)
        assert (found.low is None) == (found.high is None) == (found.lacks is not None)
        if found.low is not None and found.high is not None:
            assert found.low - 1e-9 <= (found.value or 0) <= found.high + 1e-9
            assert found.low < found.high
    share = share_interval(values, groups)
    if share.low is not None and share.high is not None:
        assert 0 <= share.low < share.high <= 1


def test_queries_of_one_user_are_one_cluster() -> None:
    # The turns of a conversation have one user, also if nobody says who.
    turns = [query("t1"), query("t2", after="t1"), query("t3"), query("t4", after="t3"), query("t5", user_id="BORIS")]
    of_turns = Clusters.of([*turns, query("t6", after="t5"), query("t7", user_id="BORIS")])
    assert of_turns.groups(["t1", "t2", "t3", "t4", "t5", "t6", "t7"]) == (0, 0, 1, 1, 2, 2, 2)
    clusters = Clusters.of([query("a", user_id="ANNA"), query("b"), query("c", user_id="ANNA"), query("d")])
    assert clusters.groups(["c", "d", "a", "b"]) == (0, 1, 0, 2)
    assert [clusters.users(ids) for ids in (["a", "c"], ["b", "c"], ["b", "d"], [])] == [1, 2, None, None]

"""Bradley–Terry: the same strengths as a general optimiser finds, and no strengths where nothing connects."""

from itertools import combinations
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from drretail.stats.clusters import Clusters
from drretail.stats.ranking import APART, NEVER_COMPARED, RIDGE, Contest, Strength, fit, strengths

COUNTS = st.integers(0, 12)


def by_optimiser(wins: np.ndarray) -> np.ndarray:
    """The maximum of the penalised likelihood by a method that knows nothing of the model."""

    def loss(found: np.ndarray) -> float:
        odds = found[:, None] - found[None, :]
        return float((wins * np.log1p(np.exp(-odds))).sum() + RIDGE / 2 * (found**2).sum())

    return minimize(loss, np.zeros(len(wins)), method="BFGS", options={"gtol": 1e-9}).x


def several(first: str, second: str, shares: list[float]) -> list[Contest]:
    return [Contest(f"q{n:02}", first, second, share) for n, share in enumerate(shares)]


def value(found: Strength) -> float:
    assert found.interval.value is not None
    return found.interval.value


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 6).flatmap(lambda size: st.lists(COUNTS, min_size=size * size, max_size=size * size)))
def test_strengths_are_those_that_an_optimiser_finds(counts: list[int]) -> None:
    size = round(len(counts) ** 0.5)
    wins = np.array(counts, dtype=float).reshape(size, size) / 2
    np.fill_diagonal(wins, 0)
    found = fit(wins)
    assert found == pytest.approx(by_optimiser(wins), abs=2e-4)
    assert abs(found.sum()) < 1e-9


def test_two_competitors_differ_by_the_log_odds_of_their_wins() -> None:
    found = strengths(["a", "b"], several("a", "b", [1.0] * 30 + [0.0] * 10), "42")
    assert value(found["a"]) - value(found["b"]) == pytest.approx(log(3), abs=2e-3)
    assert value(found["a"]) == pytest.approx(-value(found["b"]))


def test_who_wins_every_time_is_strongest_and_not_infinitely_strong() -> None:
    contests = [*several("a", "b", [1.0] * 50), *several("a", "c", [1.0] * 50), *several("b", "c", [0.5] * 50)]
    found = strengths(["a", "b", "c"], contests, "42")
    assert 4 < value(found["a"]) < 12
    assert value(found["b"]) == pytest.approx(value(found["c"]))


def test_strength_goes_over_common_opponents() -> None:
    found = strengths(["a", "b", "c"], [*several("a", "b", [1, 1, 1, 0]), *several("b", "c", [1, 1, 1, 0])], "42")
    assert value(found["a"]) > value(found["b"]) > value(found["c"])


def test_who_was_never_compared_has_no_strength() -> None:
    found = strengths(["a", "b", "c"], several("a", "b", [1, 0, 1]), "42")
    assert (found["c"].interval.value, found["c"].lacks) == (None, NEVER_COMPARED)
    assert found["a"].lacks is None


def test_groups_that_never_met_are_not_ranked_together() -> None:
    contests = [*several("a", "b", [1, 0, 1]), *several("b", "c", [1, 0, 1]), *several("d", "e", [1, 1, 1])]
    found = strengths(list("abcde"), contests, "42")
    assert [found[name].lacks for name in "abcde"] == [None, None, None, APART, APART]
    even = strengths(
        list("abde"), [contest for contest in contests if "c" not in (contest.first, contest.second)], "42"
    )
    assert {each.lacks for each in even.values()} == {APART}
    assert all(each.interval.value is None for each in even.values())


def test_the_order_of_names_and_contests_changes_nothing() -> None:
    rng = np.random.default_rng(7)
    contests = [one for pair in combinations("abcd", 2) for one in several(*pair, list(rng.choice([0, 0.5, 1.0], 12)))]
    left, right = strengths(list("abcd"), contests, "42"), strengths(list("dcba"), contests[::-1], "42")
    assert {name: left[name] for name in "abcd"} == {name: right[name] for name in "abcd"}


def test_intervals_hold_the_value_and_narrow_with_more_queries() -> None:
    rng = np.random.default_rng(7)
    widths: list[float] = []
    for queries in (10, 200):
        shares = list(rng.choice([0, 0.5, 1.0], queries, p=[0.3, 0.1, 0.6]))
        found = strengths(["a", "b"], several("a", "b", shares), "42")["a"].interval
        assert found.value is not None
        assert found.low is not None
        assert found.high is not None
        assert found.low <= found.value <= found.high
        widths.append(found.high - found.low)
    assert widths[1] < widths[0] / 2


def test_one_query_and_queries_that_all_say_the_same_have_strengths_without_an_interval() -> None:
    assert strengths(["a", "b"], several("a", "b", [1.0]), "42")["a"].interval.lacks == "few"
    alike = strengths(["a", "b"], several("a", "b", [1.0] * 20), "42")["a"].interval
    assert (alike.low, alike.high, alike.lacks) == (None, None, "alike")


def test_queries_of_one_user_are_drawn_together_and_make_the_interval_wider() -> None:
    results = [1.0] * 24 + [0.0] * 16
    contests = several("a", "b", results)
    of_users = Clusters({f"q{at:02}": f"u{at // 4}" for at in range(40)})
    alone, together = (strengths(["a", "b"], contests, "42", each)["a"].interval for each in (None, of_users))
    assert alone.low is not None
    assert alone.high is not None
    assert together.low is not None
    assert together.high is not None
    assert together.high - together.low > 1.5 * (alone.high - alone.low)
    four = Clusters({f"q{at:02}": f"u{at // 10}" for at in range(40)})
    assert strengths(["a", "b"], contests, "42", four)["a"].interval.lacks == "few"

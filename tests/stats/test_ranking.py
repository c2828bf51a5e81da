"""Bradley–Terry and length control: the strengths that an optimiser finds, and none where nothing connects."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from drretail.stats.intervals import Clusters, Interval
from drretail.stats.ranking import APART, FEW, RIDGE, Contest, Strength, length_controlled, strengths
from tests.build import known

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
    return known(found.interval.value)


def width(found: Interval) -> float:
    return known(found.high) - known(found.low)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 6).flatmap(lambda size: st.lists(COUNTS, min_size=size * size, max_size=size * size)))
def test_strengths_are_those_that_an_optimiser_finds(counts: list[int]) -> None:
    size = round(len(counts) ** 0.5)
    wins = np.array(counts, dtype=float).reshape(size, size)
    np.fill_diagonal(wins, 0)
    wins += np.eye(size, k=1)  # so that all are connected
    names = "abcdef"[:size]
    contests = [
        Contest(f"q{at}", names[i], names[j], 1.0)
        for i in range(size)
        for j in range(size)
        for at in range(round(wins[i, j]))
    ]
    found = strengths(list(names), contests)
    assert [value(found[name]) for name in names] == pytest.approx(by_optimiser(wins), abs=2e-4)
    assert abs(sum(value(found[name]) for name in names)) < 1e-8


def test_groups_that_never_met_are_not_ranked_together() -> None:
    contests = [*several("a", "b", [1, 0, 1]), *several("b", "c", [1, 0, 1]), *several("d", "e", [1, 1, 1])]
    found = strengths(list("abcde"), contests)
    assert [found[name].lacks for name in "abcde"] == [FEW, FEW, FEW, APART, APART]
    assert found["a"].interval.value is not None
    assert found["a"].interval.low is None
    enough = strengths(["a", "b"], several("a", "b", [1, 0] * 10))["a"]
    assert (enough.lacks, enough.interval.low is None) == (None, False)
    even = strengths(list("abde"), [contest for contest in contests if "c" not in (contest.first, contest.second)])
    assert {each.lacks for each in even.values()} == {APART}
    assert all(each.interval.value is None for each in even.values())


def test_queries_of_one_user_widen_the_interval_and_few_users_or_equal_results_have_none() -> None:
    contests = several("a", "b", [1.0] * 24 + [0.0] * 16)

    def of_a(contests: list[Contest], users_of: int = 0) -> Interval:
        users = Clusters({f"q{at:02}": f"u{at // users_of}" for at in range(40)}) if users_of else None
        return strengths(["a", "b"], contests, users)["a"].interval

    assert width(of_a(contests, 4)) > 1.5 * width(of_a(contests))
    assert of_a(contests, 10).lacks == of_a(several("a", "b", [1.0])).lacks == "few"
    alike = of_a(several("a", "b", [1.0] * 20))
    assert (alike.low, alike.high, alike.lacks) == (None, None, "alike")


def drawn(lead: float, liking: float, meetings: int = 400) -> tuple[list[float], list[float]]:
    """Wins of a judge with a true lead of the first system and a liking of length; differences in words."""
    rng = np.random.default_rng(5)
    words = rng.normal(60, 150, meetings)
    chance = 1 / (1 + np.exp(-(lead + liking * np.tanh(words / words.std()))))
    return [float(each) for each in rng.random(meetings) < chance], [float(word) for word in words]


def test_a_judge_of_length_alone_prefers_nobody_of_one_length_by_the_fit_of_scipy_s_optimiser() -> None:
    results, words = drawn(0.0, 3.0)
    assert sum(results) / len(results) > 0.6
    assert length_controlled(results, words).value == pytest.approx(0.5, abs=0.08)
    results, words = drawn(0.5, 1.0, 60)
    x = np.tanh(np.array(words) / np.std(words))

    def loss(at: np.ndarray) -> float:
        z = at[0] + at[1] * x
        return float(np.sum(np.log1p(np.exp(z)) - np.array(results) * z) + 0.005 * np.sum(at**2))

    lead = minimize(loss, [0.0, 0.0], tol=1e-12).x[0]
    assert length_controlled(results, words).value == pytest.approx(1 / (1 + np.exp(-lead)), abs=1e-5)


def test_few_meetings_and_systems_that_are_always_longer_tell_nothing_and_wins_alone_stay_finite() -> None:
    assert length_controlled([1.0, 0.0], [5.0, -5.0]).value is None
    assert length_controlled([1.0] * 20, [50.0 + at for at in range(20)]).value is None
    found = length_controlled([1.0] * 20, [float(at - 10) for at in range(20)])
    assert 0.95 < known(found.value) < 1
    # Nine of ten that differ in length are too many, whatever number has one length.
    for longer, shorter, equal, is_known in ((9, 1, 10, False), (8, 1, 1, True), (8, 1, 0, False), (1, 9, 1, False)):
        words = [5.0] * longer + [-5.0] * shorter + [0.0] * equal
        controlled = length_controlled([float(at % 2) for at in range(len(words))], words)
        assert (controlled.value is not None) == is_known, (longer, shorter, equal)


def jackknife(without: Callable[[int], float], users: int) -> float:
    """The error of a number by leaving out one user at a time (Efron): it knows no derivative."""
    left = np.array([without(user) for user in range(users)])
    return float(((users - 1) / users * ((left - left.mean()) ** 2).sum()) ** 0.5)


def test_intervals_of_strengths_and_of_wins_at_one_length_are_those_of_the_jackknife_over_users() -> None:
    rng, users = np.random.default_rng(8), 40
    contests = [
        Contest(f"q{at}", first, second, float(rng.choice([0.0, 0.5, 1.0], p=[1 - lead, 0.1, lead - 0.1])))
        for at in range(2 * users)
        for first, second, lead in (("a", "b", 0.7), ("b", "c", 0.6), ("c", "a", 0.4))
    ]
    of_user = Clusters({f"q{at}": f"u{at // 2}" for at in range(2 * users)})

    def without(user: int) -> float:
        rest = [contest for contest in contests if int(contest.query_id[1:]) // 2 != user]
        return value(strengths(["a", "b", "c"], rest)["a"])

    t39 = 2.0227
    found = strengths(["a", "b", "c"], contests, of_user)["a"].interval
    assert width(found) / 2 == pytest.approx(t39 * jackknife(without, users), rel=0.03)
    results, words = drawn(0.5, 1.0, 2 * users)

    def logit(share: float | None) -> float:
        return float(np.log(known(share) / (1 - known(share))))

    def controlled(user: int) -> float:
        rest = [at for at in range(2 * users) if at // 2 != user]
        return logit(length_controlled([results[at] for at in rest], [words[at] for at in rest]).value)

    found = length_controlled(results, words, tuple(at // 2 for at in range(2 * users)))
    error = jackknife(controlled, users)
    assert (logit(found.high) - logit(found.low)) / 2 == pytest.approx(t39 * error, rel=0.05)

"""Whether two systems differ on the same queries, how many queries a difference takes, and a gate: whether one system
is below another.

Queries differ more from each other than systems do, so differences are taken within each query. Repeats of a query are
averaged first, since they say nothing about other queries. Queries of one user are alike, so users are the clusters of
all tests. p values are two-sided.

One estimate gives a difference its interval and its p value, so the two never disagree. Its variance is taken as seen:
few values that are far from all others, such as zeros in one report of twenty beside steady scores, are not guarded
against.

A gate is the same test, one-sided. What it catches depends on how much answers differ from run to run, which is taken
from the differences that are seen.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, fsum, inf, isfinite
from typing import TYPE_CHECKING

from drretail.records.base import sha256_of
from drretail.stats.intervals import FEWEST, Groups, Interval, cluster_sums, estimate, freedom, mean_interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEVEL = 0.05
"""The significance level: a p value up to this is taken for a difference."""
POWER = 0.8
"""The probability with which a difference is to be shown."""


def sign_test(differences: Sequence[float]) -> float | None:
    """p of the exact binomial test that differences are above zero as often as below; zeros are left out.

    None without a query; 1 if no query differs.
    """
    from scipy.special import bdtr

    above, below = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    if not above + below:
        return 1.0 if differences else None
    return min(1.0, 2 * float(bdtr(min(above, below), above + below, 0.5)))


FEWEST_SIGNS = 6
"""With fewer users who differ no sign test reaches 5 %."""


def user_sums(differences: Sequence[float], groups: Groups) -> list[float]:
    """Each user's sum, rounded so that sevenths and thirds that cancel out are 0, and equal sums are equal."""
    return [round(total, 8) for total in cluster_sums(differences, groups)]


def difference_test(differences: Sequence[float], groups: Groups) -> tuple[Interval, float | None]:
    """The mean difference with its interval over users, and its p value: Student's t of one estimate for both.

    Where all differences are equal there is no variance, and p is that of the sign test of users. Of fewer users than
    ``FEWEST`` there is neither interval nor p.
    """
    from scipy.special import stdtr

    interval, seen = mean_interval(differences, groups), estimate(differences, groups)
    if interval.lacks == "alike":
        return interval, sign_test(user_sums(differences, groups))
    if interval.low is None or seen is None:
        return interval, None
    return interval, 2 * float(stdtr(seen.freedom, -abs(seen.value) / seen.error))


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's adjusted p values, in the order given: the smallest times m, the next times m − 1, …, never decreasing.

    If all values up to alpha are taken for differences, the risk that any of them is wrong is at most alpha. None means
    no test: it stays None and does not count in m.
    """
    tested = [p for p in p_values if p is not None]
    order = sorted(
        (index for index, p in enumerate(p_values) if p is not None), key=lambda at: (p_values[at] or 0.0, at)
    )
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for place, index in enumerate(order):
        highest = max(highest, min(1.0, (len(tested) - place) * (p_values[index] or 0.0)))
        adjusted[index] = highest
    return adjusted


_BEYOND = 0.03
"""Beyond each end of the range of queries needed: with a tenth it holds too rarely, since few users hide how heavy the
tails are.
"""


@dataclass(frozen=True, slots=True)
class Needed:
    """How many queries show a difference, and where their number lies in 8 of 10 experiments."""

    queries: int
    low: int
    high: int


def spread_when_apart(apart: float, means: tuple[float, float], whole: float) -> float:
    """How many times larger the variance of differences is if two means on a scale from 0 to ``whole`` are apart.

    Near an end of the scale values hardly vary, and they vary more once one of the two systems has left it. The
    variance of values is taken to change with their mean m as m(1 − m), that of shares of one size. Means that are
    closer than ``apart`` come apart towards the middle of the scale.
    """
    middle, gap, size = sum(means) / 2 / whole, abs(means[0] - means[1]) / whole, apart / whole
    middle = middle if middle >= 0.5 else 1 - middle
    high = middle + min(gap, size) / 2
    seen = (middle + gap / 2) * (1 - middle - gap / 2) + (middle - gap / 2) * (1 - middle + gap / 2)
    then = high * (1 - high) + (high - size) * (1 - high + size)
    return then / seen if seen > 0 else 1.0


def queries_needed(
    apart: float, differences: Sequence[float], groups: Groups, tests: int = 1, wider: float = 1.0
) -> Needed | None:
    """How many queries, of users with as many as these, show a true difference ``apart`` with ``POWER``.

    The variance is ``wider`` times that of the differences seen (``spread_when_apart``), and the level is 5 % divided
    by the number of tests, the strictest of Holm's. None if the differences do not vary, or come from too few users.
    """
    from scipy.special import chdtri, stdtrit

    seen = estimate(differences, groups)
    users = max(groups, default=-1) + 1
    if users < FEWEST or seen is None or not round(seen.error, 10):
        return None
    level, free = LEVEL / tests, seen.freedom / (users - 1)

    def queries(variance: float) -> int:
        def shows(count: int) -> bool:
            freedom = free * (count - 1)
            away = float(stdtrit(freedom, 1 - level / 2) + stdtrit(freedom, POWER))
            return count * apart**2 >= away**2 * variance

        low, high = FEWEST - 1, FEWEST
        while not shows(high):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if shows(middle) else (middle, high)
        return ceil(high * len(differences) / users)

    of_user = seen.error**2 * users * wider
    # How sure a variance is depends on how heavy the tails of the users' sums are.
    sums = cluster_sums([value - seen.value for value in differences], groups)
    peaked = fsum(total**4 for total in sums) * users / fsum(total**2 for total in sums) ** 2
    freedom = min(seen.freedom, 2 / (peaked / users - (users - 3) / (users * (users - 1))))
    # By the median, since the variance that is seen is mostly below the true one.
    at = (0.5, _BEYOND, 1 - _BEYOND)
    return Needed(*(queries(of_user * freedom / float(chdtri(freedom, beyond))) for beyond in at))


def power(apart: float, differences: Sequence[float], groups: Groups, tests: int = 1, wider: float = 1.0) -> float:
    """How often these queries show a true difference ``apart``, of the same parameters; by the noncentral t."""
    from scipy.special import nctdtr, stdtrit

    seen = estimate(differences, groups)
    if seen is None or not seen.error or not wider:
        return 0.0 if seen is None else 1.0
    away = apart / seen.error / wider**0.5
    return float(1 - nctdtr(seen.freedom, min(away, 30.0), stdtrit(seen.freedom, 1 - LEVEL / tests / 2)))


def margin_ends(differences: Sequence[float], groups: Groups, whole: float) -> tuple[float, float] | None:
    """The ends of the mean difference by which a margin is judged; None if there are none.

    Each is the end of the 95% interval with one further query, of a user of its own, that differs by the whole scale in
    this direction: rare differences may all be missing among those seen. Without a scale they are those of the
    interval.
    """
    further = (*groups, max(groups, default=-1) + 1)
    if isfinite(whole):
        low, high = (mean_interval([*differences, far], further) for far in (-whole, whole))
    else:
        low = high = mean_interval(differences, groups)
    enough = max(groups, default=-1) + 1 >= FEWEST
    return (low.low, high.high) if enough and low.low is not None and high.high is not None else None


_DRAWS = 1000
_STEPS = 20
"""Steps of a gate's size in which it looks for the fall that it catches, up to ten times that size."""


@dataclass(frozen=True)
class Gate:
    """The test at level ``alpha`` that values fell by ``size`` or more, by query ``before`` and ``after``.

    Where values are counts or shares, a fall takes all of some values, the hardest to see; else a part of each.
    """

    before: Sequence[float]
    after: Sequence[float]
    groups: Groups
    alpha: float
    size: float
    lowest: float | None = None
    """The end of the scale towards which values fall; None if there is none."""

    @cached_property
    def differences(self) -> list[float]:
        return [round(after - before, 10) for before, after in zip(self.before, self.after, strict=True)]

    @property
    def fall(self) -> float:
        """How far the mean fell."""
        return -fsum(self.differences) / max(1, len(self.differences))

    @cached_property
    def p(self) -> float:
        """One-sided p of the mean difference, by the test of ``difference_test``; 1 of fewer users than it takes."""
        return self._p_of(self.differences)

    def _p_of(self, differences: Sequence[float]) -> float:
        interval, p = difference_test(differences, self.groups)
        if p is None:
            return 1.0
        return p / 2 if (interval.value or 0.0) < 0 else 1 - p / 2

    @property
    def is_shown(self) -> bool:
        """True if the test shows a fall, whatever its size."""
        return self.p <= self.alpha

    @property
    def fails(self) -> bool:
        return self.is_shown and round(self.fall - self.size, 10) >= 0

    @property
    def users(self) -> int:
        return max(self.groups, default=-1) + 1

    @cached_property
    def most(self) -> float:
        """The largest fall that there can be."""
        return inf if self.lowest is None else fsum(self.before) / max(1, len(self.before)) - self.lowest

    @cached_property
    def can_fall(self) -> int:
        """The users of whose values some are above the lowest."""
        above = (self.lowest is None or value > self.lowest for value in self.before)
        return len({group for group, is_above in zip(self.groups, above, strict=True) if is_above})

    @property
    def reaches(self) -> bool:
        """True if the test shows a fall where all values fall to the lowest, or without a lowest all alike."""
        falls = [-1.0 if self.lowest is None else self.lowest - value for value in self.before]
        return self._p_of(falls) <= self.alpha

    def catches(self, fall: float) -> float:
        """The share of comparisons in which a true fall of the mean fails.

        Users are drawn from those seen, without the change that was seen, and with before and after exchanged at
        random, as if nothing had changed; then the fall is taken off.
        """
        import numpy as np
        from scipy.special import stdtrit

        rng = np.random.default_rng(int(sha256_of("gate")[:16], 16))
        seen, is_there = self._by_user(self.differences)
        before, _ = self._by_user(self.before)
        chosen = rng.integers(0, self.users, (_DRAWS, self.users))
        values, there = seen[chosen], is_there[chosen]
        if np.isin(seen, (-1, 0, 1)).all():  # of what became right, or wrong, as much is chance as became the other
            ups, downs = int((seen > 0).sum()), int((seen < 0).sum())
            prevails = values > 0 if ups > downs else values < 0
            values = np.where(prevails & (rng.random(values.shape) * max(ups, downs) >= min(ups, downs)), 0, values)
        else:
            values = np.where(there, values - seen.sum() / is_there.sum(), 0)
        values = values * rng.choice([-1.0, 1.0], chosen.shape)[..., None]
        if self._falls_whole:
            # Nothing falls below the lowest, so a question that fails already can't fail anew.
            left = before[chosen] + values
            room = np.where(there, 1 if self.lowest is None else np.clip(left - self.lowest, 0, 1), 0)
            share = fall * there.sum() / max(room.sum(), 1e-9)
            values = values - room * (rng.random(values.shape) < share)
        else:
            values = values - fall
        sums, sizes = np.where(there, values, 0).sum(axis=2), there.sum(axis=2)
        queries = sizes.sum(axis=1)
        means = sums.sum(axis=1) / queries
        # The squared error of ``difference_test``, user by user.
        parts = (sums - sizes * means[:, None]) ** 2 / (1 - sizes / queries[:, None])
        errors = parts.sum(axis=1) ** 0.5 / queries
        is_shown = -means >= float(stdtrit(freedom(self.groups), 1 - self.alpha)) * np.maximum(errors, 1e-9)
        return float((is_shown & (-means >= self.size - 1e-9)).mean())

    @cached_property
    def detectable(self) -> float | None:
        """About the least fall that fails in 80 % of comparisons; None if no possible one does."""
        falls = [self.size * (1 + step / _STEPS) for step in range(9 * _STEPS + 1)]
        possible = [fall for fall in falls if fall <= self.most + 1e-9]
        at = bisect_left(possible, True, key=lambda fall: self.catches(fall) >= POWER)
        return possible[at] if at < len(possible) else None

    @property
    def _falls_whole(self) -> bool:
        every = [*self.before, *self.after]
        are_shares = self.lowest is not None and all(0 <= value - self.lowest <= 1 for value in every)
        return are_shares or all(value.is_integer() for value in map(float, every))

    def _by_user(self, values: Sequence[float]) -> "tuple[NDArray[np.float64], NDArray[np.bool_]]":
        """Users x their questions, filled up with zeros, and which of them are questions."""
        import numpy as np

        lists: list[list[float]] = [[] for _ in range(self.users)]
        for value, group in zip(values, self.groups, strict=True):
            lists[group].append(value)
        width = max(map(len, lists))
        filled = np.array([[*row, *[0.0] * (width - len(row))] for row in lists])
        return filled, np.array([[at < len(row) for at in range(width)] for row in lists])

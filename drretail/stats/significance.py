"""Whether two systems differ on the same queries, and how many queries a difference takes. A gate is a one-sided test
that one system is below another.

Queries differ more from each other than systems do, so differences are taken within each query. Repeats of a query are
averaged first, since they say nothing about other queries. Queries of one user are alike, so users are the clusters of
all tests. p values are two-sided.

One estimate gives a difference its interval and its p value, so the two never disagree. Its variance is taken as seen:
few values that are far from all others, such as zeros in one report of twenty beside steady scores, are not guarded
against.

An unchanged agent fails a gate in at most ``alpha`` of comparisons, since flipping the signs of users is exact. What is
caught depends on how much answers differ from run to run, which is taken from the differences that are seen.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, fsum
from typing import TYPE_CHECKING, Any

from drretail.records.base import sha256_of
from drretail.stats.intervals import FEWEST, Groups, Interval, cluster_sums, estimate, mean_interval

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


RANGED = 50
"""Below this many users the number of queries needed has a range."""
_BEYOND = 0.03
"""Beyond each end of that range: with a tenth it holds too rarely, since few users hide how heavy the tails are."""


@dataclass(frozen=True, slots=True)
class Needed:
    """How many queries show a difference, and where their number lies in 8 of 10 experiments of fewer users."""

    queries: int
    low: int | None = None
    high: int | None = None


def queries_needed(apart: float, differences: Sequence[float], groups: Groups, tests: int = 1) -> Needed | None:
    """How many queries, of users with as many as these, show a true difference ``apart`` with ``POWER``.

    The spread is that of the differences seen, and the level is 5 % divided by the number of tests, the strictest of
    Holm's. None if the differences do not vary, or come from too few users.
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

    of_user = seen.error**2 * users
    if users >= RANGED:
        return Needed(queries(of_user))
    # How sure a variance is depends on how heavy the tails of the users' sums are.
    sums = cluster_sums([value - seen.value for value in differences], groups)
    peaked = fsum(total**4 for total in sums) * users / fsum(total**2 for total in sums) ** 2
    freedom = min(seen.freedom, 2 / (peaked / users - (users - 3) / (users * (users - 1))))
    few, many = (of_user * freedom / float(chdtri(freedom, beyond)) for beyond in (_BEYOND, 1 - _BEYOND))
    return Needed(queries(of_user), queries(few), queries(many))


_DRAWS = 1000
_FLIPS = 10_000
_MOST_USERS = 5000
"""As far as the number of users is looked for that a gate needs."""


@dataclass(frozen=True)
class Gate:
    """The test of these differences at level ``alpha``."""

    differences: Sequence[float]
    groups: Groups
    alpha: float
    is_share: bool = True
    """True if values are 0 to 1. A drop then takes all of some questions, the hardest to see; else a part of each."""
    most: float = 1.0
    """For shares: the largest drop that is possible, which is the mean before."""

    @cached_property
    def p(self) -> float | None:
        """p of a mean this far below 0, or further, if the signs of users' sums are flipped at random: one-sided.

        Exact for up to 12 users who differ, else from random flips, among which the one seen counts. None without a
        query.
        """
        from scipy.stats import permutation_test

        differing = [total for total in user_sums(self.differences, self.groups) if total]
        if not differing:
            return 1.0 if self.differences else None

        seen = fsum(differing)

        def above_seen(flipped: Any, axis: int) -> Any:
            # Rounded after the one seen is taken off, so that sums of sevenths that equal it are 0.
            return (flipped.sum(axis=axis) - seen).round(7)

        test: Any = permutation_test(
            ([*differing, 0.0],),  # scipy takes no single value
            above_seen,
            permutation_type="samples",
            vectorized=True,
            n_resamples=_FLIPS,
            batch=_DRAWS,
            alternative="less",
            rng=int(sha256_of("flips")[:16], 16),
        )
        return float(test.pvalue)

    @property
    def fails(self) -> bool:
        return self.p is not None and self.p <= self.alpha

    @property
    def users(self) -> int:
        return max(self.groups, default=-1) + 1

    def catches(self, drop: float, users: int | None = None) -> float:
        """The share of comparisons in which a true drop of the mean fails, with so many users like these.

        Users are drawn from those seen, without the change that was seen, and with random signs, as if nothing had
        changed; then the drop is taken off.
        """
        import numpy as np
        from scipy.special import ndtri

        rng = np.random.default_rng(int(sha256_of(f"gate|{users}")[:16], 16))
        seen, is_there = self._by_user
        chosen = rng.integers(0, self.users, (_DRAWS, users or self.users))
        values = seen[chosen]
        if np.isin(seen, (-1, 0, 1)).all():  # of what became right, or wrong, as much is chance as became the other
            ups, downs = int((seen > 0).sum()), int((seen < 0).sum())
            prevails = values > 0 if ups > downs else values < 0
            values = np.where(prevails & (rng.random(values.shape) * max(ups, downs) >= min(ups, downs)), 0, values)
        else:
            values = np.where(is_there[chosen], values - seen.sum() / is_there.sum(), 0)
        values = values * rng.choice([-1.0, 1.0], chosen.shape)[..., None]
        if self.is_share:  # nothing falls below 0, so a question that fails already can't fail anew
            room = np.where(is_there[chosen], np.clip(values + 1, 0, 1), 0)
            share = drop * is_there[chosen].sum() / max(room.sum(), 1e-9)
            values = values - room * (rng.random(values.shape) < share)
        else:
            values = values - drop
        sums = np.where(is_there[chosen], values, 0).sum(axis=2)
        # The flip test's normal approximation, with a continuity correction: sums move in steps of the least of them.
        sizes = np.where(np.abs(sums) > 1e-9, np.abs(sums), np.inf)
        spread = np.sqrt((sums**2).sum(axis=1))
        reached = -sums.sum(axis=1) - np.where(spread > 0, sizes.min(axis=1), 0)
        return float((reached > -ndtri(self.alpha) * np.maximum(spread, 1e-9)).mean())

    @cached_property
    def detectable(self) -> float | None:
        """The least drop, in steps of .01, that is caught in 80 % of comparisons; None if no possible one is."""
        at = _first(lambda step: self.catches(step / 100) >= POWER, max(1, int(100 * self.most + 1e-9)))
        return None if at is None else at / 100

    def users_needed(self, drop: float) -> int | None:
        """About how many users like these catch the drop in 80 % of comparisons; None for more than a few thousand."""
        return _first(lambda users: self.catches(drop, users) >= POWER, _MOST_USERS)

    @property
    def _by_user(self) -> "tuple[NDArray[np.float64], NDArray[np.bool_]]":
        """Users x their questions, filled up with zeros, and which of them are questions."""
        import numpy as np

        lists = [[] for _ in range(self.users)] if self.users else [[0.0]]
        for difference, group in zip(self.differences, self.groups, strict=True):
            lists[group].append(difference)
        width = max(map(len, lists))
        values = np.array([[*row, *[0.0] * (width - len(row))] for row in lists])
        return values, np.array([[at < len(row) for at in range(width)] for row in lists])


def _first(holds: Callable[[int], bool], most: int) -> int | None:
    """The least number from 1 for which something holds that then holds for all higher ones; None up to ``most``."""
    low, high = 0, 1
    while not holds(high):
        if high == most:
            return None
        low, high = high, min(2 * high, most)
    while high - low > max(1, low // 20):  # to 5 %, which a simulation doesn't tell apart
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high

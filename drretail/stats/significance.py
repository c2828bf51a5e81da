"""Whether two systems differ on the same queries, and what an experiment of this size can show.

Queries differ more from each other than systems do, so differences are taken within each query. Repeats of a query are
averaged first, since they say nothing about other queries. p values are two-sided. Queries of one user are alike, so
the tests are of users' sums.

Power is that of a two-sided t test over users. It approximates the sign-flip test, and the two agree if users' means
are about normal. It uses the standard error and degrees of freedom of the intervals of the same values, so that queries
of one user count for what they are worth. A spread estimated from few users is itself uncertain, and so are the figures
derived from it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, isnan, sqrt
from statistics import fmean

from drretail.stats.clusters import Groups, cluster_sums
from drretail.stats.intervals import Estimate

LEVEL = 0.05
"""The significance level: a p value up to this is taken for a difference."""
# Ratings, and shares of one to six repeats, are multiples of it, so that patterns of equal sums tie exactly.
_UNIT = 1 / 60
# Other sums are rounded to this many parts of their total: a part is far below the precision of a user's mean.
_GRID = 1 << 16


@dataclass(frozen=True, slots=True)
class Pairs:
    """Two systems' values on the queries for which both have one."""

    queries: tuple[str, ...]
    a: tuple[float, ...]
    """A's mean over the repeats of each query, in the order of ``queries``."""
    b: tuple[float, ...]

    def __len__(self) -> int:
        return len(self.queries)

    @property
    def differences(self) -> tuple[float, ...]:
        """A minus B by query, rounded to ten digits so that equal values do not differ by the last bits of a sum."""
        return tuple(round(a - b, 10) for a, b in zip(self.a, self.b, strict=True))

    @property
    def means(self) -> tuple[float, float] | None:
        """A's and B's means over these queries alone, which differ by the mean difference; None without a query."""
        return (round(fmean(self.a), 10), round(fmean(self.b), 10)) if self.queries else None


def pair(a: Mapping[str, Sequence[float]], b: Mapping[str, Sequence[float]]) -> Pairs:
    """The queries for which both sides have values, with the mean of each side's repeats."""
    both = tuple(sorted(query for query in a.keys() & b.keys() if a[query] and b[query]))
    return Pairs(both, tuple(fmean(a[query]) for query in both), tuple(fmean(b[query]) for query in both))


def sign_test(differences: Sequence[float]) -> float | None:
    """p of the exact binomial test that differences are above zero as often as below; zeros are left out.

    None without a query; 1 if no query differs.
    """
    from scipy.special import bdtr

    above, below = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    if not above + below:
        return 1.0 if differences else None
    return min(1.0, 2 * float(bdtr(min(above, below), above + below, 0.5)))


def flip_test(differences: Sequence[float], groups: Groups) -> float | None:
    """p of the mean difference if the sign of every user's sum is flipped at random (Fisher's randomisation test).

    If two systems do not differ, all of a user's differences together may as well have the opposite sign. The
    distribution over all patterns of signs is exact, up to a rounding of the sums. None without a query.
    """
    import numpy as np

    if not differences:
        return None
    sums = cluster_sums(differences, groups)
    total = sum(map(abs, sums))
    if not total:
        return 1.0
    is_whole = total <= _GRID * _UNIT and all(abs(value / _UNIT - round(value / _UNIT)) < 1e-6 for value in sums)
    unit = _UNIT if is_whole else total / _GRID
    steps = [round(value / unit) for value in sums]
    sizes = [abs(step) for step in steps if step]
    reached = sum(step for step in steps if step > 0)
    # chances[x]: the probability that the users with a positive sign sum to x
    chances = np.zeros(sum(sizes) + 1)
    chances[0] = 1.0
    for size in sizes:
        chances *= 0.5
        chances[size:] = chances[size:] + chances[:-size]
    return min(1.0, 2 * float(min(chances[reached:].sum(), chances[: reached + 1].sum())))


def fewest_users(tests: int = 1) -> int:
    """How many users must all differ in one direction before any of ``tests`` corrected tests can reach ``LEVEL``.

    With n users the smallest p value is 2 / 2ⁿ, and Holm multiplies it by ``tests``.
    """
    users = 1
    while 2 * tests / 2**users > LEVEL:
        users += 1
    return users


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's adjusted p values, in the order given: the smallest times m, the next times m − 1, …, never decreasing.

    If all values up to alpha are taken for differences, the risk that any of them is wrong is at most alpha. None means
    no test: it stays None and does not count in m.
    """
    made = [p for p in p_values if p is not None]
    order = sorted(
        (index for index, p in enumerate(p_values) if p is not None), key=lambda at: (p_values[at] or 0.0, at)
    )
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for place, index in enumerate(order):
        highest = max(highest, min(1.0, (len(made) - place) * (p_values[index] or 0.0)))
        adjusted[index] = highest
    return adjusted


POWER = 0.8
# With more degrees of freedom, the normal distribution is close enough to Student's t.
_NORMAL_FROM = 2_000
_ONE_SIDED_FROM = 6


def power(away: float, freedom: float, level: float = LEVEL) -> float:
    """The probability that a test at ``level`` shows a true difference of ``away`` standard errors."""
    from scipy.special import nctdtr, ndtr, ndtri, stdtrit  # scipy.stats takes half a second to import

    away = abs(away)
    if freedom > _NORMAL_FROM:
        bound = ndtri(1 - level / 2)
        return float(ndtr(away - bound) + ndtr(-bound - away))
    bound = stdtrit(freedom, 1 - level / 2)
    # The wrong direction is rarer than Φ(−away); scipy returns nan if either probability is negligible.
    wrong = float(nctdtr(freedom, away, -bound)) if away < _ONE_SIDED_FROM else 0.0
    missed = float(nctdtr(freedom, away, bound))
    return (1 if isnan(missed) else 1 - missed) + wrong


def detectable(seen: Estimate | None, tests: int = 1) -> float | None:
    """The true difference that queries and users like these show with 80 % power, as one of ``tests`` tests.

    The level is 5 % divided by their number, the strictest that Holm applies. A smaller difference is shown less often,
    but not never. None if the differences are all equal or of one user, since their spread is then unknown.
    """
    if seen is None or not seen.error:
        return None
    return round(_detectable_in_errors(seen.freedom, LEVEL / tests) * seen.error, 10)


def power_of_half(freedom: float, tests: int = 1) -> float:
    """The probability that half the ``detectable`` difference is shown, as one of ``tests`` tests."""
    level = LEVEL / tests
    return round(power(_detectable_in_errors(freedom, level) / 2, freedom, level), 10)


@lru_cache(maxsize=1024)
def _detectable_in_errors(freedom: float, level: float) -> float:
    """Found by bisection, since power grows with the difference."""
    low, high = 0.0, 1.0
    while power(high, freedom, level) < POWER:
        high *= 2
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if power(middle, freedom, level) < POWER else (low, middle)
    return high


def users_needed(seen: Estimate | None, users: int, tests: int = 1) -> int | None:
    """The fewest users, with as many queries each as these, that show a difference as large as seen in ``users``.

    With 80 % power, as one of ``tests`` tests at 5 % divided by their number. None if the difference seen is 0 or
    unknown.
    """
    from scipy.special import ndtri

    if seen is None or not seen.value:
        return None
    if not seen.error:
        return 2
    level, of_one = LEVEL / tests, seen.error * sqrt(users)
    least = ceil(((ndtri(1 - level / 2) + ndtri(POWER)) * of_one / abs(seen.value)) ** 2)
    count = max(2, least - 1)
    while power(seen.value / of_one * sqrt(count), count - 1, level) < POWER:
        count += 1
    return count

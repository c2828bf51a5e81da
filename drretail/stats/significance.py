"""Whether two systems differ on the same queries, and what an experiment of this size can show.
A gate is a one-sided test that one system is below another.

Queries differ more from each other than systems do, so differences are taken within each query. Repeats of a query are
averaged first, since they say nothing about other queries. p values are two-sided. Queries of one user are alike, so
the tests are of users' sums.

Power is that of a two-sided t test over users. It approximates the sign-flip test, and the two agree if users' means
are about normal. It uses the standard error and degrees of freedom of the intervals of the same values, so that queries
of one user count for what they are worth. A spread estimated from few users is itself uncertain, and so are the figures
derived from it.

An unchanged agent fails in at most ``alpha`` of comparisons, since flipping the signs of users is exact. What is caught
depends on how much answers differ from run to run, which is taken from the differences that are seen.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import ceil, isnan, sqrt
from statistics import fmean
from typing import TYPE_CHECKING

from drretail.records.base import sha256_of
from drretail.stats.intervals import Estimate, Groups, cluster_sums

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
    return min(1.0, 2 * min(_tails(differences, groups))) if differences else None


def _tails(differences: Sequence[float], groups: Groups) -> tuple[float, float]:
    """The probabilities that sums under random signs are as high as that seen, or higher, and as low, or lower."""
    sums = cluster_sums(differences, groups)
    total = sum(map(abs, sums))
    if not total:
        return 1.0, 1.0
    is_whole = total <= _GRID * _UNIT and all(abs(value / _UNIT - round(value / _UNIT)) < 1e-6 for value in sums)
    unit = _UNIT if is_whole else total / _GRID
    steps = [round(value / unit) for value in sums]
    sizes = [abs(step) for step in steps if step]
    return _flipped(tuple(sorted(sizes)), sum(step for step in steps if step > 0))


@lru_cache(maxsize=4096)
def _flipped(sizes: tuple[int, ...], reached: int) -> tuple[float, float]:
    """The probabilities that a random part of these sizes sums to ``reached`` or more, and to it or less."""
    import numpy as np

    # chances[x]: the probability that the users with a positive sign sum to x
    chances = np.zeros(sum(sizes) + 1)
    chances[0], highest = 1.0, 0
    for size in sizes:
        # Sorted, so that the first sizes, which reach least, take little time.
        before = 0.5 * chances[: highest + 1]
        highest += size
        chances[: len(before)] = before
        chances[size : highest + 1] += before
    return float(chances[reached:].sum()), float(chances[: reached + 1].sum())


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

    away, is_normal = abs(away), freedom > _NORMAL_FROM
    bound = float(ndtri(1 - level / 2) if is_normal else stdtrit(freedom, 1 - level / 2))
    if is_normal:
        return float(ndtr(away - bound) + ndtr(-bound - away))
    # The wrong direction is rarer than Φ(−away); scipy returns nan if either probability is negligible.
    wrong = float(nctdtr(freedom, away, -bound)) if away < _ONE_SIDED_FROM else 0.0
    missed = float(nctdtr(freedom, away, bound))
    return (1 if isnan(missed) else 1 - missed) + (0 if isnan(wrong) else wrong)


def _least(holds: Callable[[float], bool], low: float, high: float) -> float:
    """The least number for which something holds that then holds for all higher ones, by bisection."""
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def detectable(seen: Estimate | None, tests: int = 1) -> float | None:
    """The true difference that queries and users like these show with 80 % power, as one of ``tests`` tests.

    The level is 5 % divided by their number, the strictest that Holm applies. A smaller difference is shown less often,
    but not never. None if the differences are all equal or of one user, since their spread is then unknown.
    """
    if seen is None or not seen.error:
        return None
    return round(_detectable_in_errors(seen.freedom, LEVEL / tests) * seen.error, 10)


@lru_cache(maxsize=1024)
def _detectable_in_errors(freedom: float, level: float) -> float:
    high = 1.0
    while power(high, freedom, level) < POWER:
        high *= 2
    return _least(lambda away: power(away, freedom, level) >= POWER, 0.0, high)


def users_needed(seen: Estimate | None, users: int, tests: int = 1) -> int | None:
    """The fewest users, with as many queries each as these, that show a difference as large as seen in ``users``.

    With 80 % power, as one of ``tests`` tests at 5 % divided by their number. None if the difference seen is 0 or
    unknown.
    """
    from scipy.special import ndtri

    if seen is None or not seen.value:
        return None
    away = abs(seen.value)
    if not seen.error:
        return 2
    level, of_one = LEVEL / tests, seen.error * sqrt(users)

    def shows(count: int) -> bool:
        return power(away / of_one * sqrt(count), count - 1, level) >= POWER

    low, high = 1, max(2, ceil(((ndtri(1 - level / 2) + ndtri(POWER)) * of_one / away) ** 2))
    while not shows(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if shows(middle) else (middle, high)
    return high


def users_range(seen: Estimate | None, users: int, tests: int = 1) -> tuple[int | None, int | None]:
    """The fewest users if the true difference is at either end of its 80% interval; None for a number without end.

    So the number that was needed lies between them in 8 of 10 experiments, and in one above, in one below.
    """
    from scipy.special import stdtrit

    if seen is None or not seen.value:
        return None, None
    away = float(stdtrit(seen.freedom, 0.9)) * seen.error
    ends = (abs(seen.value) + away, abs(seen.value) - away)
    few, many = (users_needed(replace(seen, value=end), users, tests) if end > 0 else None for end in ends)
    return few, many


_DRAWS = 1000
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
        """p of a mean this far below 0, or further, under ``flip_test``'s flips: one-sided. None without a query."""
        return _tails(self.differences, self.groups)[1] if self.differences else None

    @property
    def fails(self) -> bool:
        return self.p is not None and self.p <= self.alpha

    @property
    def users(self) -> int:
        return max(self.groups, default=-1) + 1

    def catches(self, drop: float, users: int | None = None) -> float:
        """The share of comparisons in which a true drop of the mean fails, with so many users like these.

        Users are drawn from those seen, with random signs, as if nothing had changed; then the drop is taken off.
        """
        import numpy as np
        from scipy.special import ndtri

        rng = np.random.default_rng(int(sha256_of(f"gate|{users}")[:16], 16))
        seen, is_there = self._by_user
        chosen = rng.integers(0, self.users, (_DRAWS, users or self.users))
        values = seen[chosen] * rng.choice([-1.0, 1.0], chosen.shape)[..., None]
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
        values = np.array([[*each, *[0.0] * (width - len(each))] for each in lists])
        return values, np.array([[at < len(each) for at in range(width)] for each in lists])


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

"""Means over queries and their 95 % intervals, which count users: the queries of one user are one cluster.

Repeats of a query are averaged before: they say nothing about other queries. Every kind of value has one method
whatever its values are, measured in benchmarks/coverage.py: Student's t with a variance over clusters for means,
ratios and differences, and for shares a binomial interval of as many queries as this variance makes them worth.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import fsum
from typing import TYPE_CHECKING

from drretail.records.base import NoInterval
from drretail.stats.clusters import FEWEST, Groups, cluster_variance, freedom, numbered, tail

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEVEL = 0.95
# How much of one more query, all or nothing, a share's variance is taken to hold: without it, reports that are nearly
# all perfect have intervals that hold the truth in 84 % of samples of eight; with a whole one in 100 %.
_UNSEEN = 0.5


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with its 95 % interval; ``value`` is None when nothing was counted.

    Where there is a value and no interval, ``lacks`` says why. No interval is without width.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    lacks: NoInterval | None = None

    def within(self, lowest: float | None, highest: float | None) -> "Interval":
        """The same with ends that are no value of the scale cut off."""
        if self.low is None or self.high is None:
            return self
        low = self.low if lowest is None else max(lowest, self.low)
        return replace(self, low=low, high=self.high if highest is None else min(highest, self.high))


@dataclass(frozen=True, slots=True)
class Ratio:
    """Sum of ``numerators`` over sum of ``denominators``, one of each per query.

    A mean over queries has denominator 1 for a query with a value and 0, like its numerator, for one without.
    """

    numerators: Sequence[float]
    denominators: Sequence[float]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its standard error and the degrees of freedom that this has, as intervals and power take them."""

    value: float
    error: float
    freedom: float


def estimate(values: Sequence[float], groups: Groups) -> Estimate | None:
    """The mean of the queries' values with its error over clusters; None below two clusters."""
    if max(groups, default=0) < 1:
        return None
    mean = fsum(values) / len(values)
    variance = cluster_variance([(value - mean) / len(values) for value in values], groups)
    return Estimate(mean, variance**0.5, freedom(groups))


@lru_cache(maxsize=4096)
def quantile(freedom: float, level: float = LEVEL) -> float:
    """How many standard errors Student's t takes on either side at this level."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2))


def mean_interval(values: Sequence[float], groups: Groups | None = None) -> Interval:
    """The mean of one value a query, with Student's interval over clusters; without ``groups`` each query is its own.

    For one query a cluster it is the interval of the one-sample t test.
    """
    return ratio_interval([Ratio(values, [1.0] * len(values))], groups)


def ratio_interval(parts: Sequence[Ratio], groups: Groups | None = None, *, is_share: bool = False) -> Interval:
    """The plain mean of the ratios, with an interval over clusters of queries by linearisation.

    One part is a pooled (micro) value; two are such as half the web's and half the products' (paper, Eq. 2).
    The value is None when a part counts nothing; without an interval when a part counts in fewer than ``FEWEST``
    clusters. Of a share, 0 to 1, the interval is that of ``share_interval``.
    """
    count = len(parts[0].numerators) if parts else 0
    totals = [fsum(part.denominators) for part in parts]
    if not count or not all(totals):
        return Interval(None)
    ratios = [fsum(part.numerators) / total for part, total in zip(parts, totals, strict=True)]
    value = fsum(ratios) / len(parts)
    counted = [at for at in range(count) if any(part.denominators[at] for part in parts)]
    influences = [
        fsum(
            (part.numerators[at] - ratio * part.denominators[at]) / total
            for part, ratio, total in zip(parts, ratios, totals, strict=True)
        )
        / len(parts)
        for at in counted
    ]
    clusters = range(count) if groups is None else groups
    if any(len({clusters[at] for at in counted if part.denominators[at]}) < FEWEST for part in parts):
        return Interval(_rounded(value), lacks="few")
    kept = numbered(clusters[at] for at in counted)
    variance = cluster_variance(influences, kept)
    if is_share:
        return _share(value, variance, kept)
    away = _rounded(quantile(freedom(kept)) * variance**0.5)
    if not away:
        return Interval(_rounded(value), lacks="alike")
    return Interval(_rounded(value), _rounded(value - away), _rounded(value + away))


def share_interval(shares: Sequence[float], groups: Groups | None = None, *, is_whole: bool = False) -> Interval:
    """The mean of one share, 0 to 1, of each query, with a binomial interval of as many queries as they are worth.

    That is the interval of Clopper and Pearson (1934) where each query is a cluster of its own and all or nothing.
    What queries of a user have in common makes them worth fewer, and shares in between more (Korn and Graubard 1998).
    With ``is_whole`` these are worth no more: a tie counts as half a win and makes the interval no narrower. Without
    ``groups`` each share is a cluster of its own.
    """
    count = len(shares)
    if not count:
        return Interval(None)
    value = fsum(shares) / count
    kept = tuple(range(count)) if groups is None else groups
    if max(kept) + 1 < FEWEST:
        return Interval(_rounded(value), lacks="few")
    return _share(value, cluster_variance([(share - value) / count for share in shares], kept), kept, is_whole=is_whole)


def _share(value: float, variance: float, groups: Groups, *, is_whole: bool = False) -> Interval:
    """From the share's variance over clusters.

    Half of one more query that is all or nothing is added to the variance and to the binomial one that it is held
    against, so that shares that are all alike still have a width and those that are nearly alike about the same.
    """
    from scipy.special import betaincinv

    count = len(groups)
    shrunk = (value * count + 0.5) / (count + 1)
    unseen = _UNSEEN * shrunk * (1 - shrunk) / count
    # cluster_variance divides by one query less, as an unbiased variance does; a binomial one does not.
    worth = (value * (1 - value) + unseen) / (variance * (count - 1) / count + unseen / count)
    if is_whole:
        worth = min(worth, count)
    worth *= (quantile(count - 1) / quantile(freedom(groups))) ** 2
    won, lost = value * worth, (1 - value) * worth
    beyond = (1 - LEVEL) / 2
    low = betaincinv(won, lost + 1, beyond) if won > _NOTHING else 0.0
    high = betaincinv(won + 1, lost, 1 - beyond) if lost > _NOTHING else 1.0
    return Interval(_rounded(value), _rounded(low), _rounded(high))


def percentile_interval(value: float, drawn: "NDArray[np.float64]", clusters: int) -> Interval:
    """From what draws of whole clusters gave: percentiles as far out as Student's t asks for so few clusters."""
    import numpy as np

    if clusters < FEWEST or not len(drawn):
        return Interval(_rounded(value), lacks="few")
    beyond = 100 * tail(clusters)
    low, high = (_rounded(each) for each in np.percentile(drawn, [beyond, 100 - beyond]))
    return Interval(_rounded(value), low, high) if low < high else Interval(_rounded(value), lacks="alike")


_NOTHING = 1e-9


def _rounded(value: float) -> float:
    """Processors add up in other orders: the last bits of a sum are theirs, and not part of the result."""
    return round(float(value), 10)

"""Means over queries with 95 % intervals that count users: the queries of one user are one cluster.

Repeats of a query are averaged first, since they say nothing about other queries. Each kind of value has one method,
whatever the values are: Student's t with a variance over clusters for means, ratios and differences, and for shares a
binomial interval for as many queries as this variance makes them worth. benchmarks/coverage.py measures their coverage.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import fsum
from typing import TYPE_CHECKING, Any

from drretail.records.base import NoInterval
from drretail.stats.clusters import FEWEST, Groups, cluster_variance, freedom, numbered, tail

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEVEL = 0.95
# How much of one further all-or-nothing query is added to a share's variance. With none, intervals of nearly
# perfect reports contain the truth in 84 % of samples of eight; with a whole one in 100 %.
_UNSEEN = 0.5


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with its 95 % interval; ``value`` is None if nothing was counted.

    If there is a value and no interval, ``lacks`` says why. An interval is never of width 0.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    lacks: NoInterval | None = None

    @property
    def ends(self) -> dict[str, Any]:
        """The fields of a record that is ``Estimated``."""
        return {"ci_low": self.low, "ci_high": self.high, "no_interval": self.lacks}

    def within(self, lowest: float | None, highest: float | None) -> "Interval":
        """The interval, cut at the ends of the scale."""
        if self.low is None or self.high is None:
            return self
        low = self.low if lowest is None else max(lowest, self.low)
        return replace(self, low=low, high=self.high if highest is None else min(highest, self.high))


@dataclass(frozen=True, slots=True)
class Ratio:
    """Sum of ``numerators`` divided by sum of ``denominators``, with one of each per query.

    In a mean over queries, a query with a value has denominator 1; one without has denominator and numerator 0.
    """

    numerators: Sequence[float]
    denominators: Sequence[float]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its standard error and the error's degrees of freedom, as intervals and power use them."""

    value: float
    error: float
    freedom: float


def estimate(values: Sequence[float], groups: Groups) -> Estimate | None:
    """The mean of the queries' values with its standard error over clusters; None below two clusters."""
    if max(groups, default=0) < 1:
        return None
    mean = fsum(values) / len(values)
    variance = cluster_variance([(value - mean) / len(values) for value in values], groups)
    return Estimate(mean, variance**0.5, freedom(groups))


@lru_cache(maxsize=4096)
def quantile(freedom: float, level: float = LEVEL) -> float:
    """The number of standard errors on either side of the value in Student's t interval at this level."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2))


def mean_interval(values: Sequence[float], groups: Groups | None = None) -> Interval:
    """The mean of one value per query, with Student's interval over clusters (without ``groups``, over queries).

    With one query per cluster it is the interval of the one-sample t test.
    """
    return ratio_interval([Ratio(values, [1.0] * len(values))], groups)


def ratio_interval(parts: Sequence[Ratio], groups: Groups | None = None, *, is_share: bool = False) -> Interval:
    """The plain mean of the ratios, with an interval over clusters of queries by linearisation.

    One part gives a pooled (micro) value; two parts give, for example, half the web's and half the products' (paper,
    Eq. 2). The value is None if a part counts nothing. There is no interval if a part counts in fewer than ``FEWEST``
    clusters. For a share, 0 to 1, the interval is that of ``share_interval``.
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
    groups_counted = numbered(clusters[at] for at in counted)
    variance = cluster_variance(influences, groups_counted)
    if is_share:
        return _share(value, variance, groups_counted)
    away = _rounded(quantile(freedom(groups_counted)) * variance**0.5)
    if not away:
        return Interval(_rounded(value), lacks="alike")
    return Interval(_rounded(value), _rounded(value - away), _rounded(value + away))


def share_interval(shares: Sequence[float], groups: Groups | None = None, *, is_whole: bool = False) -> Interval:
    """The mean of one share per query, 0 to 1, with a binomial interval for as many queries as they are worth.

    If each query is a cluster of its own and all or nothing, it is the interval of Clopper and Pearson (1934). Queries
    of one user are worth fewer, because they are alike, and shares between 0 and 1 are worth more (Korn and Graubard
    1998). With ``is_whole`` the latter are worth no more: a tie that counts as half a win must not make the interval
    narrower. Without ``groups`` each share is a cluster of its own.
    """
    count = len(shares)
    if not count:
        return Interval(None)
    value = fsum(shares) / count
    clusters = tuple(range(count)) if groups is None else groups
    if max(clusters) + 1 < FEWEST:
        return Interval(_rounded(value), lacks="few")
    return _share(
        value, cluster_variance([(share - value) / count for share in shares], clusters), clusters, is_whole=is_whole
    )


def _share(value: float, variance: float, groups: Groups, *, is_whole: bool = False) -> Interval:
    """The interval of a share from its variance over clusters.

    Half of one further all-or-nothing query is added to this variance and to the binomial variance that it is compared
    with. Shares that are all alike then still have an interval, and nearly equal ones have one of about the same width.
    """
    count = len(groups)
    shrunk = (value * count + 0.5) / (count + 1)
    unseen = _UNSEEN * shrunk * (1 - shrunk) / count
    # cluster_variance divides by n − 1, as an unbiased variance does; a binomial variance divides by n.
    worth = (value * (1 - value) + unseen) / (variance * (count - 1) / count + unseen / count)
    if is_whole:
        worth = min(worth, count)
    worth *= (quantile(count - 1) / quantile(freedom(groups))) ** 2
    low, high = binomial_ends(value, worth)
    return Interval(_rounded(value), _rounded(low), _rounded(high))


def binomial_ends(share: float, count: float) -> tuple[float, float]:
    """The interval of Clopper and Pearson (1934) for a share of ``count`` items, which need not be a whole number."""
    from scipy.special import betaincinv

    won, lost, beyond = share * count, (1 - share) * count, (1 - LEVEL) / 2
    low = float(betaincinv(won, lost + 1, beyond)) if won > _NOTHING else 0.0
    high = float(betaincinv(won + 1, lost, 1 - beyond)) if lost > _NOTHING else 1.0
    return low, high


def percentile_interval(value: float, drawn: "NDArray[np.float64]", clusters: int) -> Interval:
    """The interval of a bootstrap over clusters, with percentiles widened for few clusters (``tail``)."""
    import numpy as np

    if clusters < FEWEST or not len(drawn):
        return Interval(_rounded(value), lacks="few")
    beyond = 100 * tail(clusters)
    low, high = (_rounded(each) for each in np.percentile(drawn, [beyond, 100 - beyond]))
    return Interval(_rounded(value), low, high) if low < high else Interval(_rounded(value), lacks="alike")


# Fewer wins or losses than this are a rounded 0, for which betaincinv is not defined.
_NOTHING = 1e-9


def _rounded(value: float) -> float:
    """Rounded, because processors sum in different orders and the last bits of a sum differ between them."""
    return round(float(value), 10)

"""Means over queries with 95% intervals that count users: the queries of one user are one cluster.

An estimate is described by the influence of each query, which is how much the query moves it; influences sum to 0. They
add up within a cluster, and the variance of the estimate is the variance of these sums. scipy is imported inside
functions, so that the command line starts without it.

Repeats of a query are averaged first, since they say nothing about other queries. Each kind of value has one method,
whatever the values are: Student's t with a variance over clusters for means, ratios and differences, and for shares a
binomial interval for as many queries as this variance makes them worth. benchmarks/comparisons.py measures how often
they hold.
"""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from math import fsum
from statistics import fmean
from typing import Any

from drretail.records.base import NoInterval
from drretail.records.query import Query, turns_until

FEWEST = 5
"""The fewest clusters for an interval: four do not show how much users differ."""

Groups = tuple[int, ...]
"""The cluster number of each query, in the order of the queries; numbers count from 0 by first appearance."""


@dataclass(frozen=True, slots=True)
class Clusters:
    """The user who asked each query of an experiment.

    The turns of a conversation have one user, also if nobody says who. Any other query without a user (as in many
    imported experiments) is a cluster of its own, since nothing tells which others are like it.
    """

    user_of: Mapping[str, str] = field(default_factory=dict[str, str])
    """User id by query id, for queries with a user."""

    @classmethod
    def of(cls, queries: Collection[Query]) -> "Clusters":
        """The clusters of these queries."""
        users = {query.query_id: query.cluster for query in queries if query.cluster is not None}
        for query_id, turns in turns_until(queries).items():
            users[query_id] = turns[0].cluster or turns[0].query_id
        return cls(users)

    def groups(self, query_ids: Iterable[str]) -> Groups:
        """The cluster numbers of these queries, in their order."""
        return numbered((self.user_of.get(id_), None if id_ in self.user_of else id_) for id_ in query_ids)

    def users(self, query_ids: Collection[str]) -> int | None:
        """The number of clusters among these queries; None if no user is known for any of them."""
        has_users = any(query_id in self.user_of for query_id in query_ids)
        return len(set(self.groups(query_ids))) if has_users else None


def numbered(names: Iterable[Hashable]) -> Groups:
    """Numbers names from 0 by first appearance, so that equal names get equal numbers."""
    numbers: dict[Hashable, int] = {}
    return tuple(numbers.setdefault(name, len(numbers)) for name in names)


def cluster_sums(influences: Sequence[float], groups: Groups) -> list[float]:
    """The sum of the influences in each cluster, in the order of cluster numbers."""
    sums = [0.0] * (max(groups, default=-1) + 1)
    for influence, group in zip(influences, groups, strict=True):
        sums[group] += influence
    return sums


def cluster_variance(influences: Sequence[float], groups: Groups) -> float:
    """The variance of an estimate whose queries have these influences; needs two clusters or more.

    Each cluster's sum is scaled up for the part that the estimate took from it: CR2 (Bell and McCaffrey 2002), which is
    unbiased if queries are independent. With one query per cluster it is the usual s²/n of a mean.
    """
    sums = cluster_sums(influences, groups)
    return sum(total**2 / (1 - share) for total, share in zip(sums, _shares(groups), strict=True))


@lru_cache(maxsize=1024)
def freedom(groups: Groups) -> float:
    """The degrees of freedom of ``cluster_variance`` (Satterthwaite; Bell and McCaffrey 2002), from two clusters on.

    For clusters of one size, their number minus one; for unequal ones fewer, since the large clusters dominate.
    """
    shares = _shares(groups)
    squares = [(share / (1 - share)) * share for share in shares]
    total = sum(squares)
    off_diagonal = sum(square * (total - square) for square in squares)
    return 1 / (sum(share**2 for share in shares) + off_diagonal)


def _shares(groups: Groups) -> list[float]:
    return [size / len(groups) for size in cluster_sums([1.0] * len(groups), groups)]


LEVEL = 0.95
# How much of one further all-or-nothing query is added to a share's variance. With none, intervals of nearly
# perfect reports contain the truth in 84 % of samples of eight; with a whole one in 100 %.
_UNSEEN = 0.5


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with its 95% interval; ``value`` is None if nothing was counted.

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

    @property
    def measured(self) -> dict[str, Any]:
        """The fields of a record that is a ``Share``."""
        return {"value": self.value, **self.ends}

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
class _Estimate:
    """A value with its standard error and the error's degrees of freedom, as intervals and power use them."""

    value: float
    error: float
    freedom: float


def estimate(values: Sequence[float], groups: Groups) -> _Estimate | None:
    """The mean of the queries' values with its standard error over clusters; None below two clusters."""
    if max(groups, default=0) < 1:
        return None
    mean = fsum(values) / len(values)
    variance = cluster_variance([(value - mean) / len(values) for value in values], groups)
    return _Estimate(mean, variance**0.5, freedom(groups))


@lru_cache(maxsize=4096)
def quantile(freedom: float) -> float:
    """The number of standard errors on either side of the value in Student's t interval at ``LEVEL``."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + LEVEL) / 2))


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
    if is_share:
        return _share(value, cluster_variance(influences, groups_counted), groups_counted)
    return student_interval(value, influences, groups_counted)


def student_interval(value: float, influences: Sequence[float], groups: Groups) -> Interval:
    """Student's interval over clusters of an estimate that its queries move by so much; none below ``FEWEST``."""
    if max(groups, default=-1) + 1 < FEWEST:
        return Interval(_rounded(value), lacks="few")
    away = _rounded(quantile(freedom(groups)) * cluster_variance(influences, groups) ** 0.5)
    if not away:
        return Interval(_rounded(value), lacks="alike")
    return Interval(_rounded(value), _rounded(value - away), _rounded(value + away))


def share_interval(shares: Sequence[float], groups: Groups | None = None) -> Interval:
    """The mean of one share per query, 0 to 1, with a binomial interval for as many queries as they are worth.

    If each query is a cluster of its own and all or nothing, it is the interval of Clopper and Pearson (1934). Queries
    of one user are worth fewer, because they are alike, and shares between 0 and 1 are worth more (Korn and Graubard
    1998). Without ``groups`` each share is a cluster of its own.
    """
    count = len(shares)
    if not count:
        return Interval(None)
    value = fsum(shares) / count
    clusters = tuple(range(count)) if groups is None else groups
    if max(clusters) + 1 < FEWEST:
        return Interval(_rounded(value), lacks="few")
    return _share(value, cluster_variance([(share - value) / count for share in shares], clusters), clusters)


def _share(value: float, variance: float, groups: Groups) -> Interval:
    """The interval of a share from its variance over clusters.

    Half of one further all-or-nothing query is added to this variance and to the binomial variance that it is compared
    with. Shares that are all alike then still have an interval, and nearly equal ones have one of about the same width.
    """
    count = len(groups)
    shrunk = (value * count + 0.5) / (count + 1)
    unseen = _UNSEEN * shrunk * (1 - shrunk) / count
    # cluster_variance divides by n − 1, as an unbiased variance does; a binomial variance divides by n.
    worth = (value * (1 - value) + unseen) / (variance * (count - 1) / count + unseen / count)
    worth *= (quantile(count - 1) / quantile(freedom(groups))) ** 2
    low, high = binomial_ends(value, worth)
    return Interval(_rounded(value), _rounded(low), _rounded(high))


def binomial_ends(share: float, count: float, level: float = LEVEL) -> tuple[float, float]:
    """The interval of Clopper and Pearson (1934) for a share of ``count`` items, which need not be a whole number."""
    from scipy.special import betaincinv

    won, lost, beyond = share * count, (1 - share) * count, (1 - level) / 2
    low = float(betaincinv(won, lost + 1, beyond)) if won > _NOTHING else 0.0
    high = float(betaincinv(won + 1, lost, 1 - beyond)) if lost > _NOTHING else 1.0
    return low, high


# Fewer wins or losses than this are a rounded 0, for which betaincinv is not defined.
_NOTHING = 1e-9


def pooled_ends(cases: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """The 90% interval of a share, of how many of how many in each cluster: exact, for as many cases as they are worth
    where clusters differ more than chance lets them. Of fewer than ``FEWEST`` clusters all cases count.
    """
    cases = [(got, of) for got, of in cases if of]
    got, of = (sum(column) for column in zip(*cases, strict=True)) if cases else (0, 0)
    if not of:
        return 0.0, 1.0
    share, by_chance = got / of, got * (of - got) / of**3
    worth = 1.0
    if len(cases) >= FEWEST and by_chance:
        influences = [(each - share * count) / of for each, count in cases]
        worth = 1 / max(1.0, cluster_variance(influences, tuple(range(len(cases)))) / by_chance)
    return binomial_ends(share, of * worth, 0.9)


def _rounded(value: float) -> float:
    """Rounded, because processors sum in different orders and the last bits of a sum differ between them."""
    return round(float(value), 10)


def run_variance(values: Sequence[Sequence[float]]) -> float | None:
    """The pooled variance between a query's repeats, or a run's judgements; None if none has two."""
    degrees = sum(len(query) - 1 for query in values if query)
    means = [(query, fmean(query)) for query in values if query]
    return fsum(fsum((value - mean) ** 2 for value in query) for query, mean in means) / degrees if degrees else None

"""Clusters of queries: queries of one user are alike, so intervals, tests and power count users.

An estimate is described by the influence of each query, which is how much the query moves it; influences sum to 0. They
add up within a cluster, and the variance of the estimate is the variance of these sums. numpy is imported inside
functions, so that the command line starts without it.
"""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from drretail.records.base import sha256_of
from drretail.records.query import Query

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Weights = NDArray[np.float64]

FEWEST = 5
"""The fewest clusters for an interval: four do not show how much users differ."""
# Draws x clusters in memory at once, which keeps thousands of queries within about 30 MB.
_BLOCK = 1_000_000

Groups = tuple[int, ...]
"""The cluster number of each query, in the order of the queries; numbers count from 0 by first appearance."""


@dataclass(frozen=True, slots=True)
class Clusters:
    """The user who asked each query of an experiment.

    A query without a user (as in many imported experiments) is a cluster of its own, since nothing tells which others
    are like it.
    """

    user_of: Mapping[str, str] = field(default_factory=dict[str, str])
    """User id by query id, for queries with a user."""

    @classmethod
    def of(cls, queries: Iterable[Query]) -> "Clusters":
        """The clusters of these queries."""
        return cls({query.query_id: query.user_id for query in queries if query.user_id is not None})

    def groups(self, query_ids: Iterable[str]) -> Groups:
        """The cluster numbers of these queries, in their order."""
        return numbered((self.user_of.get(id_), None if id_ in self.user_of else id_) for id_ in query_ids)

    def users(self, query_ids: Collection[str]) -> int | None:
        """The number of clusters among these queries; None if no user is known for any of them."""
        known = any(query_id in self.user_of for query_id in query_ids)
        return len(set(self.groups(query_ids))) if known else None


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


def draws(groups: Groups, seed: str, resamples: int) -> "Iterator[Weights]":
    """Bootstrap draws of whole clusters, as many as there are, with replacement: how often each query is in each draw.

    Yields arrays of draws x queries, with ``resamples`` draws in all.
    """
    import numpy as np

    clusters = max(groups) + 1
    rng = np.random.default_rng(int(sha256_of(f"bootstrap|{seed}")[:16], 16))
    size = max(1, _BLOCK // len(groups))
    for begun in range(0, resamples, size):
        drawn = min(size, resamples - begun)
        chosen = rng.integers(0, clusters, (drawn, clusters)) + clusters * np.arange(drawn)[:, None]
        counts = np.bincount(chosen.ravel(), minlength=drawn * clusters).reshape(drawn, clusters)
        yield counts[:, list(groups)].astype(np.float64)


@lru_cache
def tail(clusters: int) -> float:
    """The share of draws beyond each end of a 95 % percentile interval over this many clusters, two or more.

    The bootstrap spread of n clusters is too small by the factor (n − 1)/n, and is itself uncertain: plain percentile
    intervals contain the truth in 88 % of samples of eight. Widened by Student's t they keep their 95 % (Hesterberg
    2015, "What Teachers Should Know About the Bootstrap", 3.2: the expanded percentile interval).
    """
    from scipy.special import ndtr, stdtrit

    away = stdtrit(clusters - 1, 0.975) * (clusters / (clusters - 1)) ** 0.5
    return float(ndtr(-away))

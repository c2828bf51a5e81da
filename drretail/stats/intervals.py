"""Means and their bootstrap intervals over queries.

The query is the unit that is drawn again: repeats of a query stay inside it, since they say nothing about other
queries. numpy is imported inside, so that the command line starts without it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import fsum
from typing import TYPE_CHECKING

from drretail.records.base import sha256_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


LEVEL = 0.95
RESAMPLES = 10_000
# Draws times queries held at once: keeps thousands of queries within some 30 MB, and those of up to 100 in memory.
_BLOCK = 1_000_000


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with its 95 % interval.

    ``value`` is None when nothing was counted. Both ends are None below two queries: one query says nothing about
    the spread between queries. When all queries agree, the ends of a bootstrap are the value itself.
    """

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Ratio:
    """Sum of ``numerators`` over sum of ``denominators``, one of each per query.

    A mean over queries has denominator 1 for a query with a value and 0, like its numerator, for one without.
    """

    numerators: Sequence[float]
    denominators: Sequence[float]


@lru_cache
def tail(queries: int) -> float:
    """The share of draws that lies beyond each end of an interval over so many queries, two or more.

    Drawn again, n queries spread by (n − 1)/n too little, and their own spread is not known either: the plain
    percentiles hold the truth in 88 % of samples of eight. Student's t widens them to what they promise (Hesterberg
    2015, "What Teachers Should Know About the Bootstrap", 3.2: the expanded percentile interval).
    """
    from scipy.special import ndtr, stdtrit

    away = stdtrit(queries - 1, (1 + LEVEL) / 2) * (queries / (queries - 1)) ** 0.5
    return float(ndtr(-away))


def share_interval(shares: Sequence[float]) -> Interval:
    """The mean of one share, 0 to 1, of each query, with the exact binomial interval (Clopper and Pearson 1934).

    It is as wide as that of wins and losses alone, so a half, such as a tie, makes it no narrower; and where every
    query says the same, which a bootstrap takes for certainty, it still has its width.
    """
    from scipy.special import betaincinv

    if not shares:
        return Interval(None)
    count, won = len(shares), fsum(shares)
    value = _rounded(won / count)
    if count < 2:
        return Interval(value)
    beyond = (1 - LEVEL) / 2
    low = betaincinv(won, count - won + 1, beyond) if won > 0 else 0.0
    high = betaincinv(won + 1, count - won, 1 - beyond) if won < count else 1.0
    return Interval(value, _rounded(low), _rounded(high))


def is_of_whole(shares: Sequence[float]) -> bool:
    """True where each query's share is all or nothing, as that of reports without an error."""
    return all(share in (0, 1) for share in shares)


def mean_interval(values: Sequence[Sequence[float]], seed: str, *, resamples: int = RESAMPLES) -> Interval:
    """The mean over queries of the mean inside each query; a query without values is left out."""
    means = [sum(inside) / len(inside) for inside in values if inside]
    return ratio_interval([Ratio(means, [1.0] * len(means))], seed, resamples=resamples)


def ratio_interval(parts: Sequence[Ratio], seed: str, *, resamples: int = RESAMPLES) -> Interval:
    """The plain mean of the ratios, all of them drawn together query by query.

    One part is a pooled (micro) value; two are such as half the web's and half the products' (paper, Eq. 2).
    The value is None when a part counts nothing. Draws in which a part counts nothing are left out.
    """
    import numpy as np

    numerators, denominators = _filled(parts)
    queries = numerators.shape[1]
    totals = denominators.sum(axis=1)
    if not parts or not totals.all():
        return Interval(None)
    value = _rounded((numerators.sum(axis=1) / totals).mean())
    if queries < 2:
        return Interval(value)
    drawn = np.concatenate([_drawn(numerators, denominators, often) for often in draws(seed, queries, resamples)])
    beyond = 100 * tail(queries)
    low, high = np.percentile(drawn[np.isfinite(drawn)], [beyond, 100 - beyond])
    return Interval(value, _rounded(low), _rounded(high))


def _filled(parts: Sequence[Ratio]) -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
    """Numerators and denominators, part by query, without the queries that count nothing in any part."""
    import numpy as np

    numerators = np.array([part.numerators for part in parts], dtype=np.float64, ndmin=2)
    denominators = np.array([part.denominators for part in parts], dtype=np.float64, ndmin=2)
    counted = denominators.any(axis=0)
    return numerators[:, counted], denominators[:, counted]


def _drawn(
    numerators: "NDArray[np.float64]", denominators: "NDArray[np.float64]", weights: "NDArray[np.float64]"
) -> "NDArray[np.float64]":
    """The value in every draw; nan where a part counts none."""
    import numpy as np

    with np.errstate(invalid="ignore"):
        ratios = (weights @ numerators.T) / (weights @ denominators.T)
    return ratios.mean(axis=1)


def draws(seed: str, queries: int, resamples: int) -> "Iterable[NDArray[np.float64]]":
    """How often each query is in each draw of as many as there are, with replacement: blocks of draws by queries.

    All values over so many queries share the same draws, so those of experiments of the usual size are kept.
    """
    if queries * resamples <= _BLOCK:
        return _kept_weights(seed, queries, resamples)
    return _blocks(seed, queries, resamples)


@lru_cache(maxsize=16)
def _kept_weights(seed: str, queries: int, resamples: int) -> "tuple[NDArray[np.float64], ...]":
    return tuple(_blocks(seed, queries, resamples))


def _blocks(seed: str, queries: int, resamples: int) -> "Iterator[NDArray[np.float64]]":
    import numpy as np

    rng = np.random.default_rng(int(sha256_of(f"bootstrap|{seed}")[:16], 16))
    size = max(1, _BLOCK // queries)
    for begun in range(0, resamples, size):
        held = min(size, resamples - begun)
        chosen = rng.integers(0, queries, (held, queries)) + queries * np.arange(held)[:, None]
        counts = np.bincount(chosen.ravel(), minlength=held * queries)
        yield counts.reshape(held, queries).astype(np.float64)


def _rounded(value: float) -> float:
    """Processors add up in other orders: the last bits of a sum are theirs, and not part of the result."""
    return round(float(value), 10)


_AT_ONCE = 256
"""Means drawn together: 20 MB of draws."""

Means = tuple[float, ...]
"""One mean for each query."""


def mean_intervals(samples: Sequence[Means], seed: str, *, resamples: int = RESAMPLES) -> list[Interval]:
    """What ``mean_interval`` gives for each of ``samples``, the means inside single queries; equal samples once."""
    by_count: dict[int, list[Means]] = defaultdict(list)
    for sample in dict.fromkeys(samples):
        by_count[len(sample)].append(sample)
    found: dict[Means, Interval] = {}
    for count, alike in sorted(by_count.items()):
        for start in range(0, len(alike), _AT_ONCE):
            block = alike[start : start + _AT_ONCE]
            found.update(zip(block, _intervals(block, count, seed, resamples), strict=True))
    return [found[sample] for sample in samples]


def _intervals(samples: Sequence[Means], queries: int, seed: str, resamples: int) -> Iterator[Interval]:
    import numpy as np

    if queries == 0:
        yield from (Interval(None) for _ in samples)
        return
    values = np.array(samples, dtype=np.float64)
    means = values.mean(axis=1)
    if queries == 1:
        yield from (Interval(_rounded(mean)) for mean in means)
        return
    drawn = np.concatenate([values @ block.T for block in draws(seed, queries, resamples)], axis=1) / queries
    drawn.sort(axis=1)
    beyond = tail(queries)
    for mean, low, high in zip(means, _quantile(drawn, beyond), _quantile(drawn, 1 - beyond), strict=True):
        yield Interval(_rounded(mean), _rounded(low), _rounded(high))


def _quantile(ordered: "NDArray[np.float64]", share: float) -> "NDArray[np.float64]":
    """By linear interpolation between neighbours, which is what ``numpy.percentile`` does."""
    place = share * (ordered.shape[1] - 1)
    below = int(place)
    above = min(below + 1, ordered.shape[1] - 1)
    return ordered[:, below] + (ordered[:, above] - ordered[:, below]) * (place - below)

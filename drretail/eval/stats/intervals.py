"""Means and their bootstrap intervals over queries.

The query is the unit that is drawn again: repeats of a query stay inside it, since they say nothing about other
queries. numpy is imported inside, so that the command line starts without it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from drretail.records.base import sha256_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEVEL = 0.95
RESAMPLES = 10_000
# Draws times queries held at once: keeps thousands of queries within some 30 MB.
_BLOCK = 500_000


@dataclass(frozen=True, slots=True)
class Interval:
    """A value with its percentile interval.

    ``value`` is None when nothing was counted. Both ends are None below two queries: one query says nothing about
    the spread between queries. When all queries agree, both ends are the value itself.
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
    rng = np.random.default_rng(int(sha256_of(f"bootstrap|{seed}")[:16], 16))
    drawn = np.concatenate([_drawn(numerators, denominators, rng, size) for size in _blocks(resamples, queries)])
    tail = 100 * (1 - LEVEL) / 2
    low, high = np.percentile(drawn[np.isfinite(drawn)], [tail, 100 - tail])
    return Interval(value, _rounded(low), _rounded(high))


def _filled(parts: Sequence[Ratio]) -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
    """Numerators and denominators, part by query, without the queries that count nothing in any part."""
    import numpy as np

    numerators = np.array([part.numerators for part in parts], dtype=np.float64, ndmin=2)
    denominators = np.array([part.denominators for part in parts], dtype=np.float64, ndmin=2)
    counted = denominators.any(axis=0)
    return numerators[:, counted], denominators[:, counted]


def _drawn(
    numerators: "NDArray[np.float64]", denominators: "NDArray[np.float64]", rng: "np.random.Generator", size: int
) -> "NDArray[np.float64]":
    """The value of ``size`` draws of as many queries as there are, with replacement; nan where a part counts none."""
    import numpy as np

    queries = numerators.shape[1]
    chosen = rng.integers(0, queries, (size, queries))
    with np.errstate(invalid="ignore"):
        ratios = numerators[:, chosen].sum(axis=2) / denominators[:, chosen].sum(axis=2)
    return ratios.mean(axis=0)


def _blocks(resamples: int, queries: int) -> Iterator[int]:
    """How many draws to hold at once, until there are enough."""
    size = max(1, _BLOCK // queries)
    for begun in range(0, resamples, size):
        yield min(size, resamples - begun)


def _rounded(value: float) -> float:
    """Processors add up in other orders: the last bits of a sum are theirs, and not part of the result."""
    return round(float(value), 10)

"""Effects with their 95 % intervals over queries, and the smallest effects that this many queries would have shown."""

from collections.abc import Iterable, Mapping, Sequence
from math import log2
from statistics import fmean
from typing import TYPE_CHECKING

from drretail.lab.trial_findings import BiasEffect
from drretail.stats.confusion import drawn_interval
from drretail.stats.intervals import Interval, estimate, mean_interval, share_interval
from drretail.stats.significance import detectable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ALL = "all"
"""The name for all dimensions together."""
ByQuery = Mapping[str, Sequence[float]]
"""By query, the values counted on it."""


def difference(name: str, values: ByQuery, *, dimension: str = ALL, unit: str = "points") -> BiasEffect:
    """A mean over queries that is 0 for a judge without the bias."""
    means = [fmean(inside) for inside in values.values() if inside]
    seen = detectable(estimate(means, tuple(range(len(means)))))
    made = _effect(name, values, mean_interval(means), dimension, unit)
    return made.model_copy(update={"neutral": 0.0, "detectable": seen})


def share(name: str, values: ByQuery, *, dimension: str = ALL) -> BiasEffect:
    """A mean share over queries with its binomial interval; no value of it shows a judge without the bias."""
    means = [fmean(inside) for inside in values.values() if inside]
    return _effect(name, values, share_interval(means), dimension, "share")


def differences(name: str, by_dimension: Mapping[str, ByQuery], *, unit: str = "points") -> list[BiasEffect]:
    """A difference over all dimensions together, then one for each dimension with values."""
    return [
        difference(name, values, dimension=dimension, unit=unit) for dimension, values in over_dimensions(by_dimension)
    ]


def shares(name: str, by_dimension: Mapping[str, ByQuery]) -> list[BiasEffect]:
    """A share over all dimensions together, then one for each dimension with values."""
    return [share(name, values, dimension=dimension) for dimension, values in over_dimensions(by_dimension)]


def number(name: str, values: ByQuery, dimension: str, value: float) -> BiasEffect:
    """A plain count, without an interval."""
    return _effect(name, values, Interval(value), dimension, "")


def entropy(values: ByQuery, steps: int, seed: str, dimension: str) -> BiasEffect:
    """How evenly the values 0 to ``steps`` − 1 are used, in bits, with a bootstrap interval over queries.

    The entropy of a sample is biased low, and that of a bootstrap draw is lower again by about as much. The interval is
    therefore that of the draws, mirrored at the value.
    """
    import numpy as np

    def bits(counts: "NDArray[np.float64]") -> "NDArray[np.float64]":
        shares = counts / counts.sum(-1, keepdims=True)
        return -(shares * np.log2(np.where(shares > 0, shares, 1))).sum(-1) + 0.0

    counts = [[float([*inside].count(step)) for step in range(steps)] for inside in values.values()]
    found = drawn_interval(np.array(counts), bits, seed) if counts else Interval(None)
    if found.value is not None and found.low is not None and found.high is not None:
        low, high = (2 * found.value - end for end in (found.high, found.low))
        found = Interval(found.value, max(0.0, low), min(log2(steps), high))
    return _effect("entropy in bits, 3.46 at most", values, found, dimension, "")


def by_query(values: Iterable[tuple[str, float]]) -> dict[str, list[float]]:
    """The values of each query, sorted by query."""
    of_query: dict[str, list[float]] = {}
    for query, value in sorted(values):
        of_query.setdefault(query, []).append(value)
    return of_query


def over_dimensions(by_dimension: Mapping[str, ByQuery]) -> Iterable[tuple[str, ByQuery]]:
    """All dimensions together, then each dimension with values."""
    together = by_query(
        (query, value) for of in by_dimension.values() for query, inside in of.items() for value in inside
    )
    yield ALL, together
    yield from ((dimension, values) for dimension, values in by_dimension.items() if values)


def _effect(name: str, values: ByQuery, interval: Interval, dimension: str, unit: str) -> BiasEffect:
    return BiasEffect(
        name=name,
        dimension=dimension,
        unit=unit,
        value=interval.value,
        low=interval.low,
        high=interval.high,
        n=sum(bool(value) for value in values.values()),
        n_items=sum(map(len, values.values())),
    )

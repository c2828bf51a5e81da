"""Effects with their 95 % intervals and tests over users, and the smallest effects that so many would have shown."""

from collections.abc import Iterable, Mapping, Sequence
from math import log2
from statistics import fmean
from typing import TYPE_CHECKING

from drretail.addons.lab.trial_findings import BiasEffect
from drretail.stats.agreement import drawn_interval
from drretail.stats.intervals import Clusters, Interval, estimate, mean_interval, share_interval
from drretail.stats.significance import detectable, flip_test

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ALL = "all"
"""The name for all dimensions together."""
ByQuery = Mapping[str, Sequence[float]]
"""By query, the values counted on it."""


def difference(
    name: str, values: ByQuery, clusters: Clusters, *, dimension: str = ALL, unit: str = "points"
) -> BiasEffect:
    """A mean over queries that is 0 for a judge without the bias, tested over users as ``compare`` tests."""
    means = {query: fmean(inside) for query, inside in values.items() if inside}
    numbers, groups = [*means.values()], clusters.groups(means)
    made = _effect(name, values, mean_interval(numbers, groups), clusters, dimension, unit)
    seen, p = detectable(estimate(numbers, groups)), flip_test([round(each, 10) for each in numbers], groups)
    return made.model_copy(update={"neutral": 0.0, "detectable": seen, "p": None if p is None else round(p, 10)})


def share(name: str, values: ByQuery, clusters: Clusters, *, dimension: str = ALL) -> BiasEffect:
    """A mean share over queries with its binomial interval; no value of it shows a judge without the bias."""
    means = {query: fmean(inside) for query, inside in values.items() if inside}
    interval = share_interval([*means.values()], clusters.groups(means))
    return _effect(name, values, interval, clusters, dimension, "share")


def differences(
    name: str, by_dimension: Mapping[str, ByQuery], clusters: Clusters, *, unit: str = "points"
) -> list[BiasEffect]:
    """A difference over all dimensions together, then one for each dimension with values."""
    return [
        difference(name, values, clusters, dimension=dimension, unit=unit)
        for dimension, values in over_dimensions(by_dimension)
    ]


def shares(name: str, by_dimension: Mapping[str, ByQuery], clusters: Clusters) -> list[BiasEffect]:
    """A share over all dimensions together, then one for each dimension with values."""
    return [share(name, values, clusters, dimension=dimension) for dimension, values in over_dimensions(by_dimension)]


def number(name: str, values: ByQuery, clusters: Clusters, dimension: str, value: float) -> BiasEffect:
    """A plain count, without an interval."""
    return _effect(name, values, Interval(value), clusters, dimension, "")


def entropy(values: ByQuery, clusters: Clusters, steps: int, seed: str, dimension: str) -> BiasEffect:
    """How evenly the values 0 to ``steps`` − 1 are used, in bits, with a bootstrap interval over users.

    The entropy of a sample is biased low, and that of a bootstrap draw is lower again by about as much. The interval is
    therefore that of the draws, mirrored at the value.
    """
    import numpy as np

    def bits(counts: "NDArray[np.float64]") -> "NDArray[np.float64]":
        shares = counts / counts.sum(-1, keepdims=True)
        return -(shares * np.log2(np.where(shares > 0, shares, 1))).sum(-1) + 0.0

    groups = clusters.groups(values)
    counts = np.zeros((max(groups, default=-1) + 1, steps))
    for group, inside in zip(groups, values.values(), strict=True):
        counts[group] += [[*inside].count(step) for step in range(steps)]
    interval = drawn_interval(counts, bits, seed) if groups else Interval(None)
    if interval.value is not None and interval.low is not None and interval.high is not None:
        low, high = (2 * interval.value - end for end in (interval.high, interval.low))
        interval = Interval(interval.value, max(0.0, low), min(log2(steps), high))
    return _effect("entropy in bits, 3.46 at most", values, interval, clusters, dimension, "")


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


def _effect(
    name: str, values: ByQuery, interval: Interval, clusters: Clusters, dimension: str, unit: str
) -> BiasEffect:
    queries = [query for query, inside in values.items() if inside]
    return BiasEffect(
        name=name,
        dimension=dimension,
        unit=unit,
        value=interval.value,
        low=interval.low,
        high=interval.high,
        n=len(queries),
        n_users=clusters.users(queries),
        n_items=sum(map(len, values.values())),
    )

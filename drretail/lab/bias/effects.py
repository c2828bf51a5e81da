"""Effects with their 95 % intervals over queries, and the smallest that so many queries would have shown."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from drretail.lab.trial_findings import BiasEffect
from drretail.stats.confusion import drawn_interval
from drretail.stats.intervals import Interval, estimate, mean_interval, share_interval
from drretail.stats.power import detectable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ALL = "all"
"""All dimensions together."""
ByQuery = Mapping[str, Sequence[float]]
"""By query what was counted on it."""


def difference(name: str, values: ByQuery, *, dimension: str = ALL, unit: str = "points") -> BiasEffect:
    """A mean over queries that is 0 for a judge without the bias."""
    means = [fmean(inside) for inside in values.values() if inside]
    seen = detectable(estimate(means, tuple(range(len(means)))))
    return _effect(name, values, mean_interval(means), dimension, unit, neutral=0.0, detectable=seen)


def share(name: str, values: ByQuery, *, dimension: str = ALL) -> BiasEffect:
    """A mean share over queries with its binomial interval; no value of it stands for a judge without a bias."""
    return _effect(
        name, values, share_interval([fmean(value) for value in values.values() if value]), dimension, "share"
    )


def differences(name: str, by_dimension: Mapping[str, ByQuery], *, unit: str = "points") -> list[BiasEffect]:
    """A difference over all dimensions together, then one in each that has values."""
    return [
        difference(name, values, dimension=dimension, unit=unit) for dimension, values in over_dimensions(by_dimension)
    ]


def shares(name: str, by_dimension: Mapping[str, ByQuery]) -> list[BiasEffect]:
    """A share over all dimensions together, then one in each that has values."""
    return [share(name, values, dimension=dimension) for dimension, values in over_dimensions(by_dimension)]


def drawn(
    name: str,
    counts: ByQuery,
    statistic: "Callable[[NDArray[np.float64]], NDArray[np.float64]]",
    seed: str,
    *,
    dimension: str = ALL,
    n_items: int,
) -> BiasEffect:
    """A statistic of counts that are summed over queries, which are drawn again for its interval."""
    import numpy as np

    tables = np.array([*counts.values()], dtype=np.float64)
    interval = drawn_interval(tables, statistic, seed) if counts else Interval(None)
    return BiasEffect(
        name=name,
        dimension=dimension,
        value=interval.value,
        low=interval.low,
        high=interval.high,
        n=len(counts),
        n_items=n_items,
    )


def number(name: str, values: ByQuery, dimension: str, value: float) -> BiasEffect:
    """What is plainly counted, and has no interval."""
    return _effect(name, values, Interval(value), dimension, "")


def by_query(values: Iterable[tuple[str, float]]) -> dict[str, list[float]]:
    """Values under their queries, in the order of queries."""
    of_query: dict[str, list[float]] = {}
    for query, value in sorted(values):
        of_query.setdefault(query, []).append(value)
    return of_query


def over_dimensions(by_dimension: Mapping[str, ByQuery]) -> Iterable[tuple[str, ByQuery]]:
    """All dimensions together, then each that has values: what an effect is told of."""
    together = by_query(
        (query, value) for of in by_dimension.values() for query, inside in of.items() for value in inside
    )
    yield ALL, together
    yield from ((dimension, values) for dimension, values in by_dimension.items() if values)


def _effect(
    name: str,
    values: ByQuery,
    interval: Interval,
    dimension: str,
    unit: str,
    *,
    neutral: float | None = None,
    detectable: float | None = None,
) -> BiasEffect:
    return BiasEffect(
        name=name,
        dimension=dimension,
        unit=unit,
        value=interval.value,
        low=interval.low,
        high=interval.high,
        n=sum(bool(value) for value in values.values()),
        n_items=sum(map(len, values.values())),
        neutral=neutral,
        detectable=detectable,
    )

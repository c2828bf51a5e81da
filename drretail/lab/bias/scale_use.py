"""How much of the scale does the judge use, and are floors far below?"""

from collections import Counter
from collections.abc import Callable, Iterator
from math import log2
from statistics import fmean
from typing import TYPE_CHECKING

from drretail.lab.bias.effects import (
    ByQuery,
    by_query,
    difference,
    drawn,
    number,
    over_dimensions,
    share,
)
from drretail.lab.bias.probe import Case, Effects, Probe
from drretail.lab.trial_findings import BiasEffect

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NAME = "scale_use"
STEPS = 11
HIGH = 8


def _find(case: Case) -> Effects | str:
    """How evenly the eleven values are used, how often the same, and how often 8 or more; systems above floors."""
    labels = {subject.label for subject in case.reports.subjects}
    rated = {
        dimension: by_query((query, value) for (label, query), value in of.items() if label in labels)
        for dimension, of in case.ratings.items()
    }
    groups = [(dimension, values) for dimension, values in over_dimensions(rated) if values]
    if not groups:
        return "no report was rated"
    return [
        *(_entropy(values, case.seed, dimension) for dimension, values in groups),
        *(_often("of its most used value", values, dimension, _most_used(values)) for dimension, values in groups),
        *(_often(f"{HIGH} or more", values, dimension, lambda rating: rating >= HIGH) for dimension, values in groups),
        *(number("values used", values, dimension, len({*_all(values)})) for dimension, values in groups),
        *_above_floors(case),
    ]


def _entropy(values: ByQuery, seed: str, dimension: str) -> BiasEffect:
    """How evenly the values are used. Entropy of a sample is too low, and as much lower again that of a sample of it:
    so the ends are what the draws say, mirrored at the value.
    """
    counts = {query: [float([*inside].count(step)) for step in range(STEPS)] for query, inside in values.items()}
    found = drawn("entropy in bits, 3.46 at most", counts, _bits, seed, dimension=dimension, n_items=len(_all(values)))
    if found.value is None or found.low is None or found.high is None:
        return found
    low, high = (2 * found.value - end for end in (found.high, found.low))
    return found.model_copy(update={"low": max(0.0, low), "high": min(log2(STEPS), high)})


def _bits(counts: "NDArray[np.float64]") -> "NDArray[np.float64]":
    import numpy as np

    shares = counts / counts.sum(-1, keepdims=True)
    return -(shares * np.log2(np.where(shares > 0, shares, 1))).sum(-1) + 0.0


def _most_used(values: ByQuery) -> Callable[[float], bool]:
    ((most, _),) = Counter(_all(values)).most_common(1)
    return lambda value: value == most


def _often(name: str, values: ByQuery, dimension: str, is_counted: Callable[[float], bool]) -> BiasEffect:
    return share(
        name, {query: [float(is_counted(value)) for value in its] for query, its in values.items()}, dimension=dimension
    )


def _all(values: ByQuery) -> list[float]:
    return [value for inside in values.values() for value in inside]


def _above_floors(case: Case) -> Iterator[BiasEffect]:
    """By how much systems are rated above floors on the same query; nothing where no floor was rated."""
    labels, floors = ({subject.label for subject in its} for its in (case.reports.subjects, case.reports.floors))
    above: dict[str, ByQuery] = {}
    for dimension, rated in case.ratings.items():
        of_systems, of_floors = (
            by_query((q, verdict) for (label, q), verdict in rated.items() if label in its) for its in (labels, floors)
        )
        above[dimension] = {q: [fmean(of_systems[q]) - fmean(of_floors[q])] for q in of_systems if q in of_floors}
    for dimension, values in over_dimensions(above) if any(above.values()) else ():
        yield difference("systems above floors", values, dimension=dimension)


PROBE = Probe(NAME, "Does it use the whole scale?", ("quality",), _find, with_floors=True)

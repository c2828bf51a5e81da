"""Means from a few labels and many verdicts, with intervals that are valid however good the judge is.

Labels are drawn by lot within strata; a stratum is the items with one verdict of the judge. With W_h the share of all
items in stratum h, and y_h the mean of its labels,

    θ = Σ W_h·y_h.

This is prediction-powered inference (arXiv 2301.09633) and PPI++ (arXiv 2311.01453) with every λ at once: within a
stratum the verdict is constant, so λ·mean(f) + mean(y − λf) is the same for every λ. A useless judge adds no bias and
almost no width.

The intervals of those papers are normal approximations. They fail for 20 labels of a judge that is usually right: if
all labels of a stratum agree, their estimated variance is 0. Here each stratum has the exact binomial interval of
Clopper and Pearson for its effective number of labels (Korn and Graubard 1998), and the squared distances of the ends
to the means are added (MOVER: Zou and Donner 2008). A stratum without a label has the interval 0 to 1. The verdicts'
variance between clusters is added with Student's t. ``benchmarks/ppi.py`` prints coverage.

Claims of one query share its report, its sources and its world, and queries of one user are alike. The number of labels
is therefore divided by the design effect: the variance over whole clusters divided by the variance as if items were
independent, and at least 1.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from drretail.stats.clusters import FEWEST
from drretail.stats.intervals import LEVEL

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

_BEYOND = (1 - LEVEL) / 2


@dataclass(frozen=True, slots=True)
class Item:
    """One judged item; ``label`` is None if nobody labelled it."""

    cluster: Hashable
    stratum: Hashable
    """The judge's verdict; labels are drawn by lot among the items of a stratum."""
    share: float = 1.0
    """Its weight in the mean; weights need not sum to 1."""
    label: float | None = None
    """0 to ``whole``."""
    whole: float = 1.0
    """For a labelled item: 0 if it does not count in the denominator, as a text that is no claim does not in FR."""
    verdict: float = 0.0
    """The judge's own value for the item. The estimate does not use it: it only needs the strata."""


@dataclass(frozen=True, slots=True)
class Corrected:
    """A mean with its 95 % interval; without ends below ``FEWEST`` clusters."""

    value: float
    low: float | None = None
    high: float | None = None
    below: float = 0.0
    """The squared margin that labels leave below the value; ``above`` is the one above it."""
    above: float = 0.0
    influence: Mapping[Hashable, float] = field(default_factory=dict[Hashable, float])
    """By cluster, how much its verdicts move the value."""


def corrected_mean(items: Sequence[Item]) -> Corrected | None:
    """The weighted mean that people would give all items; None if no label counts.

    It is the sum of labels divided by the sum of ``whole``, which is the plain mean if all items count.
    """
    return _estimate(items, [item.stratum for item in items], [item.share for item in items])


def labels_alone(items: Sequence[Item]) -> Corrected | None:
    """The same mean from the labels alone; verdicts only tell from how many items each label was drawn."""
    sizes = Counter(item.stratum for item in items)
    labelled = Counter(item.stratum for item in items if item.label is not None)
    weights = [item.share * sizes[item.stratum] / max(1, labelled[item.stratum]) for item in items]
    return _estimate(items, [None] * len(items), weights)


def difference(one: Corrected, other: Corrected) -> Corrected:
    """How much higher ``one`` is. The verdicts' variance between clusters that both share cancels out."""
    clusters = one.influence.keys() | other.influence.keys()
    influence = {name: one.influence.get(name, 0.0) - other.influence.get(name, 0.0) for name in clusters}
    return _with_interval(one.value - other.value, one.below + other.above, one.above + other.below, influence)


def labels_needed(apart: Corrected, labels: int) -> int | None:
    """About how many labels in all would show a difference as large as this one, if there are ``labels`` now.

    None if no number would, because the verdicts of these clusters vary too much.
    """
    by_labels = apart.below if apart.value > 0 else apart.above
    room = apart.value**2 - _cluster_margin(apart.influence)
    return None if room <= 0 else max(1, round(labels * by_labels / room))


class _Stratum(NamedTuple):
    """A stratum's share of all items, the indices of its items and labelled items, and label weights that sum to 1."""

    share: float
    items: "NDArray[np.intp]"
    labelled: "NDArray[np.intp]"
    weights: "Numbers"


def _estimate(items: Sequence[Item], strata: Sequence[Hashable], weights: Sequence[float]) -> Corrected | None:
    import numpy as np

    if not any(item.label is not None and item.whole for item in items):
        return None
    places: dict[Hashable, list[int]] = defaultdict(list)
    for place, stratum in enumerate(strata):
        places[stratum].append(place)
    total = sum(item.share for item in items)
    parts: list[_Stratum] = []
    for members in places.values():
        labelled = [place for place in members if items[place].label is not None]
        given = np.array([weights[place] for place in labelled], dtype=np.float64)
        share = sum(items[place].share for place in members) / total
        shares_of_labels = given / (given.sum() or 1.0)
        parts.append(_Stratum(share, np.array(members), np.array(labelled, dtype=np.intp), shares_of_labels))
    # The mean of a stratum without a label is taken from the other strata; its interval is 0 to 1.
    labelled_share = sum(part.share for part in parts if len(part.labelled))

    def mean(values: "Numbers") -> float:
        return sum(part.share * float(part.weights @ values[part.labelled]) for part in parts) / labelled_share

    labels, wholes = (
        np.array(column) for column in zip(*((each.label or 0.0, each.whole) for each in items), strict=True)
    )
    whole = mean(wholes)
    value = mean(labels) / whole
    # An item that doesn't count in the denominator gets the value as its label: the ratio is then a mean of labels.
    labels = labels + value * (1 - wholes)
    predicted, residuals = np.full(len(items), value), np.zeros(len(items))
    for part in parts:
        if len(part.labelled):
            predicted[part.items] = part.weights @ labels[part.labelled]
            residuals[part.labelled] = part.share * part.weights * (labels - predicted)[part.labelled]
    names = {cluster: number for number, cluster in enumerate(dict.fromkeys(item.cluster for item in items))}
    clusters = np.array([names[item.cluster] for item in items])
    shares = np.array([item.share for item in items])
    by_verdicts = np.bincount(clusters, shares / shares.sum() * (predicted - value)).astype(np.float64)
    # The design effect: the variance over clusters divided by that of independent labels, and at least 1.
    by_labels = np.bincount(clusters, residuals).astype(np.float64)
    independent = float(by_verdicts @ by_verdicts) + float(residuals @ residuals)
    together = by_verdicts + by_labels
    effect = max(1.0, float(together @ together) / independent) if independent > 0 else 1.0
    labelled_clusters = len({item.cluster for item in items if item.label is not None})
    below = above = 0.0
    for part in parts:
        middle = float(predicted[part.items[0]])
        low, high = _ends(middle, part.weights, effect, labelled_clusters)
        below += (part.share * (middle - low) / whole) ** 2
        above += (part.share * (high - middle) / whole) ** 2
    influence = dict(zip(names, (by_verdicts / whole).tolist(), strict=True))
    return _with_interval(value, below, above, influence)


def _ends(mean: float, weights: "Numbers", design_effect: float, clusters: int) -> tuple[float, float]:
    """The Clopper–Pearson interval of a stratum's mean for its effective number of unequally weighted labels (Kish)."""
    from scipy.special import betaincinv, stdtrit

    if not len(weights):
        return 0.0, 1.0
    count = 1 / float(weights @ weights) / design_effect
    if clusters > 1 and design_effect > 1:
        # The design effect is estimated from few clusters (Korn and Graubard 1998, equation 9).
        labels = max(len(weights), clusters)
        count *= float(stdtrit(labels - 1, 1 - _BEYOND) / stdtrit(clusters - 1, 1 - _BEYOND)) ** 2
    count = max(1.0, count)
    won = mean * count
    low = float(betaincinv(won, count - won + 1, _BEYOND)) if won > 0 else 0.0
    high = float(betaincinv(won + 1, count - won, 1 - _BEYOND)) if won < count else 1.0
    return low, high


def _cluster_margin(influence: Mapping[Hashable, float]) -> float:
    """The squared half-width that the verdicts' variance between clusters adds to an interval; 0 below two clusters."""
    from scipy.special import stdtrit

    count = len(influence)
    if count < 2:
        return 0.0
    spread = sum(moved**2 for moved in influence.values()) * count / (count - 1)
    return float(stdtrit(count - 1, 1 - _BEYOND)) ** 2 * spread


def _with_interval(value: float, below: float, above: float, influence: Mapping[Hashable, float]) -> Corrected:
    if len(influence) < FEWEST:
        return Corrected(value, below=below, above=above, influence=influence)
    away = _cluster_margin(influence)
    return Corrected(value, value - (below + away) ** 0.5, value + (above + away) ** 0.5, below, above, influence)


Stratum = TypeVar("Stratum", bound=Hashable)

FLOOR = 3
"""Labels that each stratum gets before its size counts. With 1, a small stratum's interval is almost 0 to 1. More than
3 take labels from the large strata, which hold a lenient judge's errors (``benchmarks/ppi.py --floor``).
"""


def next_stratum(sizes: Mapping[Stratum, int], drawn: Mapping[Stratum, int], floor: int = FLOOR) -> Stratum | None:
    """The stratum from which the next label is drawn; None if all items of ``sizes`` are drawn.

    Labels are drawn one after the other, and every prefix of a sample is allocated like the whole. People may therefore
    stop early, and a larger sample begins with the smaller one.
    """
    left = [stratum for stratum, size in sizes.items() if drawn.get(stratum, 0) < size]
    below = [stratum for stratum in left if drawn.get(stratum, 0) < floor]
    if below:
        return max(below, key=lambda stratum: (-drawn.get(stratum, 0), sizes[stratum]))
    # Sainte-Laguë: of all allocations of whole labels it is the nearest to the proportions.
    return max(left, key=lambda stratum: sizes[stratum] / (drawn.get(stratum, 0) + 0.5), default=None)

"""Means from a few labels and many verdicts, with intervals that hold however good the judge is.

Labels are drawn by lot inside strata, a stratum being the items with one verdict of the judge. With W_h the share of
all items that stratum h holds, and y_h the mean of its labels,

    θ = Σ W_h·y_h.

This is prediction-powered inference (arXiv 2301.09633) and PPI++ (arXiv 2311.01453) with every λ at once: inside a
stratum the verdict is constant, so λ·mean(f) + mean(y − λf) is the same for every λ. A useless judge costs no truth
and next to no width.

The intervals of those papers are normal approximations, and 20 labels of a judge that is usually right are too few for
one: where all labels of a stratum agree, they show no spread, and an estimated variance is 0. Here each stratum has the
exact binomial interval of Clopper and Pearson for its effective number of labels (Korn and Graubard 1998), and their
distances to the means are squared and added (MOVER: Zou and Donner 2008). A stratum without a label has the interval
0 to 1. What the verdicts vary by between clusters is added with Student's t. ``benchmarks/ppi.py`` prints coverage.

Claims of one query share its report, its sources and its world, and queries of one user are alike, so the number of
labels is divided by the design effect: the variance over whole clusters divided by the variance as if items were
independent, and at least 1.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from drretail.stats.clusters import FEWEST
from drretail.stats.intervals import LEVEL

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

_BEYOND = (1 - LEVEL) / 2


@dataclass(frozen=True, slots=True)
class Item:
    """One judged item; ``label`` is None where nobody labelled it."""

    cluster: Hashable
    stratum: Hashable
    """The judge's verdict; labels are drawn by lot among the items of a stratum."""
    share: float = 1.0
    """Its weight in the mean that is wanted, of any scale."""
    label: float | None = None
    """0 to ``whole``."""
    whole: float = 1.0
    """Of a labelled one: 0 where it does not count in the denominator, as what is no claim does not in FR."""
    verdict: float = 0.0
    """What the judge alone gives it; the estimate only asks which items have the same one."""


@dataclass(frozen=True, slots=True)
class Corrected:
    """A mean with its 95 % interval; the ends are None below five clusters."""

    value: float
    low: float | None = None
    high: float | None = None
    below: float = 0.0
    """How far labels let the value be lower and, in ``above``, higher; squared."""
    above: float = 0.0
    influence: Mapping[Hashable, float] = field(default_factory=dict[Hashable, float])
    """By cluster, how much its verdicts move the value."""


def corrected_mean(items: Sequence[Item]) -> Corrected | None:
    """The weighted mean that people would give all items; None where nobody labelled one that counts.

    It is the sum of labels over the sum of ``whole``, which is the plain mean where all items count.
    """
    return _estimate(items, [item.stratum for item in items], [item.share for item in items])


def labels_alone(items: Sequence[Item]) -> Corrected | None:
    """The same without the verdicts: they only give how many items each label was drawn from."""
    sizes = Counter(item.stratum for item in items)
    labelled = Counter(item.stratum for item in items if item.label is not None)
    weights = [item.share * sizes[item.stratum] / max(1, labelled[item.stratum]) for item in items]
    return _estimate(items, [None] * len(items), weights)


def difference(one: Corrected, other: Corrected) -> Corrected:
    """How much higher ``one`` is. What verdicts vary by clusters that both share cancels out."""
    clusters = one.influence.keys() | other.influence.keys()
    influence = {name: one.influence.get(name, 0.0) - other.influence.get(name, 0.0) for name in clusters}
    return _with_interval(one.value - other.value, one.below + other.above, one.above + other.below, influence)


def labels_needed(apart: Corrected, labels: int) -> int | None:
    """About how many labels in all, of ``labels`` now, would show a difference as large as this one.

    None where no number would, since the verdicts of these clusters vary too much.
    """
    by_labels = apart.below if apart.value > 0 else apart.above
    room = apart.value**2 - _cluster_margin(apart.influence)
    return None if room <= 0 else max(1, round(labels * by_labels / room))


@dataclass(frozen=True, slots=True)
class _Stratum:
    """The places of its items, and of its labelled ones with their weights, which add up to 1."""

    share: float
    items: "NDArray[np.intp]"
    labelled: "NDArray[np.intp]"
    weights: "Numbers"

    @property
    def is_labelled(self) -> bool:
        return len(self.labelled) > 0


def _strata(items: Sequence[Item], strata: Sequence[Hashable], weights: Sequence[float]) -> list[_Stratum]:
    import numpy as np

    places: dict[Hashable, list[int]] = defaultdict(list)
    for place, stratum in enumerate(strata):
        places[stratum].append(place)
    whole = sum(item.share for item in items)
    found: list[_Stratum] = []
    for members in places.values():
        labelled = [place for place in members if items[place].label is not None]
        given = np.array([weights[place] for place in labelled], dtype=np.float64)
        share = sum(items[place].share for place in members) / whole
        found.append(
            _Stratum(share, np.array(members), np.array(labelled, dtype=np.intp), given / (given.sum() or 1.0))
        )
    return found


def _estimate(items: Sequence[Item], strata: Sequence[Hashable], weights: Sequence[float]) -> Corrected | None:
    import numpy as np

    if not any(item.label is not None and item.whole for item in items):
        return None
    parts = _strata(items, strata, weights)
    # A stratum without a label is taken to be like the others; its interval is 0 to 1.
    labelled_share = sum(part.share for part in parts if part.is_labelled)

    def mean(values: "Numbers") -> float:
        return sum(part.share * float(part.weights @ values[part.labelled]) for part in parts) / labelled_share

    labels, wholes = (
        np.array(column) for column in zip(*((each.label or 0.0, each.whole) for each in items), strict=True)
    )
    whole = mean(wholes)
    value = mean(labels) / whole
    # What does not count in the denominator is labelled with the value itself: a ratio is then a mean of such labels.
    labels = labels + value * (1 - wholes)
    predicted, residuals = np.full(len(items), value), np.zeros(len(items))
    for part in parts:
        if part.is_labelled:
            predicted[part.items] = part.weights @ labels[part.labelled]
            residuals[part.labelled] = part.share * part.weights * (labels - predicted)[part.labelled]
    names = {cluster: number for number, cluster in enumerate(dict.fromkeys(item.cluster for item in items))}
    clusters = np.array([names[item.cluster] for item in items])
    shares = np.array([item.share for item in items])
    by_verdicts = np.bincount(clusters, shares / shares.sum() * (predicted - value)).astype(np.float64)
    # The variance over clusters divided by that of labels as if they were independent; 1 where it is less.
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
    """The Clopper–Pearson interval of a stratum's mean, for the labels that its unequal weights are worth (Kish)."""
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
    """How far the verdicts' spread over clusters lets a value be away, squared; 0 below two clusters."""
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
"""Labels that each stratum has before size counts. With 1, a small stratum's interval is 0 to 1 almost; more than 3
takes labels from the large strata, in which a lenient judge's errors are (``benchmarks/ppi.py --floor``)."""


def next_stratum(sizes: Mapping[Stratum, int], drawn: Mapping[Stratum, int], floor: int = FLOOR) -> Stratum | None:
    """The stratum that the next label is drawn from; None where all items of ``sizes`` are drawn.

    Drawn one after the other, every prefix of a sample is shared out like the whole, so people may stop early, and a
    larger sample begins with the smaller one.
    """
    left = [stratum for stratum, size in sizes.items() if drawn.get(stratum, 0) < size]
    below = [stratum for stratum in left if drawn.get(stratum, 0) < floor]
    if below:
        return max(below, key=lambda stratum: (-drawn.get(stratum, 0), sizes[stratum]))
    # Sainte-Laguë: of all ways to share out whole labels this one is nearest to the proportions.
    return max(left, key=lambda stratum: sizes[stratum] / (drawn.get(stratum, 0) + 0.5), default=None)

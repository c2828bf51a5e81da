"""Means from a few labels and many verdicts, with intervals that are valid however good the judge is.

Labels are drawn by lot within strata; a stratum is the items with one verdict of the judge. With W_h the share of all
items in stratum h, and y_h the mean of its labels,

    θ = Σ W_h·y_h.

This is prediction-powered inference (arXiv 2301.09633) and PPI++ (arXiv 2311.01453) with every λ at once: within a
stratum the verdict is constant, so λ·mean(f) + mean(y − λf) is the same for every λ. A useless judge adds no bias and
almost no width.

The intervals of those papers are normal approximations. They fail for 20 labels of a judge that is usually right: if
all labels of a stratum agree, their estimated variance is 0. Here each stratum has the exact binomial interval of
Clopper and Pearson for its effective number of labels (Korn and Graubard 1998), and the distances of the ends to the
means are added by their correlations (MOVER: Zou 2008), since a user who is hard for a judge is so in all strata. A
stratum without a label has the interval 0 to 1. The verdicts' variance between clusters is one more part, with the
binomial interval of such a variance. ``benchmarks/ppi.py`` prints coverage.

Claims of one query share its report, its sources and its world, and queries of one user are alike. The number of labels
is therefore divided by the design effect: the variance over whole clusters divided by the variance as if items were
independent, and at least 1. Both variances hold one more user whose items are all right or all wrong: among few users,
those who would be unlike the others are often not seen.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from drretail.stats.intervals import FEWEST, Interval, binomial_ends, quantile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

# A share below this is a rounded 0.
_NOTHING = 1e-12
# Degrees of freedom from which Student's t is normal.
_MANY = 1e9


@dataclass(frozen=True, slots=True)
class Item:
    """One judged item; ``label`` is None if nobody labelled it."""

    cluster: Hashable
    stratum: Hashable
    """The judge's verdict; labels are drawn by lot among the items of a stratum."""
    share: float = 1.0
    """Its weight in the mean; weights need not sum to 1."""
    label: float | None = None
    """0 to 1."""
    verdict: float = 0.0
    """The judge's own value for the item. The estimate does not use it: it only needs the strata."""
    is_known: bool = False
    """True if ``label`` is a fact, such as the 0 of a failed run, and nobody's opinion."""

    @property
    def is_labelled(self) -> bool:
        """True for an item that a person labelled."""
        return self.label is not None and not self.is_known


@dataclass(frozen=True, slots=True)
class Corrected(Interval):
    """A mean with its 95% interval; without ends below ``FEWEST`` clusters."""

    value: float  # pyright: ignore[reportIncompatibleVariableOverride]  (frozen)
    below: float = 0.0
    """The squared margin that labels leave below the value; ``above`` is the one above it."""
    above: float = 0.0
    influence: Mapping[Hashable, float] = field(default_factory=dict[Hashable, float])
    """By cluster, how much its verdicts move the value."""


def corrected_mean(items: Sequence[Item]) -> Corrected | None:
    """The weighted mean that people would give all items; None without a label."""
    return _estimate(items, [item.stratum for item in items], [item.share for item in items])


def labels_alone(items: Sequence[Item]) -> Corrected | None:
    """The mean from the labels alone, with the interval that as many labels would give if they were drawn by lot.

    Verdicts only tell from how many items each label was drawn.
    """
    sizes = Counter(item.stratum for item in items if not item.is_known)
    labelled = Counter(item.stratum for item in items if item.is_labelled)
    drawn_from = {stratum: size / max(1, labelled[stratum]) for stratum, size in sizes.items()}
    weights = [item.share * (1.0 if item.is_known else drawn_from[item.stratum]) for item in items]
    shares = [item.share for item in items if not item.is_known]
    squares = sum(share**2 for share in shares)
    count = labelled.total() * sum(shares) ** 2 / (len(shares) * squares) if squares else None
    return _estimate(items, [None] * len(items), weights, count)


def difference(first: Corrected, other: Corrected) -> Corrected:
    """How much higher ``one`` is. The verdicts' variance between clusters that both share cancels out."""
    clusters = first.influence.keys() | other.influence.keys()
    influence = {name: first.influence.get(name, 0.0) - other.influence.get(name, 0.0) for name in clusters}
    value, below, above = first.value - other.value, first.below + other.above, first.above + other.below
    if len(influence) < FEWEST:
        return Corrected(value, None, None, "few", below, above, influence)
    away = _cluster_margin(influence)
    low, high = value - (below + away) ** 0.5, value + (above + away) ** 0.5
    return Corrected(value, low, high, None, below, above, influence)


class _Stratum(NamedTuple):
    """A stratum's share of all items, the indices of its items and labelled items, and label weights that sum to 1."""

    share: float
    items: "NDArray[np.intp]"
    labelled: "NDArray[np.intp]"
    weights: "Numbers"
    is_known: bool


def _strata(items: Sequence[Item], strata: Sequence[Hashable], weights: Sequence[float]) -> list[_Stratum]:
    import numpy as np

    places: dict[Hashable, list[int]] = defaultdict(list)
    for place, (item, stratum) in enumerate(zip(items, strata, strict=True)):
        places[item.is_known, item.label if item.is_known else stratum].append(place)
    total = sum(item.share for item in items)
    parts: list[_Stratum] = []
    for members in places.values():
        labelled = [place for place in members if items[place].label is not None]
        label_weights = np.array([weights[place] for place in labelled], dtype=np.float64)
        share = sum(items[place].share for place in members) / total
        of_labels = label_weights / (label_weights.sum() or 1.0)
        is_known = items[members[0]].is_known
        parts.append(_Stratum(share, np.array(members), np.array(labelled, dtype=np.intp), of_labels, is_known))
    return parts


def _estimate(
    items: Sequence[Item], strata: Sequence[Hashable], weights: Sequence[float], count: float | None = None
) -> Corrected | None:
    """The mean over strata; ``count`` takes the place of the labels' own number in the interval."""
    import numpy as np

    if not any(item.is_labelled for item in items):
        return None
    parts = _strata(items, strata, weights)
    value, labels = _mean(items, parts)
    varied = _variation(items, parts, labels, value)
    labelled_clusters = len({item.cluster for item in items if item.is_labelled})
    down, up = np.zeros(len(parts)), np.zeros(len(parts))
    for at, part in enumerate(parts):
        if not part.is_known:
            number = (count or 1 / float(part.weights @ part.weights)) if len(part.labelled) else 0.0
            low, high = _ends(varied.means[at], number, float(varied.effects[at]), labelled_clusters)
            down[at], up[at] = part.share * (varied.means[at] - low), part.share * (high - varied.means[at])
    variances = varied.covariance.diagonal()
    errors = np.sqrt(variances[:-1])
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = np.nan_to_num(np.maximum(0.0, varied.covariance[:-1, :-1] / np.outer(errors, errors)))
    np.fill_diagonal(correlation, 1.0)
    below, above = (float(ends @ correlation @ ends) for ends in (down, up))
    influence = varied.by_verdicts
    if len(influence) < FEWEST:
        return Corrected(value, None, None, "few", below, above, influence)
    lower, higher = _verdict_margins(value, float(variances[-1]), len(influence))
    low, high = value - (below + lower**2) ** 0.5, value + (above + higher**2) ** 0.5
    return Corrected(value, low, high, None, below, above, influence)


def _mean(items: Sequence[Item], parts: Sequence[_Stratum]) -> tuple[float, "Numbers"]:
    """The mean, and every item's label.

    The mean of a stratum without a label is taken from the other strata; its interval is 0 to 1.
    """
    import numpy as np

    labels = np.array([item.label or 0.0 for item in items])

    def sum_of(values: "Numbers") -> float:
        return sum(part.share * float(part.weights @ values[part.labelled]) for part in parts)

    return sum_of(labels) / sum_of(np.ones(len(items))), labels  # of ones, so that the mean of equal labels is exact


class _Variation(NamedTuple):
    """How labels and verdicts vary over clusters."""

    means: list[float]
    """By stratum, the mean of its labels."""
    covariance: "Numbers"
    """Of the strata's labels and, last, of the verdicts."""
    effects: "Numbers"
    """By stratum, the design effect: at least 1."""
    by_verdicts: dict[Hashable, float]
    """By cluster, how much its verdicts move the numerator."""


def _variation(items: Sequence[Item], parts: Sequence[_Stratum], labels: "Numbers", value: float) -> _Variation:
    import numpy as np

    names = {cluster: number for number, cluster in enumerate(dict.fromkeys(item.cluster for item in items))}
    clusters = np.array([names[item.cluster] for item in items])
    means, predicted = [value] * len(parts), np.full(len(items), value)
    # By stratum, and last of the verdicts: what each cluster moves, what one more cluster of equal items would, and the
    # variance of labels that are independent.
    moved, one_more, independent = np.zeros((len(parts) + 1, len(names))), np.zeros(len(parts) + 1), np.ones(len(parts))
    left = 0.0
    for at, part in enumerate(parts):
        if not len(part.labelled):
            continue
        middle = means[at] = float(part.weights @ labels[part.labelled])
        predicted[part.items] = middle
        if not part.is_known:
            residuals = part.share * part.weights * (labels[part.labelled] - middle)
            moved[at] = np.bincount(clusters[part.labelled], residuals, len(names))
            leverage, by_cluster = (
                float(part.weights @ part.weights),
                np.bincount(clusters[part.labelled], part.weights),
            )
            shrunk, usual = (middle + leverage / 2) / (1 + leverage), float(by_cluster @ by_cluster)
            spread = part.share * (shrunk * (1 - shrunk)) ** 0.5
            one_more[at] = spread * usual
            independent[at] = float(residuals @ residuals) + spread**2 * usual * leverage
            left += spread**2 / part.share
    shares = np.array([item.share for item in items]) / sum(item.share for item in items)
    moved[-1] = np.bincount(clusters, shares * (predicted - value), len(names))
    explained = float(shares @ (predicted - value) ** 2)
    # What verdicts explain of the labels is not left to be alike in a cluster.
    one_more *= (left / (left + explained)) ** 0.5 if left else 1.0
    one_more[-1] = explained**0.5 / len(names)
    covariance = len(names) / max(1, len(names) - 1) * moved @ moved.T + np.diag(one_more**2)
    effects = np.maximum(1.0, covariance.diagonal()[:-1] / independent)
    return _Variation(means, covariance, effects, dict(zip(names, moved[-1].tolist(), strict=True)))


def _ends(mean: float, labels: float, design_effect: float, clusters: int) -> tuple[float, float]:
    """The interval of a stratum's mean for its effective number of unequally weighted labels (Kish)."""
    if not labels:
        return 0.0, 1.0
    count = labels / design_effect
    if clusters > 1:
        # The design effect is estimated from few clusters (Korn and Graubard 1998, equation 9).
        count *= (quantile(max(labels, clusters) - 1) / quantile(clusters - 1)) ** 2
    return binomial_ends(mean, max(1.0, count))


def _verdict_margins(value: float, variance: float, clusters: int) -> tuple[float, float]:
    """How far below and above the value the verdicts' variance between clusters reaches.

    The interval is binomial, since the means of few clusters are skewed where the value is near 0 or 1.
    """
    if variance < _NOTHING or not 0 < value < 1:
        return 0.0, 0.0
    worth = value * (1 - value) / variance * (quantile(_MANY) / quantile(clusters - 1)) ** 2
    low, high = binomial_ends(value, max(1.0, worth))
    return value - low, high - value


def _cluster_margin(influence: Mapping[Hashable, float]) -> float:
    """The squared half-width that verdicts' variance between clusters adds to a difference; needs two clusters."""
    count = len(influence)
    return quantile(count - 1) ** 2 * sum(moved**2 for moved in influence.values()) * count / (count - 1)


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

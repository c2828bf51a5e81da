"""Means from a few labels and many verdicts, with intervals that hold whatever the judge is worth.

PPI++ (Angelopoulos, Duchi and Zrnic, arXiv 2311.01453), after prediction-powered inference (arXiv 2301.09633):

    θ(λ) = λ·mean(f over all verdicts) + mean(y − λf over labelled items),

y a person's label, f the judge's verdict. Each λ is unbiased where the labelled items are drawn by known chances, so a
bad judge costs width and no truth; λ = 0 is the labels alone, 1 is plain prediction-powered inference.

Claims of one query share its report, its sources and its world, so the variance is that of whole clusters: with

    u_c = λ·Σ_{j in c} v_j (f_j − mean f) + Σ_{i in c} w_i (r_i − mean r),   r = y − λf,

v and w weights that add up to 1, Var(θ) = K/(K − 1) Σ u_c², and Student's t with K − 1 degrees of freedom, K being
the clusters that hold a label: few labels know little of their own spread, however many verdicts there are. Verdicts
of labelled items are among all verdicts: what the two means share is in the sum of their cluster.
``independent_mean`` is the same for items that are independent, the labelled ones not among the others, as in the
papers: equation (3.2) with the plug-in λ of example 6.1.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from drretail.stats.intervals import LEVEL

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]


_NOTHING = 1e-24
"""A sum of squares that is rounding."""


@dataclass(frozen=True, slots=True)
class Corrected:
    """A mean with its standard error and 95 % interval.

    Both are None where fewer than two clusters hold a label, or labels and verdicts show no spread at all.
    """

    value: float
    power: float
    """λ: how far the verdicts were trusted, 0 to 1."""
    error: float | None = None
    low: float | None = None
    high: float | None = None
    clusters: int = 0
    """Those that hold a label."""
    influence: Mapping[Hashable, float] = field(default_factory=dict[Hashable, float])
    """By cluster, how much it moves the mean."""
    by_labels: Mapping[Hashable, float] = field(default_factory=dict[Hashable, float])
    """The part of it that more labels would make smaller."""


@dataclass(frozen=True, slots=True)
class Item:
    """One judged item; ``label`` is None where nobody labelled it."""

    cluster: Hashable
    verdict: float
    share: float = 1.0
    """Its weight in the mean that is wanted, of any scale."""
    label: float | None = None
    stands_for: float = 1.0
    """Of a labelled one: one over the chance of its being drawn, of any scale."""
    whole: float = 1.0
    """Of a labelled one: what it adds to the denominator of ``corrected_ratio``."""


def corrected_mean(items: Sequence[Item], power: float | None = None) -> Corrected | None:
    """The weighted mean of what people would say of all items; None where no item is labelled.

    ``power`` is λ, else the one with the least estimated variance, within 0 and 1.
    """
    import numpy as np

    labelled = [it for it in items if it.label is not None]
    if not labelled:
        return None
    places = {cluster: at for at, cluster in enumerate(dict.fromkeys(it.cluster for it in items))}
    every = _Part.of(places, [it.cluster for it in items], [it.share for it in items])
    few = _Part.of(places, [it.cluster for it in labelled], [it.share * it.stands_for for it in labelled])
    judged = np.array([it.verdict for it in items])
    same = np.array([it.verdict for it in labelled])
    labels = np.array([it.label for it in labelled], dtype=np.float64)
    of_labels, of_verdicts = few.influence(labels), every.influence(judged) - few.influence(same)
    if power is None:
        power = _clipped(-float(of_labels @ of_verdicts), float(of_verdicts @ of_verdicts))
    value = power * every.mean(judged) + few.mean(labels - power * same)
    names = [*places]
    influence = dict(zip(names, (of_labels + power * of_verdicts).tolist(), strict=True))
    residual = dict(zip(names, few.influence(labels - power * same).tolist(), strict=True))
    return _clustered(float(value), power, len({it.cluster for it in labelled}), influence, residual)


def corrected_ratio(items: Sequence[Item], power: float | None = None) -> Corrected | None:
    """The sum of labels over the sum of wholes as people would give them of all items; None where nobody counts any.

    Verdicts are about the numerator alone: θ(λ) = (λ·mean f + mean(y − λf)) / mean w. Its variance is that of the mean
    of y − θw over mean w (linearised), and so is the choice of λ.
    """
    wholes = corrected_mean([it if it.label is None else replace(it, label=it.whole) for it in items], 0.0)
    if wholes is None or not wholes.value:
        return None

    def above(value: float, power: float | None) -> Corrected:
        centred = [it if it.label is None else replace(it, label=it.label - value * it.whole) for it in items]
        found = corrected_mean(centred, power)
        assert found is not None  # some item is labelled
        return found

    if power is None:
        power = above(above(0.0, 0.0).value / wholes.value, None).power
    value = above(0.0, power).value / wholes.value
    return _over(above(value, power), value, wholes.value)


def difference(one: Corrected, other: Corrected) -> Corrected:
    """How much higher ``one`` is, with the interval of the difference: what clusters share falls out of it."""
    both = one.influence.keys() | other.influence.keys()
    influence = {it: one.influence.get(it, 0.0) - other.influence.get(it, 0.0) for it in both}
    residual = {it: one.by_labels.get(it, 0.0) - other.by_labels.get(it, 0.0) for it in both}
    return _clustered(one.value - other.value, 0.0, min(one.clusters, other.clusters), influence, residual)


def labels_needed(apart: Corrected, labels: int) -> int | None:
    """About how many labels in all, of ``labels`` now, would show a difference as large as this one.

    None where no number would: what verdicts and queries vary by themselves hides it.
    """
    from scipy.special import stdtrit

    shrinks = sum(it**2 for it in apart.by_labels.values())
    stays = sum((it - apart.by_labels.get(at, 0.0)) ** 2 for at, it in apart.influence.items())
    room = (apart.value / float(stdtrit(max(1, apart.clusters - 1), (1 + LEVEL) / 2))) ** 2 - stays
    return None if room <= 0 else max(1, round(labels * shrinks / room))


def independent_mean(
    labels: Sequence[float], judged: Sequence[float], others: Sequence[float], power: float | None = None
) -> Corrected:
    """The mean over independent items: labels with the verdicts on the same, and verdicts on others.

    Var(θ) = λ²·Var(f)/N + Var(y − λf)/n, and a normal interval.
    """
    import numpy as np

    y, f, rest = (np.array(it, dtype=np.float64) for it in (labels, judged, others))
    n, count = len(y), len(rest)
    if power is None:
        shared = float(((y - y.mean()) * (f - f.mean())).mean())
        power = _clipped(shared, (1 + n / count) * float(np.concatenate([f, rest]).var(ddof=1)))
    value = power * rest.mean() + (y - power * f).mean()
    return _with_interval(value, power, float(power**2 * rest.var() / count + (y - power * f).var() / n), None)


@dataclass(frozen=True, slots=True)
class _Part:
    """Items with weights that add up to 1, and the cluster of each."""

    clusters: "NDArray[np.intp]"
    weights: "Numbers"
    count: int

    @classmethod
    def of(cls, places: dict[Hashable, int], clusters: Sequence[Hashable], weights: Sequence[float]) -> "_Part":
        import numpy as np

        given = np.array(weights, dtype=np.float64)
        return cls(np.array([places[it] for it in clusters]), given / given.sum(), len(places))

    def mean(self, values: "Numbers") -> float:
        return float(self.weights @ values)

    def influence(self, values: "Numbers") -> "Numbers":
        """By cluster, how much it moves the mean of ``values``."""
        import numpy as np

        moved = np.bincount(self.clusters, self.weights * (values - self.mean(values)), minlength=self.count)
        return moved.astype(np.float64)


def _clustered(
    value: float, power: float, clusters: int, influence: Mapping[Hashable, float], residual: Mapping[Hashable, float]
) -> Corrected:
    spread = sum(it**2 for it in influence.values())
    if clusters < 2 or spread < _NOTHING:  # equal labels everywhere are no proof that the others are so, too
        return Corrected(value, power, clusters=clusters, influence=influence, by_labels=residual)
    variance = spread * clusters / (clusters - 1)
    found = _with_interval(value, power, variance, clusters - 1)
    return replace(found, clusters=clusters, influence=influence, by_labels=residual)


def _over(centred: Corrected, value: float, whole: float) -> Corrected:
    """A mean about 0 as that of a ratio: everything over ``whole``, and about ``value``."""
    found = replace(
        centred,
        value=value,
        influence={at: it / whole for at, it in centred.influence.items()},
        by_labels={at: it / whole for at, it in centred.by_labels.items()},
    )
    if centred.error is None or centred.low is None or centred.high is None:
        return found
    ends = (value + (it - centred.value) / whole for it in (centred.low, centred.high))
    return replace(found, error=centred.error / whole, **dict(zip(("low", "high"), ends, strict=True)))


def _clipped(above: float, below: float) -> float:
    return min(1.0, max(0.0, float(above / below))) if below > _NOTHING else 0.0


def _with_interval(value: float, power: float, variance: float, freedom: int | None) -> Corrected:
    from scipy.special import ndtri, stdtrit

    beyond = (1 + LEVEL) / 2
    error = variance**0.5
    away = float(ndtri(beyond) if freedom is None else stdtrit(freedom, beyond)) * error
    return Corrected(float(value), power, error, float(value) - away, float(value) + away)

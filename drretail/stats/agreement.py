"""Do raters agree? Of labels: κ, weighted κ, percent; of numbers: r, ρ, τ_b (paper Appendices D and E); of many: α.

Every function of two raters takes what they said of the same items, in the same order, and gives None where the
statistic is not defined: no item, only one label, numbers that never change. Raises ValueError for sequences of unequal
length.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import combinations
from math import isnan
from typing import TYPE_CHECKING, Any, Literal, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

C = TypeVar("C", bound=Hashable)
TIE = "tie"
Weights = Literal["linear", "quadratic"]
Level = Literal["nominal", "ordinal", "interval"]


def percent(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """The share of items with equal labels, 0 to 1."""
    pairs = _both(first, second)
    return sum(a == b for a, b in pairs) / len(pairs) if pairs else None


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """Cohen's κ = (p_o − p_e) / (1 − p_e): agreement beyond what each rater's shares of labels give by chance."""
    pairs = _both(first, second)
    if not pairs:
        return None
    ones, others = Counter(first), Counter(second)
    n, equal = len(pairs), sum(a == b for a, b in pairs)
    # In whole numbers, so that full agreement is 1 and full agreement by chance is recognised.
    by_chance = sum(count * others[label] for label, count in ones.items())
    return None if by_chance == n * n else (n * equal - by_chance) / (n * n - by_chance)


def weighted_kappa(
    first: Sequence[Hashable], second: Sequence[Hashable], labels: Sequence[Hashable], weights: Weights
) -> float | None:
    """κ of ordered ``labels``, the lowest first: 1 − Σ w·observed / Σ w·expected, w = |i − j| or (i − j)².

    Raises ValueError for a label that is not among them.
    """
    place = {label: index for index, label in enumerate(labels)}
    unknown = [label for label in (*first, *second) if label not in place]
    if unknown:
        raise ValueError(f"not among the labels: {unknown[0]!r}")
    pairs = [(place[a], place[b]) for a, b in _both(first, second)]
    if not pairs:
        return None
    ones, others = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    expected = sum(n * m * _apart(i, j, weights) for i, n in ones.items() for j, m in others.items())
    if not expected:
        return None
    return 1 - len(pairs) * sum(_apart(a, b, weights) for a, b in pairs) / expected


def kappa_without_ties(first: Sequence[Hashable], second: Sequence[Hashable], tie: Hashable = TIE) -> float | None:
    """Cohen's κ of the items that neither rater called a tie (paper Appendix D)."""
    decided = [(a, b) for a, b in _both(first, second) if tie not in (a, b)]
    return cohen_kappa([a for a, _ in decided], [b for _, b in decided])


def soft_disagreement(first: Sequence[Hashable], second: Sequence[Hashable], tie: Hashable = TIE) -> float | None:
    """The share of disagreements in which one side said tie; None where nobody disagrees (paper Appendix D)."""
    apart = [(a, b) for a, b in _both(first, second) if a != b]
    return sum(tie in pair for pair in apart) / len(apart) if apart else None


def pearson(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Pearson's r: how straight the line is."""
    from scipy.stats import pearsonr

    return _of(pearsonr, first, second)


def pearson_sums(pairs: Iterable[tuple[C, float, float]]) -> dict[C, list[float]]:
    """By cluster the sums of 1, x, y, x², y² and xy, which can be drawn again for the interval of r."""
    found: dict[C, list[float]] = {}
    for cluster, x, y in pairs:
        terms = (1, x, y, x * x, y * y, x * y)
        found[cluster] = [a + b for a, b in zip(found.get(cluster, [0.0] * 6), terms, strict=True)]
    return found


def pearson_of_sums(sums: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Pearson's r of the sums in the last axis; nan where x or y never differ."""
    import numpy as np

    n, x, y, xx, yy, xy = (sums[..., at] for at in range(6))
    with np.errstate(divide="ignore", invalid="ignore"):
        return (n * xy - x * y) / np.sqrt((n * xx - x * x) * (n * yy - y * y))


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Spearman's ρ: Pearson's r of the ranks, equal numbers sharing the mean of theirs (paper Appendix E)."""
    from scipy.stats import spearmanr

    return _of(spearmanr, first, second)


def kendall(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Kendall's τ_b: pairs of items in the same order minus pairs in the other, ties corrected for."""
    from scipy.stats import kendalltau

    return _of(kendalltau, first, second)


def krippendorff_alpha(items: Iterable[Sequence[float]], level: Level) -> float | None:
    """Krippendorff's α = 1 − D_o / D_e of any number of raters, who need not all have rated everything.

    ``items`` has the ratings of each item, in any order of raters. Items with fewer than two ratings are left out.
    Labels are numbers, ordered ones in their order. None if no item is left, or if all ratings are equal
    (Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability").
    """
    rated = [list(ratings) for ratings in items if len(ratings) > 1]
    totals = Counter(value for ratings in rated for value in ratings)
    n = totals.total()
    distance = _distance(totals, level)
    expected = sum(a * b * distance(v, w) for v, a in totals.items() for w, b in totals.items())
    if not expected:
        return None
    observed = sum(sum(distance(v, w) for v in ratings for w in ratings) / (len(ratings) - 1) for ratings in rated)
    return 1 - (n - 1) * observed / expected


def _distance(totals: Counter[float], level: Level) -> Callable[[float, float], float]:
    """How far two values are apart, squared: by whether they differ, by what lies between them, by their numbers."""
    if level == "nominal":
        return lambda v, w: float(v != w)
    if level == "interval":
        return lambda v, w: (v - w) ** 2
    below: dict[float, float] = {}
    seen = 0
    for value in sorted(totals):
        below[value] = seen + totals[value] / 2
        seen += totals[value]
    return lambda v, w: (below[v] - below[w]) ** 2


def _of(statistic: Callable[..., Any], first: Sequence[float], second: Sequence[float]) -> float | None:
    """A correlation of scipy's, asked only where it is defined."""
    pairs = _both(first, second)
    if len(pairs) < 2 or len(set(first)) < 2 or len(set(second)) < 2:
        return None
    value = float(statistic([a for a, _ in pairs], [b for _, b in pairs]).statistic)
    return None if isnan(value) else value


def _both(first: Sequence[Hashable], second: Sequence[Hashable]) -> list[tuple[Hashable, Hashable]]:
    return list(zip(first, second, strict=True))


def _apart(i: int, j: int, weights: Weights) -> int:
    return abs(i - j) if weights == "linear" else (i - j) ** 2


Ratings = Mapping[str, Mapping[str, float]]
"""By query, or query and criterion: a number for each system."""


def mean_absolute_deviation(judged: Ratings, rated: Ratings) -> float | None:
    """Mean |m − h| over all reports and criteria.

    With two reports a query this is MARD (arXiv 2509.25106, Appendix C), and with h the mean of experts MAD
    (arXiv 2510.07861, section 2.3.4).
    """
    apart = [abs(one[system] - other[system]) for one, other in _places(judged, rated) for system in one]
    return sum(apart) / len(apart) if apart else None


def pairwise_comparison_accuracy(judged: Ratings, rated: Ratings) -> float | None:
    """PCA: the share of pairs of reports on one query that both put in the same order; a tie matches only a tie.

    (1/N) Σ 1[sgn(m_A − m_B) = sgn(h_A − h_B)] over queries and criteria (arXiv 2509.25106, Appendix C); of more than
    two systems, over every two of them.
    """
    same = [
        sign(one[a] - one[b]) == sign(other[a] - other[b])
        for one, other in _places(judged, rated)
        for a, b in combinations(sorted(one), 2)
    ]
    return sum(same) / len(same) if same else None


def ranking_agreement(judged: Ratings, rated: Ratings) -> float | None:
    """The share of queries on which both put all systems in the very same order, ties included (arXiv 2510.07861)."""
    same = [
        all(sign(one[a] - one[b]) == sign(other[a] - other[b]) for a, b in combinations(sorted(one), 2))
        for one, other in _places(judged, rated)
        if len(one) > 1
    ]
    return sum(same) / len(same) if same else None


def _places(judged: Ratings, rated: Ratings) -> list[tuple[dict[str, float], dict[str, float]]]:
    """Of every query that both know, the systems that both know."""
    places = [(judged[each], rated[each]) for each in judged if each in rated]
    return [({s: m[s] for s in m if s in h}, {s: h[s] for s in m if s in h}) for m, h in places]


def sign(number: float) -> int:
    """-1, 0 or 1."""
    return (number > 0) - (number < 0)

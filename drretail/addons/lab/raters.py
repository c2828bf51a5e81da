"""Agreement of raters beyond two lists of labels: how they order systems, and confusion tables with Bayesian bootstrap
intervals over clusters.

The last two axes of a table are the first rater's label and the second's, and hold counts; any axes may precede them.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import combinations
from math import sqrt
from typing import TYPE_CHECKING, Literal

from drretail.records.base import sha256_of
from drretail.stats.agreement import sign
from drretail.stats.intervals import FEWEST, Interval, quantile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Tables = NDArray[np.float64]
Level = Literal["nominal", "ordinal", "interval"]
Ratings = Mapping[str, Mapping[str, float]]
"""By query, or by query and criterion: a number for each system."""


def mean_absolute_deviation(judged: Ratings, rated: Ratings) -> float | None:
    """Mean |m − h| over all reports and criteria.

    With two reports per query this is MARD (arXiv 2509.25106, Appendix C); if h is the mean of experts, it is MAD
    (arXiv 2510.07861, section 2.3.4).
    """
    apart = [abs(ratings[system] - other[system]) for ratings, other in _places(judged, rated) for system in ratings]
    return sum(apart) / len(apart) if apart else None


def pairwise_comparison_accuracy(judged: Ratings, rated: Ratings) -> float | None:
    """PCA: the share of pairs of reports on one query that both raters order alike; a tie matches only a tie.

    (1/N) Σ 1[sgn(m_A − m_B) = sgn(h_A − h_B)] over queries and criteria (arXiv 2509.25106, Appendix C), and over every
    two systems if there are more.
    """
    same = [
        sign(ratings[a] - ratings[b]) == sign(other[a] - other[b])
        for ratings, other in _places(judged, rated)
        for a, b in combinations(sorted(ratings), 2)
    ]
    return sum(same) / len(same) if same else None


def ranking_agreement(judged: Ratings, rated: Ratings) -> float | None:
    """The share of queries on which both order all systems exactly alike, ties included (arXiv 2510.07861)."""
    same = [
        all(sign(ratings[a] - ratings[b]) == sign(other[a] - other[b]) for a, b in combinations(sorted(ratings), 2))
        for ratings, other in _places(judged, rated)
        if len(ratings) > 1
    ]
    return sum(same) / len(same) if same else None


def _places(judged: Ratings, rated: Ratings) -> list[tuple[dict[str, float], dict[str, float]]]:
    """For every query that both have, the numbers of the systems that both have."""
    places = [(judged[key], rated[key]) for key in judged if key in rated]
    return [({s: m[s] for s in m if s in h}, {s: h[s] for s in m if s in h}) for m, h in places]


RESAMPLES = 2_000
MOST_LABELS = 20
"""With more labels agreement has no interval, since each bootstrap draw holds a table of all pairs of labels."""
PRIOR = 2
"""Items that are added to a sample in the intervals of agreement, spread over all cells."""


def balanced_accuracy(tables: "Tables") -> "Tables":
    """The balanced accuracy of the second rater for the first label against all others: the mean of its two recalls."""
    import numpy as np

    hits, full = tables[..., 0, 0], tables[..., 0, :].sum(-1)
    rejected, other = tables[..., 1:, 1:].sum((-1, -2)), tables[..., 1:, :].sum((-1, -2))
    with np.errstate(divide="ignore", invalid="ignore"):
        return (hits / full + rejected / other) / 2


def kappa(tables: "Tables", *, power: int = 0) -> "Tables":
    """Cohen's κ as 1 − Σ w·observed / Σ w·expected, where w is 0 on the diagonal.

    Off it w is 1, for ordered labels the distance (``power`` 1: linear κ) or its square (2: quadratic κ).
    """
    import numpy as np

    places = np.arange(tables.shape[-1])
    apart = np.abs(places[:, None] - places[None, :]).astype(np.float64)
    weights = (apart > 0) * apart**power
    ones, others, total = tables.sum(-1), tables.sum(-2), tables.sum((-1, -2))
    expected = ((ones @ weights) * others).sum(-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return 1 - total * (tables * weights).sum((-1, -2)) / expected


def as_two(tables: "Tables") -> "Tables":
    """Tables of two labels: the first one, and all others together."""
    import numpy as np

    top = np.stack([tables[..., 0, 0], tables[..., 0, 1:].sum(-1)], -1)
    rest = np.stack([tables[..., 1:, 0].sum(-1), tables[..., 1:, 1:].sum((-1, -2))], -1)
    return np.stack([top, rest], -2)


def tables_of(
    clusters: Sequence[Hashable], first: Sequence[Hashable], second: Sequence[Hashable], labels: Sequence[Hashable]
) -> "Tables":
    """One table of counts per cluster: the first rater's labels by the second's."""
    import numpy as np

    rows = {cluster: at for at, cluster in enumerate(dict.fromkeys(clusters))}
    place = {label: at for at, label in enumerate(labels)}
    counts = np.zeros((len(rows), len(labels), len(labels)))
    for cluster, label, other in zip(clusters, first, second, strict=True):
        counts[rows[cluster], place[label], place[other]] += 1
    return counts


def agreement_interval(
    tables: "Tables", statistic: "Callable[[Tables], Tables]", seed: str, weight: float = 1.0
) -> Interval:
    """A measure of agreement of the sum of all clusters' tables, with its interval over clusters.

    ``weight`` is what one item adds to its table.

    The interval is that of the Bayesian bootstrap (Rubin 1981) with ``PRIOR``, which in a table of two labels is
    Jeffreys' ½ a cell. Where one label is rare, a sample may lack a kind of disagreement, and then all its draws lack
    it: plain bootstrap intervals of 40 items hold the truth in half of such samples. Of few clusters the ends are
    widened by Student's t (Hesterberg 2015, "What Teachers Should Know About the Bootstrap", 3.2). How often the
    intervals hold, ``benchmarks/kappas.py`` measures.
    """
    import numpy as np
    from scipy.special import ndtr

    value = float(statistic(tables.sum(0))) if len(tables) else float("nan")
    if not np.isfinite(value):
        return Interval(None)
    if len(tables) < FEWEST or tables.shape[-1] > MOST_LABELS:
        return Interval(round(value, 10), lacks="few" if len(tables) < FEWEST else None)
    total = tables.sum(0)
    is_used = (total.sum(-1) + total.sum(-2) > 0).astype(np.float64)
    pairs = is_used[..., :, None] * is_used[..., None, :]
    prior = PRIOR * pairs / pairs.sum((-1, -2), keepdims=True)
    lot = np.random.default_rng(int(sha256_of(f"agreement|{seed}")[:16], 16))
    added = lot.standard_gamma(np.broadcast_to(prior, (RESAMPLES, *prior.shape))) * weight
    flat = tables.reshape(len(tables), -1)
    # Draw by draw, since all weights of many clusters would not fit into memory.
    sums = np.stack([lot.standard_exponential(len(flat)) @ flat for _ in range(RESAMPLES)])
    drawn = statistic(sums.reshape(added.shape) + added)
    beyond = 100 * float(ndtr(-quantile(len(tables) - 1) * sqrt(len(tables) / (len(tables) - 1))))
    low, high = np.percentile(drawn[np.isfinite(drawn)], [beyond, 100 - beyond])
    return Interval(round(value, 10), round(min(value, float(low)), 10), round(max(value, float(high)), 10))


def krippendorff_alpha(
    items: Iterable[Sequence[float]], level: Level, clusters: Sequence[Hashable] | None = None
) -> Interval:
    """Krippendorff's α = 1 − D_o / D_e for any number of raters, who need not all have rated everything.

    ``items`` has the ratings of each item, in any order of raters, and ``clusters`` the cluster of each. Items with
    fewer than two ratings are left out. Labels are numbers; ordered labels are numbers in their order. The value is
    None if no item is left, or if all ratings are equal (Krippendorff 2011, "Computing Krippendorff's
    Alpha-Reliability").
    """
    import numpy as np

    rated = [(at, list(ratings)) for at, ratings in enumerate(items) if len(ratings) > 1]
    values = sorted({value for _, ratings in rated for value in ratings})
    # Without an interval there is one table, since one a cluster would be large.
    names = [None if len(values) > MOST_LABELS else at if clusters is None else clusters[at] for at, _ in rated]
    rows = {name: row for row, name in enumerate(dict.fromkeys(names))}
    tables = np.zeros((len(rows), len(values), len(values)))
    for name, (_, ratings) in zip(names, rated, strict=True):
        counts = np.array([ratings.count(value) for value in values], dtype=np.float64)
        tables[rows[name]] += (np.outer(counts, counts) - np.diag(counts)) / (len(ratings) - 1)
    scale = np.array(values)

    def alpha(drawn: "Tables") -> "Tables":
        drawn = (drawn + drawn.swapaxes(-1, -2)) / 2  # what is added to a draw need not be symmetric
        totals = drawn.sum(-1)
        # The squared distance of two labels: differing or not, ratings in between, or difference.
        steps = totals.cumsum(-1) - totals / 2 if level == "ordinal" else scale
        apart = (steps[..., :, None] - steps[..., None, :]) ** 2
        apart = (apart > 0).astype(np.float64) if level == "nominal" else apart
        expected = (totals[..., :, None] * totals[..., None, :] * apart).sum((-1, -2))
        with np.errstate(divide="ignore", invalid="ignore"):
            return 1 - (totals.sum(-1) - 1) * (drawn * apart).sum((-1, -2)) / expected

    return agreement_interval(tables, alpha, "agree", float(tables.sum()) / max(1, len(rated)))

"""Raters on labelled items: statistics of their confusion tables, with bootstrap intervals over clusters.

The last two axes of a table are the first rater's label and the second's, and hold counts; any axes may precede them.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from drretail.records.base import sha256_of
from drretail.stats.agreement import Level
from drretail.stats.clusters import FEWEST, draws
from drretail.stats.intervals import Interval, percentile_interval, share_interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Tables = NDArray[np.float64]
RESAMPLES = 2_000
FEW = 10
"""With fewer clusters a balanced accuracy has no interval."""
MOST_LABELS = 20
"""With more labels agreement has no interval, since each bootstrap draw holds a table of all pairs of labels."""
PRIOR = 2
"""Clusters that are added to those of a sample in the intervals of agreement, their items spread over all cells."""


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
    made = np.zeros((len(rows), len(labels), len(labels)))
    for cluster, one, other in zip(clusters, first, second, strict=True):
        made[rows[cluster], place[one], place[other]] += 1
    return made


def drawn_interval(tables: "Tables", statistic: "Callable[[Tables], Tables]", seed: str) -> Interval:
    """The statistic of the sum of all clusters' tables, with its bootstrap interval over clusters.

    The first axis of ``tables`` is the clusters. Draws for which the statistic is not defined are left out. There is no
    interval for fewer than ``FEWEST`` clusters, or if all draws are equal.
    """
    import numpy as np

    value = float(statistic(tables.sum(0))) if len(tables) else float("nan")
    if not np.isfinite(value):
        return Interval(None)
    if len(tables) < FEWEST:
        return Interval(round(value, 10), lacks="few")
    flat = tables.reshape(len(tables), -1)
    every = draws(tuple(range(len(flat))), seed, RESAMPLES)
    known = np.concatenate([statistic((often @ flat).reshape(-1, *tables.shape[1:])) for often in every])
    return percentile_interval(value, known[np.isfinite(known)], len(tables))


def agreement_interval(tables: "Tables", statistic: "Callable[[Tables], Tables]", seed: str) -> Interval:
    """A measure of agreement of the sum of all clusters' tables, with its interval over clusters.

    The interval is that of the Bayesian bootstrap (Rubin 1981) with ``PRIOR``, which in a table of two labels is
    Jeffreys' ½ a cell. Where one label is rare, a sample may lack a kind of disagreement, and then all its draws lack
    it: plain bootstrap intervals of 40 items hold the truth in half of such samples (``benchmarks/kappas.py``).
    """
    import numpy as np

    value = float(statistic(tables.sum(0))) if len(tables) else float("nan")
    if not np.isfinite(value):
        return Interval(None)
    if len(tables) < FEWEST or tables.shape[-1] > MOST_LABELS:
        return Interval(round(value, 10), lacks="few" if len(tables) < FEWEST else None)
    total = tables.sum(0)
    is_used = (total.sum(0) + total.sum(1) > 0).astype(np.float64)
    cells = PRIOR * np.outer(is_used, is_used) / is_used.sum() ** 2
    lot = np.random.default_rng(int(sha256_of(f"agreement|{seed}")[:16], 16))
    added = lot.standard_gamma(np.broadcast_to(cells, (RESAMPLES, *cells.shape))) * total.sum() / len(tables)
    flat = tables.reshape(len(tables), -1)
    # Draw by draw, since all weights of many clusters would not fit into memory.
    sums = np.stack([lot.standard_exponential(len(flat)) @ flat for _ in range(RESAMPLES)])
    drawn = statistic(sums.reshape(added.shape) + added)
    interval = percentile_interval(value, drawn[np.isfinite(drawn)], len(tables))
    if interval.low is None or interval.high is None:
        return interval
    return replace(interval, low=min(interval.low, round(value, 10)), high=max(interval.high, round(value, 10)))


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

    return agreement_interval(tables, alpha, "agree")


def accuracy_interval(tables: "Tables", seed: str) -> Interval:
    """The balanced accuracy of clusters' tables of two labels, with its interval from ``FEW`` clusters on.

    It is the mean of two proportions. If one of them is 0 or 1, all its draws are equal. Its exact binomial interval
    (Clopper and Pearson) over the clusters that have such items then takes the place of the drawn one, and the squared
    distances to the ends are added (Newcombe 1998, method 10; as if the two proportions were independent).
    """
    drawn = drawn_interval(tables, balanced_accuracy, seed)
    if drawn.value is None or len(tables) < FEW:
        return Interval(drawn.value)
    halves = [_share_right(tables, label, seed) for label in (0, 1)]
    if all(half.value not in (0, 1) for half in halves):
        return drawn
    return _squared(drawn.value, [(0.5, half) for half in halves])


def difference_interval(both: "Tables", seed: str) -> Interval:
    """How much higher the first of two raters' balanced accuracies is; ``both`` are tables by cluster and rater.

    The interval is drawn, unless one accuracy has no drawn interval: then the squared distances to the ends of both are
    added, as if they were independent.
    """

    def apart(tables: "Tables") -> "Tables":
        return balanced_accuracy(tables[..., 0, :, :]) - balanced_accuracy(tables[..., 1, :, :])

    drawn = drawn_interval(both, apart, seed)
    if drawn.value is None or len(both) < FEW:
        return Interval(drawn.value)
    sides = [both[:, 0], both[:, 1]]
    exact = [accuracy_interval(side, seed) for side in sides]
    if exact == [drawn_interval(side, balanced_accuracy, seed) for side in sides]:
        return drawn
    return _squared(drawn.value, [*zip((1.0, -1.0), exact, strict=True)])


def _squared(value: float, parts: Sequence[tuple[float, Interval]]) -> Interval:
    """The interval of a sum of weighted values, from the interval of each; an end that is unknown counts as 0 or 1."""
    down, up = 0.0, 0.0
    for weight, part in parts:
        middle = 0.0 if part.value is None else part.value
        below, above = middle - (part.low or 0.0), (1.0 if part.high is None else part.high) - middle
        down += (weight * (below if weight > 0 else above)) ** 2
        up += (weight * (above if weight > 0 else below)) ** 2
    return Interval(value, round(value - down**0.5, 10), round(value + up**0.5, 10))


def _share_right(tables: "Tables", label: int, seed: str) -> Interval:
    """The share of items with that label on which the second rater agrees, over the clusters that have such items."""
    counted = tables[tables[:, label].sum(-1) > 0]
    share = float(counted[:, label, label].sum() / counted[:, label].sum())
    if share in (0, 1):
        return share_interval([share] * len(counted))
    return drawn_interval(counted, lambda table: table[..., label, label] / table[..., label, :].sum(-1), seed)

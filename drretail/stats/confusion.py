"""Two raters on labelled items: statistics of their confusion tables, with bootstrap intervals over clusters.

The last two axes of a table are the first rater's label and the second's, and hold counts; any axes may precede them.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING

from drretail.stats.clusters import FEWEST, draws
from drretail.stats.intervals import Interval, percentile_interval, share_interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Tables = NDArray[np.float64]
RESAMPLES = 2_000
FEW = 10
"""With fewer clusters no interval is given."""


def balanced_accuracy(tables: "Tables") -> "Tables":
    """The balanced accuracy of the second rater for the first label against all others: the mean of its two recalls."""
    import numpy as np

    hits, full = tables[..., 0, 0], tables[..., 0, :].sum(-1)
    rejected, other = tables[..., 1:, 1:].sum((-1, -2)), tables[..., 1:, :].sum((-1, -2))
    with np.errstate(divide="ignore", invalid="ignore"):
        return (hits / full + rejected / other) / 2


def kappa(tables: "Tables", *, linear: bool = False) -> "Tables":
    """Cohen's κ as 1 − Σ w·observed / Σ w·expected: w = 1 off the diagonal, or with ``linear`` the distance from it."""
    import numpy as np

    places = np.arange(tables.shape[-1])
    apart = np.abs(places[:, None] - places[None, :]).astype(np.float64)
    weights = apart if linear else (apart > 0).astype(np.float64)
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
    clusters: Sequence[Hashable], first: Sequence[str], second: Sequence[str], labels: Sequence[str]
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


def known_interval(drawn: Interval, clusters: int) -> Interval:
    """The interval, or the value alone if there are fewer than ``FEW`` clusters."""
    return Interval(drawn.value) if clusters < FEW else drawn


def _share_right(tables: "Tables", label: int, seed: str) -> Interval:
    """The share of items with that label on which the second rater agrees, over the clusters that have such items."""
    counted = tables[tables[:, label].sum(-1) > 0]
    share = float(counted[:, label, label].sum() / counted[:, label].sum())
    if share in (0, 1):
        return share_interval([share] * len(counted))
    return drawn_interval(counted, lambda table: table[..., label, label] / table[..., label, :].sum(-1), seed)

"""Two raters on labelled items, drawn again by clusters: every statistic of a table of counts, with its interval.

Tables are counts by first rater's label and second's, over the last two axes; any axes may stand before them.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING

from drretail.stats.intervals import Interval, draws, tail

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Tables = NDArray[np.float64]
RESAMPLES = 2_000


def balanced_accuracy(tables: "Tables") -> "Tables":
    """Of the first label against all others: the mean of the shares of both that the second rater tells alike."""
    import numpy as np

    hits, full = tables[..., 0, 0], tables[..., 0, :].sum(-1)
    rejected, other = tables[..., 1:, 1:].sum((-1, -2)), tables[..., 1:, :].sum((-1, -2))
    with np.errstate(divide="ignore", invalid="ignore"):
        return (hits / full + rejected / other) / 2


def kappa(tables: "Tables", *, linear: bool = False) -> "Tables":
    """Cohen's κ as 1 − Σ w·observed / Σ w·expected: w = 1 off the diagonal, or how many labels it is off."""
    import numpy as np

    places = np.arange(tables.shape[-1])
    apart = np.abs(places[:, None] - places[None, :]).astype(np.float64)
    weights = apart if linear else (apart > 0).astype(np.float64)
    ones, others, total = tables.sum(-1), tables.sum(-2), tables.sum((-1, -2))
    expected = ((ones @ weights) * others).sum(-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return 1 - total * (tables * weights).sum((-1, -2)) / expected


def as_two(tables: "Tables") -> "Tables":
    """The first label against all others."""
    import numpy as np

    top = np.stack([tables[..., 0, 0], tables[..., 0, 1:].sum(-1)], -1)
    rest = np.stack([tables[..., 1:, 0].sum(-1), tables[..., 1:, 1:].sum((-1, -2))], -1)
    return np.stack([top, rest], -2)


def tables_of(
    clusters: Sequence[Hashable], first: Sequence[str], second: Sequence[str], labels: Sequence[str]
) -> "Tables":
    """A table for each cluster."""
    import numpy as np

    rows = {cluster: at for at, cluster in enumerate(dict.fromkeys(clusters))}
    place = {label: at for at, label in enumerate(labels)}
    made = np.zeros((len(rows), len(labels), len(labels)))
    for cluster, one, other in zip(clusters, first, second, strict=True):
        made[rows[cluster], place[one], place[other]] += 1
    return made


def drawn_interval(
    tables: "Tables", statistic: "Callable[[Tables], Tables]", seed: str, *, resamples: int = RESAMPLES
) -> Interval:
    """The statistic of all clusters' tables together, with its bootstrap interval over clusters.

    ``tables`` are of clusters on the first axis. Draws for which the statistic is not defined are left out.
    """
    import numpy as np

    value = float(statistic(tables.sum(0))) if len(tables) else float("nan")
    if not np.isfinite(value):
        return Interval(None)
    if len(tables) < 2:
        return Interval(value)
    flat = tables.reshape(len(tables), -1)
    made = [statistic((often @ flat).reshape(-1, *tables.shape[1:])) for often in draws(seed, len(flat), resamples)]
    known = np.concatenate(made)
    beyond = 100 * tail(len(tables))
    low, high = np.percentile(known[np.isfinite(known)], [beyond, 100 - beyond])
    return Interval(round(value, 10), round(float(low), 10), round(float(high), 10))

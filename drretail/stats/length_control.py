"""Wins as they would be between reports of one length (Dubois et al. 2024, "Length-Controlled AlpacaEval").

Judges like long answers. A logistic fit of the results on the difference in length tells how far; what it says where
there is no difference is the win rate without that liking.
"""

from collections.abc import Sequence
from statistics import pstdev
from typing import TYPE_CHECKING

from drretail.stats.clusters import Groups, draws
from drretail.stats.intervals import Interval, percentile_interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

FEWEST = 10
"""Below so many meetings nothing is fitted."""
ONE_SIDED = 0.9
"""Where so large a share of the reports of one system is the longer one, length and system can't be told apart."""
RESAMPLES = 1_000
_RIDGE = 0.01
_STEPS = 50
_CLOSE = 1e-10
# Newton's steps overshoot where nearly all results are alike.
_LONGEST_STEP = 2.0


def length_controlled(
    results: Sequence[float], differences: Sequence[float], groups: Groups | None = None, seed: str = "42"
) -> Interval:
    """The first system's win rate between reports of one length, with its interval; no value where that can't be told.

    ``results`` are 1 for its win, 0.5 for a tie, 0 for a loss; ``differences`` its words less the other's; ``groups``
    the clusters of the meetings, which are drawn again, each meeting its own without them.
    """
    import numpy as np

    count = len(results)
    longer = sum(difference > 0 for difference in differences)
    shorter = sum(difference < 0 for difference in differences)
    if count < FEWEST or max(longer, shorter) >= ONE_SIDED * (longer + shorter):
        return Interval(None)
    won = np.array(results, dtype=np.float64)
    lengths = np.tanh(np.array(differences, dtype=np.float64) / pstdev(differences))
    (value,) = _even_rates(won, lengths, np.ones((1, count)))
    clusters = tuple(range(count)) if groups is None else groups
    drawn = [_even_rates(won, lengths, often) for often in draws(clusters, seed, RESAMPLES)]
    return percentile_interval(float(value), np.concatenate(drawn), max(clusters) + 1)


def _even_rates(results: "Numbers", lengths: "Numbers", often: "Numbers") -> "Numbers":
    """The rate at equal length in every draw (draws by meetings): a logistic fit of lead and liking of length.

    By Newton's method on all draws at once; the small ridge keeps both finite where one side always wins.
    """
    import numpy as np

    share = np.clip(often @ results / often.sum(axis=1), 0.01, 0.99)
    lead, liking = np.log(share / (1 - share)), np.zeros(len(often))
    for _ in range(_STEPS):
        expected = 1 / (1 + np.exp(-(lead[:, None] + liking[:, None] * lengths)))
        slopes, weights = often * (results - expected), often * expected * (1 - expected)
        down = slopes.sum(axis=1) - _RIDGE * lead, slopes @ lengths - _RIDGE * liking
        a, b, c = weights.sum(axis=1) + _RIDGE, weights @ lengths, weights @ lengths**2 + _RIDGE
        determinant = a * c - b * b
        step = (c * down[0] - b * down[1]) / determinant, (a * down[1] - b * down[0]) / determinant
        lead = lead + np.clip(step[0], -_LONGEST_STEP, _LONGEST_STEP)
        liking = liking + np.clip(step[1], -_LONGEST_STEP, _LONGEST_STEP)
        if max(np.abs(step[0]).max(), np.abs(step[1]).max()) < _CLOSE:
            break
    return 1 / (1 + np.exp(-lead))

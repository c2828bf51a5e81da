"""Wins as they would be between reports of one length (Dubois et al. 2024, "Length-Controlled AlpacaEval").

Judges like long answers. A logistic fit of the results on the difference in length tells how far; what it says where
there is no difference is the win rate without that liking.
"""

from collections.abc import Sequence
from math import exp, log, tanh
from statistics import fmean, pstdev

FEWEST = 10
"""Below so many meetings nothing is fitted."""
ONE_SIDED = 0.9
"""Where so large a share of the reports of one system is the longer one, length and system can't be told apart."""
_RIDGE = 0.01
_STEPS = 50
_CLOSE = 1e-10


def length_controlled(results: Sequence[float], differences: Sequence[float]) -> float | None:
    """The first system's win rate between reports of one length; None where that can't be told.

    ``results`` are 1 for its win, 0.5 for a tie, 0 for a loss; ``differences`` its words less the other's.
    """
    longer = sum(difference > 0 for difference in differences)
    shorter = sum(difference < 0 for difference in differences)
    if len(results) < FEWEST or max(longer, shorter) >= ONE_SIDED * (longer + shorter):
        return None
    spread = pstdev(differences)
    lead, _ = _fit(results, [tanh(difference / spread) for difference in differences])
    return round(1 / (1 + exp(-lead)), 10)


def _fit(results: Sequence[float], lengths: Sequence[float]) -> tuple[float, float]:
    """Lead and liking of length, by Newton's method; the small ridge keeps them finite where one side always wins."""
    share = min(max(fmean(results), 0.01), 0.99)
    lead, liking = log(share / (1 - share)), 0.0
    for _ in range(_STEPS):
        expected = [1 / (1 + exp(-(lead + liking * x))) for x in lengths]
        slopes = [y - p for y, p in zip(results, expected, strict=True)]
        weights = [p * (1 - p) for p in expected]
        down = sum(slopes) - _RIDGE * lead, sum(g * x for g, x in zip(slopes, lengths, strict=True)) - _RIDGE * liking
        a = sum(weights) + _RIDGE
        b = sum(w * x for w, x in zip(weights, lengths, strict=True))
        c = sum(w * x * x for w, x in zip(weights, lengths, strict=True)) + _RIDGE
        determinant = a * c - b * b
        step = (c * down[0] - b * down[1]) / determinant, (a * down[1] - b * down[0]) / determinant
        lead, liking = lead + _bounded(step[0]), liking + _bounded(step[1])
        if max(map(abs, step)) < _CLOSE:
            break
    return lead, liking


def _bounded(step: float) -> float:
    """Newton's steps overshoot where nearly all results are alike."""
    return max(-2.0, min(2.0, step))

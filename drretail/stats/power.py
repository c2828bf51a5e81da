"""What an experiment of this size can show, and what size it would take: a paired t test, two-sided, 80 % power.

The t test stands in for all tests: where differences are about normal it is the sharpest, and a rank test needs some
5 % more queries. A spread estimated from few queries is itself uncertain, and so is what is made of it.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import ceil, fsum, sqrt

POWER = 0.8
LEVEL = 0.05
# Beyond it, a t distribution is the normal one for all that matters here.
_NORMAL_FROM = 2_000
_ONE_SIDED_FROM = 6


def spread(differences: Sequence[float]) -> float | None:
    """The sample standard deviation of differences by query; None below two."""
    n = len(differences)
    if n < 2:
        return None
    mean = fsum(differences) / n
    return sqrt(fsum((d - mean) ** 2 for d in differences) / (n - 1))


def power(difference: float, sd: float, n: int, level: float = LEVEL) -> float:
    """How probably n queries show a true mean difference, in the units of ``sd`` (> 0), by a test at ``level``."""
    from scipy.stats import nct, norm, t

    away = abs(difference) * sqrt(n) / sd
    if n > _NORMAL_FROM:
        bound = norm.ppf(1 - level / 2)
        return float(norm.sf(bound - away) + norm.cdf(-bound - away))
    bound = t.ppf(1 - level / 2, n - 1)
    # The wrong direction is rarer than Φ(−away); scipy gives nan for it where it is smaller than all that matters.
    wrong = float(nct.cdf(-bound, n - 1, away)) if away < _ONE_SIDED_FROM else 0.0
    return float(nct.sf(bound, n - 1, away)) + wrong


def detectable(sd: float | None, n: int, tests: int = 1) -> float | None:
    """The true mean difference that n queries show with 80 % power, as one of so many ``tests``.

    It is held against 5 % divided by their number, the strictest that Holm asks of any. A smaller one is shown less
    often, and not never. None below two queries, and where the differences never differ: nothing tells their spread.
    """
    if not sd or n < 2:
        return None
    return round(_detectable_in_deviations(n, LEVEL / tests) * sd, 10)


def power_of_half(n: int, tests: int = 1) -> float | None:
    """How probably n queries show half the ``detectable`` difference, as one of so many tests; None below two."""
    if n < 2:
        return None
    level = LEVEL / tests
    return round(power(_detectable_in_deviations(n, level) / 2, 1.0, n, level), 10)


@lru_cache
def _detectable_in_deviations(n: int, level: float) -> float:
    """By bisection: power grows with the difference."""
    low, high = 0.0, 1.0
    while power(high, 1.0, n, level) < POWER:
        high *= 2
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if power(middle, 1.0, n, level) < POWER else (low, middle)
    return high


def queries_needed(difference: float, sd: float | None, tests: int = 1) -> int | None:
    """The fewest queries that show a true difference of this size with 80 % power; None where no number does.

    As one of so many ``tests`` it is held against 5 % divided by their number, the strictest that Holm asks of any.
    """
    from scipy.stats import norm

    if sd is None or difference == 0:
        return None
    if sd == 0:
        return 2
    level = LEVEL / tests
    least = ceil(((norm.ppf(1 - level / 2) + norm.ppf(POWER)) * sd / abs(difference)) ** 2)
    n = max(2, least - 1)
    while power(difference, sd, n, level) < POWER:
        n += 1
    return n

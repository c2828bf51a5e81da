"""What an experiment of this size can show, and what size it would take: a t test over users, two-sided, 80 % power.

The t test stands in for the flips of signs: where users' means are about normal the two agree. It has the standard
error and the degrees of freedom that intervals of the same values have, so queries of one user count for what they
are worth. A spread estimated from few users is itself uncertain, and so is what is made of it.
"""

from functools import lru_cache
from math import ceil, isnan, sqrt

from drretail.stats.intervals import Estimate

POWER = 0.8
LEVEL = 0.05
# Beyond it, a t distribution is the normal one for all that matters here.
_NORMAL_FROM = 2_000
_ONE_SIDED_FROM = 6


def power(away: float, freedom: float, level: float = LEVEL) -> float:
    """How probably a test at ``level`` shows a true difference that is ``away`` standard errors from zero."""
    from scipy.special import nctdtr, ndtr, ndtri, stdtrit  # scipy.stats takes half a second to import

    away = abs(away)
    if freedom > _NORMAL_FROM:
        bound = ndtri(1 - level / 2)
        return float(ndtr(away - bound) + ndtr(-bound - away))
    bound = stdtrit(freedom, 1 - level / 2)
    # The wrong direction is rarer than Φ(−away); scipy gives nan where either is smaller than all that matters.
    wrong = float(nctdtr(freedom, away, -bound)) if away < _ONE_SIDED_FROM else 0.0
    missed = float(nctdtr(freedom, away, bound))
    return (1 if isnan(missed) else 1 - missed) + wrong


def detectable(seen: Estimate | None, tests: int = 1) -> float | None:
    """The true difference that queries and users like these show with 80 % power, as one of so many ``tests``.

    It is held against 5 % divided by their number, the strictest that Holm asks of any. A smaller one is shown less
    often, and not never. None where the differences never differ, or are of one user: nothing tells their spread.
    """
    if seen is None or not seen.error:
        return None
    return round(_detectable_in_errors(seen.freedom, LEVEL / tests) * seen.error, 10)


def power_of_half(freedom: float, tests: int = 1) -> float:
    """How probably half the ``detectable`` difference is shown, as one of so many tests."""
    level = LEVEL / tests
    return round(power(_detectable_in_errors(freedom, level) / 2, freedom, level), 10)


@lru_cache(maxsize=1024)
def _detectable_in_errors(freedom: float, level: float) -> float:
    """By bisection: power grows with the difference."""
    low, high = 0.0, 1.0
    while power(high, freedom, level) < POWER:
        high *= 2
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if power(middle, freedom, level) < POWER else (low, middle)
    return high


def users_needed(seen: Estimate | None, users: int, tests: int = 1) -> int | None:
    """The fewest users, each with as many queries as these, that show a difference as large as was seen of ``users``.

    With 80 % power, as one of so many ``tests``: against 5 % divided by their number. None where no number does.
    """
    from scipy.special import ndtri

    if seen is None or not seen.value:
        return None
    if not seen.error:
        return 2
    level, of_one = LEVEL / tests, seen.error * sqrt(users)
    least = ceil(((ndtri(1 - level / 2) + ndtri(POWER)) * of_one / abs(seen.value)) ** 2)
    count = max(2, least - 1)
    while power(seen.value / of_one * sqrt(count), count - 1, level) < POWER:
        count += 1
    return count

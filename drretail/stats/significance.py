"""Tests of whether two systems differ, from differences by query, and the correction for many tests.

p values are two-sided. Queries of one user are alike, so what is tested are the sums of users.
"""

from collections.abc import Sequence

from drretail.stats.clusters import Groups, cluster_sums

LEVEL = 0.05
"""A p value up to this is taken for a difference."""
# Ratings, and shares of one to six repeats, are whole numbers of it: patterns of signs that tie are to tie exactly.
_UNIT = 1 / 60
# Other sums are rounded to so many parts of their total: a part is far below what a user's mean is known to.
_GRID = 1 << 16


def sign_test(differences: Sequence[float]) -> float | None:
    """p of the exact binomial test that a difference is above zero as often as below; zeros are left out.

    None without a query, and 1 where no query differs.
    """
    from scipy.special import bdtr

    above, below = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    if not above + below:
        return 1.0 if differences else None
    return min(1.0, 2 * float(bdtr(min(above, below), above + below, 0.5)))


def flip_test(differences: Sequence[float], groups: Groups) -> float | None:
    """How often the mean difference would be as large if the sign of every user's sum were tossed (Fisher).

    If two systems do not differ, a user's differences may as well be the other way round, all of them together. The
    distribution over all patterns of signs is exact, up to a rounding of the sums. None without a query.
    """
    import numpy as np

    if not differences:
        return None
    sums = cluster_sums(differences, groups)
    total = sum(map(abs, sums))
    if not total:
        return 1.0
    is_whole = total <= _GRID * _UNIT and all(abs(value / _UNIT - round(value / _UNIT)) < 1e-6 for value in sums)
    unit = _UNIT if is_whole else total / _GRID
    steps = [round(value / unit) for value in sums]
    sizes = [abs(step) for step in steps if step]
    reached = sum(step for step in steps if step > 0)
    # chances[x]: that the users whose sign comes out positive sum to x
    chances = np.zeros(sum(sizes) + 1)
    chances[0] = 1.0
    for size in sizes:
        chances *= 0.5
        chances[size:] = chances[size:] + chances[:-size]
    return min(1.0, 2 * float(min(chances[reached:].sum(), chances[: reached + 1].sum())))


def fewest_users(tests: int = 1) -> int:
    """How many users must all differ alike before any of ``tests`` corrected tests can reach ``LEVEL``.

    With n of them the smallest p value is 2 / 2ⁿ, and Holm multiplies the smallest by ``tests``.
    """
    users = 1
    while 2 * tests / 2**users > LEVEL:
        users += 1
    return users


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's adjusted p values, in the order given: the smallest times m, the next times m − 1, …, never falling.

    One up to the level alpha may be believed with a risk of alpha that any of them errs. None is no test: it stays None
    and doesn't count.
    """
    made = [p for p in p_values if p is not None]
    order = sorted(
        (index for index, p in enumerate(p_values) if p is not None), key=lambda at: (p_values[at] or 0.0, at)
    )
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for place, index in enumerate(order):
        highest = max(highest, min(1.0, (len(made) - place) * (p_values[index] or 0.0)))
        adjusted[index] = highest
    return adjusted

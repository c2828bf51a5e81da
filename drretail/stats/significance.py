"""Tests of whether two systems differ, from differences by query; p values are two-sided.

Queries without any difference (zeros) say nothing of its direction: both tests leave them out and count them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal

LEVEL = 0.05
"""A p value up to this is taken for a difference."""
EXACT = 50
"""Up to so many queries that differ the distribution is exact, ties or not. scipy takes the normal one from 14 on where
there are ties or zeros, which for six equal differences among twenty queries gives half the true p value."""

WilcoxonMethod = Literal["exact", "normal", "none"]


@dataclass(frozen=True, slots=True)
class SignTest:
    """How often each side was above; ``p`` is None without a query, and 1 where no query differs."""

    above: int
    below: int
    zeros: int
    p: float | None


@dataclass(frozen=True, slots=True)
class SignedRank:
    """Wilcoxon's test; ``p`` is None without a query, and 1 where no query differs."""

    p: float | None
    method: WilcoxonMethod
    zeros: int
    ties: int
    """Queries whose difference is as large as that of another one: they share a rank."""


def sign_test(differences: Sequence[float]) -> SignTest:
    """The exact binomial test that a difference is above zero as often as below."""
    from scipy.stats import binomtest

    above, below = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    zeros = len(differences) - above - below
    if not above + below:
        return SignTest(above, below, zeros, 1.0 if differences else None)
    return SignTest(above, below, zeros, float(binomtest(above, above + below).pvalue))


def signed_rank(differences: Sequence[float]) -> SignedRank:
    """Wilcoxon's signed rank test.

    Equal sizes share the mean of their ranks. The distribution is exact up to 50 queries that differ; beyond, it is the
    normal one, its variance corrected for ties, without continuity correction.
    """
    moved = [d for d in differences if d]
    zeros = len(differences) - len(moved)
    if not moved:
        return SignedRank(1.0 if differences else None, "none", zeros, 0)
    sizes = [len(list(group)) for _, group in groupby(sorted(map(abs, moved)))]
    ties = sum(size for size in sizes if size > 1)
    if len(moved) <= EXACT:
        return SignedRank(_exact(moved, sizes), "exact", zeros, ties)
    return SignedRank(_normal(moved), "normal", zeros, ties)


def _exact(moved: Sequence[float], sizes: Sequence[int]) -> float:
    """From all sign patterns, counted by their sum of ranks. scipy walks through them one by one: half a second."""
    ranks = _doubled_ranks(sizes)
    ordered = sorted(moved, key=abs)
    observed = sum(rank for rank, d in zip(ranks, ordered, strict=True) if d > 0)
    patterns = [1] + [0] * sum(ranks)
    for rank in ranks:
        patterns = [count + (patterns[at - rank] if at >= rank else 0) for at, count in enumerate(patterns)]
    below, above = sum(patterns[: observed + 1]), sum(patterns[observed:])
    return min(1.0, 2 * min(below, above) / 2 ** len(ranks))


def _doubled_ranks(sizes: Sequence[int]) -> list[int]:
    """Twice the mean rank of every difference, the smallest first: whole numbers, ties or not."""
    ranks: list[int] = []
    for size in sizes:
        ranks += [2 * len(ranks) + size + 1] * size
    return ranks


def _normal(moved: Sequence[float]) -> float:
    from scipy.stats import wilcoxon

    found: Any = wilcoxon(moved, method="asymptotic")  # its type depends on the method
    return float(found.pvalue)


def fewest_queries(tests: int = 1, level: float = LEVEL) -> int:
    """How many queries must all differ alike before any of ``tests`` corrected tests can reach ``level``.

    With n of them the smallest p value of both tests is 2 / 2ⁿ, and Holm multiplies the smallest by ``tests``.
    """
    queries = 1
    while 2 * tests / 2**queries > level:
        queries += 1
    return queries


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

"""Agreement of raters: κ, percent; r, ρ, τ_b of numbers (paper Appendices D and E).

Every function of two raters takes their answers on the same items in the same order, and returns None if the statistic
is not defined: no item, only one label, or numbers that never change. Raises ValueError for sequences of unequal
length.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isnan, sqrt
from typing import Any, Literal

TIE = "tie"
Level = Literal["nominal", "ordinal", "interval"]


def percent(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """The share of items with equal labels, 0 to 1."""
    pairs = _both(first, second)
    return sum(a == b for a, b in pairs) / len(pairs) if pairs else None


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """Cohen's κ = (p_o − p_e) / (1 − p_e): agreement beyond what the raters' label frequencies give by chance."""
    pairs = _both(first, second)
    if not pairs:
        return None
    ones, others = Counter(first), Counter(second)
    n, equal = len(pairs), sum(a == b for a, b in pairs)
    # In whole numbers, so that full agreement is exactly 1 and full agreement by chance is detected.
    by_chance = sum(count * others[label] for label, count in ones.items())
    return None if by_chance == n * n else (n * equal - by_chance) / (n * n - by_chance)


def kappa_without_ties(first: Sequence[Hashable], second: Sequence[Hashable], tie: Hashable = TIE) -> float | None:
    """Cohen's κ over the items that neither rater called a tie (paper Appendix D)."""
    decided = [(a, b) for a, b in _both(first, second) if tie not in (a, b)]
    return cohen_kappa([a for a, _ in decided], [b for _, b in decided])


def soft_disagreement(first: Sequence[Hashable], second: Sequence[Hashable], tie: Hashable = TIE) -> float | None:
    """The share of disagreements in which one rater said tie; None without a disagreement (paper Appendix D)."""
    apart = [(a, b) for a, b in _both(first, second) if a != b]
    return sum(tie in pair for pair in apart) / len(apart) if apart else None


def correlation(
    first: Sequence[float], second: Sequence[float], coefficient: Literal["pearson", "spearman", "kendall"]
) -> float | None:
    """Pearson's r; Spearman's ρ, which is r of the ranks (paper Appendix E); or Kendall's τ_b.

    τ_b counts pairs of items in the same order minus pairs in the other. Equal numbers share the mean of their ranks,
    and τ_b is corrected for them.
    """
    pairs = _both(first, second)
    if len(pairs) < 2 or len(set(first)) < 2 or len(set(second)) < 2:
        return None
    from scipy.stats import kendalltau, pearsonr, spearmanr

    of_scipy: Mapping[str, Callable[..., Any]] = {"pearson": pearsonr, "spearman": spearmanr, "kendall": kendalltau}
    result: Any = of_scipy[coefficient](first, second)  # scipy declares no types for these results
    value = float(result.statistic)
    return None if isnan(value) else value


def _both(first: Sequence[Hashable], second: Sequence[Hashable]) -> list[tuple[Hashable, Hashable]]:
    return list(zip(first, second, strict=True))


Ratings = Mapping[str, Mapping[str, float]]
"""By query, or by query and criterion: a number for each system."""


def mean_absolute_deviation(judged: Ratings, rated: Ratings) -> float | None:
    """Mean |m − h| over all reports and criteria.

    With two reports per query this is MARD (arXiv 2509.25106, Appendix C); if h is the mean of experts, it is MAD
    (arXiv 2510.07861, section 2.3.4).
    """
    apart = [abs(one[system] - other[system]) for one, other in _places(judged, rated) for system in one]
    return sum(apart) / len(apart) if apart else None


def pairwise_comparison_accuracy(judged: Ratings, rated: Ratings) -> float | None:
    """PCA: the share of pairs of reports on one query that both raters order alike; a tie matches only a tie.

    (1/N) Σ 1[sgn(m_A − m_B) = sgn(h_A − h_B)] over queries and criteria (arXiv 2509.25106, Appendix C), and over every
    two systems if there are more.
    """
    same = [
        sign(one[a] - one[b]) == sign(other[a] - other[b])
        for one, other in _places(judged, rated)
        for a, b in combinations(sorted(one), 2)
    ]
    return sum(same) / len(same) if same else None


def ranking_agreement(judged: Ratings, rated: Ratings) -> float | None:
    """The share of queries on which both order all systems exactly alike, ties included (arXiv 2510.07861)."""
    same = [
        all(sign(one[a] - one[b]) == sign(other[a] - other[b]) for a, b in combinations(sorted(one), 2))
        for one, other in _places(judged, rated)
        if len(one) > 1
    ]
    return sum(same) / len(same) if same else None


def _places(judged: Ratings, rated: Ratings) -> list[tuple[dict[str, float], dict[str, float]]]:
    """For every query that both have, the numbers of the systems that both have."""
    places = [(judged[each], rated[each]) for each in judged if each in rated]
    return [({s: m[s] for s in m if s in h}, {s: h[s] for s in m if s in h}) for m, h in places]


def sign(number: float) -> int:
    """-1, 0 or 1."""
    return (number > 0) - (number < 0)


Cell = tuple[str, str]
"""A system and a query."""
Values = Mapping[Cell, float]
_Rows = dict[str, dict[str, float]]
"""By system, the centred rank of each of its queries."""
FEWEST_REPORTS = 3
"""A system with fewer reports says nothing about an order."""


@dataclass(frozen=True, slots=True)
class Within:
    """ρ over ``n`` pairs, which are worth ``n_effective`` independent ones."""

    rho: float
    n: int
    n_queries: int
    n_effective: float
    p: float


def spearman_within(first: Values, second: Values) -> Within | None:
    """ρ of two values of the same reports, within systems; None if no system has three reports whose values differ.

    Each system's reports are ranked among themselves and the ranks are centred, so that a difference between systems is
    not taken for a correlation; ρ is the correlation of these ranks over all systems. A query that is easy for one
    system may be easy for all, so pairs of one query are not independent. p therefore comes from the distribution of ρ
    when the queries of one side are shuffled, in all systems alike.

    With a single system, ρ and p are those of the usual Spearman test with its t approximation.
    """
    from scipy.special import stdtr

    cells = sorted(first.keys() & second.keys())
    left, right = _centred(cells, first), _centred(cells, second)
    systems = sorted(left.keys() & right.keys())
    if not systems:
        return None
    n = sum(len(left[system]) for system in systems)
    queries = {query for system in systems for query in left[system]}
    size = sum(_dot(left[each], left[each]) for each in systems) * sum(
        _dot(right[each], right[each]) for each in systems
    )
    rho = max(-1.0, min(1.0, sum(_dot(left[each], right[each]) for each in systems) / sqrt(size)))
    shuffled = sum(_dot(left[a], left[b]) * _dot(right[a], right[b]) for a in systems for b in systems)
    free = n - len(systems)
    worth = 1 + (free if shuffled <= 0 else min(free, size / shuffled * (len(queries) - 1)))
    p = 1.0 if worth <= 2 else 0.0
    if worth > 2 and abs(rho) < 1 - 1e-12:
        p = float(2 * stdtr(worth - 2, -abs(rho) * sqrt((worth - 2) / (1 - rho * rho))))
    return Within(rho, n, len(queries), worth, p)


def ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1; equal values share the mean of their ranks."""
    import numpy as np

    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[place].tolist()


def _centred(cells: Sequence[Cell], values: Values) -> _Rows:
    """For every system whose values differ: its reports' ranks around 0, divided by the number of reports plus one."""
    queries: dict[str, list[str]] = {}
    for system, query in cells:
        queries.setdefault(system, []).append(query)
    rows: _Rows = {}
    for system, asked in queries.items():
        ranked = [values[system, query] for query in asked]
        if len(ranked) >= FEWEST_REPORTS and len(set(ranked)) > 1:
            middle = (len(ranked) + 1) / 2
            rows[system] = {
                query: (rank - middle) / (len(ranked) + 1) for query, rank in zip(asked, ranks(ranked), strict=True)
            }
    return rows


def _dot(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    return sum(value * second[query] for query, value in first.items() if query in second)

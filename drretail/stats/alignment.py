"""How far a judge is from people on the same reports: by ratings, by which of two is better, by whole orders.

``judged`` and ``rated`` hold, for every query (or query and criterion), what each system's report got from the judge
and from people; what only one of them has is left out. Every function gives None where nothing is left.
"""

from collections.abc import Mapping
from itertools import combinations

Ratings = Mapping[str, Mapping[str, float]]
"""By query, or query and criterion: a number for each system."""


def mean_absolute_deviation(judged: Ratings, rated: Ratings) -> float | None:
    """Mean |m − h| over all reports and criteria.

    With two reports a query this is MARD (arXiv 2509.25106, Appendix C), and with h the mean of experts MAD
    (arXiv 2510.07861, section 2.3.4).
    """
    apart = [abs(one[system] - other[system]) for one, other in _places(judged, rated) for system in one]
    return sum(apart) / len(apart) if apart else None


def pairwise_comparison_accuracy(judged: Ratings, rated: Ratings) -> float | None:
    """PCA: the share of pairs of reports on one query that both put in the same order; a tie matches only a tie.

    (1/N) Σ 1[sgn(m_A − m_B) = sgn(h_A − h_B)] over queries and criteria (arXiv 2509.25106, Appendix C); of more than
    two systems, over every two of them.
    """
    same = [
        sign(one[a] - one[b]) == sign(other[a] - other[b])
        for one, other in _places(judged, rated)
        for a, b in combinations(sorted(one), 2)
    ]
    return sum(same) / len(same) if same else None


def ranking_agreement(judged: Ratings, rated: Ratings) -> float | None:
    """The share of queries on which both put all systems in the very same order, ties included (arXiv 2510.07861)."""
    same = [
        all(sign(one[a] - one[b]) == sign(other[a] - other[b]) for a, b in combinations(sorted(one), 2))
        for one, other in _places(judged, rated)
        if len(one) > 1
    ]
    return sum(same) / len(same) if same else None


def _places(judged: Ratings, rated: Ratings) -> list[tuple[dict[str, float], dict[str, float]]]:
    """Of every query that both know, the systems that both know."""
    places = [(judged[each], rated[each]) for each in judged if each in rated]
    return [({s: m[s] for s in m if s in h}, {s: h[s] for s in m if s in h}) for m, h in places]


def sign(number: float) -> int:
    """-1, 0 or 1."""
    return (number > 0) - (number < 0)

"""Spearman's ρ inside systems, so that a difference between systems is not taken for a correlation.

Each system's reports are ranked among themselves and centred; ρ is the correlation of these ranks over all systems. A
query that is easy for one system may be easy for all, so pairs of one query are not independent: p comes from what ρ
would be if the queries of one side were shuffled, all systems alike.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

Cell = tuple[str, str]
"""A system and a query."""
Values = Mapping[Cell, float]
_Rows = dict[str, dict[str, float]]
"""Centred ranks by query, by system."""
FEWEST = 3
"""Reports by which a system can say anything of an order."""


@dataclass(frozen=True, slots=True)
class Within:
    """ρ over ``n`` pairs; ``n_effective`` is how many independent ones they are worth."""

    rho: float
    n: int
    n_queries: int
    n_effective: float
    p: float


def spearman_within(first: Values, second: Values) -> Within | None:
    """ρ of two values of the same reports inside systems; None where no system has three whose values differ.

    With a single system ρ and p are those of the usual Spearman test with its t approximation.
    """
    cells = sorted(first.keys() & second.keys())
    one, other = _centred(cells, first), _centred(cells, second)
    systems = sorted(one.keys() & other.keys())
    if not systems:
        return None
    n = sum(len(one[system]) for system in systems)
    queries = {query for system in systems for query in one[system]}
    size = _norm(one, systems) * _norm(other, systems)
    rho = max(-1.0, min(1.0, sum(_dot(one[each], other[each]) for each in systems) / sqrt(size)))
    shuffled = sum(_dot(one[a], one[b]) * _dot(other[a], other[b]) for a in systems for b in systems)
    free = n - len(systems)
    worth = 1 + (free if shuffled <= 0 else min(free, size / shuffled * (len(queries) - 1)))
    return Within(rho, n, len(queries), worth, _p_value(rho, worth))


def ranks(values: Sequence[float]) -> list[float]:
    """Places from 1; equal values share the mean of theirs."""
    order = sorted(range(len(values)), key=values.__getitem__)
    places = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for index in order[start:end]:
            places[index] = (start + 1 + end) / 2
        start = end
    return places


def _centred(cells: Sequence[Cell], values: Values) -> _Rows:
    """The ranks of every system whose values differ, as shares of its number of reports, around 0."""
    queries: dict[str, list[str]] = {}
    for system, query in cells:
        queries.setdefault(system, []).append(query)
    rows: _Rows = {}
    for system, asked in queries.items():
        ranked = [values[system, query] for query in asked]
        if len(ranked) >= FEWEST and len(set(ranked)) > 1:
            middle = (len(ranked) + 1) / 2
            rows[system] = {
                query: (rank - middle) / (len(ranked) + 1) for query, rank in zip(asked, ranks(ranked), strict=True)
            }
    return rows


def _dot(first: Mapping[str, float], second: Mapping[str, float]) -> float:
    return sum(value * second[query] for query, value in first.items() if query in second)


def _norm(rows: _Rows, systems: Sequence[str]) -> float:
    return sum(_dot(rows[system], rows[system]) for system in systems)


def _p_value(rho: float, worth: float) -> float:
    from scipy.special import stdtr

    free = worth - 2
    if free <= 0:
        return 1.0
    if abs(rho) >= 1 - 1e-12:
        return 0.0
    return float(2 * stdtr(free, -abs(rho) * sqrt(free / (1 - rho * rho))))

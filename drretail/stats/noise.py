"""How much of a value is noise: between queries, between repeats of the agent, between repeats of the judge.

A value y of query q, agent repeat r and judge repeat j is modelled as mean + query + agent + judge, each drawn
independently. The variances come from the nested analysis of variance by the method of moments, for unequal numbers of
repeats (Searle): each mean square is set equal to its expected value, and the three equations are solved. A negative
solution is reported as 0, and the other parts keep their solutions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, fsum, sqrt
from statistics import fmean

Nested = Sequence[Sequence[Sequence[float]]]
"""Values by query, agent repeat and judge repeat."""


@dataclass(frozen=True, slots=True)
class Noise:
    """Standard deviations in the units of the metric; None for a part that can't be separated."""

    queries: float | None
    """Between queries; includes the agent's noise if the agent was not repeated."""
    agent: float | None
    """Between repeats of the agent; includes the judge's noise if the judge was not repeated."""
    judge: float | None
    """Between repeats of the judge on one report."""


def noise(values: Nested) -> Noise:
    """Splits the spread of these values into its three parts; empty queries and repeats are left out."""
    nested = [[list(run) for run in query if run] for query in values]
    nested = [query for query in nested if query]
    judge = run_variance([run for query in nested for run in query])
    agent = _agent_variance(nested, judge or 0.0)
    queries = _query_variance(nested, agent or 0.0, judge or 0.0)
    return Noise(_deviation(queries), _deviation(agent), _deviation(judge))


def agent_test(values: Nested) -> float | None:
    """p of the F test that runs of a query differ only as much as the judge's repeats on one report do.

    None if runs or judgements were not repeated. The test assumes normal noise, so p is rough.
    """
    from scipy.stats import f

    nested = [[list(run) for run in query if run] for query in values]
    runs = sum(len(query) - 1 for query in nested if query)
    repeats = sum(len(run) - 1 for query in nested for run in query)
    judge = run_variance([run for query in nested for run in query])
    if not runs or judge is None:
        return None
    between = _between_runs([query for query in nested if query], runs)
    if not judge:
        return 0.0 if between else 1.0
    return float(f.sf(between / judge, runs, repeats))


def run_variance(values: Sequence[Sequence[float]]) -> float | None:
    """The pooled variance between a query's repeats, or a run's judgements; None if none has two."""
    degrees = sum(len(query) - 1 for query in values if query)
    means = [(query, fmean(query)) for query in values if query]
    return fsum(fsum((value - mean) ** 2 for value in query) for query, mean in means) / degrees if degrees else None


def _agent_variance(nested: Nested, judge: float) -> float | None:
    """(mean square between runs of a query − judge) / mean number of judge repeats in a run."""
    degrees = sum(len(query) - 1 for query in nested)
    if not degrees:
        return None
    repeats = fsum(len(_flat(query)) - _own(query) for query in nested) / degrees
    return (_between_runs(nested, degrees) - judge) / repeats


def _between_runs(nested: Nested, degrees: int) -> float:
    """The mean square between runs of a query."""
    return fsum(len(run) * (fmean(run) - fmean(_flat(query))) ** 2 for query in nested for run in query) / degrees


def _query_variance(nested: Nested, agent: float, judge: float) -> float | None:
    """(mean square between queries − judge − its share of agent) / mean number of values in a query."""
    degrees = len(nested) - 1
    if degrees < 1:
        return None
    values = [_flat(query) for query in nested]
    total = sum(map(len, values))
    middle = fmean(value for query in values for value in query)
    between = fsum(len(query) * (fmean(query) - middle) ** 2 for query in values) / degrees
    runs = fsum(len(run) ** 2 for query in nested for run in query) / total
    of_agent = (fsum(_own(query) for query in nested) - runs) / degrees
    of_queries = (total - fsum(len(query) ** 2 for query in values) / total) / degrees
    return (between - judge - of_agent * agent) / of_queries


def pass_power(passed: Sequence[Sequence[bool]], k: int) -> float | None:
    """pass^k: the probability that k of a query's repeats, drawn at random, all pass: the mean of C(c, k) / C(n, k).

    c of a query's n repeats pass. Queries with fewer than k repeats are left out; None if none is left.
    """
    shares = [comb(sum(query), k) / comb(len(query), k) for query in passed if len(query) >= k]
    return fmean(shares) if shares else None


def worst_of(values: Sequence[Sequence[float]], k: int) -> float | None:
    """The mean over queries of the expected lowest value of k repeats, drawn from those made.

    Queries with fewer than k repeats are left out; None if none is left.
    """
    lowest: list[float] = []
    for query in values:
        if (n := len(query)) >= k:
            # A value is the lowest in every choice of it and k − 1 of the values above it.
            choices = (value * comb(n - place - 1, k - 1) for place, value in enumerate(sorted(query)))
            lowest.append(fsum(choices) / comb(n, k))
    return fmean(lowest) if lowest else None


def _flat(query: Sequence[Sequence[float]]) -> list[float]:
    return [value for run in query for value in run]


def _own(query: Sequence[Sequence[float]]) -> float:
    return sum(len(run) ** 2 for run in query) / len(_flat(query))


def _deviation(variance: float | None) -> float | None:
    return None if variance is None else round(sqrt(max(0.0, variance)), 10)

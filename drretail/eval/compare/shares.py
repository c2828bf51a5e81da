"""What part of the spread of differences is noise of repeats: what more repeats could take off an interval.

The mean difference over n queries, k runs of each by both systems and j judgements of each run has the variance
(queries + (agent + judge / j) / k) / n. The sum in parentheses is what differences vary by; its second term is
estimated from repeats of the same query, and so known apart.
"""

from collections.abc import Callable, Sequence
from math import fsum

from drretail.eval.compare.sides import Side
from drretail.eval.stats.reliability import run_variance


def repeat_share(a: Side, b: Side, queries: Sequence[str], sd: float | None) -> float | None:
    """The share of the variance (``sd``²) of these queries' differences that repeats of the runs make, 0 to 1.

    None where not both systems have repeats.
    """
    return _share(sd, [_of_runs(side, queries) for side in (a, b)])


def judge_share(a: Side, b: Side, queries: Sequence[str], sd: float | None) -> float | None:
    """The share that repeats of the judge make, which is part of the other; None where neither report was repeated."""
    return _share(sd, [_of_judgements(side, queries) for side in (a, b)])


def narrower(share: float) -> float:
    """What doubling those repeats takes off the width of an interval, 0 to 1; doubling the queries takes 0.29."""
    return 1 - (1 - share / 2) ** 0.5


def _share(sd: float | None, parts: Sequence[float | None]) -> float | None:
    known = [part for part in parts if part is not None]
    if not sd or len(known) < len(parts):
        return None
    return min(1.0, fsum(known) / sd**2)


def _of_runs(side: Side, queries: Sequence[str]) -> float | None:
    """What a query's mean varies by: the variance between its runs over their number, on average."""
    return _average(
        run_variance([side.values[query] for query in queries]), queries, lambda query: 1 / len(side.values[query])
    )


def _of_judgements(side: Side, queries: Sequence[str]) -> float | None:
    """Likewise of the judgements of a query's runs."""
    runs = {query: [run for run in side.nested[query] if run] for query in queries}
    variance = run_variance([run for query in queries for run in runs[query]])
    return _average(variance, queries, lambda query: fsum(1 / len(run) for run in runs[query]) / len(runs[query]) ** 2)


def _average(variance: float | None, queries: Sequence[str], part: Callable[[str], float]) -> float | None:
    return None if variance is None or not queries else variance * fsum(map(part, queries)) / len(queries)

"""How many queries, users and runs show a difference: from the spread of an experiment, or from a stated one."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, inf

from drretail.errors import UserError
from drretail.eval.numbers.contrast import differences_of
from drretail.eval.numbers.wording import row_name
from drretail.records.comparison import ComparedRow
from drretail.stats.intervals import Clusters, estimate
from drretail.stats.significance import power, queries_needed, spread_when_apart

REPEATS = (1, 2, 4)


@dataclass(frozen=True, slots=True)
class SampleSize:
    """The queries that show a true difference in 8 of 10 experiments."""

    of: str
    """The score and the two systems; of a stated spread, that spread."""
    difference: float
    repeats: int | None
    """Runs of a query by each system; None for as many as there are, of which none tells what another is worth."""
    queries: int
    low: int
    """The number needed lies from here to ``high`` in 8 of 10 experiments."""
    high: int
    users: int
    """With as many queries each as in the experiment."""
    power: float | None
    """How often the experiment's own queries show it with so many runs; None of a stated spread."""


def stated_size(difference: float, spread: float) -> SampleSize:
    """Of queries whose differences have this standard deviation, each of a user of its own, and one test."""
    needed = queries_needed(difference, [spread, -spread] * 500, tuple(range(1000)))
    assert needed is not None, "they vary"
    of, known = f"differences that vary by {spread:.12g}", needed.queries
    return SampleSize(of, difference, 1, queries=known, low=known, high=known, users=known, power=None)


def sample_sizes(difference: float, row: ComparedRow, clusters: Clusters) -> Iterator[SampleSize]:
    """By number of runs, at the correction of the row's tests. Raises UserError where nothing tells them."""
    values, groups, tests = differences_of(row.by_query), clusters.groups(row.by_query), max(1, row.tests)
    of, seen = f"{row_name(row)} of {row.a} and {row.b}", estimate(values, groups)
    means, whole = (row.mean_a or 0.0, row.mean_b or 0.0), inf if row.apart is None else 10 * row.apart
    if row.why or seen is None or not round(seen.error, 10):
        raise UserError(f"Nothing tells how many queries {of} takes: {row.why or 'no query differs from another'}.")
    if difference > max(*means, whole - min(means)):
        raise UserError(f"{of}: a difference of {difference:.12g} is not possible on a scale to {whole:.12g}.")
    scale = 1.0 if row.apart is None else spread_when_apart(difference, means, whole)
    of_one, of_present = (variance / len(values) / seen.error**2 for variance in row.run_variances or (0.0, 0.0))
    most = max(1.0, of_present)  # runs make no more than all of what is seen
    for repeats in REPEATS if row.run_variances else (None,):
        wider = scale * (1 - of_present / most + of_one / most / (repeats or 1))
        needed = queries_needed(difference, values, groups, tests, wider)
        assert needed is not None, "they vary, and are of enough users"
        users = ceil(needed.queries * (max(groups) + 1) / len(groups))
        shown = power(difference, values, groups, tests, wider)
        yield SampleSize(of, difference, repeats, needed.queries, needed.low, needed.high, users, shown)

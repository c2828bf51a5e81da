"""Rows of a comparison: the paired difference of every variant, tested, and corrected inside each family."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from drretail.eval.metric import Metric, description_of
from drretail.eval.scores.gathering import FAILED_RUNS, NOT_JUDGED, Gathered, Heard, Plan, Reported, Seat, planned_value
from drretail.records.comparison import ComparedRow, Outcome
from drretail.stats.intervals import Interval
from drretail.stats.noise import run_variance
from drretail.stats.paired import Pairs, mean_differences, pair
from drretail.stats.power import detectable, power_of_half, queries_needed, spread
from drretail.stats.significance import LEVEL, fewest_queries, holm, sign_test, signed_rank

_WHY = ("not judged", "run failed or missing", "judge failed", "sources unreadable", "na")
"""Why a run has no value; of a query's runs the first of these counts."""
_NOT_ASKED = "not asked"
_BY_STATE = {"failed": "judge failed", "unverifiable": "sources unreadable", "na": "na"}


@dataclass(frozen=True, slots=True)
class Side:
    """By query id, all queries that were planned."""

    values: Mapping[str, Sequence[float]]
    """Of each repeat of the agent with a value: the mean over repeats of the judge."""
    nested: Mapping[str, Sequence[Sequence[float]]]
    """The same values, each repeat of the judge apart."""
    outcomes: Mapping[str, Sequence[float | None]]
    """Of each repeat of the agent that ended in a value, or (None) in no report."""
    why: Mapping[str, str]
    """Of the queries without any value."""


Runs = Sequence[tuple[Plan, Heard]]


def runs_of(gathered: Gathered, metric: str, seat: Seat) -> dict[str, list[tuple[Plan, Heard]]]:
    """Every planned run by label, with what this judge said of it."""
    runs: dict[str, list[tuple[Plan, Heard]]] = defaultdict(list)
    for plan, heard in gathered.heard(metric, seat):
        runs[plan.label].append((plan, heard))
    return runs


def side_of(runs: Runs, variant: str) -> Side:
    """One system's values in one variant."""
    queries: dict[str, list[Reported]] = defaultdict(list)
    for _, heard in runs:
        queries[heard.reported.query_id].append(heard.reported)
    values = {query: list(_values(reports, variant)) for query, reports in queries.items()}
    return Side(
        values=values,
        nested={query: list(_nested(reports, variant)) for query, reports in queries.items()},
        outcomes={query: list(_outcomes(reports, variant)) for query, reports in queries.items()},
        why={query: _why(reports, variant) for query, reports in queries.items() if not values[query]},
    )


def planned_side(runs: Runs, variant: str, queries: Collection[str]) -> Side:
    """One system's values in a headline on the queries that it is defined for: what a run lacks itself counts 0."""
    values: dict[str, list[float]] = {query: [] for query in queries}
    for _, heard in runs:
        value = planned_value(heard.reported, variant)
        if heard.reported.query_id in values and value is not None:
            values[heard.reported.query_id].append(value)
    nested = {query: [[value] for value in its] for query, its in values.items()}
    return Side(values, nested, values, {query: _WHY[0] for query, its in values.items() if not its})


def _value(reported: Reported, variant: str) -> float | None:
    found = reported.values.get(variant)
    return None if found is None else found.value


def _values(reports: Iterable[Reported], variant: str) -> Iterator[float]:
    for reported in reports:
        value = _value(reported, variant)
        if value is not None:
            yield value


def _nested(reports: Iterable[Reported], variant: str) -> Iterator[list[float]]:
    """Without repeats of the judge, as of a panel, the one value stands alone."""
    for reported in reports:
        repeats = list(reported.by_repeat.values()) or [reported.values]
        found = [values[variant].value for values in repeats if variant in values]
        yield [value for value in found if value is not None]


def _outcomes(reports: Iterable[Reported], variant: str) -> Iterator[float | None]:
    for reported in reports:
        value = _value(reported, variant)
        if value is not None or reported.lacks == FAILED_RUNS:
            yield value


def _why(reports: Iterable[Reported], variant: str) -> str:
    reasons = {_reason(reported, variant) for reported in reports}
    return next(why for why in _WHY if why in reasons)


def _reason(reported: Reported, variant: str) -> str:
    if reported.lacks is not None:
        return {FAILED_RUNS: "run failed or missing", NOT_JUDGED: "not judged"}[reported.lacks]
    found = reported.values.get(variant)
    return _BY_STATE["failed" if found is None else found.state]


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


Sides = tuple[Side, Side]
"""Of A and of B."""


@dataclass(frozen=True, slots=True)
class Corrected:
    """A p value as one of so many tests."""

    p: float | None
    tests: int


def compared_rows(
    metric: str,
    variants: Mapping[str, Sides],
    seed: str,
    primary: Mapping[str, Corrected] | None = None,
    *,
    concludes: bool = True,
) -> list[ComparedRow]:
    """One family by one judge: a row for each variant, and what can be said of each.

    ``primary`` holds, by variant, what was corrected over all pairs of systems; the other rows are corrected for each
    other. Of a judge that never ``concludes`` numbers are shown, and nothing is said of them.
    """
    pairs = {variant: pair(a.values, b.values) for variant, (a, b) in variants.items()}
    intervals = mean_differences(list(pairs.values()), seed)
    return _concluded(
        [
            _row(metric, variant, its, variants[variant], found)
            for (variant, its), found in zip(pairs.items(), intervals, strict=True)
        ],
        primary or {},
        concludes=concludes,
    )


def against(
    metric: Metric, runs: Sequence[Runs], row: ComparedRow, seed: str, side: Callable[[Runs, str], Side] = side_of
) -> tuple[str, ...]:
    """Of a row that concludes: what is held beside its variant, and is lower for the side that is higher here.

    Lower is what lies below zero with its whole interval.
    """
    if row.outcome not in ("higher", "lower"):
        return ()
    higher, other = runs if row.outcome == "higher" else reversed(runs)
    beside = description_of(metric).held_beside.get(row.variant, ())
    pairs = [pair(side(higher, it).values, side(other, it).values) for it in beside]
    found = zip(beside, mean_differences(pairs, seed), strict=True)
    return tuple(variant for variant, its in found if its.high is not None and its.high < 0)


def difference_p(sides: Sides) -> float | None:
    """Of the signed rank test of A's minus B's values by query; None where there is nothing to test."""
    a, b = sides
    return signed_rank(pair(a.values, b.values).differences).p


def _row(metric: str, variant: str, pairs: Pairs, sides: Sides, found: Interval) -> ComparedRow:
    """Not yet corrected for the others of its family."""
    a, b = sides
    mean_a, mean_b = pairs.means or (None, None)
    signs, ranks = sign_test(pairs.differences), signed_rank(pairs.differences)
    sd = spread(pairs.differences)
    of_runs, of_judge = repeat_share(a, b, pairs.queries, sd), judge_share(a, b, pairs.queries, sd)
    return ComparedRow(
        metric=metric,
        variant=variant,
        mean_a=mean_a,
        mean_b=mean_b,
        difference=found.value,
        ci_low=found.low,
        ci_high=found.high,
        n_planned=len({*a.values, *b.values}),
        n_pairs=len(pairs),
        dropped=_dropped(pairs, a, b),
        above=signs.above,
        equal=signs.zeros,
        below=signs.below,
        p_sign=_rounded(signs.p),
        p_wilcoxon=_rounded(ranks.p),
        wilcoxon=ranks.method,
        sd=_rounded(sd),
        repeat_share=_rounded(of_runs),
        judge_share=_rounded(of_judge if of_runs is None or of_judge is None else min(of_judge, of_runs)),
        outcome="nothing",
    )


def _concluded(
    family: Sequence[ComparedRow], primary: Mapping[str, Corrected], *, concludes: bool
) -> list[ComparedRow]:
    """The same rows with their corrected p values, and what can be said of each."""
    others = [row for row in family if row.variant not in primary]
    adjusted = holm([row.p_wilcoxon for row in others])
    tests = sum(p is not None for p in adjusted)
    corrected = {row.variant: Corrected(p, tests) for row, p in zip(others, adjusted, strict=True)} | dict(primary)
    return [
        _with_outcome(row, corrected[row.variant], is_primary=row.variant in primary, concludes=concludes)
        for row in family
    ]


def _with_outcome(row: ComparedRow, corrected: Corrected, *, is_primary: bool, concludes: bool) -> ComparedRow:
    tests = corrected.tests
    outcome = outcome_of(row, corrected.p, tests)
    return row.model_copy(
        update={
            "p_holm": _rounded(corrected.p),
            "tests": tests,
            "is_primary": is_primary,
            "detectable": detectable(row.sd, row.n_pairs, tests),
            "power_of_half": power_of_half(row.n_pairs, tests) if row.sd else None,
            "queries_needed": _needed(row, tests),
            "outcome": outcome if concludes or outcome == "nothing" else "not_concluded",
        }
    )


def _needed(row: ComparedRow, tests: int) -> int | None:
    """No fewer than can reach the level at all."""
    found = None if row.difference is None else queries_needed(row.difference, row.sd, tests)
    return None if found is None else max(found, fewest_queries(tests))


def outcome_of(row: ComparedRow, p_holm: float | None, tests: int) -> Outcome:
    """A difference is believed where the corrected test and the interval both say so, and in one direction."""
    if p_holm is None or row.difference is None:
        return "nothing"
    if not row.above and not row.below:
        return "identical"
    low, high = row.ci_low, row.ci_high
    if p_holm <= LEVEL and low is not None and high is not None:
        if low > 0:
            return "higher"
        if high < 0:
            return "lower"
    return "too_few" if row.n_pairs < fewest_queries(tests) else "undecided"


def _dropped(pairs: Pairs, a: Side, b: Side) -> dict[str, int]:
    """Queries without one of the values, by whose it is and why, the commonest first."""
    paired = set(pairs.queries)
    lost = {*a.values, *b.values} - paired
    reasons = Counter(_why_missing(*(_why_in(side, query) for side in (a, b))) for query in lost)
    return dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0])))


def _why_in(side: Side, query: str) -> str | None:
    """None where the side has a value."""
    return side.why.get(query) if query in side.values else _NOT_ASKED


def _why_missing(a: str | None, b: str | None) -> str:
    if a == b:
        return f"A and B: {a}"
    return "; ".join(f"{side}: {why}" for side, why in (("A", a), ("B", b)) if why is not None)


def _rounded(value: float | None) -> float | None:
    """To ten digits that count: small p values stay what they are."""
    return None if value is None else float(f"{value:.10g}")

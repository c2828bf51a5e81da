"""``contrast``: the paired difference of two systems in one variant with its test, and what follows from all tests.

Two estimates of two systems are tested: the difference over the queries on which both have a value, and which of them
is more often ``done``. A missing value is never taken for 0 in an estimate; a difference is concluded only if it is
also shown with each failed run at the worse end of the scale.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite
from statistics import fmean
from typing import NamedTuple

from drretail.eval.metric import OPEN
from drretail.eval.numbers.facts import Facts, facts_of, value_in, whole_of
from drretail.eval.numbers.gathering import (
    DAMAGED_RUNS,
    FAILED_RUNS,
    LACKS_IN_WORDS,
    NOT_JUDGED,
    PENDING_RUNS,
    SPOILED_RUNS,
    Gathered,
)
from drretail.eval.numbers.judges import BY_CODE, Assessor
from drretail.eval.numbers.wording import row_facts
from drretail.records.comparison import ComparedRow, Outcome
from drretail.records.figures import counted
from drretail.records.score import readers_of
from drretail.stats.intervals import FEWEST, Clusters, run_variance
from drretail.stats.significance import (
    FEWEST_SIGNS,
    LEVEL,
    difference_test,
    holm,
    margin_ends,
    queries_needed,
    sign_test,
    spread_when_apart,
    user_sums,
)


class Measure(NamedTuple):
    """One variant of a metric by one judge, or ``done``."""

    assessor: Assessor
    metric: str
    variant: str


DONE = "done"
OF_DONE = Measure(BY_CODE, DONE, DONE)
Unread = tuple[Outcome, str] | None
"""The outcome where nothing may be concluded whatever the values are, and why."""
NA = "nothing to score"
RUN_FAILED = LACKS_IN_WORDS[FAILED_RUNS]
_OPEN = "rests on an open demand"
_WHY = (*LACKS_IN_WORDS.values(), "judge failed", _OPEN, "sources unreadable", NA)
"""Reasons for runs without a value; a query's reason is the first of these that any of its runs has."""
_BY_STATE = {"failed": "judge failed", "unverifiable": "sources unreadable", "na": NA}


@dataclass(frozen=True, slots=True)
class Side:
    """One system's values in one measure, by the id of every planned query."""

    values: Mapping[str, Sequence[float]]
    """One value for each repeat of the agent that has one: the mean over the judge's repeats."""
    why: Mapping[str, str]
    """The reason, for queries without any value."""
    incomplete: Collection[str] = ()
    """The queries of runs that went on without an answer that a provider did not give."""
    readers: Collection[str] = ()
    """How the picks of its reports were read."""
    failed: Mapping[str, int] = field(default_factory=dict[str, int])
    """By query, the runs without a value that failed by themselves."""
    lacking: Mapping[str, int] = field(default_factory=dict[str, int])
    """All runs without a value, by why."""

    @property
    def mean(self) -> float | None:
        """Over queries; None if none has a value."""
        values = [fmean(its) for its in self.values.values() if its]
        return fmean(values) if values else None


def side_of(facts: Facts, variant: str) -> Side:
    """One system's values in one variant."""
    values: dict[str, list[float]] = defaultdict(list)
    reasons: dict[str, set[str]] = defaultdict(set)
    readers: set[str] = set()
    failed, lacking = Counter[str](), Counter[str]()
    for result in facts.results:
        of_run = value_in(result, variant)
        values[result.query_id] += [] if of_run.value is None else [of_run.value]
        readers |= readers_of(of_run.items).keys()
        if of_run.value is None:
            lacks = None if variant in result.values else result.lacks
            why = _OPEN if OPEN in of_run.items else _BY_STATE[of_run.state]
            why = why if lacks is None else LACKS_IN_WORDS[lacks]
            reasons[result.query_id].add(why)
            lacking[why] += 1
            failed[result.query_id] += why == RUN_FAILED
    return Side(
        values,
        {query: next(why for why in _WHY if why in reasons[query]) for query in values if not values[query]},
        {plan.query.query_id for plan, _ in facts.runs if plan.losses},
        readers,
        +failed,
        lacking,
    )


def _done(gathered: Gathered, label: str) -> Side:
    """For each run that ended, 1 if it is done and 0 if not."""
    plans = [plan for plan in gathered.plans if plan.label == label]
    values: dict[str, list[float]] = {plan.query.query_id: [] for plan in plans}
    for plan in plans:
        values[plan.query.query_id] += [float(plan.has_report)] if plan.has_ended else []
    lacks = {plan.query.query_id: plan.unjudged(DONE).lacks for plan in plans}
    return Side(values, {query: LACKS_IN_WORDS[lack] for query, lack in lacks.items() if lack and not values[query]})


@dataclass(frozen=True, slots=True)
class Contrasts:
    """The contrasts of an experiment's systems, two by two. The sides of a measure are made once."""

    gathered: Gathered
    _sides: dict[Measure, Mapping[str, Side]] = field(default_factory=dict[Measure, Mapping[str, Side]])

    def sides(self, measure: Measure) -> Mapping[str, Side]:
        """Every system's values, by label."""
        if measure not in self._sides:
            held = self.gathered
            self._sides[measure] = (
                {label: _done(held, label) for label in held.definition.systems}
                if measure == OF_DONE
                else {
                    label: side_of(facts, measure.variant)
                    for label, facts in facts_of(held, measure.metric, measure.assessor).items()
                }
            )
        return self._sides[measure]

    def row(self, measure: Measure, a: str, b: str, unread: Unread = None) -> ComparedRow:
        """The row of two systems before any correction; ``unread`` says that its judge does not read."""
        sides, clusters = self.sides(measure), self.gathered.clusters
        if measure == OF_DONE:
            return _row_of_done((sides[a], sides[b]), clusters).model_copy(update={"a": a, "b": b})
        metric, variant = self.gathered.metrics[measure.metric], measure.variant
        row = contrast(
            metric.name,
            variant,
            (sides[a], sides[b]),
            clusters,
            whole=whole_of(metric, variant),
            less_is_better=metric.description.less_is_better(variant),
            unread=unread,
        )
        return row.model_copy(update=row_facts(metric, variant))


def contrast(
    metric: str,
    variant: str,
    sides: tuple[Side, Side],
    clusters: Clusters,
    *,
    whole: float = inf,
    less_is_better: bool = False,
    unread: Unread = None,
) -> ComparedRow:
    """The paired difference of two systems, A's side and B's, with its p value, or why nothing may be concluded.

    ``whole`` is the largest difference that there can be: among few users Student's interval reaches beyond it.
    """
    a, b = sides
    asked = a.values.keys() & b.values.keys()
    queries = sorted(query for query in asked if a.values[query] and b.values[query])
    by_query = {query: (fmean(a.values[query]), fmean(b.values[query])) for query in queries}
    groups = clusters.groups(queries)
    interval, p = difference_test(differences_of(by_query), groups)
    interval = interval.within(-whole, whole)
    # Pairs that both were asked for, without those in which neither has anything to measure.
    due = [query for query in asked if {a.why.get(query), b.why.get(query)} != {NA}]
    lacking = Counter(a.why.get(query) or b.why.get(query, "") for query in sorted(due) if query not in by_query)
    outcome, why = unread or _obstacle(sides, lacking, len(due), queries, clusters)
    with_failed = _with_failed(sides, whole, less_is_better=less_is_better)
    return ComparedRow(
        metric=metric,
        variant=variant,
        mean_a=round(fmean(value for value, _ in by_query.values()), 10) if queries else None,
        mean_b=round(fmean(other for _, other in by_query.values()), 10) if queries else None,
        difference=interval.value,
        **interval.ends,
        n_planned=len({*a.values, *b.values}),
        less_is_better=less_is_better,
        n_due=len(due),
        n_asked=len(asked),
        n_pairs=len(queries),
        n_users=clusters.users(queries),
        dropped=dict(lacking.most_common()),
        p=_rounded(p) if outcome == "undecided" else None,
        failed=(sum(a.failed.values()), sum(b.failed.values())),
        p_failed=p_with_failed(interval.value, with_failed, clusters) if outcome == "undecided" else None,
        outcome=outcome,
        why=why,
        apart=whole / 10 if isfinite(whole) else None,
        by_query=by_query,
        with_failed=with_failed,
        run_variances=_run_variances(sides, queries),
        lacking=Counter(a.lacking) + Counter(b.lacking),
    )


def _run_variances(sides: tuple[Side, Side], queries: Sequence[str]) -> tuple[float, float] | None:
    """As ``ComparedRow.run_variances``."""
    of_one = of_present = 0.0
    for side in sides:
        variance = run_variance([*side.values.values()])
        if variance is None:
            return None
        of_one += variance
        of_present += variance * fmean(1 / len(side.values[query]) for query in queries) if queries else 0.0
    return of_one, of_present


def _with_failed(sides: tuple[Side, Side], whole: float, *, less_is_better: bool) -> dict[str, tuple[float, float]]:
    """Both values by query, each failed run as the worst value there is, or was seen; empty if none failed."""
    every = [value for side in sides for its in side.values.values() for value in its]
    if not every or not any(side.failed for side in sides):
        return {}
    worst = (whole if isfinite(whole) else max(every)) if less_is_better else min(0.0, *every)

    def values(side: Side) -> dict[str, float]:
        both = {query: [*its, *[worst] * side.failed.get(query, 0)] for query, its in side.values.items()}
        return {query: fmean(its) for query, its in both.items() if its}

    a, b = map(values, sides)
    return {query: (a[query], b[query]) for query in sorted(a.keys() & b.keys())}


def p_with_failed(
    difference: float | None, with_failed: Mapping[str, tuple[float, float]], clusters: Clusters
) -> float | None:
    """``p`` of the values with failed runs; 1 if they differ the other way, None if no run failed."""
    if not with_failed or difference is None:
        return None
    interval, p = difference_test(differences_of(with_failed), clusters.groups(with_failed))
    return _rounded(p) if difference * (interval.value or 0.0) > 0 else 1.0


_LOST = "a provider did not answer"
AGAIN = {
    LACKS_IN_WORDS[PENDING_RUNS]: "run",
    LACKS_IN_WORDS[SPOILED_RUNS]: "run … --retry spoiled",
    LACKS_IN_WORDS[DAMAGED_RUNS]: "run … --retry spoiled",
    LACKS_IN_WORDS[NOT_JUDGED]: "score",
    "judge failed": "score … --retry failed",
    _LOST: "run … --retry spoiled",
}
"""By what is missing: the command that makes it."""


def differences_of(by_query: Mapping[str, tuple[float, float]]) -> list[float]:
    """A minus B, rounded to ten digits so that equal values do not differ by the last bits of a sum."""
    return [round(a - b, 10) for a, b in by_query.values()]


def _obstacle(
    sides: tuple[Side, Side], lacking: Counter[str], due: int, paired: Sequence[str], clusters: Clusters
) -> tuple[Outcome, str]:
    """Why nothing may be concluded from these queries, or "undecided" if something may."""
    a, b = sides
    if a.readers and b.readers and {*a.readers} != {*b.readers}:
        ways = "; ".join(f"{side}: {', '.join(sorted(its.readers))}" for side, its in (("A", a), ("B", b)))
        return "missing", f"the picks were read in different ways ({ways})"
    if not a.values.keys() & b.values.keys():
        return "missing", "they answered different queries"
    if not paired:
        return "missing", "no query has a value of both systems"
    lost = sum(query in a.incomplete or query in b.incomplete for query in paired)
    every = lacking + Counter({_LOST: lost})
    if 10 * every.total() > due:
        queries = (
            f"{count:,} {why}" + (f" (drretail {AGAIN[why]})" if why in AGAIN else "")
            for why, count in every.most_common()
        )
        return "missing", f"{every.total():,} of {counted(due, 'query')} lack a value: {', '.join(queries)}"
    users = max(clusters.groups(paired)) + 1
    return ("undecided", "") if users >= FEWEST else ("too_few", f"{FEWEST} users are the minimum")


def _row_of_done(sides: tuple[Side, Side], clusters: Clusters) -> ComparedRow:
    """How often two systems are done, which is how often their runs ended with a report; exact, by user.

    It has no interval: the mean of a few failures among many runs is too skewed for one.
    """
    row = contrast(DONE, DONE, sides, clusters, whole=1.0)
    row = row.model_copy(update={"name": DONE, "ci_low": None, "ci_high": None, "no_interval": None, "apart": None})
    if row.outcome == "missing":
        return row
    sums = user_sums(differences_of(row.by_query), clusters.groups(row.by_query))
    if len(sums) < FEWEST_SIGNS:
        few = {"outcome": "too_few", "why": f"{FEWEST_SIGNS} users are the minimum", "p": None}
        return row.model_copy(update=few)
    # A test that can't reach 5 % is none, and takes no part in the correction (Tarone 1990).
    p = sign_test(sums) if sum(map(bool, sums)) >= FEWEST_SIGNS else None
    return row.model_copy(update={"outcome": "undecided", "why": "", "p": _rounded(p)})


def concluded(rows: Sequence[ComparedRow], clusters: Clusters, *, is_primary: bool = True) -> list[ComparedRow]:
    """The rows with what follows from their tests, which are corrected for each other (Holm)."""
    adjusted = holm([row.p for row in rows])
    tests = sum(p is not None for p in adjusted)
    return [_decided(row, p, tests, clusters, is_primary) for row, p in zip(rows, adjusted, strict=True)]


def _decided(row: ComparedRow, p: float | None, tests: int, clusters: Clusters, is_primary: bool) -> ComparedRow:
    outcome, needed = row.outcome, None
    if p is not None and p <= LEVEL:
        outcome = "higher" if (row.difference or 0.0) > 0 else "lower"
        outcome = "answered" if (row.p_failed or 0.0) > LEVEL else outcome
    if p is not None and row.apart is not None and row.mean_a is not None and row.mean_b is not None:
        wider = spread_when_apart(row.apart, (row.mean_a, row.mean_b), 10 * row.apart)
        differences, groups = differences_of(row.by_query), clusters.groups(row.by_query)
        needed = queries_needed(row.apart, differences, groups, tests, wider)
    return row.model_copy(
        update={
            "p_holm": _rounded(p),
            "tests": tests if p is not None else 0,
            "is_primary": is_primary,
            "outcome": outcome,
            "n_needed": needed and needed.queries,
            "n_needed_low": needed and needed.low,
            "n_needed_high": needed and needed.high,
        }
    )


def held_to(row: ComparedRow, margin: float, clusters: Clusters) -> ComparedRow:
    """The row with the ends of its difference by which a margin is judged, failed runs as the worst values."""
    values = row.with_failed or row.by_query
    ends = None
    if row.is_comparable:
        # Shares may all be alike by chance; ratings do not leap from one end of their scale to the other.
        whole = 1.0 if row.apart == 0.1 else inf
        ends = margin_ends(differences_of(values), clusters.groups(values), whole)
    low, high = (None, None) if ends is None else ends
    return row.model_copy(update={"margin": margin, "margin_low": low, "margin_high": high})


def explored(row: ComparedRow) -> ComparedRow:
    """A row that is no headline: it shows numbers, and nothing is tested. Why it is not comparable is kept."""
    if not row.is_comparable or row.outcome == "too_few":
        return row
    return row.model_copy(update={"p": None, "outcome": "exploratory", "why": ""})


def _rounded(value: float | None) -> float | None:
    """Rounded to ten significant digits, so that small p values are not rounded to 0."""
    return None if value is None else float(f"{value:.10g}")

"""Rows of a comparison: each variant's paired difference, tested and corrected within its metric."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, inf
from statistics import stdev

from drretail.eval.compare.wording import row_facts
from drretail.eval.metric import Metric
from drretail.eval.scores.facts import Facts, Runs, value_in, whole_of
from drretail.eval.scores.gathering import FAILED_RUNS, LACKS_IN_WORDS, Gathered
from drretail.records.comparison import ComparedRow, Outcome
from drretail.stats.intervals import Clusters, Estimate, Interval, estimate, mean_interval
from drretail.stats.significance import (
    LEVEL,
    detectable,
    fewest_users,
    flip_test,
    holm,
    pair,
    users_needed,
    users_range,
)

_WHY = (*LACKS_IN_WORDS.values(), "judge failed", "sources unreadable", "na")
"""Reasons for runs without a value; a query's reason is the first of these that any of its runs has."""
_NOT_ASKED = "not asked"
_BY_STATE = {"failed": "judge failed", "unverifiable": "sources unreadable", "na": "na"}


@dataclass(frozen=True, slots=True)
class Side:
    """One system's values in one variant, by the id of every planned query."""

    values: Mapping[str, Sequence[float]]
    """One value for each repeat of the agent that has one: the mean over the judge's repeats."""
    nested: Mapping[str, Sequence[Sequence[float]]]
    """The same values before averaging: for each repeat of the agent, one for each repeat of the judge."""
    outcomes: Mapping[str, Sequence[float | None]]
    """For each repeat of the agent that ended: its value, or None if the run failed."""
    why: Mapping[str, str]
    """The reason, for queries without any value."""
    incomplete: int = 0
    """How many of the runs lack an answer that a provider did not give."""


def side_of(runs: Runs, variant: str) -> Side:
    """One system's values in one variant."""
    values: dict[str, list[float]] = defaultdict(list)
    nested: dict[str, list[list[float]]] = defaultdict(list)
    outcomes: dict[str, list[float | None]] = defaultdict(list)
    reasons: dict[str, set[str]] = defaultdict(set)
    for _, result in runs:
        query, found = result.query_id, value_in(result, variant)
        value = found.value
        values[query] += [] if value is None else [value]
        outcomes[query] += [value] if value is not None or result.lacks == FAILED_RUNS else []
        # A panel has no repeats, only one value.
        repeats = list(result.by_repeat.values()) or [result.values]
        by_judge_repeat = [by_variant[variant].value for by_variant in repeats if variant in by_variant]
        scored = [number for number in by_judge_repeat if number is not None]
        nested[query].append(scored)
        if value is None:
            lacks = None if variant in result.values else result.lacks
            reasons[query].add(_BY_STATE[found.state] if lacks is None else LACKS_IN_WORDS[lacks])
    return Side(
        values=values,
        nested=nested,
        outcomes=outcomes,
        why={query: next(why for why in _WHY if why in reasons[query]) for query in values if not values[query]},
        incomplete=sum(bool(plan.losses) for plan, _ in runs),
    )


Sides = tuple[Side, Side]
"""A's side and B's."""


@dataclass(frozen=True, slots=True)
class Corrected:
    """A test's p value, corrected as one of ``tests`` tests; None if no query is paired."""

    p: float | None
    tests: int


def compared_rows(
    metric: Metric,
    variants: Mapping[str, Sides],
    clusters: Clusters,
    primary: Mapping[str, Corrected] | None = None,
    *,
    instead: Outcome | None = None,
) -> list[ComparedRow]:
    """A row with its conclusion for each variant of one metric by one judge.

    ``primary`` gives, by variant, the p values that were corrected over all pairs of systems; the other rows are
    corrected for each other. ``instead`` stands in the place of conclusions: rows then have only numbers.
    """
    rows = [
        contrast_of(metric.name, variant, sides, clusters, whole=whole_of(metric, variant))
        for variant, sides in variants.items()
    ]
    primary = primary or {}
    others = [row for row in rows if row.variant not in primary]
    adjusted = holm([row.p for row in others])
    tests = sum(p is not None for p in adjusted)
    corrected = {row.variant: Corrected(p, tests) for row, p in zip(others, adjusted, strict=True)} | dict(primary)
    is_good = metric.description.higher_is_better
    return [
        concluded(row, corrected[row.variant], is_primary=row.variant in primary, is_good=is_good, instead=instead)
        for row in rows
    ]


DONE = "done"


def done_row(gathered: Gathered, a: str, b: str) -> ComparedRow:
    """How often two systems are done: how often their runs ended with a report."""
    sides = _done(gathered, a), _done(gathered, b)
    row = contrast_of(DONE, DONE, sides, gathered.clusters, whole=1.0)
    row = concluded(row, Corrected(row.p, 1), is_primary=False)
    return row.model_copy(update={"name": DONE, "by_query": by_query(sides)})


def by_query(sides: Sides) -> dict[str, tuple[float, float]]:
    """A's and B's value of each paired query."""
    pairs = pair(*(side.values for side in sides))
    return dict(zip(pairs.queries, zip(pairs.a, pairs.b, strict=True), strict=True))


def _done(gathered: Gathered, label: str) -> Side:
    """For each run that ended, 1 if it is done and 0 if not."""
    plans = [plan for plan in gathered.plans if plan.label == label]
    values: dict[str, list[float]] = {plan.query.query_id: [] for plan in plans}
    for plan in plans:
        values[plan.query.query_id] += [float(plan.has_report)] if plan.has_ended else []
    lacks = {plan.query.query_id: plan.unjudged(DONE).lacks for plan in plans}
    why = {query: LACKS_IN_WORDS[lack] for query, lack in lacks.items() if lack and not values[query]}
    return Side(values, {query: [[value] for value in its] for query, its in values.items()}, values, why)


def contrasts(
    gathered: Gathered, both: Sequence[Facts], variants: Mapping[str, Sides], primary: Mapping[str, Corrected]
) -> Iterator[ComparedRow]:
    """The named rows of two systems of an experiment in one metric by one judge, with what is concluded."""
    metric, labels = both[0].metric, [facts.system for facts in both]
    instead = gathered.no_conclusion(both[0].assessor, metric.name, labels)
    unread = "; ".join(why for label, why in gathered.unread_citations.items() if label in labels)
    for row in compared_rows(metric, variants, gathered.clusters, primary, instead=instead):
        why = {"unread": unread} if row.outcome == instead == "missing" else {}
        yield row.model_copy(update=row_facts(metric, row.variant) | why)


def tested(sides: Sides, clusters: Clusters) -> float | None:
    """p of the test that flips the signs of users, on A's minus B's values by query; None if no query is paired."""
    pairs = pair(*(side.values for side in sides))
    return _rounded(flip_test(pairs.differences, clusters.groups(pairs.queries)))


def contrast_of(
    metric: str,
    variant: str,
    sides: Sides,
    clusters: Clusters,
    difference: Interval | None = None,
    *,
    whole: float = inf,
) -> ComparedRow:
    """The paired difference of two systems in one variant, not yet corrected for other tests: nothing is concluded.

    ``difference`` is its interval where the mean of the differences has none of its own, and ``whole`` the largest
    that there can be: among few users Student's interval reaches beyond it.
    """
    a, b = sides
    pairs = pair(a.values, b.values)
    differences, groups = pairs.differences, clusters.groups(pairs.queries)
    mean_a, mean_b = pairs.means or (None, None)
    interval = mean_interval(differences, groups).within(-whole, whole) if difference is None else difference
    seen = estimate(differences, groups)
    sd = stdev(differences) if len(differences) > 1 else None
    # Pairs that both were asked for, without those in which neither has anything to measure.
    due = [query for query in a.values.keys() & b.values.keys() if {a.why.get(query), b.why.get(query)} != {"na"}]
    return ComparedRow(
        metric=metric,
        variant=variant,
        mean_a=mean_a,
        mean_b=mean_b,
        difference=interval.value,
        **interval.ends,
        n_planned=len({*a.values, *b.values}),
        n_due=len(due),
        n_pairs=len(pairs),
        n_users=clusters.users(pairs.queries),
        dropped=dropped(sides, pairs.queries),
        incomplete_a=a.incomplete,
        incomplete_b=b.incomplete,
        above=sum(difference > 0 for difference in differences),
        equal=sum(difference == 0 for difference in differences),
        below=sum(difference < 0 for difference in differences),
        p=tested(sides, clusters),
        error=None if seen is None else seen.error,
        freedom=0.0 if seen is None else seen.freedom,
        sd=_rounded(sd),
        outcome="nothing",
    )


def concluded(
    row: ComparedRow,
    corrected: Corrected,
    *,
    is_primary: bool,
    is_good: bool = True,
    instead: Outcome | None = None,
) -> ComparedRow:
    """The row with its corrected p value and its outcome; ``is_good`` if more is better."""
    tests, users = corrected.tests, row.clusters
    outcome = outcome_of(row, corrected.p, tests)
    # Nothing is concluded from some judges, nor where too many pairs lack a value, nor against a system of which a
    # provider took a part of a run; where more is not better, either direction may be against it.
    is_against = {"higher": row.incomplete_b, "lower": row.incomplete_a}
    if not is_good:
        is_against = dict.fromkeys(is_against, row.incomplete_a + row.incomplete_b)
    if instead == "order_decided" or (outcome != "nothing" and instead is not None):
        outcome = instead
    elif is_against.get(outcome) or (outcome != "nothing" and not row.is_complete):
        outcome = "missing"
    seen = None if row.error is None else Estimate(row.difference or 0.0, row.error, row.freedom)
    each = row.n_pairs / max(1, users)
    counts = (users_needed(seen, users, tests), *users_range(seen, users, tests))
    # Fewer users could not reach the significance level at all.
    needed, few, many = (None if count is None else max(count, fewest_users(tests)) for count in counts)
    is_enough = users >= fewest_users(tests)
    return row.model_copy(
        update={
            "p_holm": _rounded(corrected.p),
            "tests": tests,
            "is_primary": is_primary,
            "detectable": detectable(seen, tests) if is_enough else None,
            "users_needed": needed if row.n_users is not None else None,
            "queries_needed": None if needed is None else ceil(needed * each),
            "queries_at_least": None if few is None else ceil(few * each),
            "queries_at_most": None if many is None else ceil(many * each),
            "outcome": outcome,
        }
    )


def outcome_of(row: ComparedRow, p_holm: float | None, tests: int) -> Outcome:
    """Concludes a difference if the corrected test and the interval both show it, in the same direction.

    If all queries differ alike there is no interval, and the test alone decides.
    """
    if p_holm is None or row.difference is None:
        return "nothing"
    if not row.above and not row.below:
        return "identical"
    if p_holm <= LEVEL:
        if row.difference > 0 and (row.ci_low is None or row.ci_low > 0):
            return "higher"
        if row.difference < 0 and (row.ci_high is None or row.ci_high < 0):
            return "lower"
    return "too_few" if row.clusters < fewest_users(tests) else "undecided"


def dropped(sides: Sides, paired: Collection[str]) -> dict[str, int]:
    """How many queries are not paired, by side and reason, the most common first."""
    reasons: Counter[str] = Counter()
    for query in {query for side in sides for query in side.values} - {*paired}:
        # None if the side has a value.
        a, b = (side.why.get(query) if query in side.values else _NOT_ASKED for side in sides)
        apart = "; ".join(f"{name}: {why}" for name, why in (("A", a), ("B", b)) if why is not None)
        reasons[f"A and B: {a}" if a == b else apart] += 1
    return dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0])))


def _rounded(value: float | None) -> float | None:
    """Rounded to ten significant digits, so that small p values are not rounded to 0."""
    return None if value is None else float(f"{value:.10g}")

"""Rows of a comparison: each variant's paired difference, tested and corrected within its metric."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, inf
from statistics import fmean, stdev

from drretail.eval.compare.wording import row_facts
from drretail.eval.metric import Metric
from drretail.eval.scores.facts import Facts, Runs, facts_of, whole_of
from drretail.eval.scores.gathering import (
    FAILED_RUNS,
    LACKS_IN_WORDS,
    NOT_JUDGED,
    SPOILED_RUNS,
    Gathered,
)
from drretail.eval.scores.planned import Attendance, attendance, counted
from drretail.records.comparison import ComparedRow, Finished, Outcome
from drretail.stats.intervals import Clusters, Estimate, Interval, estimate, mean_interval
from drretail.stats.significance import (
    LEVEL,
    detectable,
    fewest_users,
    flip_test,
    flip_test_after_loss,
    holm,
    pair,
    users_needed,
    users_range,
)

_WHY = (*LACKS_IN_WORDS.values(), "judge failed", "sources unreadable", "na")
"""Reasons for runs without a value; a query's reason is the first of these that any of its runs has."""
_NOT_ASKED = "not asked"
_BY_STATE = {"failed": "judge failed", "unverifiable": "sources unreadable", "na": "na"}


_LOST = (*(LACKS_IN_WORDS[lack] for lack in (SPOILED_RUNS, NOT_JUDGED)), "judge failed", "sources unreadable")
"""The reasons that are no fault of the system."""


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
    attendance: Attendance | None = None
    """How many of the planned runs the values cover; for headlines."""
    incomplete: int = 0
    """How many of the runs lack an answer that a provider did not give."""
    finished: Mapping[str, Sequence[float]] = field(default_factory=dict[str, list[float]])
    """The values of runs that are done: with a report, and with a decision where something is wanted."""
    failed: Mapping[str, Sequence[float]] = field(default_factory=dict[str, list[float]])
    """For each run that ended, 0 if it is done and 1 if not."""


def side_of(runs: Runs, variant: str) -> Side:
    """One system's values in one variant; in a headline, a run without a value counts with what it earns."""
    values: dict[str, list[float]] = defaultdict(list)
    nested: dict[str, list[list[float]]] = defaultdict(list)
    outcomes: dict[str, list[float | None]] = defaultdict(list)
    reasons: dict[str, set[str]] = defaultdict(set)
    finished: dict[str, list[float]] = defaultdict(list)
    failed: dict[str, list[float]] = defaultdict(list)
    for plan, result in runs:
        query, value = result.query_id, counted(result, variant)
        values[query] += [] if value is None else [value]
        finished[query] += [value] if value is not None and plan.is_done else []
        failed[query] += [float(not plan.is_done)] if plan.status in ("done", "failed") else []
        outcomes[query] += [value] if value is not None or result.lacks == FAILED_RUNS else []
        # A panel has no repeats, only one value.
        repeats = list(result.by_repeat.values()) or [result.values]
        by_judge_repeat = [by_variant[variant].value for by_variant in repeats if variant in by_variant]
        scored = [number for number in by_judge_repeat if number is not None]
        nested[query].append([result.earned[variant]] if variant in result.earned else scored)
        if result.lacks is not None:
            reasons[query].add(LACKS_IN_WORDS[result.lacks])
        elif value is None:
            reasons[query].add(_BY_STATE[result.values[variant].state if variant in result.values else "failed"])
    return Side(
        values=values,
        nested=nested,
        outcomes=outcomes,
        why={query: next(why for why in _WHY if why in reasons[query]) for query in values if not values[query]},
        attendance=attendance([result for _, result in runs], variant),
        incomplete=sum(bool(plan.losses) for plan, _ in runs),
        finished=finished,
        failed=failed,
    )


Sides = tuple[Side, Side]
"""A's side and B's."""


@dataclass(frozen=True, slots=True)
class Tested:
    """The test of one difference."""

    p: float | None
    """None if no query is paired."""
    failures: float = 0.0
    """How many more failures the higher side has to bear; 0 if a failed run does not earn the worst."""
    p_after_loss: float | None = None
    """p if the higher side had failed so often more, on a query of another user."""

    @property
    def decides(self) -> float | None:
        """The larger of the two."""
        return self.p if self.p is None or self.p_after_loss is None else max(self.p, self.p_after_loss)


@dataclass(frozen=True, slots=True)
class Corrected:
    """A test's p values, corrected as one of ``tests`` tests."""

    p: float | None
    """The corrected ``Tested.decides``."""
    tests: int
    seen: float | None = None
    """The corrected ``Tested.p``, without more failures."""
    failures: float = 0.0


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
    """How often two systems are done: with a report, and with a decision where something is wanted."""
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
        values[plan.query.query_id] += [float(plan.is_done)] if plan.status in ("done", "failed") else []
    lacks = {plan.query.query_id: plan.unjudged().lacks for plan in plans}
    why = {query: LACKS_IN_WORDS[lack] for query, lack in lacks.items() if lack and not values[query]}
    return Side(values, {query: [[value] for value in its] for query, its in values.items()}, values, why)


def answered_by(gathered: Gathered, label: str) -> dict[str, Mapping[str, Sequence[float]]]:
    """A system's values in what it answered, by query: runs that are done, and columns that measure decisions."""
    values: dict[str, Mapping[str, Sequence[float]]] = {DONE: _done(gathered, label).values}
    for name, metric in gathered.metrics.items():
        for column in metric.description.scoreboard if not metric.needs_judge else ():
            for assessor in gathered.assessors(name) if column.decides else ():
                runs = facts_of(gathered, name, assessor)[label].runs
                values[column.name or column.variant] = side_of(runs, column.variant).values
    return values


def held_back(gathered: Gathered, both: Sequence[Facts], row: ComparedRow) -> ComparedRow:
    """The row, without its conclusion if it is a precision and the better side is lower in what is read with it.

    These are its ``held_beside`` variants and what the systems answered. A figure is lower if the whole interval of its
    difference lies below zero.
    """
    described = both[0].metric.description
    beside = described.held_beside.get(row.variant)
    if beside is None or row.outcome not in ("higher", "lower"):
        return row
    by_side = [
        {each: side_of(facts.runs, each).values for each in beside} | answered_by(gathered, facts.system)
        for facts in both
    ]
    is_a = (row.outcome == "higher") == described.higher_is_better
    better, other = by_side if is_a else reversed(by_side)
    lower: list[str] = []
    for name in sorted(better.keys() & other.keys()):
        pairs = pair(better[name], other[name])
        high = mean_interval(pairs.differences, gathered.clusters.groups(pairs.queries)).high
        lower += [name] if high is not None and high < 0 else []
    return row.model_copy(update={"outcome": "answers_less", "against": tuple(lower)}) if lower else row


def contrasts(
    gathered: Gathered, both: Sequence[Facts], variants: Mapping[str, Sides], primary: Mapping[str, Corrected]
) -> Iterator[ComparedRow]:
    """The named rows of two systems of an experiment in one metric by one judge, with what is concluded."""
    metric, instead = both[0].metric, gathered.no_conclusion(both[0].assessor)
    for row in compared_rows(metric, variants, gathered.clusters, primary, instead=instead):
        yield held_back(gathered, both, row).model_copy(update=row_facts(metric, row.variant))


def tested(sides: Sides, clusters: Clusters, *, failures: float) -> Tested:
    """The test that flips the signs of users, on A's minus B's values by query.

    ``failures`` are for values of which a failed run earns 0, and nothing earns less: the difference has to hold if the
    higher side had failed so often more, and earned nothing on the queries that a server, a judge or a page took from
    it.
    """
    a, b = sides
    pairs = pair(a.values, b.values)
    p = _rounded(flip_test(pairs.differences, clusters.groups(pairs.queries)))
    if not failures or pairs.means is None:
        return Tested(p)
    loss, sign = failures * min(pairs.means), 1 if pairs.means[0] > pairs.means[1] else -1
    higher, lower = (a, b) if sign > 0 else (b, a)
    lost = [query for query, why in higher.why.items() if why in _LOST and lower.values.get(query)]
    differences = [*(sign * each for each in pairs.differences), *(-fmean(lower.values[query]) for query in lost)]
    groups = clusters.groups((*pairs.queries, *lost))
    return Tested(p, failures, _rounded(flip_test_after_loss(differences, groups, loss)))


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
    attendances = [side.attendance for side in (a, b) if side.attendance is not None]
    return ComparedRow(
        metric=metric,
        variant=variant,
        mean_a=mean_a,
        mean_b=mean_b,
        difference=interval.value,
        **interval.ends,
        n_planned=len({*a.values, *b.values}),
        n_pairs=len(pairs),
        n_users=clusters.users(pairs.queries),
        dropped=dropped(sides, pairs.queries),
        runs_planned=sum(each.planned for each in attendances),
        runs_missing=sum(each.missing for each in attendances),
        runs_pending=sum(each.pending for each in attendances),
        is_complete=all(each.allows_conclusions for each in attendances),
        incomplete_a=a.incomplete,
        incomplete_b=b.incomplete,
        finished=_finished(sides, clusters, whole),
        above=sum(difference > 0 for difference in differences),
        equal=sum(difference == 0 for difference in differences),
        below=sum(difference < 0 for difference in differences),
        p=tested(sides, clusters, failures=0).p,
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
    if outcome == "undecided" and outcome_of(row, corrected.seen, tests) in ("higher", "lower"):
        outcome = "undone"
    # Nothing is concluded from some judges, nor in a headline while runs are lost or pending, nor against a system
    # of which a provider took a part of a run; where more is not better, either direction may be against it.
    is_against = {"higher": row.incomplete_b, "lower": row.incomplete_a}
    if not is_good:
        is_against = dict.fromkeys(is_against, row.incomplete_a + row.incomplete_b)
    if instead == "order_decided" or (outcome != "nothing" and instead is not None):
        outcome = instead
    elif is_against.get(outcome) or (outcome != "nothing" and is_primary and not row.is_complete):
        outcome = "missing"
    seen = None if row.error is None else Estimate(row.difference or 0.0, row.error, row.freedom)
    each = row.n_pairs / max(1, users)
    loss = corrected.failures * min(row.mean_a or 0.0, row.mean_b or 0.0) / max(1, row.n_pairs)
    of_user = loss * users
    counts = (users_needed(seen, users, tests, of_user), *users_range(seen, users, tests, of_user))
    # Fewer users could not reach the significance level at all.
    needed, few, many = (None if count is None else max(count, fewest_users(tests)) for count in counts)
    is_enough = users >= fewest_users(tests)
    return row.model_copy(
        update={
            "p_holm": _rounded(corrected.p),
            "tests": tests,
            "is_primary": is_primary,
            "failures_added": corrected.failures,
            "detectable": detectable(seen, tests, loss) if is_enough else None,
            "users_needed": needed if row.n_users is not None else None,
            "queries_needed": None if needed is None else ceil(needed * each),
            "queries_at_least": None if few is None else ceil(few * each),
            "queries_at_most": None if many is None else ceil(many * each),
            "outcome": outcome,
        }
    )


def _finished(sides: Sides, clusters: Clusters, whole: float) -> Finished | None:
    """The two in finished reports alone, and in how often they don't finish; None where no run of both has ended."""
    a, b = sides
    if not pair(a.failed, b.failed):
        return None
    both = pair(a.finished, b.finished)
    difference = mean_interval(both.differences, clusters.groups(both.queries)).within(-whole, whole)
    ended = pair(a.failed, b.failed)
    return Finished(
        difference=difference.value,
        ci_low=difference.low,
        ci_high=difference.high,
        n_pairs=len(both),
        failed_a=sum(ended.a),
        failed_b=sum(ended.b),
        n_ended=len(ended),
        p_failed=_rounded(flip_test(ended.differences, clusters.groups(ended.queries))),
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

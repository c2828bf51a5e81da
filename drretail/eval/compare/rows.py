"""Rows of a comparison: each variant's paired difference, tested and corrected within its family."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, fsum
from statistics import stdev

from drretail.eval.family import Family
from drretail.eval.scores.gathering import FAILED_RUNS, LACKS_IN_WORDS, Assessor, Gathered, JudgedRun, Plan
from drretail.eval.scores.planned import Attendance, attendance, counted
from drretail.records.comparison import ComparedRow, Outcome
from drretail.stats.clusters import Clusters
from drretail.stats.intervals import Estimate, estimate, mean_interval
from drretail.stats.noise import run_variance
from drretail.stats.significance import (
    LEVEL,
    detectable,
    fewest_users,
    flip_test,
    holm,
    pair,
    power_of_half,
    users_needed,
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
    attendance: Attendance | None = None
    """How many of the planned runs the values cover; for headlines."""
    incomplete: int = 0
    """How many of the runs lack an answer that a provider did not give."""


Runs = Sequence[tuple[Plan, JudgedRun]]


def runs_of(gathered: Gathered, metric: str, assessor: Assessor) -> dict[str, list[tuple[Plan, JudgedRun]]]:
    """Every planned run, by label, with its result by this assessor."""
    runs: dict[str, list[tuple[Plan, JudgedRun]]] = defaultdict(list)
    for plan, judged in gathered.judged_runs(metric, assessor):
        runs[plan.label].append((plan, judged))
    return runs


def side_of(runs: Runs, variant: str) -> Side:
    """One system's values in one variant; in a headline, a run without a value counts with what it earns."""
    values: dict[str, list[float]] = defaultdict(list)
    nested: dict[str, list[list[float]]] = defaultdict(list)
    outcomes: dict[str, list[float | None]] = defaultdict(list)
    reasons: dict[str, set[str]] = defaultdict(set)
    results = [judged.result for _, judged in runs]
    for result in results:
        query, value = result.query_id, counted(result, variant)
        values[query] += [] if value is None else [value]
        outcomes[query] += [value] if value is not None or result.lacks == FAILED_RUNS else []
        # A panel has no repeats, only one value.
        repeats = list(result.by_repeat.values()) or [result.values]
        found = [by_variant[variant].value for by_variant in repeats if variant in by_variant]
        scored = [number for number in found if number is not None]
        nested[query].append(scored or ([result.earned[variant]] if variant in result.earned else []))
        if result.lacks is not None:
            reasons[query].add(LACKS_IN_WORDS[result.lacks])
        elif value is None:
            reasons[query].add(_BY_STATE[result.values[variant].state if variant in result.values else "failed"])
    return Side(
        values=values,
        nested=nested,
        outcomes=outcomes,
        why={query: next(why for why in _WHY if why in reasons[query]) for query in values if not values[query]},
        attendance=attendance(results, variant),
        incomplete=sum(bool(plan.losses) for plan, _ in runs),
    )


def noise_shares(sides: "Sides", queries: Sequence[str], sd: float | None) -> tuple[float | None, float | None]:
    """The shares of the variance (``sd``²) of these queries' differences due to noise between runs, and to the judge.

    Each is 0 to 1, and the judge's noise is part of the noise between runs. A share is None unless both systems have
    repeats that show it.
    """
    of_runs: list[float | None] = []
    of_judge: list[float | None] = []
    for side in sides if queries else ():
        # The variance of a query's mean: that between its runs divided by their number, averaged over queries.
        runs = [side.values[query] for query in queries]
        variance = run_variance(runs)
        of_runs.append(None if variance is None else variance * fsum(1 / len(its) for its in runs) / len(queries))
        judged = [[run for run in side.nested[query] if run] for query in queries]
        variance = run_variance([run for its in judged for run in its])
        parts = (fsum(1 / len(run) for run in its) / len(its) ** 2 for its in judged)
        of_judge.append(None if variance is None else variance * fsum(parts) / len(queries))

    def share(parts: Sequence[float | None]) -> float | None:
        known = [part for part in parts if part is not None]
        return min(1.0, fsum(known) / sd**2) if sd and len(known) == len(sides) else None

    return share(of_runs), share(of_judge)


def narrower(share: float) -> float:
    """The part of an interval's width, 0 to 1, that doubling the repeats behind ``share`` of its variance removes.

    Doubling the queries removes 0.29.
    """
    return 1 - (1 - share / 2) ** 0.5


Sides = tuple[Side, Side]
"""A's side and B's."""


@dataclass(frozen=True, slots=True)
class Corrected:
    """A p value corrected as one of ``tests`` tests."""

    p: float | None
    tests: int


def compared_rows(
    metric: Family,
    variants: Mapping[str, Sides],
    clusters: Clusters,
    primary: Mapping[str, Corrected] | None = None,
    *,
    instead: Outcome | None = None,
) -> list[ComparedRow]:
    """A row with its conclusion for each variant of one family by one judge.

    ``primary`` gives, by variant, the p values that were corrected over all pairs of systems; the other rows are
    corrected for each other. ``instead`` stands in the place of conclusions: rows then have only numbers.
    """
    family = [_Tested.of(metric.name, variant, sides, clusters) for variant, sides in variants.items()]
    primary = primary or {}
    others = [tested.row for tested in family if tested.row.variant not in primary]
    adjusted = holm([row.p for row in others])
    tests = sum(p is not None for p in adjusted)
    corrected = {row.variant: Corrected(p, tests) for row, p in zip(others, adjusted, strict=True)} | dict(primary)
    return [
        _unless_lost(
            tested.as_one_of(corrected[tested.row.variant], is_primary=tested.row.variant in primary, instead=instead),
            metric,
        )
        for tested in family
    ]


def _unless_lost(row: ComparedRow, metric: Family) -> ComparedRow:
    """The row without its conclusion if that is against a system of which a provider took a part of a run.

    Where high is not better, either direction may be against it.
    """
    is_against = {"higher": row.incomplete_b, "lower": row.incomplete_a}
    if not metric.description.higher_is_better:
        is_against = dict.fromkeys(is_against, row.incomplete_a + row.incomplete_b)
    return row.model_copy(update={"outcome": "missing"}) if is_against.get(row.outcome) else row


def against(metric: Family, runs: Sequence[Runs], row: ComparedRow, clusters: Clusters) -> tuple[str, ...]:
    """The ``held_beside`` variants that are lower for the side that is higher here; none if the row concludes nothing.

    A variant is lower if the whole interval of its difference lies below zero.
    """
    if row.outcome not in ("higher", "lower"):
        return ()
    higher, other = runs if row.outcome == "higher" else reversed(runs)
    beside = metric.description.held_beside.get(row.variant, ())
    pairs = [pair(side_of(higher, each).values, side_of(other, each).values) for each in beside]
    found = [
        (other, mean_interval(its.differences, clusters.groups(its.queries)))
        for other, its in zip(beside, pairs, strict=True)
    ]
    return tuple(variant for variant, its in found if its.high is not None and its.high < 0)


def difference_p(sides: Sides, clusters: Clusters) -> float | None:
    """p of the test that flips the signs of users, on A's minus B's values by query; None if no query is paired."""
    a, b = sides
    pairs = pair(a.values, b.values)
    return _rounded(flip_test(pairs.differences, clusters.groups(pairs.queries)))


@dataclass(frozen=True, slots=True)
class _Tested:
    """A row that is not yet corrected for the other tests of its family."""

    row: ComparedRow
    seen: Estimate | None
    """The mean difference with its standard error over users."""
    users: int
    """A query without a known user counts as one user."""

    @classmethod
    def of(cls, metric: str, variant: str, sides: Sides, clusters: Clusters) -> "_Tested":
        a, b = sides
        pairs = pair(a.values, b.values)
        differences, groups = pairs.differences, clusters.groups(pairs.queries)
        mean_a, mean_b = pairs.means or (None, None)
        found, seen = mean_interval(differences, groups), estimate(differences, groups)
        sd = stdev(differences) if len(differences) > 1 else None
        of_runs, of_judge = noise_shares(sides, pairs.queries, sd)
        attendances = [side.attendance for side in (a, b) if side.attendance is not None]
        row = ComparedRow(
            metric=metric,
            variant=variant,
            mean_a=mean_a,
            mean_b=mean_b,
            difference=found.value,
            ci_low=found.low,
            ci_high=found.high,
            no_interval=found.lacks,
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
            above=sum(difference > 0 for difference in differences),
            equal=sum(difference == 0 for difference in differences),
            below=sum(difference < 0 for difference in differences),
            p=difference_p(sides, clusters),
            sd=_rounded(sd),
            repeat_share=_rounded(of_runs),
            judge_share=_rounded(of_judge if of_runs is None or of_judge is None else min(of_judge, of_runs)),
            outcome="nothing",
        )
        return cls(row, seen, max(groups, default=-1) + 1)

    def as_one_of(self, corrected: Corrected, *, is_primary: bool, instead: Outcome | None) -> ComparedRow:
        """The row with its corrected p value and its outcome."""
        tests, seen = corrected.tests, self.seen
        outcome = outcome_of(self.row, corrected.p, tests)
        # Nothing is concluded from some judges, nor in a headline while runs are lost or pending.
        if outcome != "nothing" and instead is not None:
            outcome = instead
        elif outcome != "nothing" and is_primary and not self.row.is_complete:
            outcome = "missing"
        users = users_needed(seen, self.users, tests)
        # Fewer users could not reach the significance level at all.
        needed = None if users is None else max(users, fewest_users(tests))
        is_enough = self.users >= fewest_users(tests)
        return self.row.model_copy(
            update={
                "p_holm": _rounded(corrected.p),
                "tests": tests,
                "is_primary": is_primary,
                "detectable": detectable(seen, tests) if is_enough else None,
                "power_of_half": power_of_half(seen.freedom, tests) if is_enough and seen and seen.error else None,
                "users_needed": needed if self.row.n_users is not None else None,
                "queries_needed": None if needed is None else ceil(needed * self.row.n_pairs / self.users),
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
    return "too_few" if clusters_of(row) < fewest_users(tests) else "undecided"


def dropped(sides: Sides, paired: Collection[str]) -> dict[str, int]:
    """How many queries are not paired, by side and reason, the most common first."""
    reasons: Counter[str] = Counter()
    for query in {query for side in sides for query in side.values} - {*paired}:
        # None if the side has a value.
        a, b = (side.why.get(query) if query in side.values else _NOT_ASKED for side in sides)
        apart = "; ".join(f"{name}: {why}" for name, why in (("A", a), ("B", b)) if why is not None)
        reasons[f"A and B: {a}" if a == b else apart] += 1
    return dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0])))


def clusters_of(row: ComparedRow) -> int:
    """The row's number of users, or of queries if no user is known."""
    return row.n_pairs if row.n_users is None else row.n_users


def _rounded(value: float | None) -> float | None:
    """Rounded to ten significant digits, so that small p values are not rounded to 0."""
    return None if value is None else float(f"{value:.10g}")

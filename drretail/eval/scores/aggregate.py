"""Rows of scores from the values of single reports: means, counts of states, intervals over users."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from drretail.eval.family import Family, is_unrated
from drretail.eval.scores.gathering import NOT_JUDGED, Assessor, RunResult, TableKey
from drretail.eval.scores.panel import is_panel
from drretail.eval.scores.planned import attendance, counted, counted_values, headline_variants
from drretail.eval.values import Value
from drretail.records.score import WHOLES, Policy, Score
from drretail.stats.clusters import Clusters
from drretail.stats.intervals import Interval, Ratio, mean_interval, ratio_interval, share_interval

NOT_RATED = "not rated (rule-based)"


@dataclass(frozen=True, slots=True)
class About:
    """What the rows of one family, system and judge have in common."""

    metric: Family
    system: str
    assessor: Assessor
    prompt_hash: str
    clusters: Clusters

    @property
    def table_key(self) -> TableKey:
        """What the rows of all systems in one table have in common."""
        return TableKey(self.metric.name, self.assessor)


Judged = tuple[About, Sequence[RunResult]]


def _policies(about: About, variant: str) -> tuple[Policy, ...]:
    """Headlines have a second row, over all planned runs; publications' rules know none (METRICS 0)."""
    return (
        ("answered", "planned")
        if about.assessor.rules == "default" and variant in headline_variants(about.metric)
        else ("answered",)
    )


def rows(about: About, reports: Sequence[RunResult]) -> list[Score]:
    """The family's rows for one system by one judge, in the order of its variants.

    Every variant has a row over the reports that have a value (policy answered), a headline a second one over all
    planned runs (policy planned). A panel has no pooled variants: its members extracted other claims, of which there is
    no middle.
    """
    return rows_of_all([(about, reports)])[0]


def rows_of_all(judged: Sequence[Judged]) -> list[list[Score]]:
    """What ``rows`` gives for each of them: what was asked is told by the judged reports of all systems in a table."""
    judged_reports: dict[TableKey, list[RunResult]] = defaultdict(list)
    for about, reports in judged:
        judged_reports[about.table_key] += _judged_reports(reports)
    return [
        _rows(about, reports, _judged_reports(reports) or judged_reports[about.table_key]) for about, reports in judged
    ]


def _judged_reports(reports: Sequence[RunResult]) -> list[RunResult]:
    """Those of which the judge said anything."""
    return [report for report in reports if report.lacks is None]


def _rows(about: About, reports: Sequence[RunResult], judged_reports: Sequence[RunResult]) -> list[Score]:
    """``judged_reports`` tell what is asked: the system's judged reports, or those of all systems where it has none."""
    made: list[Score] = []
    for variant in about.metric.variants:
        pools_of_a_panel = is_panel(about.assessor.judge) and variant in about.metric.pooled
        if pools_of_a_panel or _nobody_asked(variant, judged_reports):
            continue
        policies = ("answered",) if _is_hidden(about) else _policies(about, variant)
        made += [_row(about, variant, reports, policy) for policy in policies]
    return made


def _nobody_asked(variant: str, judged_reports: Sequence[RunResult]) -> bool:
    """True for a variant that judged reports leave out, when none of the others has anything to say of it."""
    judged = [report.values for report in judged_reports]
    left_out = any(variant not in values for values in judged)
    return left_out and all(variant not in values or values[variant].state == "na" for values in judged)


def _row(about: About, variant: str, reports: Sequence[RunResult], policy: Policy) -> Score:
    hidden = _is_hidden(about)
    unasked = [hidden and report.lacks == NOT_JUDGED for report in reports]
    found = (_of(report, variant).state for report in reports)
    states = Counter("na" if it else state for it, state in zip(unasked, found, strict=True))
    is_pooled = variant in about.metric.pooled
    if hidden:
        counted, found = [], Interval(None)
    elif is_pooled:
        counted, parts = _parts(about.metric, variant, reports, policy)
        sums = (
            (above, below) for part in parts for above, below in zip(part.numerators, part.denominators, strict=True)
        )
        of_shares = is_share(about.metric, variant) and all(0 <= above <= below for above, below in sums)
        found = ratio_interval(parts, about.clusters.groups(counted), is_share=of_shares)
    else:
        means = _means(variant, reports, policy)
        counted, found = [*means], mean_of(about.metric, variant, means, about.clusters)
    row = Score(
        metric=about.metric.name,
        version=about.metric.version,
        variant=variant,
        system=about.system,
        policy=policy,
        aggregation="micro" if is_pooled else "macro",
        value=found.value,
        ci_low=found.low,
        ci_high=found.high,
        no_interval=found.lacks,
        n_users=about.clusters.users(counted),
        n_planned=len(reports),
        n_scored=states["scored"],
        n_na=states["na"],
        n_unverifiable=states["unverifiable"],
        n_failed=states["failed"],
        **about.assessor.columns,
        prompt_hash=about.prompt_hash,
        items={} if hidden else _items(variant, reports),
        note=NOT_RATED if hidden else None,
    )
    if policy == "planned":
        held = attendance(reports, variant)
        row = row.model_copy(
            update={"n_zero": held.earned_nothing, "n_missing": held.missing, "n_pending": held.pending}
        )
    assert row.n_planned == row.n_scored + row.n_na + row.n_unverifiable + row.n_failed
    return row


def _of(report: RunResult, variant: str) -> Value:
    return report.values.get(variant) or Value(variant, "failed")


def _is_hidden(about: About) -> bool:
    return is_unrated(about.metric, about.assessor.judge)


def _means(variant: str, reports: Sequence[RunResult], policy: Policy) -> dict[str, float]:
    """The mean of each query's repeats, by query id."""
    queries: dict[str, list[float]] = defaultdict(list)
    for report in reports:
        value = counted(report, variant) if policy == "planned" else _of(report, variant).value
        if value is not None:
            queries[report.query_id].append(value)
    return {query_id: sum(queries[query_id]) / len(queries[query_id]) for query_id in sorted(queries)}


def _parts(metric: Family, variant: str, reports: Sequence[RunResult], policy: Policy) -> tuple[list[str], list[Ratio]]:
    """The ids of queries, and by these the parts of a pooled variant, their sums added up inside each query."""
    sums: dict[str, list[tuple[float, float]]] = {}
    for report in reports:
        values = counted_values(report) if policy == "planned" else report.values
        if values:
            nothing = {name: Value(name, "na") for name in metric.variants}
            parts = metric.pooled[variant]({**nothing, **values})
            held = sums.get(report.query_id, [(0.0, 0.0)] * len(parts))
            sums[report.query_id] = [(a + c, b + d) for (a, b), (c, d) in zip(held, parts, strict=True)]
    if variant in metric.pooled_means:
        sums = {query: [_once(*part) for part in parts] for query, parts in sums.items()}
    counted = sorted(sums)
    by_part = zip(*(sums[query_id] for query_id in counted), strict=True)
    return counted, [Ratio([above for above, _ in part], [below for _, below in part]) for part in by_part]


def _once(above: float, below: float) -> tuple[float, float]:
    """A query's mean as one of the means that a part is made of."""
    return (above / below, 1.0) if below else (0.0, 0.0)


def is_share(metric: Family, variant: str) -> bool:
    """True for what is said to be a share, 0 to 1: which no family of one's own has to say of its numbers."""
    described = metric.description
    return described.scale == "share" and variant not in described.counts


def mean_of(metric: Family, variant: str, means: Mapping[str, float], clusters: Clusters) -> Interval:
    """The mean of what single queries have, by their ids, with its interval over users: one method for a variant."""
    values, groups = [*means.values()], clusters.groups(means)
    if is_share(metric, variant) and all(0 <= value <= 1 for value in values):
        return share_interval(values, groups)
    described = metric.description
    highest = None if variant in described.counts or described.scale == "share" else WHOLES[described.scale]
    return mean_interval(values, groups).within(0 if all(value >= 0 for value in values) else None, highest)


def _items(variant: str, reports: Sequence[RunResult]) -> dict[str, float]:
    """Counts of items summed over reports, and of the reports that have no values at all."""
    counted: dict[str, float] = defaultdict(float)
    for report in reports:
        for name, number in _of(report, variant).items.items():
            counted[name] += number
        if report.lacks is not None:
            counted[report.lacks] += 1
    return dict(sorted(counted.items()))

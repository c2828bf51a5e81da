"""Rows of scores from the values of single reports: means, counts of states, intervals over users."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from drretail.eval.metric import Metric, is_judged, is_unrated
from drretail.eval.scores.gathering import (
    LACKS_IN_WORDS,
    NOT_JUDGED,
    Assessor,
    Gathered,
    JudgedRun,
    RunResult,
    TableKey,
)
from drretail.eval.scores.panel import is_panel
from drretail.eval.scores.planned import attendance, counted, counted_values, headline_variants, means_by_query
from drretail.eval.values import Value
from drretail.records.base import sha256_of
from drretail.records.score import WHOLES, Policy, Score
from drretail.stats.clusters import Clusters
from drretail.stats.intervals import Interval, Ratio, mean_interval, ratio_interval, share_interval

NOT_RATED = "not rated (rule-based)"
AS_ZERO = "as 0"
"""In ``missing_of``: the reports without a value of their own that count 0."""


@dataclass(frozen=True, slots=True)
class About:
    """What the rows of one metric, system and judge share."""

    metric: Metric
    system: str
    assessor: Assessor
    prompt_hash: str
    clusters: Clusters

    @property
    def table_key(self) -> TableKey:
        """What the rows of all systems in one table share."""
        return TableKey(self.metric.name, self.assessor)


Judged = tuple[About, Sequence[RunResult]]


def judged_systems(gathered: Gathered, asked: Collection[TableKey] = ()) -> Iterator[tuple[About, list[JudgedRun]]]:
    """Each system's runs by each judge of each metric, in the order of the plan.

    A judge that was not ``asked`` has none of systems of which it judged nothing.
    """
    systems = gathered.definition.systems
    for name, metric in gathered.metrics.items():
        # One hash for all prompts of the metric, by which all current verdicts were asked.
        hashes = sorted(metric.prompt_hashes() - {""})
        wording = hashes[0] if len(hashes) == 1 else sha256_of(hashes)[:16] if hashes else ""
        wanted = {key.assessor for key in asked if key.metric == name}
        for assessor in sorted({*gathered.assessors(name), *wanted}, key=lambda assessor: assessor.order):
            by_run = gathered.tables_of_judges.get(TableKey(name, assessor), {})
            by_label: dict[str, list[JudgedRun]] = defaultdict(list)
            named: set[str] = set()
            for plan, run in gathered.judged_runs(name, assessor):
                by_label[plan.label].append(run)
                is_asked = assessor in wanted and is_judged(metric, systems[plan.label], floors=False)
                named |= {plan.label} if is_asked or plan.run_id in by_run else set()
            yield from (
                (About(metric, label, assessor, wording, gathered.clusters), runs)
                for label, runs in by_label.items()
                if label in named
            )


def rows_of_all(judged: Sequence[Judged]) -> list[list[Score]]:
    """The metric's rows for each system and judge, in the order of its variants.

    Every variant has a row over the reports with a value (policy answered); a headline has a second row over all
    planned runs (policy planned). A panel has no pooled variants, since its members extracted different claims.
    Whether a variant was asked for follows from the reports of all systems in a table.
    """
    own = [[report for report in reports if report.lacks is None] for _, reports in judged]
    of_table: dict[TableKey, list[RunResult]] = defaultdict(list)
    for (about, _), judged_reports in zip(judged, own, strict=True):
        of_table[about.table_key] += judged_reports
    return [
        _rows(about, reports, judged_reports or of_table[about.table_key])
        for (about, reports), judged_reports in zip(judged, own, strict=True)
    ]


def _rows(about: About, reports: Sequence[RunResult], judged_reports: Sequence[RunResult]) -> list[Score]:
    """``judged_reports`` show which variants were asked for: the system's own, or all systems' if it has none."""
    made: list[Score] = []
    headlines, values = headline_variants(about.metric), [report.values for report in judged_reports]
    for variant in about.metric.variants:
        pools_of_a_panel = is_panel(about.assessor.judge.spec) and variant in about.metric.pooled
        left_out = any(variant not in its for its in values)
        is_unasked = left_out and all(variant not in its or its[variant].state == "na" for its in values)
        if pools_of_a_panel or is_unasked:
            continue
        policies: tuple[Policy, ...] = ("answered",)
        # Headlines have a second row, over all planned runs, except under publications' rules (docs/scores.md).
        if about.assessor.rules == "default" and variant in headlines and not _is_hidden(about):
            policies = ("answered", "planned")
        made += [_row(about, variant, reports, policy) for policy in policies]
    return made


def _row(about: About, variant: str, reports: Sequence[RunResult], policy: Policy) -> Score:
    hidden = _is_hidden(about)
    unasked = [hidden and report.lacks == NOT_JUDGED for report in reports]
    found = (_of(report, variant).state for report in reports)
    states = Counter("na" if is_unasked else state for is_unasked, state in zip(unasked, found, strict=True))
    present = attendance(reports if policy == "planned" else (), variant)
    is_pooled, n_queries = variant in about.metric.pooled, None
    if hidden:
        queries, found = [], Interval(None)
    elif is_pooled:
        queries, parts = _parts(about.metric, variant, reports, policy)
        sums = (
            (above, below) for part in parts for above, below in zip(part.numerators, part.denominators, strict=True)
        )
        of_shares = is_share(about.metric, variant) and all(0 <= above <= below for above, below in sums)
        found = ratio_interval(parts, about.clusters.groups(queries), is_share=of_shares)
        if len(parts) > 1 and found.lacks == "few":
            n_queries = min(sum(map(bool, part.denominators)) for part in parts)
    else:
        means = means_by_query(
            (report.query_id, counted(report, variant) if policy == "planned" else _of(report, variant).value)
            for report in reports
        )
        queries, found = [*means], mean_of(about.metric, variant, means, about.clusters)
    row = Score(
        metric=about.metric.name,
        version=about.metric.version,
        variant=variant,
        system=about.system,
        policy=policy,
        aggregation="micro" if is_pooled else "macro",
        value=found.value,
        **found.ends,
        n_users=about.clusters.users(queries),
        n_queries=n_queries,
        n_planned=len(reports),
        n_scored=states["scored"],
        n_na=states["na"],
        n_unverifiable=states["unverifiable"],
        n_failed=states["failed"],
        **about.assessor.columns,
        prompt_hash=about.prompt_hash,
        items={} if hidden else _items(variant, reports),
        note=NOT_RATED if hidden else None,
        n_zero=present.earned_nothing,
        n_missing=present.missing,
        n_pending=present.pending,
    )
    assert row.n_planned == row.n_scored + row.n_na + row.n_unverifiable + row.n_failed
    return row


def _of(report: RunResult, variant: str) -> Value:
    return report.values.get(variant) or Value(variant, "failed")


def _is_hidden(about: About) -> bool:
    return is_unrated(about.metric, about.assessor.judge)


def _parts(metric: Metric, variant: str, reports: Sequence[RunResult], policy: Policy) -> tuple[list[str], list[Ratio]]:
    """The query ids, and the parts of a pooled variant with sums per query."""
    sums: dict[str, list[tuple[float, float]]] = {}
    for report in reports:
        values = counted_values(report) if policy == "planned" else report.values
        if values:
            nothing = {name: Value(name, "na") for name in metric.variants}
            parts = metric.pooled[variant]({**nothing, **values})
            before = sums.get(report.query_id, [(0.0, 0.0)] * len(parts))
            sums[report.query_id] = [(a + c, b + d) for (a, b), (c, d) in zip(before, parts, strict=True)]
    if variant in metric.pooled_means:
        sums = {
            query: [(above / below, 1.0) if below else (0.0, 0.0) for above, below in parts]
            for query, parts in sums.items()
        }
    counted = sorted(sums)
    by_part = zip(*(sums[query_id] for query_id in counted), strict=True)
    return counted, [Ratio([above for above, _ in part], [below for _, below in part]) for part in by_part]


def missing_of(row: Score) -> dict[str, int]:
    """How many of a row's reports have no value of their own, by reason in words; last, how many of them count 0.

    Reports that were not judged do not count as failed.
    """
    runs = {word: int(row.items.get(lack, 0)) for lack, word in LACKS_IN_WORDS.items()}
    by_judge = {"n/a": row.n_na, "unverifiable": row.n_unverifiable, "failed": row.n_failed - sum(runs.values())}
    return {why: count for why, count in {**by_judge, **runs, AS_ZERO: row.n_zero}.items() if count}


def missing_in_words(missing: Mapping[str, int]) -> tuple[str, ...]:
    """ "2 n/a", "1 run failed", and last how many of them count 0."""
    return tuple(f"{missing[why]} {why}" for why in sorted(missing, key=lambda why: why == AS_ZERO))


def is_share(metric: Metric, variant: str) -> bool:
    """True if the variant is a share from 0 to 1, as the metric declares it and as all values are."""
    described = metric.description
    return described.scale == "share" and variant not in (*described.counts, *described.differences)


def mean_of(metric: Metric, variant: str, means: Mapping[str, float], clusters: Clusters) -> Interval:
    """The mean of the queries' values with its interval over users, by one method for each variant."""
    values, groups = [*means.values()], clusters.groups(means)
    if is_share(metric, variant):
        return share_interval(values, groups)
    described = metric.description
    highest = None if variant in described.counts or described.scale == "share" else WHOLES[described.scale]
    return mean_interval(values, groups).within(0 if all(value >= 0 for value in values) else None, highest)


def _items(variant: str, reports: Sequence[RunResult]) -> dict[str, float]:
    """Counts of items summed over reports, and of the reports without values."""
    counted: dict[str, float] = defaultdict(float)
    for report in reports:
        for name, number in _of(report, variant).items.items():
            counted[name] += number
        if report.lacks is not None:
            counted[report.lacks] += 1
    return dict(sorted(counted.items()))

"""The slices of each query: by category of what is wanted, by sort of need, by what makes it hard, by level."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import get_args

from drretail.eval.metric import Metric, is_unrated
from drretail.eval.registry import installed
from drretail.eval.scores.aggregate import About, Judged, judged_systems, mean_of
from drretail.eval.scores.gathering import Assessor, RunResult, TableKey
from drretail.eval.scores.panel import is_panel
from drretail.eval.scores.planned import counted, means_by_query, read_judgements
from drretail.experiment import Definition
from drretail.records.query import AXES
from drretail.records.score import Scores, SliceBy, SliceScore

NO_CATEGORY = "none named"
PLAIN = "none"
"""The axis of a question that nothing makes hard."""
UNTYPED = "not typed"


def query_slices(definition: Definition) -> dict[tuple[SliceBy, str], frozenset[str]]:
    """The query ids of each non-empty slice: categories and kinds by name, axes in order."""
    found: dict[tuple[SliceBy, str], set[str]] = defaultdict(set)
    for query in definition.queries:
        for name in tuple(definition.categories.get(query.query_id) or ()) or (NO_CATEGORY,):
            found["category", name].add(query.query_id)
        # The sort of need where somebody said, else how the query was made: its mode.
        found["kind", query.kind or query.mode].add(query.query_id)
        for name in (query.axes or (PLAIN,)) if query.wish is not None else (UNTYPED,):
            found["axis", name].add(query.query_id)
        if query.level is not None:
            found["level", f"level {query.level}"].add(query.query_id)
    return {key: frozenset(found[key]) for key in sorted(found, key=_place)}


def _place(key: tuple[SliceBy, str]) -> tuple[int, int, str]:
    by, name = key
    return get_args(SliceBy).index(by), AXES.index(name) if name in AXES else len(AXES), name


FIRST = 6
"""The number of headlines for a metric that names none."""
Slices = Mapping[tuple[SliceBy, str], frozenset[str]]
"""Ids of queries by slice."""


def with_slices(experiment: Path, scores: Scores) -> Scores:
    """These scores with the slices of all their metrics, judges and systems, made of the folder's verdicts.

    What the scores hold already stays: slices of metrics that are not installed, and those of older scores.
    """
    held = {row.metric for row in scores.slices}
    shown = {(row.metric, row.system, Assessor.of(row)) for row in scores.scores if row.metric not in held}
    # All metrics, since whether the systems are assistants shows in one of them.
    found = map(installed, dict.fromkeys(row.metric for row in scores.scores))
    metrics = [metric for metric in found if metric is not None]
    if not shown:
        return scores
    names = {metric.name for metric in metrics}
    judges = {TableKey(metric, judge) for metric, _, judge in shown if metric in names}
    asked = {key for key in judges if not is_panel(key.assessor.judge.spec)}
    gathered = read_judgements(experiment, metrics, asked)
    judged = [
        (about, [run.result for run in runs])
        for about, runs in judged_systems(gathered, asked)
        if (about.metric.name, about.system, about.assessor) in shown
    ]
    made = slice_scores(judged, query_slices(gathered.definition))
    return scores.model_copy(update={"slices": (*scores.slices, *made)})


def slice_scores(judged: Sequence[Judged], slices: Slices) -> list[SliceScore]:
    """Rows by judge, system, headline variant and slice, in that order.

    There are none for ratings of a rule-based judge, which mean nothing, nor for variants without any value.
    """
    rows = [row for about, reports in judged for row in _rows(about, reports, slices)]
    valued = {(row.metric, row.variant, Assessor.of(row)) for row in rows if row.n_counted}
    return [row for row in rows if (row.metric, row.variant, Assessor.of(row)) in valued]


def _rows(about: About, reports: Sequence[RunResult], slices: Slices) -> Iterator[SliceScore]:
    if is_unrated(about.metric, about.assessor.judge):
        return
    planned = Counter(report.query_id for report in reports)
    for variant in headlines(about.metric):
        values = [(report.query_id, counted(report, variant)) for report in reports]
        scored = Counter(query_id for query_id, value in values if value is not None)
        means = means_by_query(values)
        for (by, name), query_ids in slices.items():
            inside = {query_id: mean for query_id, mean in means.items() if query_id in query_ids}
            found = mean_of(about.metric, variant, inside, about.clusters)
            yield SliceScore(
                by=by,
                name=name,
                metric=about.metric.name,
                variant=variant,
                system=about.system,
                **about.assessor.columns,
                value=found.value,
                ci_low=found.low,
                ci_high=found.high,
                n_queries=len(query_ids & planned.keys()),
                n_counted=len(inside),
                n_users=about.clusters.users(inside),
                n_planned=sum(planned[query_id] for query_id in query_ids),
                n_scored=sum(scored[query_id] for query_id in query_ids),
            )


def headlines(metric: Metric) -> tuple[str, ...]:
    """The variants of a metric that are sliced, in the order of its tables."""
    return chosen_variants(metric, metric.description.headlines) or tuple(_plain(metric)[:FIRST])


def chosen_variants(metric: Metric, chosen: Collection[str]) -> tuple[str, ...]:
    """The chosen variants that the metric has, in its order, without pooled ones, which have no value per query."""
    return tuple(variant for variant in _plain(metric) if variant in chosen)


def _plain(metric: Metric) -> list[str]:
    return [variant for variant in metric.variants if variant not in metric.pooled]

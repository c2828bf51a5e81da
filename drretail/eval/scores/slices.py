"""The slices of each query: by category of what is wanted, by sort of need, by what makes it hard, by level."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import get_args

from drretail.eval.metric import Metric
from drretail.eval.registry import installed
from drretail.eval.scores.facts import Facts, all_facts, part_of
from drretail.eval.scores.gathering import Assessor, TableKey
from drretail.eval.scores.panel import is_panel
from drretail.eval.scores.planned import read_judgements
from drretail.experiment import Definition
from drretail.records.query import AXES
from drretail.records.score import Score, Scores, SliceBy

NO_CATEGORY = "none named"
PLAIN = "none"
"""The axis of a question that nothing makes hard."""
UNTYPED = "not typed"


def query_slices(definition: Definition) -> dict[tuple[SliceBy, str], frozenset[str]]:
    """The query ids of each non-empty slice: categories and kinds by name, axes in order."""
    ids: dict[tuple[SliceBy, str], set[str]] = defaultdict(set)
    for query in definition.queries:
        for name in tuple(definition.categories.get(query.query_id) or ()) or (NO_CATEGORY,):
            ids["category", name].add(query.query_id)
        # The sort of need where somebody said, else how the query was made: its mode.
        ids["kind", query.kind or query.mode].add(query.query_id)
        for name in (query.axes or (PLAIN,)) if query.wish is not None else (UNTYPED,):
            ids["axis", name].add(query.query_id)
        if query.level is not None:
            ids["level", f"level {query.level}"].add(query.query_id)
    return {key: frozenset(ids[key]) for key in sorted(ids, key=_place)}


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
    known = map(installed, dict.fromkeys(row.metric for row in scores.scores))
    metrics = [metric for metric in known if metric is not None]
    if not shown:
        return scores
    names = {metric.name for metric in metrics}
    judges = {TableKey(metric, judge) for metric, _, judge in shown if metric in names}
    asked = {key for key in judges if not is_panel(key.assessor.judge.spec)}
    gathered = read_judgements(experiment, metrics, asked)
    every = all_facts(gathered, asked)
    every = [facts for facts in every if (facts.metric.name, facts.system, facts.assessor) in shown]
    made = slice_scores(every, query_slices(gathered.definition))
    return scores.model_copy(update={"slices": (*scores.slices, *made)})


def slice_scores(every: Sequence[Facts], slices: Slices) -> list[Score]:
    """Scores by judge, system, headline variant and slice, in that order, never of pooled variants.

    A query may be in several slices of a kind, so these don't add up to all queries. There are none for ratings of a
    rule-based judge, which mean nothing, nor for variants without any value.
    """
    rows: list[Score] = []
    for facts in (facts for facts in every if not facts.is_hidden):
        parts = {key: facts.among(query_ids) for key, query_ids in slices.items()}
        rows += [part_of(of, variant, *key) for variant in headlines(facts.metric) for key, of in parts.items()]
    valued = {(row.metric, row.variant, Assessor.of(row)) for row in rows if row.n_counted}
    return [row for row in rows if (row.metric, row.variant, Assessor.of(row)) in valued]


def headlines(metric: Metric) -> tuple[str, ...]:
    """The variants of a metric that are sliced, in the order of its tables."""
    return chosen_variants(metric, metric.description.headlines) or tuple(_plain(metric)[:FIRST])


def chosen_variants(metric: Metric, chosen: Collection[str]) -> tuple[str, ...]:
    """The chosen variants that the metric has, in its order, without pooled ones, which have no value per query."""
    return tuple(variant for variant in _plain(metric) if variant in chosen)


def _plain(metric: Metric) -> list[str]:
    return [variant for variant in metric.variants if variant not in metric.pooled]

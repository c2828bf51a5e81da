"""Comparisons of two systems, made from recorded verdicts without judging anything: a table for each judge, a sentence
for each headline that speaks of A and B, and how steady each system is.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from drretail.errors import UnknownName
from drretail.eval.judging.question import judged_in
from drretail.eval.metric import Metric
from drretail.eval.numbers.contrast import OF_DONE, Contrasts, Measure, explored, held_to
from drretail.eval.numbers.facts import query_slices
from drretail.eval.numbers.family import (
    Family,
    assessors_of,
    chosen_pairs,
    corrected,
    family_of,
    tested,
    uncorrected,
    with_conclusions,
)
from drretail.eval.numbers.gathering import Gathered, gather
from drretail.eval.numbers.judges import Assessor
from drretail.eval.numbers.pairs import derive_pairs
from drretail.eval.numbers.wording import (
    compared,
    headlines_of,
    is_named,
    margin_sentence,
    primary_variants,
    sentences,
    sides_named,
)
from drretail.eval.registry import CONVERSATION, METRICS, PAIRWISE, USUAL, load_metrics, recorded_metric
from drretail.experiments.experiment import read_definition
from drretail.records.comparison import ComparedRow, Comparison, JudgeTable, PairScore
from drretail.records.figures import counted
from drretail.records.score import CODE, SliceBy
from drretail.reports.text.wording import listed
from drretail.stats.intervals import Clusters

BY_TURN = "turn"
BY_PARTS: tuple[SliceBy, ...] = (BY_TURN, "needs")
"""What ``compare --by`` takes beside conditions: parts of the queries."""


DECIDING = ("faithfulness", "false_statements")
"""The metrics that measure how judges read, and whether the systems are assistants."""


def compare_systems(
    gathered: Gathered,
    a: str,
    b: str,
    assessors: Sequence[Assessor],
    pairs: Sequence[PairScore] = (),
    family: Family | None = None,
    metrics: Sequence[str] | None = None,
) -> Comparison:
    """Compares systems ``a`` and ``b``: a table for each judge and set of rules, and conclusions.

    ``pairs`` are rows of pairwise judging; those of these two systems by these judges are kept. ``family`` holds the
    tests that are corrected together; by default those of this pair. ``metrics`` are names, in the order of tables.
    """
    names = tuple(gathered.metrics) if metrics is None else metrics
    pairs = [row for row in pairs if Assessor.of(row) in assessors and {row.a, row.b} == {a, b}]
    family = family_of(gathered, [(a, b)], assessors, pairs, names) if family is None else family
    contrasts = Contrasts(gathered)
    tables = (_table(contrasts, a, b, assessor, names, family) for assessor in assessors)
    met = (row if row.a == a else row.turned for row in with_conclusions(pairs, family))
    comparison = Comparison(
        a=a,
        b=b,
        tables=tuple(table for table in tables if table is not None),
        pairs=tuple(row for row in met if row.note is None and row.n_scored),
    )
    conclusions = [*sentences(headlines_of([comparison]), sides_named(a, b), is_of_two=True)]
    if not conclusions:
        nothing = (*gathered.not_read(assessors, (a, b)), _why_nothing(gathered, assessors, names))
        return comparison.model_copy(update={"conclusions": nothing})
    asked = [{plan.query.query_id for plan in gathered.plans if plan.label == label} for label in (a, b)]
    if asked[0] != asked[1] and (both := asked[0] & asked[1]):
        sizes = f"A was asked {counted(len(asked[0]), 'query')} and B {len(asked[1]):,}"
        conclusions.append(f"{sizes}; compared are the {len(both):,} that both were asked.")
    return comparison.model_copy(update={"conclusions": tuple(conclusions)})


def _why_nothing(gathered: Gathered, assessors: Sequence[Assessor], metrics: Sequence[str]) -> str:
    """Why nothing is concluded where no headline is compared, and what would change that."""
    if metrics and not any(primary_variants(gathered.metrics[name]) for name in metrics):
        return f"Nothing is concluded: no headline is among the scores of {listed(metrics)}."
    judges = dict.fromkeys(assessor.judge for assessor in assessors if assessor.judge.spec != CODE)
    advice = "`drretail score` judges what is missing."
    if judges and all(judge.follows_rules for judge in judges):
        names = listed(judge.spec for judge in judges)
        advice = f"{names} follows rules: `drretail score --judge PROVIDER:MODEL` asks a model."
    return f"Nothing is concluded: no headline has values. {advice}"


def compare_recorded(
    experiment: Path,
    a: str | None = None,
    b: str | None = None,
    *,
    baseline: str | None = None,
    metrics: Sequence[str | Metric] | None = None,
    judges: Sequence[str] = (),
    by: SliceBy | None = None,
) -> list[Comparison]:
    """Compares the pairs of systems that ``chosen_pairs`` gives, over all queries, or in each part of them by itself:
    ``by`` the turn of conversations, or by what they need.

    If ``metrics`` is None, they are the usual ones and all others that were judged. ``judges`` are the judges that
    count; without any, those who were asked last. Nothing is judged. Raises UserError as ``chosen_pairs`` and
    ``assessors_of`` do.
    """
    shown, pairs = chosen_pairs(read_definition(experiment), a, b, baseline)
    loaded = load_metrics(metrics_to_compare(experiment) if metrics is None else metrics)
    asked = {metric.name for metric in loaded}
    decide = [name for name in DECIDING if name not in asked and name in judged_in(experiment)]
    gathered = gather(experiment, [*loaded, *load_metrics(decide)])
    gathered = gathered if judges else gathered.shown
    names = [metric.name for metric in loaded if metric.name in gathered.metrics]
    met = derive_pairs(experiment, gathered)[0] if by is None and (metrics is None or PAIRWISE in metrics) else ()
    compared: list[Comparison] = []
    parts = [*_parts(gathered, by).items()] if by else [(None, gathered)]
    heard = [assessors_of(part, met, judges) for _, part in parts]
    rows_of = [[row for row in met if Assessor.of(row) in assessors] for assessors in heard]
    every = zip(parts, heard, rows_of, strict=True)
    tested_parts = [uncorrected(part, pairs, assessors, rows, names) for (_, part), assessors, rows in every]
    families = corrected(tested_parts, gathered)
    for (name, part), assessors, rows, family in zip(parts, heard, rows_of, families, strict=True):
        of_pairs = (compare_systems(part, label, other, assessors, rows, family, names) for label, other in shown)
        compared += [comparison.model_copy(update={"part": name and f"{by} {name}"}) for comparison in of_pairs]
    return compared


def with_margins(
    comparisons: Iterable[Comparison], margins: Mapping[str, float], clusters: Clusters
) -> Iterator[Comparison]:
    """The comparisons, which say whether systems are equal within each margin, by the name of a score.

    Raises UnknownName for a score that no comparison has.
    """
    for comparison in comparisons:
        rows = [row for table in comparison.tables for row in table.rows]
        if unknown := [name for name in margins if not any(is_named(row, name) for row in rows)]:
            raise UnknownName("row to compare", unknown[0], sorted({row.variant for row in rows}), names_all=True)
        names = sides_named(comparison.a, comparison.b)
        tables, told = list[JudgeTable](), list(comparison.conclusions)
        for table in comparison.tables:
            sizes = [next((size for name, size in margins.items() if is_named(row, name)), 0.0) for row in table.rows]
            held = [held_to(row, m, clusters) if m else row for row, m in zip(table.rows, sizes, strict=True)]
            tables.append(table.model_copy(update={"rows": tuple(held)}))
            sides = {"a": comparison.a, "b": comparison.b}
            told += [margin_sentence(row.model_copy(update=sides), names, table.judge) for row in held if row.margin]
        yield comparison.model_copy(update={"tables": tuple(tables), "conclusions": tuple(told)})


def _parts(gathered: Gathered, by: SliceBy) -> dict[str, Gathered]:
    """Each part of the queries by itself; of turns the metric of conversations says whether each is right."""
    metrics = {**gathered.metrics}
    if by == BY_TURN and (metric := metrics.get(CONVERSATION)) is not None:
        of_turn = metric.description.model_copy(update={"primary": ("turn",)})
        metrics[CONVERSATION] = replace(metric, description=of_turn)
    parts = {part: ids for (kind, part), ids in query_slices(gathered.definition).items() if kind == by}
    return {
        part: replace(gathered, plans=tuple(p for p in gathered.plans if p.query.query_id in ids), metrics=metrics)
        for part, ids in parts.items()
    }


def metrics_to_compare(experiment: Path) -> list[str | Metric]:
    """The built-in metrics that are usual or judged, in the order of tables, then all others that were judged."""
    judged = judged_in(experiment)
    usual = [name for name in METRICS if name in judged or name in USUAL]
    own_metrics = (recorded_metric(experiment, name) for name in judged if name not in (*METRICS, PAIRWISE))
    return [*usual, *filter(None, own_metrics), *([PAIRWISE] if PAIRWISE in judged else [])]


def metrics_away(experiment: Path) -> list[str]:
    """The metrics with verdicts whose values only their own code can tell, and which are not installed."""
    names = [name for name in judged_in(experiment) if name != PAIRWISE]
    return [name for name in names if recorded_metric(experiment, name) is None]


def _table(
    contrasts: Contrasts, a: str, b: str, assessor: Assessor, metrics: Sequence[str], family: Family
) -> JudgeTable | None:
    """None if this judge has no value of either system that may be shown."""
    gathered, rows = contrasts.gathered, list[ComparedRow]()
    for metric in (gathered.metrics[name] for name in metrics):
        if not gathered.rates(assessor, metric):
            continue
        unread = gathered.unread(assessor, metric.name, (a, b))
        for variant in dict.fromkeys((*compared(metric), *primary_variants(metric))):
            measure = Measure(assessor, metric.name, variant)
            if not any(values for label in (a, b) for values in contrasts.sides(measure)[label].values.values()):
                continue
            rows.append(tested(family, measure, a, b) or explored(contrasts.row(measure, a, b, unread)))
    if assessor == OF_DONE.assessor:
        rows.append(tested(family, OF_DONE, a, b) or explored(contrasts.row(OF_DONE, a, b)))
    return JudgeTable(**assessor.columns, rows=tuple(rows)) if rows else None

"""Comparisons of two systems, made from recorded verdicts without judging anything."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

from drretail.errors import UserError
from drretail.eval.compare.conclusions import OF_PICKS, conclusions, missing, reliability
from drretail.eval.compare.differences import Primary, primary_tests, with_primary
from drretail.eval.compare.rows import Sides, by_query, contrasts, done_row, side_of
from drretail.eval.compare.wording import bar_of, compared, family_of, other_figures, row_facts, rows_of
from drretail.eval.judging.question import judged_in
from drretail.eval.judging.subject import research_labels, resolve_name
from drretail.eval.metric import Metric, is_unrated
from drretail.eval.registry import METRICS, PAIRWISE, USUAL, load_metrics, recorded_metric
from drretail.eval.scores.facts import facts_of
from drretail.eval.scores.gathering import Assessor, Gathered, is_panel
from drretail.eval.scores.pair_rows import derive_pairs
from drretail.eval.scores.planned import read_judgements
from drretail.experiment import Definition, read_definition
from drretail.records.comparison import ComparedRow, Comparison, JudgeTable, PairScore, Reliability
from drretail.records.run import slug
from drretail.records.score import CODE, readers_of


def chosen_pairs(definition: Definition, a: str | None = None, b: str | None = None) -> list[tuple[str, str]]:
    """The pair that two labels name, else all pairs of research systems, or only those with ``a``.

    A label may be shortened to a beginning that no other label has. Null agents, the oracle and runs with another
    user's profile are compared only by name. Raises UnknownName for a label that matches no system, and UserError if
    one matches several or if there is nothing to compare.
    """
    if a is not None and b is not None:
        first, second = resolve_name("system", a, definition.systems), resolve_name("system", b, definition.systems)
        if first == second:
            raise UserError(f"Both {a!r} and {b!r} are {first}: name two systems.")
        return [(first, second)]
    labels = research_labels(definition)
    if a is not None:
        first = resolve_name("system", a, definition.systems)
        pairs = [(first, label) for label in labels if label != first]
    else:
        pairs = list(combinations(labels, 2))
    if not pairs:
        present = ", ".join(sorted(definition.systems)) or "no system"
        raise UserError(f"The experiment holds {present}: nothing to compare. Run another system into it, or name two.")
    return pairs


def chosen_judges(gathered: Gathered, pairs: Sequence[PairScore], judges: Sequence[str] = ()) -> frozenset[str]:
    """The specs of the named judges, or of all with verdicts on single reports or pairs; "code" is always among them.

    Raises as ``resolve_name`` does.
    """
    specs = {assessor.judge.spec for metric in gathered.metrics for assessor in gathered.assessors(metric)} | {
        row.judge for row in pairs
    }
    wanted = {resolve_name("judge with verdicts here", judge, specs - {CODE}) for judge in judges}
    return frozenset((wanted or specs) | {CODE})


def assessors_of(gathered: Gathered, judges: Collection[str]) -> list[Assessor]:
    """Every assessor (a judge under a set of rules) of these judges: single judges first, then panels, code last."""
    every = {assessor for metric in gathered.metrics for assessor in gathered.assessors(metric)}
    own = [assessor for assessor in every if assessor.judge.spec in judges]
    return sorted(own, key=lambda each: (each.judge.spec == CODE, is_panel(each.judge.spec), each.order))


DECIDING = ("basket", "outcome", "faithfulness", "false_statements")
"""The metrics that measure what was bought and refused, how judges read, and whether the systems are assistants."""
BAR = 7.0
"""The rating, 0 to 10, from which a report passes."""


@dataclass(frozen=True, slots=True)
class ComparisonRequest:
    """What a comparison is asked to cover."""

    experiment: str
    """The folder as the user names it, for the commands that add what is missing."""
    metrics: Sequence[str]
    """Names of metrics, in the order of tables."""
    judges: Collection[str]
    """The judges that count, as "provider:model"."""
    bar: float = BAR
    pairwise: bool = True
    """True if side-by-side preferences are included."""


def compare(
    gathered: Gathered,
    a: str,
    b: str,
    request: ComparisonRequest,
    pairs: Sequence[PairScore] = (),
    primary: Primary | None = None,
) -> Comparison:
    """Compares systems ``a`` and ``b``: a table for each judge and set of rules, conclusions, and what is missing.

    ``pairs`` are all rows of pairwise judging; those of these two systems by these judges are kept. ``primary`` is the
    result of ``primary_tests`` for all pairs that are compared; by default it is computed for this pair.
    """
    assessors = assessors_of(gathered, request.judges)
    pairs = [row for row in pairs if row.judge in request.judges]
    primary = primary_tests(gathered, [(a, b)], assessors, pairs) if primary is None else primary
    pairs = with_primary(pairs, primary)
    made = (_table(gathered, a, b, assessor, request, primary) for assessor in assessors)
    tables = tuple(table for table in made if table is not None)
    theirs = [row if row.a == a else row.turned for row in pairs if request.pairwise and {row.a, row.b} == {a, b}]
    met = tuple(row for row in theirs if row.note is None and row.n_scored)
    comparison = Comparison(a=a, b=b, tables=tables, pairs=met)
    preferences = theirs if request.pairwise else None
    gaps = missing(gathered, comparison, request.experiment, request.metrics, assessors, preferences)
    self_checked = {label for label, system in gathered.definition.systems.items() if system.self_checked}
    finding = {name for name, metric in gathered.metrics.items() if metric.description.self_checked}
    kin = _kin(gathered.definition, comparison)
    sentences = conclusions(comparison, self_checked, finding, _read_by(gathered, a, b), kin)
    exploratory = other_figures(rows_of([comparison], is_primary=False), {a: "A", b: "B"})
    follows = {"missing": tuple(gaps), "conclusions": tuple(sentences), "exploratory": tuple(exploratory)}
    return comparison.model_copy(update=follows)


def compare_recorded(
    experiment: Path,
    a: str | None = None,
    b: str | None = None,
    *,
    metrics: Sequence[str | Metric] | None = None,
    judges: Sequence[str] = (),
    bar: float = BAR,
) -> list[Comparison]:
    """Compares two systems of an experiment, or without names all pairs that ``chosen_pairs`` gives.

    If ``metrics`` is None, they are the usual ones and all others that were judged. ``judges`` are the judges that
    count; without any, all do. Nothing is judged. Raises UserError as ``chosen_pairs`` and ``chosen_judges`` do.
    """
    pairs = chosen_pairs(read_definition(experiment), a, b)
    chosen = judged_metrics(experiment) if metrics is None else metrics
    loaded = load_metrics(chosen)
    # What was bought and refused is needed for any precision, and how a judge read for all its numbers.
    asked = {metric.name for metric in loaded}
    decide = [name for name in DECIDING if name not in asked and name in judged_in(experiment)]
    gathered = read_judgements(experiment, [*loaded, *load_metrics(decide)])
    names = tuple(metric.name for metric in loaded if metric.name in gathered.metrics)
    pairwise = metrics is None or PAIRWISE in metrics
    met = derive_pairs(experiment, gathered)[0] if pairwise else ()
    judged = chosen_judges(gathered, met, judges)
    met = [row for row in met if row.judge in judged]
    request = ComparisonRequest(str(experiment), names, judged, bar, pairwise)
    primary = primary_tests(gathered, pairs, assessors_of(gathered, judged), met, names)
    return [compare(gathered, one, other, request, met, primary) for one, other in pairs]


def judged_metrics(experiment: Path) -> list[str | Metric]:
    """The built-in metrics that are usual or judged, in the order of tables, then all others that were judged."""
    judged = judged_in(experiment)
    known = [name for name in METRICS if name in judged or name in USUAL]
    own = (recorded_metric(experiment, name) for name in judged if name not in (*METRICS, PAIRWISE))
    return [*known, *filter(None, own), *([PAIRWISE] if PAIRWISE in judged else [])]


def metrics_away(experiment: Path) -> list[str]:
    """The metrics with verdicts whose values only their own code can tell, and which are not installed."""
    names = [name for name in judged_in(experiment) if name != PAIRWISE]
    return [name for name in names if recorded_metric(experiment, name) is None]


def _table(
    gathered: Gathered, a: str, b: str, assessor: Assessor, request: ComparisonRequest, primary: Primary
) -> JudgeTable | None:
    """None if this judge has no value of either system that may be shown."""
    rows: list[ComparedRow] = []
    steady: list[Reliability] = []
    failed = 0
    steady_judge = assessor.judge.kind == "rule_based"
    for name in request.metrics:
        metric = gathered.metrics.get(name)
        if metric is None or assessor not in gathered.assessors(name) or is_unrated(metric, assessor.judge):
            continue
        decided = {
            test.variant: its[a, b] for test, its in primary.items() if (test.assessor, test.metric) == (assessor, name)
        }
        by_label = facts_of(gathered, name, assessor)
        both = by_label[a], by_label[b]
        runs = [facts.runs for facts in both]
        failed += sum(len(judged.errors) for its in runs for _, judged in its)
        k = min(len({plan.repeat for plan, _ in its}) for its in runs)
        # The variants in which either system has a value.
        variants: dict[str, Sides] = {}
        for variant in compared(metric):
            sides = side_of(runs[0], variant), side_of(runs[1], variant)
            if any(values for side in sides for values in side.values.values()):
                variants[variant] = sides
        made = contrasts(gathered, both, variants, decided)
        rows += [row.model_copy(update={"by_query": by_query(variants[row.variant])}) for row in made]
        for variant, sides in variants.items():
            bar = bar_of(metric, variant, request.bar)
            for label, side in zip((a, b), sides, strict=True):
                made = reliability(name, variant, label, side, k=k, bar=bar, steady_judge=steady_judge)
                called = {"name": row_facts(metric, variant)["name"]}
                steady += [] if made is None else [made.model_copy(update=called)]
    if assessor.judge.spec == CODE and assessor.rules == "default":
        rows.append(done_row(gathered, a, b))
    return JudgeTable(**assessor.columns, rows=tuple(rows), failed=failed, reliability=tuple(steady)) if rows else None


def _read_by(gathered: Gathered, a: str, b: str) -> list[str]:
    """How the picks of each system's reports were read, for A and for B: "picks by form, picks declared"."""
    readers: dict[str, set[str]] = {a: set(), b: set()}
    for name in OF_PICKS:
        for assessor in gathered.assessors(name):
            for plan, judged in gathered.judged_runs(name, assessor):
                for value in judged.values.values() if plan.label in readers else ():
                    readers[plan.label] |= readers_of(value.items).keys()
    return [", ".join(sorted(readers[label])) for label in (a, b)]


def _kin(definition: Definition, comparison: Comparison) -> list[tuple[str, str]]:
    """Judges of the same model family as one side's models, each with "A", "B" or "A and B"."""
    judged = {table.judge for table in (*comparison.tables, *comparison.pairs) if table.judge_kind == "llm"}
    judges = [judge for judge in judged if not is_panel(judge)]
    by_side = {
        side: {family_of(model.spec) for model in definition.systems[label].models.values()}
        for side, label in (("A", comparison.a), ("B", comparison.b))
    }
    kin = {judge: [side for side, its in by_side.items() if family_of(judge) in its] for judge in sorted(judges)}
    return [(judge, " and ".join(sides)) for judge, sides in kin.items() if sides]


def compare_beside(
    experiment: Path,
    other: Path,
    label: str | None = None,
    label_there: str | None = None,
    *,
    metrics: Sequence[str | Metric] | None = None,
    judges: Sequence[str] = (),
    bar: float = BAR,
) -> list[Comparison]:
    """Compares each research system that both experiments hold, or the one named, with itself in the other experiment,
    or with ``label_there``.

    Only queries with the same id in both are paired. Nothing is judged. Raises UserError if the two share no system or
    no query, and as ``compare_recorded`` does.
    """
    if experiment.resolve() == other.resolve():
        raise UserError(f"{other} is the experiment itself: --beside names another one, as of another world.")
    first, second = read_definition(experiment), read_definition(other)
    shared = sorted(first.systems.keys() & second.systems.keys()) if label_there is None else [*first.systems]
    if not shared or not {query.query_id for query in first.queries} & {query.query_id for query in second.queries}:
        raise UserError(f"{experiment} and {other} share no system, or no query: import with --system, or use --last.")
    wanted = [each for each in research_labels(first) if each in shared] or shared
    labels = wanted if label is None else [resolve_name("system of both experiments", label, shared)]
    chosen = [metric for metric in metrics or judged_metrics(experiment) if metric != PAIRWISE]
    judged = [read_judgements(path, load_metrics(chosen)) for path in (experiment, other)]
    both = together(judged[0], judged[1], other)
    pairs = [(each, there(label_there or each, other)) for each in labels]
    request = ComparisonRequest(
        str(experiment), tuple(both.metrics), chosen_judges(both, (), judges), bar, pairwise=False
    )
    primary = primary_tests(both, pairs, assessors_of(both, request.judges))
    return [compare(both, one, there, request, (), primary) for one, there in pairs]


def together(one: Gathered, other: Gathered, folder: Path) -> Gathered:
    """Both experiments as one; ``there`` names the systems of the other, and query ids decide what is paired."""
    runs = {plan.run_id: f"{there(plan.label, folder)}/{plan.query.query_id}-r{plan.repeat}" for plan in other.plans}
    plans = [replace(plan, label=there(plan.label, folder), run_id=runs[plan.run_id]) for plan in other.plans]
    theirs = {
        key: {runs[run]: judged for run, judged in tables.items()} for key, tables in other.tables_of_judges.items()
    }
    keys = dict.fromkeys((*one.tables_of_judges, *theirs))
    tables = {table_key: {**one.tables_of_judges.get(table_key, {}), **theirs.get(table_key, {})} for table_key in keys}
    systems = {there(label, folder): system for label, system in other.definition.systems.items()}
    definition = one.definition.model_copy(update={"systems": {**one.definition.systems, **systems}})
    return replace(one, definition=definition, plans=(*one.plans, *plans), tables_of_judges=tables)


def there(label: str, experiment: Path) -> str:
    """The label of another experiment's system beside those of one experiment."""
    return f"{label}@{slug(experiment.resolve().name)}"

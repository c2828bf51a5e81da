"""The same systems on the same queries in two experiments: each beside itself in the other one's world."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from drretail.errors import UserError
from drretail.eval.compare.comparing import (
    BAR,
    ComparisonRequest,
    assessors_of,
    chosen_judges,
    compare,
    judged_families,
)
from drretail.eval.compare.primary import primary_tests
from drretail.eval.family import Family
from drretail.eval.judging.pairs import research_labels, resolve_name
from drretail.eval.registry import PAIRWISE, load_metrics
from drretail.eval.scores.gathering import Gathered
from drretail.eval.scores.planned import read_judgements
from drretail.experiment import read_definition
from drretail.records.comparison import Comparison
from drretail.records.run import slug


def compare_beside(
    experiment: Path,
    other: Path,
    label: str | None = None,
    *,
    metrics: Sequence[str | Family] | None = None,
    judges: Sequence[str] = (),
    bar: float = BAR,
) -> list[Comparison]:
    """Each researching system that both experiments hold, or the one that is named, in the first against in the other.

    Only queries that have the same id in both are paired. Nothing is judged. Raises UserError where the two share no
    system or no query, and as ``compare_recorded`` does.
    """
    if experiment.resolve() == other.resolve():
        raise UserError(f"{other} is the experiment itself: --beside names another one, as of another world.")
    first, second = read_definition(experiment), read_definition(other)
    shared = sorted(first.systems.keys() & second.systems.keys())
    if not shared or not {query.query_id for query in first.queries} & {query.query_id for query in second.queries}:
        raise UserError(f"{experiment} and {other} share no system, or no query: nothing of them can be compared.")
    wanted = [each for each in research_labels(first) if each in shared] or shared
    labels = wanted if label is None else [resolve_name("system of both experiments", label, shared)]
    families = [metric for metric in metrics or judged_families(experiment) if metric != PAIRWISE]
    held = [read_judgements(path, load_metrics(families)) for path in (experiment, other)]
    both = together(held[0], held[1], name_there(other))
    pairs = [(each, _there(each, name_there(other))) for each in labels]
    request = ComparisonRequest(
        str(experiment), tuple(both.families), chosen_judges(both, (), judges), bar, pairwise=False
    )
    primary = primary_tests(both, pairs, assessors_of(both, request.judges))
    return [compare(both, one, there, request, (), primary) for one, there in pairs]


def together(one: Gathered, other: Gathered, name: str) -> Gathered:
    """Both as one experiment, where the other's systems are called "<label>@<name>"; query ids tell what is paired."""
    runs = {plan.run_id: f"{_there(plan.label, name)}/{plan.query.query_id}-r{plan.repeat}" for plan in other.plans}
    plans = [replace(plan, label=_there(plan.label, name), run_id=runs[plan.run_id]) for plan in other.plans]
    theirs = {
        key: {runs[run]: judged for run, judged in tables.items()} for key, tables in other.tables_of_judges.items()
    }
    keys = dict.fromkeys((*one.tables_of_judges, *theirs))
    tables = {table_key: {**one.tables_of_judges.get(table_key, {}), **theirs.get(table_key, {})} for table_key in keys}
    systems = {_there(label, name): system for label, system in other.definition.systems.items()}
    definition = one.definition.model_copy(update={"systems": {**one.definition.systems, **systems}})
    return replace(one, definition=definition, plans=(*one.plans, *plans), tables_of_judges=tables)


def name_there(experiment: Path) -> str:
    """What systems of the other experiment have behind their labels."""
    return slug(experiment.resolve().name)


def _there(label: str, name: str) -> str:
    return f"{label}@{name}"

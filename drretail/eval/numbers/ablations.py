"""Scores by one condition: each agent under every value that it ran under, and what each value changes."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from drretail.conditions.condition import Condition, dropping
from drretail.conditions.names import CONDITIONS
from drretail.conditions.registry import load_condition
from drretail.conditions.shop import size_tokens
from drretail.errors import UserError, check_known
from drretail.eval.metric import Metric
from drretail.eval.numbers.comparing import BY_PARTS, metrics_to_compare
from drretail.eval.numbers.contrast import Contrasts, Measure, concluded
from drretail.eval.numbers.facts import facts_of, part_score
from drretail.eval.numbers.family import assessors_of
from drretail.eval.numbers.gathering import Gathered, gather
from drretail.eval.numbers.judges import Assessor
from drretail.eval.numbers.wording import compared, primary_variants, row_facts
from drretail.eval.registry import PAIRWISE, load_metric, load_metrics, recorded_metric
from drretail.experiments.experiment import Definition, read_definition
from drretail.records.run import BASELINES, SIZE, Limits, System
from drretail.records.score import SettingRow, SettingTable

Settings = Mapping[str, str]
"""One agent's system labels by setting, in the order of the settings."""


def agents_by_setting(definition: Definition, condition: Condition) -> dict[str, Settings]:
    """The systems by value of each agent with values of two kinds or more, by its label without the condition.

    Floors and the oracle are left out.
    """
    by_agent: dict[str, dict[str, str]] = {}
    places: dict[str, tuple[str, float]] = {}
    for label, system in definition.systems.items():
        setting = None if system.agent in BASELINES else condition.of(system)
        if setting is not None:
            apart = condition.without(system)
            by_agent.setdefault(apart.label(), {})[setting] = label
            # Agents are sorted by name, and one agent on several sizes of the web by size.
            size = size_tokens(system.options.get(SIZE, "")) or 0.0
            places[apart.label()] = dropping(apart, SIZE).label(), size
    return {
        agent: {system: its[system] for system in sorted(its, key=condition.order)}
        for agent, its in sorted(by_agent.items(), key=lambda pair: places[pair[0]])
        if len({condition.kind(system) for system in its}) > 1
    }


def condition_by(systems: Iterable[System], by: str) -> Condition:
    """The condition of this name. One of the user's own is not loaded: it is as systems record it.

    Raises as ``load_condition`` does.
    """
    for system in systems:
        if (condition := system.conditions.get(by)) is not None:
            return Condition(name=by, about=by.replace("_", " "), default=condition.default)
    return load_condition(by, *BY_PARTS)[1]


def all_ablations(gathered: Gathered) -> Iterator[SettingTable]:
    """The tables of every condition in which systems differ, and which is shown on the page."""
    assessors = assessors_of(gathered)
    systems = gathered.definition.systems.values()
    names = {name for system in systems for name in system.conditions}
    for name in (*CONDITIONS, *Limits.model_fields, *sorted(names)):
        if (condition := condition_by(systems, name)).is_shown:
            yield from ablation_tables(gathered, condition, assessors)


def ablation_tables(
    gathered: Gathered,
    condition: Condition,
    assessors: Sequence[Assessor],
    variants: Mapping[str, Sequence[str]] | None = None,
) -> Iterator[SettingTable]:
    """A table for each judge, metric and variant with a value.

    ``variants`` gives the variants of each metric. Without it, they are the compared and primary variants of the
    metrics in which more is better. Ratings and preferences of a rule-based judge are left out.
    """
    agents, contrasts = agents_by_setting(gathered.definition, condition), Contrasts(gathered)
    for name, metric in gathered.metrics.items() if agents else ():
        wanted = _usual(metric) if variants is None else variants.get(name, ())
        for assessor in (assessor for assessor in assessors if gathered.rates(assessor, metric)):
            tables = (_table(contrasts, condition, Measure(assessor, name, variant), agents) for variant in wanted)
            yield from (table for table in tables if any(cell.n_counted for row in table.rows for cell in row.cells))


def _usual(metric: Metric) -> tuple[str, ...]:
    """The metric's compared and primary variants; none if its values are neither good nor bad."""
    if not metric.description.higher_is_better:
        return ()
    return tuple(dict.fromkeys((*compared(metric), *primary_variants(metric))))


def tables_of_experiment(
    experiment: Path, by: str, named: Collection[str] = (), judges: Sequence[str] = ()
) -> list[SettingTable]:
    """The tables of ``named``, each ``metric`` or ``metric:variant``; if empty, of everything that was judged.

    Raises UserError if no agent ran under two values, or if nothing that is asked for was judged; UnknownName for a
    wrong condition, metric, variant or judge.
    """
    definition = read_definition(experiment)
    condition = condition_by(definition.systems.values(), by)
    if not agents_by_setting(definition, condition):
        values = f" (a value is {condition.written})" if condition.written else ""
        how = "--web A, then with --web B," if by == "web" else f"--vary {by}=A,B{values}"
        raise UserError(f"No agent of the experiment ran under two values of {by}: run it with {how} into this folder.")
    chosen = named_variants(experiment, named)
    metrics = [metric for metric in metrics_to_compare(experiment) if metric != PAIRWISE]
    gathered = gather(experiment, [metric for metric, _ in chosen.values()] or load_metrics(metrics))
    variants: dict[str, Sequence[str]] = {
        name: (name in chosen and chosen[name][1]) or _usual(metric) or compared(metric)
        for name, metric in gathered.metrics.items()
    }
    assessors = assessors_of(gathered, judges=judges)
    tables = list(ablation_tables(gathered, condition, assessors, variants))
    if not tables:
        command = f"drretail score {experiment} --metrics {','.join(gathered.metrics)}"
        names = ", ".join(named) or "it"
        # Judged, but only by judges that give no such value.
        if any(gathered.assessors(name) for name in gathered.metrics):
            raise UserError(f"No judge so far gives a value of {names}; a model may: {command} --judge PROVIDER:MODEL.")
        raise UserError(f"Nothing of {names} was judged: {command}.")
    return tables


def named_variants(experiment: Path, metrics: Collection[str]) -> dict[str, tuple[Metric, list[str]]]:
    """The metrics named as ``metric`` or ``metric:variant``, each with the variants named.

    Raises UnknownName for a wrong metric or variant, and UserError for ``pairwise``.
    """
    by_metric: dict[str, tuple[Metric, list[str]]] = {}
    for metric_name in metrics:
        name, _, variant = metric_name.partition(":")
        if name == PAIRWISE:
            raise UserError(f"{PAIRWISE} judges two reports at once: --metrics takes metrics that judge one.")
        metric, variants = by_metric.setdefault(name, (recorded_metric(experiment, name) or load_metric(name), []))
        if variant:
            check_known(f"variant of {name}", metric.variants, variant)
            variants.append(variant)
    return by_metric


def _table(
    contrasts: Contrasts, condition: Condition, measure: Measure, agents: Mapping[str, Settings]
) -> SettingTable:
    gathered, (assessor, name, variant) = contrasts.gathered, measure
    metric, facts = gathered.metrics[name], facts_of(gathered, name, assessor)
    rows: list[SettingRow] = []
    for agent, settings in agents.items():
        cells = (part_score(facts[label], variant, condition.name, setting) for setting, label in settings.items())
        first, *others = settings
        pairs = [(first, other) for other in others]
        if condition.is_stepwise:
            pairs = [*pairwise(settings), *([(first, others[-1])] if len(others) > 1 else [])]
        unread = gathered.unread(assessor, name, settings.values())
        # The tests of one agent's steps are corrected together.
        table_rows = [
            contrasts.row(measure, settings[late], settings[early], unread).model_copy(update={"a": late, "b": early})
            for early, late in pairs
        ]
        steps = concluded(table_rows, gathered.clusters, is_primary=False)
        rows.append(SettingRow(agent=agent, cells=tuple(cells), steps=tuple(steps)))
    about = {"by": condition.name, "metric": name, "variant": variant, **row_facts(metric, variant)}
    return SettingTable(**about, **assessor.columns, rows=tuple(rows))

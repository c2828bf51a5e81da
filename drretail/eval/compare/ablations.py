"""Score against one option: each agent in the settings of it that it ran in, and what another setting brings."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from math import fsum
from pathlib import Path

from drretail.errors import UnknownName, UserError
from drretail.eval.compare.comparing import assessors_of, chosen_judges, judged_families
from drretail.eval.compare.one_option import ABLATED, Settings, agents_by_setting
from drretail.eval.compare.rows import Side, compared_rows, runs_of, side_of
from drretail.eval.compare.wording import compared, hidden, primary_variants, row_facts
from drretail.eval.family import Family
from drretail.eval.registry import PAIRWISE, load_metrics
from drretail.eval.scores.aggregate import mean_of
from drretail.eval.scores.gathering import Assessor, Gathered
from drretail.eval.scores.planned import read_judgements
from drretail.experiment import read_definition
from drretail.records.comparison import OPTIONS, Option, SettingCell, SettingRow, SettingStep, SettingTable
from drretail.records.score import CODE
from drretail.stats.clusters import Clusters


def all_assessors(gathered: Gathered) -> list[Assessor]:
    """Everybody who judged."""
    return assessors_of(gathered, chosen_judges(gathered, ()))


def all_ablations(gathered: Gathered) -> Iterator[SettingTable]:
    """Those of every option that systems differ in."""
    assessors = all_assessors(gathered)
    for by in OPTIONS:
        yield from ablation_tables(gathered, by, assessors)


def ablation_tables(
    gathered: Gathered, by: Option, assessors: Sequence[Assessor], variants: Mapping[str, Sequence[str]] | None = None
) -> Iterator[SettingTable]:
    """One for each judge, family and variant with a value: those of ``variants`` by family, else what is compared
    of families in which more is better.

    Opinions of a rule-based judge are left out.
    """
    agents = agents_by_setting(gathered.definition, by)
    if not agents:
        return
    for name, metric in gathered.families.items():
        wanted = _usual(metric) if variants is None else variants.get(name, ())
        for assessor in assessors:
            if assessor in gathered.assessors(name) and not hidden(metric, assessor):
                tables = (_table(gathered, by, metric, each, assessor, agents) for each in wanted)
                yield from (table for table in tables if any(cell.n for row in table.rows for cell in row.cells))


def _usual(metric: Family) -> tuple[str, ...]:
    """What is compared and what systems are chosen by; nothing of a family whose values are neither good nor bad."""
    if not metric.description.higher_is_better:
        return ()
    return tuple(dict.fromkeys((*compared(metric), *primary_variants(metric))))


def tables_of_experiment(
    experiment: Path, by: Option, named: Collection[str] = (), judges: Sequence[str] = (), beside: Option | None = None
) -> list[SettingTable]:
    """The tables of ``named``, each ``family`` or ``family:variant``; without any, of all that was judged. Those of a
    second option, ``beside``, follow where systems differ in that as well.

    Raises UserError where no agent ran in two settings, or nothing that is asked for was judged; UnknownName for a
    wrong family, variant or judge.
    """
    if not agents_by_setting(read_definition(experiment), by):
        raise UserError(f"No agent of the experiment ran in {ABLATED[by].lacking}.")
    families = [*dict.fromkeys(each.partition(":")[0] for each in named)] or judged_families(experiment)
    gathered = read_judgements(experiment, load_metrics([family for family in families if family != PAIRWISE]))
    variants = {name: _wanted(metric, named) for name, metric in gathered.families.items()}
    assessors = assessors_of(gathered, chosen_judges(gathered, (), judges))
    tables = list(ablation_tables(gathered, by, assessors, variants))
    if not tables:
        command = f"drretail score {experiment} --metrics {','.join(gathered.families)}"
        what = ", ".join(named) or "it"
        if any(gathered.assessors(name) for name in gathered.families):  # by who has no values for this
            raise UserError(f"No judge so far gives a value of {what}; a model may: {command} --judge PROVIDER:MODEL.")
        raise UserError(f"Nothing of {what} was judged: {command}.")
    return tables if beside is None else [*tables, *ablation_tables(gathered, beside, assessors, variants)]


def _wanted(metric: Family, named: Collection[str]) -> tuple[str, ...]:
    """The variants of a family that are asked for."""
    given = [
        variant for each in named for family, _, variant in [each.partition(":")] if family == metric.name and variant
    ]
    for variant in given:
        if variant not in metric.variants:
            raise UnknownName(f"variant of {metric.name}", variant, metric.variants)
    return tuple(given) or _usual(metric) or compared(metric)


def _table(
    gathered: Gathered, by: Option, metric: Family, variant: str, assessor: Assessor, agents: Mapping[str, Settings]
) -> SettingTable:
    runs = runs_of(gathered, metric.name, assessor)
    sides = {label: side_of(runs[label], variant) for its in agents.values() for label in its.values()}
    clusters = gathered.clusters
    concludes = assessor.judge.kind != "rule_based" or assessor.judge.spec == CODE
    rows = [
        SettingRow(
            agent=agent,
            cells=tuple(_cells(by, metric, variant, settings, sides, clusters)),
            steps=tuple(_steps(by, metric, variant, settings, sides, clusters, concludes=concludes)),
        )
        for agent, settings in agents.items()
    ]
    return SettingTable(
        by=by,
        metric=metric.name,
        variant=variant,
        **row_facts(metric, variant),
        **assessor.columns,
        rows=tuple(rows),
    )


def _cells(
    by: Option, metric: Family, variant: str, settings: Settings, sides: Mapping[str, Side], clusters: Clusters
) -> Iterator[SettingCell]:
    for setting, label in settings.items():
        means = {query: fsum(its) / len(its) for query, its in sides[label].values.items() if its}
        found = mean_of(metric, variant, means, clusters)
        yield SettingCell(
            setting=setting,
            system=label,
            mean=found.value,
            ci_low=found.low,
            ci_high=found.high,
            n=len(means),
            n_users=clusters.users(means),
            at=ABLATED[by].number(setting),
        )


def _steps(
    by: Option,
    metric: Family,
    variant: str,
    settings: Settings,
    sides: Mapping[str, Side],
    clusters: Clusters,
    *,
    concludes: bool,
) -> Iterator[SettingStep]:
    """The tests of one agent's steps are corrected for each other."""
    pairs = steps_between([*settings], by)
    tested = {f"{later}~{earlier}": (sides[settings[later]], sides[settings[earlier]]) for earlier, later in pairs}
    rows = compared_rows(metric.name, tested, clusters, concludes=concludes)
    for (earlier, later), row in zip(pairs, rows, strict=True):
        yield SettingStep(earlier=earlier, later=later, row=row.model_copy(update={"variant": variant}))


def steps_between(settings: Sequence[str], by: Option) -> list[tuple[str, str]]:
    """Which settings are held beside which: (earlier, later)."""
    first, *others = settings
    if not ABLATED[by].is_stepwise:
        return [(first, other) for other in others]
    return [*pairwise(settings), *([(first, settings[-1])] if len(settings) > 2 else [])]

"""Score against information: each agent in the settings of what it knows of the shopper, and what each step brings."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from math import fsum
from pathlib import Path

from drretail.errors import UnknownName, UserError
from drretail.eval.compare.comparing import chosen_judges, judged_families, seats_of
from drretail.eval.compare.rows import Side, compared_rows, runs_of, side_of
from drretail.eval.compare.wording import compared, hidden, row_facts
from drretail.eval.metric import Metric, description_of
from drretail.eval.registry import PAIRWISE, load_metrics
from drretail.eval.scores.aggregate import exact_or
from drretail.eval.scores.gathering import Gathered, Seat, gather
from drretail.eval.scores.panel import with_panels
from drretail.experiment import Definition, read_definition
from drretail.records.comparison import InformationCell, InformationRow, InformationStep, InformationTable
from drretail.records.run import BASELINES, INFORMATION, INFORMED, Information, System
from drretail.records.score import CODE
from drretail.stats.intervals import mean_intervals

NO_SETTINGS = (
    "No agent of the experiment ran in two settings of information: run it with --information task --information "
    "persona into the same folder (docs/pdr.md)."
)
Settings = Mapping[Information, str]
"""The labels of one agent by setting, in the order in which more is known."""


def agents_by_setting(definition: Definition) -> dict[str, Settings]:
    """By the label of the agent without its setting: its systems, where there are two or more."""
    found: dict[str, dict[Information, str]] = {}
    for label, system in definition.systems.items():
        if system.agent not in BASELINES:
            found.setdefault(_without_setting(system), {})[system.information] = label
    ordered: dict[str, Settings] = {
        agent: {it: its[it] for it in INFORMATION if it in its} for agent, its in sorted(found.items())
    }
    return {agent: its for agent, its in ordered.items() if len(its) > 1}


def _without_setting(system: System) -> str:
    """The label of the same agent with tools."""
    if system.information == "tools":
        return system.label()
    left = [it for it in system.options.get("without", ()) if it != "user"]
    kept = {name: value for name, value in system.options.items() if name not in (INFORMED, "without")}
    return system.model_copy(update={"options": kept | ({"without": left} if left else {})}).label()


def seats_of_all(gathered: Gathered) -> list[Seat]:
    """Everybody who judged."""
    return seats_of(gathered, chosen_judges(gathered, ()))


def information_tables(
    gathered: Gathered, seats: Sequence[Seat], variants: Mapping[str, Sequence[str]] | None = None
) -> Iterator[InformationTable]:
    """One for each judge, family and variant with a value: those of ``variants`` by family, else what is compared
    of families in which more is better.

    Opinions of a rule-based judge are left out.
    """
    agents = agents_by_setting(gathered.definition)
    if not agents:
        return
    for name, metric in gathered.families.items():
        wanted = _usual(metric) if variants is None else variants.get(name, ())
        for seat in seats:
            if seat in gathered.seats(name) and not hidden(metric, seat):
                tables = (_table(gathered, metric, it, seat, agents) for it in wanted)
                yield from (table for table in tables if any(cell.n for row in table.rows for cell in row.cells))


def _usual(metric: Metric) -> tuple[str, ...]:
    """What is compared; nothing of a family whose values are neither good nor bad."""
    return compared(metric) if description_of(metric).higher_is_better else ()


def tables_of_experiment(
    experiment: Path, asked: Collection[str] = (), judges: Sequence[str] = ()
) -> list[InformationTable]:
    """The tables of ``asked``, each ``family`` or ``family:variant``; without any, of all that was judged.

    Raises UserError where no agent ran in two settings, or nothing that is asked for was judged; UnknownName for a
    wrong family, variant or judge.
    """
    if not agents_by_setting(read_definition(experiment)):
        raise UserError(NO_SETTINGS)
    families = [*dict.fromkeys(it.partition(":")[0] for it in asked)] or judged_families(experiment)
    gathered = with_panels(gather(experiment, load_metrics([it for it in families if it != PAIRWISE])))
    variants = {name: _wanted(metric, asked) for name, metric in gathered.families.items()}
    seats = seats_of(gathered, chosen_judges(gathered, (), judges))
    tables = list(information_tables(gathered, seats, variants))
    if not tables:
        raise UserError(
            f"Nothing of {', '.join(asked) or 'it'} was judged by a model or by code: drretail score {experiment} "
            f"--metrics {','.join(gathered.families)}."
        )
    return tables


def _wanted(metric: Metric, asked: Collection[str]) -> tuple[str, ...]:
    """The variants of a family that are asked for."""
    given = [variant for it in asked for family, _, variant in [it.partition(":")] if family == metric.name and variant]
    for variant in given:
        if variant not in metric.variants():
            raise UnknownName(f"variant of {metric.name}", variant, metric.variants())
    return tuple(given) or tuple(compared(metric))


def _table(
    gathered: Gathered, metric: Metric, variant: str, seat: Seat, agents: Mapping[str, Settings]
) -> InformationTable:
    runs = runs_of(gathered, metric.name, seat)
    sides = {label: side_of(runs[label], variant) for its in agents.values() for label in its.values()}
    seed = gathered.definition.seed
    concludes = seat.judge.kind != "rule_based" or seat.judge.spec == CODE
    rows = [
        InformationRow(
            agent=agent,
            cells=tuple(_cells(metric, variant, settings, sides, seed)),
            steps=tuple(_steps(metric, variant, settings, sides, seed, concludes=concludes)),
        )
        for agent, settings in agents.items()
    ]
    return InformationTable(
        metric=metric.name,
        variant=variant,
        **row_facts(metric, variant),
        judge=seat.judge.spec,
        judge_kind=seat.judge.kind,
        judge_params=seat.judge.params_hash,
        rules=seat.rules,
        rows=tuple(rows),
    )


def _cells(
    metric: Metric, variant: str, settings: Settings, sides: Mapping[str, Side], seed: str
) -> Iterator[InformationCell]:
    means: dict[Information, tuple[float, ...]] = {
        setting: _query_means(sides[label]) for setting, label in settings.items()
    }
    drawn = mean_intervals([*means.values()], seed)
    for (setting, values), interval in zip(means.items(), drawn, strict=True):
        found = exact_or(interval, metric, variant, values)
        yield InformationCell(
            setting=setting,
            system=settings[setting],
            mean=found.value,
            ci_low=found.low,
            ci_high=found.high,
            n=len(values),
        )


def _query_means(side: Side) -> tuple[float, ...]:
    return tuple(fsum(its) / len(its) for its in side.values.values() if its)


def _steps(
    metric: Metric, variant: str, settings: Settings, sides: Mapping[str, Side], seed: str, *, concludes: bool
) -> Iterator[InformationStep]:
    """The tests of one agent's steps are corrected for each other."""
    there: list[Information] = list(settings)
    pairs = list(pairwise(there))
    if len(there) > 2:
        pairs.append((there[0], there[-1]))
    tested = {f"{later}~{earlier}": (sides[settings[later]], sides[settings[earlier]]) for earlier, later in pairs}
    rows = compared_rows(metric.name, tested, seed, concludes=concludes)
    for (earlier, later), row in zip(pairs, rows, strict=True):
        yield InformationStep(earlier=earlier, later=later, row=row.model_copy(update={"variant": variant}))

"""Scores against one option: each agent in every setting in which it ran, and what each setting changes."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import fsum
from pathlib import Path

from drretail.errors import UnknownName, UserError
from drretail.eval.compare.comparing import assessors_of, chosen_judges, judged_families
from drretail.eval.compare.rows import compared_rows, runs_of, side_of
from drretail.eval.compare.wording import compared, primary_variants, row_facts
from drretail.eval.family import Family, is_unrated
from drretail.eval.registry import PAIRWISE, load_metric, load_metrics, recorded_family
from drretail.eval.scores.aggregate import mean_of
from drretail.eval.scores.gathering import Assessor, Gathered
from drretail.eval.scores.planned import read_judgements
from drretail.experiment import Definition, read_definition
from drretail.records.comparison import OPTIONS, Option, SettingCell, SettingRow, SettingStep, SettingTable
from drretail.records.run import (
    BASELINES,
    BM25,
    INFORMATION,
    INFORMED,
    INTENT,
    INTENTS,
    MEMORY,
    MOVES,
    RETRIEVER,
    SANDBOX,
    Limits,
    System,
)

SIZE, COMPOSE = "size", "compose"
"""Two options of a System on a sealed web: the size of the web, and which part of its pages is served."""
COMPOSITIONS = ("all", "no_distractor", "supportive_only", "no_supportive")
NO_WEB = NO_MOVES = "none"
_SIZE = re.compile(r"(\d+)([km]?)")
_TIMES = {"": 1, "k": 1_000, "m": 1_000_000}
Settings = Mapping[str, str]
"""One agent's system labels by setting, in the order of the settings."""


@dataclass(frozen=True, slots=True)
class AblatedOption:
    """An option in which systems may differ."""

    setting: Callable[[System], str | None]
    """A system's setting; None if the option does not apply to the system."""
    without: Callable[[System], System]
    """The same system without the option. Systems that are then equal are one agent and share a row."""
    order: Callable[[str], tuple[float, str]]
    """The sort key of a setting."""
    is_stepwise: bool
    """True if each setting is compared with the one before it, False if each is compared with the first."""
    lacking: str
    """Completes the error message when no agent ran in two settings: what is lacking and how to get it."""
    number: Callable[[str], float | None] = lambda _: None
    """A setting as a number; None if it isn't one."""
    kind: Callable[[str], str] = lambda setting: setting
    """The kind of a setting. An agent has a row only if its settings are of two kinds or more."""


def agents_by_setting(definition: Definition, by: Option) -> dict[str, Settings]:
    """The systems by setting of each agent with settings of two kinds or more, by its label without the option.

    Floors and the oracle are left out.
    """
    option = ABLATED[by]
    found: dict[str, dict[str, str]] = {}
    places: dict[str, tuple[str, float]] = {}
    for label, system in definition.systems.items():
        setting = None if system.agent in BASELINES else option.setting(system)
        if setting is not None:
            apart = option.without(system)
            found.setdefault(apart.label(), {})[setting] = label
            # Agents are sorted by name, and one agent on several sizes of the web by size.
            size = tokens_of(system.options.get(SIZE, "")) or 0.0
            places[apart.label()] = _dropping(apart, SIZE).label(), size
    return {
        agent: {each: its[each] for each in sorted(its, key=option.order)}
        for agent, its in sorted(found.items(), key=lambda each: places[each[0]])
        if len({option.kind(each) for each in its}) > 1
    }


def tokens_of(size: str) -> float | None:
    """The number of tokens that "64k" means; None for a size whose name does not state it."""
    found = _SIZE.fullmatch(size)
    return None if found is None else float(found[1]) * _TIMES[found[2]]


def _listed(known: Sequence[str]) -> Callable[[str], tuple[float, str]]:
    return lambda setting: (known.index(setting) if setting in known else len(known), setting)


def _counted(number: Callable[[str], float | None]) -> Callable[[str], tuple[float, str]]:
    def key(setting: str) -> tuple[float, str]:
        found = number(setting)
        return float("inf") if found is None else found, setting

    return key


def _dropping(system: System, *names: str, tools: str = "", **more: object) -> System:
    """A copy without these options, with the tool family ``tools`` switched on again and the fields ``more`` set."""
    kept = {name: value for name, value in system.options.items() if name not in names}
    if "without" in kept and tools:
        left = [each for each in kept.pop("without") if each != tools]
        kept |= {"without": left} if left else {}
    return system.model_copy(update={"options": kept, **more})


def _web(system: System) -> str | None:
    """The web that a system uses, with a sealed one's size; None if only part of it is served, which is ``compose``."""
    if COMPOSE in system.options:
        return None
    if "web" in system.options.get("without", ()):
        return NO_WEB
    return " ".join(filter(None, (system.web_provider, system.options.get(SIZE))))


ABLATED: Mapping[Option, AblatedOption] = {
    "information": AblatedOption(
        setting=lambda system: " ".join([system.information, *system.options.get(MEMORY, ())[:1]]),
        without=lambda system: _dropping(
            system, INFORMED, MEMORY, tools="" if system.information == "tools" else "user"
        ),
        order=lambda setting: (INFORMATION.index(setting.partition(" ")[0]), setting),
        is_stepwise=True,
        lacking="two settings of information: run it with --information task --information persona into the same "
        "folder (docs/benchmark.md)",
    ),
    "intent": AblatedOption(
        setting=lambda system: system.intent,
        without=lambda system: _dropping(system, INTENT),
        order=_listed(INTENTS),
        is_stepwise=True,
        lacking="two intents: run it with --intent mute --intent asked --intent told into the same folder "
        "(docs/queries.md)",
    ),
    "size": AblatedOption(
        setting=lambda system: system.options.get(SIZE),
        without=lambda system: _dropping(system, SIZE, web_corpus=None),
        order=_counted(tokens_of),
        is_stepwise=True,
        lacking="two sizes of a sandbox: run it with --size 64k and then --size 512k into the same folder "
        "(docs/sandboxes.md)",
        number=tokens_of,
    ),
    "compose": AblatedOption(
        setting=lambda system: system.options.get(COMPOSE, "all") if SIZE in system.options else None,
        without=lambda system: _dropping(system, COMPOSE, web_corpus=None),
        order=_listed(COMPOSITIONS),
        is_stepwise=False,
        lacking="two compositions of a sandbox: run it with and without --compose no_distractor into the same folder "
        "(docs/sandboxes.md)",
    ),
    "retriever": AblatedOption(
        setting=lambda system: system.options.get(RETRIEVER, BM25),
        without=lambda system: _dropping(system, RETRIEVER),
        order=_listed((BM25,)),
        is_stepwise=False,
        lacking="two retrievers: run it with and without --retriever dense:PROVIDER:MODEL into the same folder "
        "(docs/sandboxes.md)",
    ),
    "rag_turns": AblatedOption(
        setting=lambda system: str(system.limits.rag_turns),
        without=lambda system: system.model_copy(
            update={"limits": system.limits.model_copy(update={"rag_turns": Limits().rag_turns})}
        ),
        order=_counted(float),
        is_stepwise=True,
        lacking="two limits of turns: run it with --limit rag_turns=2 and then --limit rag_turns=8 into the same "
        "folder (docs/sandboxes.md)",
        number=float,
    ),
    "web": AblatedOption(
        setting=_web,
        without=lambda system: _dropping(system, SIZE, tools="web", web_provider=SANDBOX, web_corpus=None),
        # The open web first, then sealed webs by size (which adds less than 1), then no web.
        order=lambda setting: (
            {SANDBOX: 1.0, NO_WEB: 3.0}.get(setting.partition(" ")[0], 0.0)
            + (tokens_of(setting.partition(" ")[2]) or 0) / 1e12,
            setting,
        ),
        is_stepwise=False,
        lacking="two modes of the web: run it with --web sandbox:S, --web serper and --without web into the same "
        "folder (docs/sandboxes.md)",
        kind=lambda setting: setting.partition(" ")[0],
    ),
    "moves": AblatedOption(
        setting=lambda system: system.options.get(MOVES, NO_MOVES),
        without=lambda system: _dropping(system, MOVES),
        order=_listed((NO_MOVES,)),
        is_stepwise=False,
        lacking="a shop that moves: run it with --moves prices:0.2,stock:0.1 in the same folder (docs/experiments.md)",
    ),
}


def all_ablations(gathered: Gathered) -> Iterator[SettingTable]:
    """The tables of every option in which systems differ."""
    assessors = assessors_of(gathered, chosen_judges(gathered, ()))
    for by in OPTIONS:
        yield from ablation_tables(gathered, by, assessors)


def ablation_tables(
    gathered: Gathered, by: Option, assessors: Sequence[Assessor], variants: Mapping[str, Sequence[str]] | None = None
) -> Iterator[SettingTable]:
    """A table for each judge, family and variant with a value.

    ``variants`` gives the variants of each family. Without it, they are the compared and primary variants of the
    families in which more is better. Ratings and preferences of a rule-based judge are left out.
    """
    agents = agents_by_setting(gathered.definition, by)
    if not agents:
        return
    for name, metric in gathered.families.items():
        wanted = _usual(metric) if variants is None else variants.get(name, ())
        for assessor in assessors:
            if assessor in gathered.assessors(name) and not is_unrated(metric, assessor.judge):
                tables = (_table(gathered, by, metric, each, assessor, agents) for each in wanted)
                yield from (table for table in tables if any(cell.n for row in table.rows for cell in row.cells))


def _usual(metric: Family) -> tuple[str, ...]:
    """The family's compared and primary variants; none if its values are neither good nor bad."""
    if not metric.description.higher_is_better:
        return ()
    return tuple(dict.fromkeys((*compared(metric), *primary_variants(metric))))


def tables_of_experiment(
    experiment: Path, by: Option, named: Collection[str] = (), judges: Sequence[str] = (), beside: Option | None = None
) -> list[SettingTable]:
    """The tables of ``named``, each ``family`` or ``family:variant``; if empty, of everything that was judged.

    Tables of a second option, ``beside``, follow if systems differ in it too. Raises UserError if no agent ran in two
    settings, or if nothing that is asked for was judged; UnknownName for a wrong family, variant or judge.
    """
    if not agents_by_setting(read_definition(experiment), by):
        raise UserError(f"No agent of the experiment ran in {ABLATED[by].lacking}.")
    chosen = named_variants(experiment, named)
    families = [family for family in judged_families(experiment) if family != PAIRWISE]
    gathered = read_judgements(experiment, [metric for metric, _ in chosen.values()] or load_metrics(families))
    variants: dict[str, Sequence[str]] = {
        name: (name in chosen and chosen[name][1]) or _usual(metric) or compared(metric)
        for name, metric in gathered.families.items()
    }
    assessors = assessors_of(gathered, chosen_judges(gathered, (), judges))
    tables = list(ablation_tables(gathered, by, assessors, variants))
    if not tables:
        command = f"drretail score {experiment} --metrics {','.join(gathered.families)}"
        what = ", ".join(named) or "it"
        # Judged, but only by judges that give no such value.
        if any(gathered.assessors(name) for name in gathered.families):
            raise UserError(f"No judge so far gives a value of {what}; a model may: {command} --judge PROVIDER:MODEL.")
        raise UserError(f"Nothing of {what} was judged: {command}.")
    return tables if beside is None else [*tables, *ablation_tables(gathered, beside, assessors, variants)]


def named_variants(experiment: Path, named: Collection[str]) -> dict[str, tuple[Family, list[str]]]:
    """The families named as ``family`` or ``family:variant``, each with the variants named.

    Raises UnknownName for a wrong family or variant, and UserError for ``pairwise``.
    """
    found: dict[str, tuple[Family, list[str]]] = {}
    for each in named:
        name, _, variant = each.partition(":")
        if name == PAIRWISE:
            raise UserError(f"{PAIRWISE} judges two reports at once: --metric takes families that judge one.")
        metric, variants = found.setdefault(name, (recorded_family(experiment, name) or load_metric(name), []))
        if variant and variant not in metric.variants:
            raise UnknownName(f"variant of {name}", variant, metric.variants)
        variants += [variant] if variant else []
    return found


def _table(
    gathered: Gathered, by: Option, metric: Family, variant: str, assessor: Assessor, agents: Mapping[str, Settings]
) -> SettingTable:
    runs = runs_of(gathered, metric.name, assessor)
    sides = {label: side_of(runs[label], variant) for its in agents.values() for label in its.values()}
    clusters = gathered.clusters
    rows: list[SettingRow] = []
    for agent, settings in agents.items():
        means = {
            label: {query: fsum(its) / len(its) for query, its in sides[label].values.items() if its}
            for label in settings.values()
        }
        found = {label: mean_of(metric, variant, its, clusters) for label, its in means.items()}
        cells = (
            SettingCell(
                setting=setting,
                system=label,
                mean=found[label].value,
                ci_low=found[label].low,
                ci_high=found[label].high,
                n=len(means[label]),
                n_planned=len(sides[label].values),
                n_users=clusters.users(means[label]),
                at=ABLATED[by].number(setting),
            )
            for setting, label in settings.items()
        )
        first, *others = settings
        pairs = [(first, other) for other in others]
        if ABLATED[by].is_stepwise:
            pairs = [*pairwise(settings), *([(first, others[-1])] if len(others) > 1 else [])]
        # The tests of one agent's steps are corrected together.
        tested = {f"{late}~{early}": (sides[settings[late]], sides[settings[early]]) for early, late in pairs}
        compared_steps = compared_rows(metric, tested, clusters, instead=gathered.no_conclusion(assessor))
        steps = (
            SettingStep(earlier=earlier, later=later, row=row.model_copy(update={"variant": variant}))
            for (earlier, later), row in zip(pairs, compared_steps, strict=True)
        )
        rows.append(SettingRow(agent=agent, cells=tuple(cells), steps=tuple(steps)))
    return SettingTable(
        by=by,
        metric=metric.name,
        variant=variant,
        **row_facts(metric, variant),
        **assessor.columns,
        rows=tuple(rows),
    )

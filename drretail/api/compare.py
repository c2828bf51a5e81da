"""``compare``: systems side by side, from existing verdicts."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import groupby
from pathlib import Path
from shlex import quote
from typing import Any

from drretail.api.option import accepts
from drretail.api.options.score import CompareOptions
from drretail.api.options.shared import Texts, folder_of, metrics_in, text_list
from drretail.errors import UserError
from drretail.eval.method import judge_notes, judges_of_faithfulness
from drretail.eval.numbers.ablations import tables_of_experiment
from drretail.eval.numbers.comparing import BY_PARTS, BY_TURN, compare_recorded, metrics_away, with_margins
from drretail.eval.numbers.contrast import AGAIN
from drretail.eval.numbers.facts import need_floors, query_slices
from drretail.eval.numbers.fail_if import (
    CONFIRMED_LEVEL,
    NOT_LOOKED_AT,
    BoundRule,
    GateRule,
    confirmed,
    gate_results,
    read_rule,
    rows_named,
    since_last_results,
    stated,
)
from drretail.eval.numbers.file import made_scores, outdated, outdated_note
from drretail.eval.numbers.sample_sizes import SampleSize, sample_sizes, stated_size
from drretail.eval.numbers.value_tables import compare_values, is_value_table
from drretail.experiments.experiment import Definition, read_definition
from drretail.files import write_atomically
from drretail.records.comparison import Comparison, GateResult
from drretail.records.figures import counted, percent, roughly
from drretail.records.run import BASELINES, System, Systems
from drretail.records.score import NOT_PROVED, NeedFloor, SettingTable
from drretail.stats.intervals import Clusters
from drretail.stats.significance import LEVEL
from drretail.viewer.drawing.progress import busy
from drretail.viewer.drawing.result import Part, Prose, Result
from drretail.viewer.gates import junit, markdown
from drretail.viewer.sections import all_pairs_parts, comparison_parts
from drretail.viewer.tables import ablations

GATE_FAILED, GATE_OPEN = 4, 2
"""The exit codes of a rule of --fail-if that comes true, and of one that nobody can tell. Failed runs end with 3."""


@dataclass(frozen=True, slots=True)
class Compared:
    """What ``compare`` prints: pairs of systems, or with ``by`` the settings of one option."""

    comparisons: list[Comparison] = field(default_factory=list[Comparison])
    """One for each pair of systems, by "turn" or "needs" in each part of the queries; empty by a condition."""
    gates: list[GateResult] = field(default_factory=list[GateResult])
    """The result of each rule of ``fail_if``, for each pair and judge with such a score."""
    cards: Mapping[str, str] = field(default_factory=dict[str, str])
    """By judge of faithfulness, how often it is right about claims that people labelled."""
    away: list[str] = field(default_factory=list[str])
    """Metrics that have verdicts but are not compared, since their metric is not installed."""
    stale: str = ""
    """What has changed since the experiment was scored; empty if nothing has."""
    settings: list[SettingTable] = field(default_factory=list[SettingTable])
    """With ``by``: a table for each metric and judge."""
    floors: Mapping[str, Sequence[NeedFloor]] = field(default_factory=dict[str, Sequence[NeedFloor]])
    """By "needs", what ``right`` is worth in each part."""
    sizes: list[SampleSize] = field(default_factory=list[SampleSize])
    """With ``estimate``: how many queries show a difference."""
    systems: Systems = field(default_factory=dict[str, System])
    """The experiment's systems, by label."""
    options: CompareOptions = field(default_factory=CompareOptions)
    """What was compared, and how much of it is printed."""

    @property
    def comparison(self) -> Comparison:
        """The only pair. Raises UserError if there are none or several."""
        if len(self.comparisons) != 1:
            raise UserError(f"There are {len(self.comparisons)} pairs, not one: name both systems.")
        return self.comparisons[0]

    def result(self) -> "Result[Compared]":
        """The pairs with what is concluded of them, or the tables of a setting. What fails ends with code 4."""
        away = ", ".join(self.away)
        unknown = f"Not compared, since no such metric is installed: {away}. --metrics module:attribute names one."
        told = [sentence for gate in self.gates for sentence in stated(gate)]
        states = [gate.state for gate in self.gates]
        notes = [*([unknown] if away else []), *told]
        place = quote(str(self.options.experiment))
        if self.stale:
            notes.append(outdated_note(Path(str(self.options.experiment)), self.stale))
        rows = (row for comparison in self.comparisons for table in comparison.tables for row in table.rows)
        unread: dict[str, int] = {}
        for why, count in (item for row in rows for item in row.dropped.items() if item[0] in NOT_LOOKED_AT):
            unread[why] = max(unread.get(why, 0), count)
        for why, count in unread.items():
            again = f": drretail {AGAIN[why]} {place}" if why in AGAIN else ""
            notes.append(f"{counted(count, 'query', 'queries')} left out, {why}{again}.")
        parts = self._estimates() if self.sizes else self._settings() if self.settings else self._pairs()
        code = GATE_FAILED if "fails" in states else GATE_OPEN if "open" in states else 3
        left = states.count("fails") + states.count("open") + len(unread)
        return Result(self, self._document(), [*parts], notes=notes, left=left, code=code)

    def _document(self) -> dict[str, Any]:
        if self.settings:
            return {self.settings[0].by: [table.model_dump(mode="json", exclude_none=True) for table in self.settings]}
        if self.sizes:
            return {"sizes": [asdict(each) for each in self.sizes]}
        floors = {part: [floor.model_dump(mode="json") for floor in its] for part, its in self.floors.items()}
        return {
            "comparisons": [comparison.model_dump(mode="json", exclude_none=True) for comparison in self.comparisons],
            **({"floors": floors} if floors else {}),
            **({"judges": dict(self.cards)} if self.cards else {}),
            **({"gates": [gate.model_dump(mode="json") for gate in self.gates]} if self.options.fail_if else {}),
        }

    def _pairs(self) -> Iterator[Part]:
        details, place = self.options.details, quote(str(self.options.experiment))
        for part, of_part in groupby(self.comparisons, lambda comparison: comparison.part):
            if part is not None:
                yield Prose(part.capitalize())
            if floors := self.floors.get(part or ""):
                yield Prose(f"right of whoever does not look: {'; '.join(floor.in_words for floor in floors)}")
            comparisons = [*of_part]
            if len(comparisons) > 1 and not details:
                yield from all_pairs_parts(comparisons, self.systems, place, self.cards)
                continue
            for comparison in comparisons:
                yield from comparison_parts(comparison, self.cards, details=details)

    def _estimates(self) -> Iterator[Part]:
        yield Prose("A true difference is shown in 8 of 10 experiments by about")
        for size in self.sizes:
            runs = "as now" if size.repeats is None else f"{size.repeats} a query"
            ends = f" ({roughly(size.low)} to {roughly(size.high)})" if size.low < size.high else ""
            shown = "" if size.power is None else f"; as many queries as now show it in {percent(size.power)}"
            queries = f"{roughly(size.queries)} queries{ends} of {roughly(size.users)} users"
            yield Prose(f"- {size.difference:.12g} in {size.of}, runs {runs}: {queries}{shown}")
        if any(size.repeats is None for size in self.sizes):
            yield Prose("Two runs of a query by each system tell what repeats are worth: drretail run --repeats 2")
        else:
            yield Prose("More queries show more than as many more runs of the same ones.")

    def _settings(self) -> Iterator[Part]:
        """Scores by one option."""
        for table in ablations.headlines_first(self.settings):
            yield ablations.ablation_table(table, systems=self.systems)
        yield Prose(ablations.condition_note(ablations.condition_of(self.settings[0].by, self.systems)))


@accepts(CompareOptions)
def compare(options: CompareOptions) -> Compared:
    """Systems side by side, query by query: what can be concluded, what can't, and what is missing.

    ``.comparisons`` has each system against the baseline, or only ``a``; ``.comparison`` the only pair. With ``by``
    there is one table for each metric and judge instead. The beginning of a label is enough if no other label begins
    with it.
    Nothing is judged. Raises UnknownName for an unknown label, and UserError for an ambiguous one and for options that
    contradict each other.
    """
    if options.experiment is None:
        return Compared(sizes=[*_of_stated_spreads(options)], options=options)
    texts = text_list(options.fail_if)
    try:
        with busy("comparing"):
            rules, before = [read_rule(text) for text in texts], options.confirm
            made = _compared(options, rules) if before is None else _confirmed(options, rules, before)
    except UserError as problem:
        _write_for_ci(options, [GateResult(rule=text, state="open", told=str(problem), a="", b="") for text in texts])
        raise
    _write_for_ci(options, made.gates)
    return made


def _write_for_ci(options: CompareOptions, gates: Sequence[GateResult]) -> None:
    if options.junit is not None:
        write_atomically(Path(options.junit), junit(gates))
    if options.summary is not None:
        with Path(options.summary).open("a", encoding="utf-8") as file:
            file.write(markdown(gates))


def _confirmed(options: CompareOptions, rules: Sequence[BoundRule | GateRule], before: str | Path) -> Compared:
    """The comparison, in which a rule fails only if it fails in the experiment ``before``, too."""
    if options.last is not None or not isinstance(options.experiment, str | Path):
        raise UserError("--confirm takes two folders, and no --last.")
    if Path(before).resolve() == Path(options.experiment).resolve():
        raise UserError(
            f"--confirm {before} is the same experiment: name the one of the time before, with its own runs."
        )
    then, now = (
        _compared(replace(options, experiment=folder), rules, CONFIRMED_LEVEL)
        for folder in (before, options.experiment)
    )
    return replace(now, gates=[*confirmed(now.gates, then.gates)])


def _compared(options: CompareOptions, read: Sequence[BoundRule | GateRule], level: float = LEVEL) -> Compared:
    if isinstance(options.experiment, str | Path) and is_value_table(path := Path(options.experiment)):
        return _of_values(path, options, read, level)
    experiment = folder_of(options.experiment)
    definition = read_definition(experiment)
    systems, clusters = definition.systems, Clusters.of(definition.queries)
    by = dict(zip(map(str, BY_PARTS), BY_PARTS, strict=True)).get(options.by or "")
    if by and (options.fail_if or options.last is not None):
        raise UserError(f"--by {by} compares each part of the queries by itself: leave out --fail-if and --last.")
    if by is None and options.by is not None:
        return replace(_by_setting(experiment, options), systems=systems, options=options)
    metrics = metrics_in(options.metrics or ()) or None  # all that were judged
    judges = text_list(options.judges)
    since_last = [rule for rule in read if isinstance(rule, BoundRule) and rule.bound is None]
    if bool(since_last) != (options.last is not None):
        raise UserError("--last EXP2 and rules on last go together, such as --fail-if 'false_answers > last'.")
    stale, gates = outdated(experiment), list[GateResult]()
    if options.last is not None:
        last = folder_of(options.last)
        asked, both = (definition, read_definition(last)), (made_scores(experiment), made_scores(last))
        old = "; ".join(f"{folder}: {why}" for folder in (experiment, last) if (why := outdated(folder)))
        gates += since_last_results(*both, since_last, asked, BASELINES, stale=old)
        if (
            len(read) == len(since_last)
            and options.a is None
            and sum(system.agent not in BASELINES for system in systems.values()) < 2
        ):
            return Compared(gates=gates, systems=systems, options=options)
    rules = [rule for rule in read if rule not in since_last]
    sides = options.a, options.b
    comparisons = compare_recorded(experiment, *sides, baseline=options.baseline, metrics=metrics, judges=judges, by=by)
    if by and not comparisons:
        lacks = f"{experiment} holds no conversation: --by turn compares by it."
        raise UserError(lacks if by == BY_TURN else NOT_PROVED)
    comparisons = [*with_margins(comparisons, _numbers("--margin", options.margin), clusters)]
    gates += gate_results(comparisons, rules, clusters, level=level, stale=stale)
    shown = judges_of_faithfulness(table for comparison in comparisons for table in comparison.tables)
    return Compared(
        comparisons,
        gates=gates,
        sizes=[*_sizes(comparisons, options, clusters)],
        cards={judge: line for judge, line in judge_notes(experiment).items() if judge in shown},
        floors=_floors(definition) if by == "needs" else {},
        away=metrics_away(experiment) if metrics is None else [],
        stale=stale,
        systems=systems,
        options=options,
    )


def _of_values(path: Path, options: CompareOptions, read: Sequence[BoundRule | GateRule], level: float) -> Compared:
    """The systems in a file of values that others computed."""
    on_last = any(isinstance(rule, BoundRule) and rule.bound is None for rule in read)
    if options.by or options.last or options.judges or options.metrics or on_last:
        raise UserError(f"{path} holds values alone: leave out --by, --last, --judge and --metrics.")
    comparisons, clusters, systems = compare_values(path, options.a, options.b, baseline=options.baseline)
    comparisons = [*with_margins(comparisons, _numbers("--margin", options.margin), clusters)]
    return Compared(
        comparisons,
        gates=gate_results(comparisons, read, clusters, level=level),
        sizes=[*_sizes(comparisons, options, clusters)],
        systems=systems,
        options=options,
    )


def _floors(definition: Definition) -> dict[str, list[NeedFloor]]:
    """By what queries need, as ``Comparison.part`` names it."""
    return {
        f"{by} {part}": [*need_floors(query for query in definition.queries if query.query_id in ids)]
        for (by, part), ids in query_slices(definition).items()
        if by == "needs"
    }


def _numbers(flag: str, texts: Texts) -> dict[str, float]:
    """By the name of a score. Raises UserError for a text that is no "FP=.05"."""
    numbers = dict[str, float]()
    for text in text_list(texts):
        name, _, size = text.rpartition("=")
        if not name or not re.fullmatch(_NUMBER, size.strip()) or not float(size):
            raise UserError(f"{flag} {text!r} is none: write NAME=NUMBER, such as 'FP=.05'.")
        numbers[name.strip()] = float(size)
    return numbers


_NUMBER = r"(?:\d+(?:\.\d+)?|\.\d+)"


def _sizes(comparisons: Sequence[Comparison], options: CompareOptions, clusters: Clusters) -> Iterator[SampleSize]:
    for name, difference in _numbers("--estimate", options.estimate).items():
        for comparison, _, row in rows_named(comparisons, name):
            sides = {"a": comparison.a, "b": comparison.b}
            yield from sample_sizes(difference, row.model_copy(update=sides), clusters)


def _of_stated_spreads(options: CompareOptions) -> Iterator[SampleSize]:
    texts = text_list(options.estimate)
    stated = [re.fullmatch(f"({_NUMBER})/({_NUMBER})", text.strip()) for text in texts]
    for match in stated or [None]:
        if match is None or not all(map(float, match.groups())):
            raise UserError("Name an experiment, or --estimate DIFFERENCE/SD, such as '.10/.35'.")
        yield stated_size(*map(float, match.groups()))


def _by_setting(experiment: Path, options: CompareOptions) -> Compared:
    by, judges = options.by, text_list(options.judges)
    if options.a is not None or options.baseline is not None or options.fail_if:
        raise UserError(f"--by {by} compares settings of one agent: leave out systems, --baseline and --fail-if.")
    assert by is not None
    # They are found by name alone.
    names = [metric if isinstance(metric, str) else metric.name for metric in metrics_in(options.metrics or ())]
    return Compared(settings=tables_of_experiment(experiment, by, names, judges))

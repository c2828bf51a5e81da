"""``compare``: systems side by side, from existing verdicts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from shlex import quote
from typing import Any

from drretail.api.option import accepts
from drretail.api.options.score import CompareOptions
from drretail.api.options.shared import folder_of, metrics_in, text_list
from drretail.errors import UserError
from drretail.eval.method import judge_notes, judges_of_faithfulness
from drretail.eval.numbers.ablations import tables_of_experiment
from drretail.eval.numbers.comparing import BY_PARTS, BY_TURN, compare_recorded, metrics_away
from drretail.eval.numbers.contrast import AGAIN
from drretail.eval.numbers.facts import query_slices
from drretail.eval.numbers.fail_if import (
    NOT_LOOKED_AT,
    BoundRule,
    GateRule,
    bound_results,
    judged_gates,
    read_rule,
    since_last_results,
    stated,
    stated_bound,
)
from drretail.eval.numbers.file import made_scores, outdated, outdated_note, read_scores
from drretail.eval.numbers.value_tables import compare_values, is_value_table
from drretail.experiment import read_definition
from drretail.records.comparison import BoundResult, Comparison, GateResult
from drretail.records.figures import counted
from drretail.records.run import BASELINES, System, Systems
from drretail.records.score import NOT_PROVED, NeedFloor, SettingTable, need_floors
from drretail.stats.intervals import Clusters
from drretail.viewer.drawing.progress import busy
from drretail.viewer.drawing.result import Part, Prose, Result
from drretail.viewer.sections import all_pairs_parts, comparison_parts
from drretail.viewer.tables import ablations

GATE_FAILED = 4
"""The exit code of a rule of --fail-if that comes true. Failed runs end with 3."""


@dataclass(frozen=True, slots=True)
class Compared:
    """What ``compare`` prints: pairs of systems, or with ``by`` the settings of one option."""

    comparisons: list[Comparison] = field(default_factory=list[Comparison])
    """One for each pair of systems, by "turn" or "needs" in each part of the queries; empty by a condition."""
    bounds: list[BoundResult] = field(default_factory=list[BoundResult])
    """The result of each other rule of ``fail_if``."""
    gates: list[GateResult] = field(default_factory=list[GateResult])
    """The result of each rule of ``fail_if`` on a drop or rise."""
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
    systems: Systems = field(default_factory=dict[str, System])
    """The experiment's systems, by label."""
    options: CompareOptions = field(default_factory=lambda: CompareOptions(""))
    """What was compared, and how much of it is printed."""

    @property
    def comparison(self) -> Comparison:
        """The only pair. Raises UserError if there are none or several."""
        if len(self.comparisons) != 1:
            raise UserError(f"There are {len(self.comparisons)} pairs, not one: name both systems.")
        return self.comparisons[0]

    @property
    def broken(self) -> list[str]:
        """A sentence for each rule on a bound that is met."""
        return [stated_bound(bound) for bound in self.bounds if bound.fails]

    def result(self) -> "Result[Compared]":
        """The pairs with what is concluded of them, or the tables of a setting. What fails ends with code 4."""
        away = ", ".join(self.away)
        unknown = f"Not compared, since no such metric is installed: {away}. --metrics module:attribute names one."
        told = [*map(stated_bound, self.bounds), *(sentence for gate in self.gates for sentence in stated(gate))]
        broken = len(self.broken) + sum(gate.fails for gate in self.gates)
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
        parts = self._settings() if self.settings else self._pairs()
        code = GATE_FAILED if broken else 3
        return Result(self, self._document(), [*parts], notes=notes, left=broken + len(unread), code=code)

    def _document(self) -> dict[str, Any]:
        if self.settings:
            return {self.settings[0].by: [table.model_dump(mode="json", exclude_none=True) for table in self.settings]}
        gates = [*self.bounds, *self.gates]
        floors = {part: [floor.model_dump(mode="json") for floor in its] for part, its in self.floors.items()}
        return {
            "comparisons": [comparison.model_dump(mode="json", exclude_none=True) for comparison in self.comparisons],
            **({"floors": floors} if floors else {}),
            **({"judges": dict(self.cards)} if self.cards else {}),
            **({"failed": self.broken} if self.options.fail_if else {}),
            **({"gates": [gate.model_dump(mode="json") for gate in gates]} if self.options.fail_if else {}),
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
    with busy("comparing"):
        return _compared(options, [read_rule(text) for text in text_list(options.fail_if)])


def _compared(options: CompareOptions, read: Sequence[BoundRule | GateRule]) -> Compared:
    if isinstance(options.experiment, str | Path) and is_value_table(path := Path(options.experiment)):
        return _of_values(path, options, read)
    experiment = folder_of(options.experiment)
    definition = read_definition(experiment)
    systems = definition.systems
    by = dict(zip(map(str, BY_PARTS), BY_PARTS, strict=True)).get(options.by or "")
    if by and (options.fail_if or options.last is not None):
        raise UserError(f"--by {by} compares each part of the queries by itself: leave out --fail-if and --last.")
    if by is None and options.by is not None:
        return replace(_by_setting(experiment, options), systems=systems, options=options)
    metrics = metrics_in(options.metrics or ()) or None  # all that were judged
    judges = text_list(options.judges)
    rules = [rule for rule in read if isinstance(rule, BoundRule)]
    since_last = [rule for rule in rules if rule.bound is None]
    if bool(since_last) != (options.last is not None):
        raise UserError("--last EXP2 and rules on last go together, such as --fail-if 'false_answers > last'.")
    bounds: list[BoundResult] = []
    stale = outdated(experiment)
    if options.last is not None:
        for folder, changes in ((experiment, stale), (folder_of(options.last), outdated(folder_of(options.last)))):
            if changes:
                raise UserError(
                    f"The scores of {folder} are stale ({changes}): drretail score {folder} makes them again."
                )
        now, last = made_scores(experiment), made_scores(folder_of(options.last))
        asked = read_definition(experiment), read_definition(folder_of(options.last))
        bounds += since_last_results(now, last, since_last, asked, BASELINES)
        if (
            len(read) == len(since_last)
            and options.a is None
            and sum(system.agent not in BASELINES for system in systems.values()) < 2
        ):
            return Compared(bounds=bounds, systems=systems, options=options)
    sides = options.a, options.b
    comparisons = compare_recorded(experiment, *sides, baseline=options.baseline, metrics=metrics, judges=judges, by=by)
    if by and not comparisons:
        lacks = f"{experiment} holds no conversation: --by turn compares by it."
        raise UserError(lacks if by == BY_TURN else NOT_PROVED)
    tests = [rule for rule in read if isinstance(rule, GateRule)]
    scores = read_scores(experiment) if read else None
    gates = judged_gates(comparisons, tests, Clusters.of(definition.queries), scores)
    floors = {
        f"{by} {part}": [*need_floors(query for query in definition.queries if query.query_id in ids)]
        for (kind, part), ids in query_slices(definition).items()
        if kind == by == "needs"
    }
    shown = judges_of_faithfulness(table for comparison in comparisons for table in comparison.tables)
    return Compared(
        comparisons,
        bounds=[*bounds, *bound_results(comparisons, [rule for rule in rules if rule.bound is not None], scores)],
        gates=gates,
        cards={judge: line for judge, line in judge_notes(experiment).items() if judge in shown},
        floors=floors,
        away=metrics_away(experiment) if metrics is None else [],
        stale=stale,
        systems=systems,
        options=options,
    )


def _of_values(path: Path, options: CompareOptions, read: Sequence[BoundRule | GateRule]) -> Compared:
    """The systems in a file of values that others computed."""
    rules = [rule for rule in read if isinstance(rule, BoundRule)]
    if options.by or options.last or options.judges or options.metrics or any(rule.bound is None for rule in rules):
        raise UserError(f"{path} holds values alone: leave out --by, --last, --judge and --metrics.")
    comparisons, clusters, systems = compare_values(path, options.a, options.b, baseline=options.baseline)
    gates = judged_gates(comparisons, [rule for rule in read if isinstance(rule, GateRule)], clusters)
    bounds = list(bound_results(comparisons, rules))
    return Compared(comparisons, bounds=bounds, gates=gates, systems=systems, options=options)


def _by_setting(experiment: Path, options: CompareOptions) -> Compared:
    by, judges = options.by, text_list(options.judges)
    if options.a is not None or options.baseline is not None or options.fail_if:
        raise UserError(f"--by {by} compares settings of one agent: leave out systems, --baseline and --fail-if.")
    assert by is not None
    # They are found by name alone.
    names = [metric if isinstance(metric, str) else metric.name for metric in metrics_in(options.metrics or ())]
    return Compared(settings=tables_of_experiment(experiment, by, names, judges))

"""All that judges said of an experiment's runs, read once: scores, comparisons and slices are made of it alone."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from drretail.eval.judge_prompts import in_all_wordings
from drretail.eval.judging.subject import Subject, read_subjects
from drretail.eval.judging.verdicts import VerdictFile, verdict_path
from drretail.eval.metric import Metric, Value, gravest
from drretail.experiment import Definition, read_definition
from drretail.grounding.text.wording import split_words, words_of
from drretail.records.query import Query
from drretail.records.run import Usage
from drretail.records.score import JudgeRef, Rules, Verdict

FAILED_RUNS = "runs_failed"
NOT_JUDGED = "not_judged"


class Seat(NamedTuple):
    """One judge under one set of rules."""

    judge: JudgeRef
    rules: Rules

    @property
    def order(self) -> tuple[str, str, str]:
        return self.judge.spec, self.judge.params_hash, self.rules


class TableKey(NamedTuple):
    """One judge under one set of rules in one family."""

    metric: str
    seat: Seat


@dataclass(frozen=True, slots=True)
class Reported:
    """What one planned run got in one family by one judge."""

    query_id: str
    values: Mapping[str, Value]
    """By variant, the mean over judge repeats; a variant that is missing counts as failed."""
    lacks: str | None = None
    """FAILED_RUNS or NOT_JUDGED where there are no values at all."""
    by_repeat: Mapping[int, Mapping[str, Value]] = field(default_factory=dict[int, Mapping[str, Value]])
    """The values of each judge repeat, from 1."""


def planned_value(report: Reported, variant: str) -> float | None:
    """What a planned run earns in a headline: 0 where it failed, or lacks what the headline is about (METRICS 0).

    None where the fault is not the run's: nobody judged it, a judge failed, or its sources could not be read. Only for
    queries that the headline is defined for, since there n/a is the report's own doing.
    """
    found = report.values.get(variant)
    if found is not None and found.value is not None:
        return found.value
    return 0.0 if report.lacks == FAILED_RUNS or (found is not None and found.state == "na") else None


@dataclass(frozen=True, slots=True)
class Heard:
    """What one judge's verdicts on one run come to; verdicts are counted in keys."""

    reported: Reported
    verdicts: int = 0
    failed: int = 0
    stale: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """One planned run, without what it saw."""

    label: str
    query: Query
    repeat: int
    run_id: str
    report_sha: str | None
    """Of the very text that is judged; None for a run without a report."""
    words: int = 0
    """Of its report."""
    words_read: int = 0
    """The same without citations, as tables show them."""
    usage: Mapping[str, Usage] = field(default_factory=dict[str, Usage])
    """What it took, by role."""

    @property
    def has_report(self) -> bool:
        return self.report_sha is not None

    def unheard(self) -> Heard:
        """The same run before a judge that said nothing of it."""
        return Heard(Reported(self.query.query_id, {}, NOT_JUDGED if self.has_report else FAILED_RUNS))


@dataclass(frozen=True, slots=True)
class Gathered:
    """An experiment as its judges left it."""

    definition: Definition
    families: Mapping[str, Metric]
    """By name."""
    plans: tuple[Plan, ...]
    """By label, repeat and query."""
    tables_of_judges: Mapping[TableKey, Mapping[str, Heard]]
    """By run id; a run that is missing was not heard by that judge."""

    def labels(self) -> list[str]:
        """Every system, in the order of labels."""
        return sorted({plan.label for plan in self.plans})

    def seats(self, metric: str) -> list[Seat]:
        """Who has verdicts in a family."""
        return sorted(
            (table_key.seat for table_key in self.tables_of_judges if table_key.metric == metric),
            key=lambda seat: seat.order,
        )

    def heard(self, metric: str, seat: Seat) -> Iterator[tuple[Plan, Heard]]:
        """Every planned run with what this judge's verdicts come to, in the order of the plan."""
        by_run = self.tables_of_judges.get(TableKey(metric, seat), {})
        for plan in self.plans:
            yield plan, by_run.get(plan.run_id) or plan.unheard()


def gather(experiment: Path, metrics: Sequence[Metric]) -> Gathered:
    """Everything that living verdicts of these families come to, run by run and judge by judge.

    A verdict lives that is about this very report, asked in today's words and by this version of its family. Raises
    UserError for a folder without an experiment, and for files of another format.
    """
    prompts = {metric.name: in_all_wordings(experiment, metric.prompt_hashes) for metric in metrics}
    judges = {metric.name: _judges(experiment, metric.name) for metric in metrics}
    plans: list[Plan] = []
    tables_of_judges: dict[TableKey, dict[str, Heard]] = defaultdict(dict)
    for subject in read_subjects(experiment, None):
        plans.append(_plan(subject))
        for metric in metrics:
            verdicts = _verdicts(experiment, subject, metric.name, judges[metric.name])
            for seat, lines in verdicts.items():
                tables_of_judges[TableKey(metric.name, seat)][subject.run_id] = _heard(
                    subject, metric, seat, lines, prompts[metric.name]
                )
    families = {metric.name: metric for metric in metrics}
    return Gathered(read_definition(experiment), families, tuple(plans), dict(tables_of_judges))


def _plan(subject: Subject) -> Plan:
    run = subject.run
    return Plan(
        subject.label,
        subject.query,
        subject.repeat,
        subject.run_id,
        subject.report_sha,
        words=len(split_words(subject.report or "")),
        words_read=0 if run is None else words_of(run.report or "", run.citations),
        usage={} if run is None else run.usage,
    )


def _judges(experiment: Path, metric: str) -> list[str]:
    """The folders of all judges of a family."""
    return sorted(path.name for path in (experiment / "verdicts" / metric).glob("*/"))


def _verdicts(experiment: Path, subject: Subject, metric: str, judges: Sequence[str]) -> dict[Seat, list[Verdict]]:
    """The last verdict of every key about this run, by who judged."""
    run = f"{subject.query.query_id}-r{subject.repeat}"
    groups: dict[Seat, list[Verdict]] = defaultdict(list)
    for judge in judges:
        path = verdict_path(experiment, metric, judge, subject.label, run)
        for verdict in VerdictFile(path).lasts() if path.exists() else ():
            groups[Seat(verdict.judge, verdict.rules)].append(verdict)
    return groups


def _heard(subject: Subject, metric: Metric, seat: Seat, verdicts: Sequence[Verdict], prompts: frozenset[str]) -> Heard:
    report = subject.report_sha
    living = [
        verdict
        for verdict in verdicts
        if verdict.report_sha == report and verdict.prompt_hash in prompts and verdict.version == metric.version
    ]
    return Heard(
        _reported(subject, metric, living, seat.rules),
        verdicts=len(living),
        failed=sum(verdict.state == "failed" for verdict in living),
        stale=len(verdicts) - len(living),
    )


def _reported(subject: Subject, metric: Metric, living: Sequence[Verdict], rules: Rules) -> Reported:
    query_id = subject.query.query_id
    if subject.report is None:
        return Reported(query_id, {}, FAILED_RUNS)
    if not living:
        return Reported(query_id, {}, NOT_JUDGED)
    repeats: dict[int, list[Verdict]] = defaultdict(list)
    for verdict in living:
        repeats[verdict.judge_repeat].append(verdict)
    by_repeat = {
        repeat: {value.variant: value for value in metric.values(subject, repeats[repeat], rules)}
        for repeat in sorted(repeats)
    }
    return Reported(query_id, averaged(list(by_repeat.values())), None, by_repeat)


def averaged(repeats: Sequence[Mapping[str, Value]]) -> Mapping[str, Value]:
    """The mean of each variant over the repeats that scored it, counts of items likewise."""
    if len(repeats) == 1:
        return repeats[0]
    variants = dict.fromkeys(variant for values in repeats for variant in values)
    return {
        variant: _mean(variant, [values[variant] for values in repeats if variant in values]) for variant in variants
    }


def _mean(variant: str, values: Sequence[Value]) -> Value:
    scored = [value.value for value in values if value.value is not None]
    items: dict[str, float] = defaultdict(float)
    for value in values:
        for name, number in value.items.items():
            items[name] += number / len(values)
    if scored:
        return Value(variant, "scored", sum(scored) / len(scored), dict(items))
    return Value(variant, gravest(value.state for value in values) or "failed", None, dict(items))

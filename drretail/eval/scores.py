"""scores.json from what stands in the folder: all runs, and all verdicts of whichever judge."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from drretail.eval.aggregate import FAILED_RUNS, NOT_JUDGED, About, Reported, rows
from drretail.eval.metric import Metric
from drretail.eval.registry import METRICS
from drretail.eval.subject import Subject, read_subjects
from drretail.eval.verdicts import VerdictFile, verdict_path
from drretail.experiment import read_definition
from drretail.records.base import sha256_of
from drretail.records.score import JudgeRef, Judging, Rules, Score, Scores, Verdict

SELF_CHECKED = "checks"
"""The family whose findings an agent may have taken out of its reports by itself."""


class Seat(NamedTuple):
    """One judge under one set of rules."""

    judge: JudgeRef
    rules: Rules

    @property
    def order(self) -> tuple[str, str, str]:
        return self.judge.spec, self.judge.params_hash, self.rules


@dataclass(slots=True)
class Heard:
    """What one judge's verdicts on one run come to."""

    reported: Reported
    verdicts: int = 0
    failed: int = 0
    stale: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """One planned run, without what it saw."""

    label: str
    query_id: str
    run_id: str
    has_report: bool

    def unheard(self) -> Heard:
        """The same run before a judge that said nothing of it."""
        return Heard(Reported(self.query_id, {}, NOT_JUDGED if self.has_report else FAILED_RUNS))


@dataclass(slots=True)
class _Family:
    metric: Metric
    prompts: frozenset[str]
    heard: dict[Seat, dict[str, Heard]] = field(default_factory=lambda: defaultdict[Seat, dict[str, Heard]](dict))
    """By judge and rules, then by run."""


def derive_scores(experiment: Path, metrics: Sequence[Metric], asked: Collection[tuple[str, Seat]] = ()) -> Scores:
    """The scores of these families by every judge that has verdicts in the folder. Pure: equal folders, equal bytes.

    ``asked`` names judges of a family that have rows even if there was nothing for them to judge. A judge that was
    not asked has no rows for systems of which it judged nothing.
    """
    families = [_Family(metric, metric.prompt_hashes()) for metric in sorted(metrics, key=_order)]
    plans: list[Plan] = []
    for subject in read_subjects(experiment, None):
        plans.append(Plan(subject.label, subject.query.query_id, subject.run_id, subject.report is not None))
        for family in families:
            for seat, heard in _heard(experiment, subject, family):
                family.heard[seat][subject.run_id] = heard
    definition = read_definition(experiment)
    seed = definition.seed
    scores: list[Score] = []
    judgings: list[Judging] = []
    for family in families:
        wanted = {seat for name, seat in asked if name == family.metric.name}
        for seat in sorted({*family.heard, *wanted}, key=lambda seat: seat.order):
            for label, runs in _by_label(plans, family.heard[seat], everywhere=seat in wanted):
                about = About(family.metric, label, seat.judge, seat.rules, _wording(family.metric), seed)
                made = rows(about, [heard.reported for heard in runs])
                itself = family.metric.name == SELF_CHECKED and definition.systems[label].self_checked
                scores += [row.model_copy(update={"self_checked": True}) for row in made] if itself else made
                judgings.append(_judging(about, runs))
    return Scores(scores=tuple(scores), judgings=tuple(judgings))


def _order(metric: Metric) -> tuple[bool, int, str]:
    names = list(METRICS)
    known = metric.name in names
    return not known, names.index(metric.name) if known else 0, metric.name


def _by_label(plans: Sequence[Plan], heard: dict[str, Heard], *, everywhere: bool) -> Iterator[tuple[str, list[Heard]]]:
    """What a judge said of each system's runs, in the order of the plan."""
    labels: dict[str, list[Plan]] = defaultdict(list)
    for plan in plans:
        labels[plan.label].append(plan)
    for label, runs in labels.items():
        if everywhere or any(plan.run_id in heard for plan in runs):
            yield label, [heard.get(plan.run_id) or plan.unheard() for plan in runs]


def _heard(experiment: Path, subject: Subject, family: _Family) -> Iterator[tuple[Seat, Heard]]:
    """Every judge that has lines about this run, with what its living ones come to."""
    metric = family.metric
    groups: dict[Seat, list[Verdict]] = defaultdict(list)
    for folder in sorted((experiment / "verdicts" / metric.name).glob("*/")):
        run = f"{subject.query.query_id}-r{subject.repeat}"
        path = verdict_path(experiment, metric.name, folder.name, subject.label, run)
        for verdict in VerdictFile(path).lasts() if path.exists() else ():
            groups[Seat(verdict.judge, verdict.rules)].append(verdict)
    for seat, verdicts in groups.items():
        living = [verdict for verdict in verdicts if _lives(verdict, subject, family)]
        yield (
            seat,
            Heard(
                _reported(subject, metric, living, seat.rules),
                verdicts=len(living),
                failed=sum(verdict.state == "failed" for verdict in living),
                stale=len(verdicts) - len(living),
            ),
        )


def _lives(verdict: Verdict, subject: Subject, family: _Family) -> bool:
    """True for a verdict about this very report, asked in today's words and by this version of the family."""
    return (
        verdict.report_sha == subject.report_sha
        and verdict.prompt_hash in family.prompts
        and verdict.version == family.metric.version
    )


def _reported(subject: Subject, metric: Metric, living: Sequence[Verdict], rules: Rules) -> Reported:
    query_id = subject.query.query_id
    if subject.report is None:
        return Reported(query_id, {}, FAILED_RUNS)
    if not living:
        return Reported(query_id, {}, NOT_JUDGED)
    return Reported(query_id, {value.variant: value for value in metric.values(subject, living, rules)})


def _judging(about: About, runs: Sequence[Heard]) -> Judging:
    return Judging(
        metric=about.metric.name,
        system=about.system,
        rules=about.rules,
        judge=about.judge.spec,
        judge_params=about.judge.params_hash,
        verdicts=sum(heard.verdicts for heard in runs),
        failed=sum(heard.failed for heard in runs),
        stale=sum(heard.stale for heard in runs),
        not_judged=sum(heard.reported.lacks == NOT_JUDGED for heard in runs),
    )


def _wording(metric: Metric) -> str:
    """One hash for all prompts of a family: living verdicts were asked in these words."""
    hashes = sorted(metric.prompt_hashes() - {""})
    return hashes[0] if len(hashes) == 1 else sha256_of(hashes)[:16] if hashes else ""

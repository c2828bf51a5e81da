"""An experiment folder as views of its runs: all that a page shows, read and put in order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import TypeAdapter

from drretail.eval.judging.subject import Subject, planned_runs, read_subject, read_subjects
from drretail.eval.scores.file import read_scores
from drretail.experiment import Definition, read_definition, run_folder
from drretail.files import read_jsonl
from drretail.records.evidence import Finding
from drretail.records.pairs import PairScore, RankScore
from drretail.records.run import Run
from drretail.records.score import Agreement, MetricDescription, Score, SliceScore, Verdict, in_order
from drretail.viewer.claims import Claim, claims_of, failed_stages
from drretail.viewer.judged import Judged, Judgements, outdated, read_judgements

_FINDINGS = TypeAdapter(tuple[Finding, ...])


@dataclass(frozen=True, slots=True)
class ClaimsView:
    """The claims of a report as one judge sees them."""

    judged: Judged
    claims: tuple[Claim, ...]
    failures: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class Rating:
    dimension: str
    value: int | None
    """None where it failed, and for a judge that follows rules: its number would mean nothing."""
    note: str
    reason: str


@dataclass(frozen=True, slots=True)
class RatingsView:
    judged: Judged
    ratings: tuple[Rating, ...]


@dataclass(frozen=True, slots=True)
class Checks:
    """What code found in a report. ``made`` is empty where no check was made yet."""

    made: tuple[str, ...]
    findings: tuple[Finding, ...]
    not_made: tuple[Verdict, ...]
    """Checks that do not apply, or could not be made, with the reason."""
    read: str = ""
    """How much of the report was read, and who read its picks: "figures read 31 of 44, picks declared"."""


@dataclass(frozen=True, slots=True)
class RunView:
    """One planned run with everything that is recorded of it."""

    number: int
    subject: Subject
    state: str
    """done, failed, interrupted, or not run."""
    texts: Mapping[str, str]
    """Results of steps by hash."""
    claims: tuple[ClaimsView, ...]
    """By judge, the one whose marks stand in the report first."""
    ratings: tuple[RatingsView, ...]
    checks: Checks
    stale: int

    @property
    def run(self) -> Run | None:
        return self.subject.run

    @property
    def anchor(self) -> str:
        return f"r{self.number}"


@dataclass(frozen=True, slots=True)
class ExperimentView:
    name: str
    definition: Definition
    runs: tuple[RunView, ...]
    scores: tuple[Score, ...] | None
    """None where no scores were made yet."""
    slices: tuple[SliceScore, ...] = ()
    pairs: tuple[PairScore, ...] = ()
    ranks: tuple[RankScore, ...] = ()
    agreements: tuple[Agreement, ...] = ()
    metrics: Mapping[str, MetricDescription] = field(default_factory=dict[str, MetricDescription])
    """What the families of the scores say of themselves."""
    outdated: str = ""
    """What has changed since the scores were made; empty where they still hold."""


def read_view(experiment: Path) -> ExperimentView:
    """Everything recorded in an experiment folder, in the order of tables; UserError where there is none."""
    definition = read_definition(experiment)
    place = {label: at for at, label in enumerate(in_order(definition.systems))}
    subjects = sorted(read_subjects(experiment, None), key=lambda subject: place[subject.label])
    scores = read_scores(experiment)
    return ExperimentView(
        name=experiment.resolve().name,
        definition=definition,
        runs=tuple(_run(experiment, number, subject) for number, subject in enumerate(subjects, 1)),
        scores=None if scores is None else scores.scores,
        slices=() if scores is None else scores.slices,
        pairs=() if scores is None else scores.pairs,
        ranks=() if scores is None else scores.ranks,
        agreements=() if scores is None else scores.agreements,
        metrics={} if scores is None else scores.metrics,
        outdated="" if scores is None else outdated(experiment, scores, subjects),
    )


def read_runs_of(experiment: Path, labels: Sequence[str]) -> list[RunView]:
    """The planned runs of these systems alone, in their order."""
    definition = read_definition(experiment)
    mine = [planned for label in labels for planned in planned_runs(experiment, definition) if planned.label == label]
    subjects = (read_subject(experiment, definition, planned, None) for planned in mine)
    return [_run(experiment, number, subject) for number, subject in enumerate(subjects, 1)]


def _run(experiment: Path, number: int, subject: Subject) -> RunView:
    folder = run_folder(experiment, subject.label, subject.query.query_id, subject.repeat)
    run = subject.run
    if run is None:
        state = "interrupted" if (folder / "journal.jsonl").exists() else "not run"
        return RunView(number, subject, state, {}, (), (), Checks((), (), ()), 0)
    faithfulness, quality, checks = (
        read_judgements(experiment, metric, run) for metric in ("faithfulness", "quality", "checks")
    )
    return RunView(
        number=number,
        subject=subject,
        state=run.status,
        texts=_texts(folder / "results.jsonl.gz"),
        claims=tuple(
            ClaimsView(one, tuple(claims_of(one, run.report or "")), tuple(failed_stages(one)))
            for one in faithfulness.by_judge
        ),
        ratings=tuple(_ratings(one) for one in quality.by_judge),
        checks=_checks(checks),
        stale=faithfulness.stale + quality.stale + checks.stale,
    )


def _texts(path: Path) -> dict[str, str]:
    if not path.exists():
        return {}
    return {str(line.get("sha256")): str(line.get("text", "")) for line in read_jsonl(path)}


def _ratings(judged: Judged) -> RatingsView:
    return RatingsView(judged, tuple(_rating(verdict, judged.judge.kind) for verdict in judged.stage("rating")))


def _rating(verdict: Verdict, kind: str) -> Rating:
    if verdict.state != "scored":
        return Rating(verdict.item, None, verdict.state, verdict.error or verdict.reason)
    if kind == "rule_based":
        return Rating(verdict.item, None, "not rated (rule-based)", verdict.reason)
    return Rating(verdict.item, verdict.value if isinstance(verdict.value, int) else None, "", verdict.reason)


def _checks(judgements: Judgements) -> Checks:
    """The findings of all checks in the order of the report, those without a place last."""
    verdicts = [verdict for judged in judgements.by_judge for verdict in judged.stage("check")]
    found: list[Finding] = []
    for verdict in verdicts:
        if verdict.state == "scored":
            found += _FINDINGS.validate_python(verdict.value or ())
    far = 1 << 60
    found.sort(key=lambda finding: (far if finding.start is None else finding.start, finding.code, finding.said))
    return Checks(
        made=tuple(sorted(verdict.item for verdict in verdicts if verdict.state == "scored")),
        findings=tuple(found),
        not_made=tuple(sorted((v for v in verdicts if v.state != "scored"), key=lambda verdict: verdict.item)),
        read=next((v.reason for judged in judgements.by_judge for v in judged.stage("read")), ""),
    )

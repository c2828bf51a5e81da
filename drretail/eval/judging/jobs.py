"""What one worker of ``score`` does at a time: a judge on a query, on one run in a family, or on two of one query."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from drretail.eval.family import Family, PairFamily, is_judged, is_unrated
from drretail.eval.judging.criteria import FOLDER, about_task, prepare
from drretail.eval.judging.pairs import Pair, pair_name
from drretail.eval.judging.session import Again, Judge, JudgeSession
from drretail.eval.judging.spending import Allowance
from drretail.eval.judging.subject import Subject, Task
from drretail.eval.judging.verdicts import VerdictFile, verdict_path
from drretail.records.score import Rules


@dataclass(frozen=True, slots=True)
class Job:
    """One judge on one run in one family."""

    subject: Subject
    metric: Family
    judge: Judge


@dataclass(frozen=True, slots=True)
class PairJob:
    """One judge on two runs of one query."""

    pair: Pair
    metric: PairFamily
    judge: Judge


@dataclass(frozen=True, slots=True)
class TaskJob:
    """One judge that makes the criteria of a query in a family."""

    task: Task
    metric: Family
    judge: Judge


AnyJob = Job | PairJob | TaskJob


@dataclass(frozen=True, slots=True)
class Submitter:
    """How one command judges, whatever the job."""

    experiment: Path
    rules: Rules
    seed: str
    """Draws the order of reports where only one is asked."""
    again: Again
    judge_repeats: int
    allowance: Allowance
    rate_floors: bool = False
    """Whether opinions on null agents and the oracle are asked for."""
    fresh: set[tuple[str, ...]] = field(default_factory=set[tuple[str, ...]])
    """The keys of verdicts made so far: what one family asked anew, another that uses it does not ask again."""

    async def do(self, job: AnyJob) -> None:
        """Records the verdicts that are missing. Raises CapReached.

        A run without a report is left alone, and nobody who follows rules is asked for an opinion.
        """
        match job:
            case Job():
                await self._judge(job)
            case PairJob():
                await self._compare(job)
            case TaskJob():
                await self._prepare(job)

    async def _judge(self, job: Job) -> None:
        subject, metric = job.subject, job.metric
        is_wanted = is_judged(metric, subject.system, floors=self.rate_floors)
        if subject.report_sha is None or not is_wanted or is_unrated(metric, job.judge.ref):
            return
        about = {"metric": metric.name, "version": metric.version, "run_id": subject.run_id}
        with self._judge_session(
            job.judge,
            subject.label,
            _run(subject),
            about | {"report_sha": subject.report_sha, "is_external": subject.is_external},
        ) as judge_session:
            repeats = self.judge_repeats if metric.needs_judge else 1
            await judge_session.each(
                metric.run_judge(subject, judge_session.of_repeat(repeat)) for repeat in range(1, repeats + 1)
            )

    async def _prepare(self, job: TaskJob) -> None:
        about = {"metric": job.metric.name, "version": job.metric.version, **about_task(job.task)}
        with self._judge_session(job.judge, FOLDER, job.task.query.query_id, about) as judge_session:
            await prepare(job.task, job.metric, judge_session)

    async def _compare(self, job: PairJob) -> None:
        a, b = job.pair.a, job.pair.b
        if a.report_sha is None or b.report_sha is None or job.judge.ref.kind == "rule_based":
            return
        about = {
            "metric": job.metric.name,
            "version": job.metric.version,
            "run_id": a.run_id,
            "report_sha": a.report_sha,
            "other_run_id": b.run_id,
            "other_report_sha": b.report_sha,
            "is_external": a.is_external and b.is_external,
        }
        with self._judge_session(job.judge, pair_name(job.pair.labels), _run(a), about) as judge_session:
            await judge_session.each(
                job.metric.judge(job.pair, self.seed, judge_session.of_repeat(repeat))
                for repeat in range(1, self.judge_repeats + 1)
            )

    def _judge_session(self, judge: Judge, folder: str, run: str, about: dict[str, Any]) -> JudgeSession:
        path = verdict_path(self.experiment, about["metric"], judge.slug, folder, run)
        file = VerdictFile(path)
        return JudgeSession(
            judge, file, **about, rules=self.rules, again=self.again, allowance=self.allowance, fresh=self.fresh
        )


def _run(subject: Subject) -> str:
    return f"{subject.query.query_id}-r{subject.repeat}"

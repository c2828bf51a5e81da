"""A probe of a judge: the verdicts that it reads, the questions that it asks of its own, and what it finds."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from drretail.eval.family import Family
from drretail.eval.judging.dimensions import DIMENSIONS
from drretail.eval.judging.pairs import meetings
from drretail.eval.judging.question import JudgeQuestion, Ruling
from drretail.eval.judging.session import Again, Judge, JudgeSession
from drretail.eval.judging.spending import Allowance, CapReached
from drretail.eval.judging.subject import Subject
from drretail.eval.judging.verdicts import VerdictFile, verdict_path
from drretail.eval.registry import PAIRWISE, load_metric
from drretail.eval.scores.gathering import NOT_JUDGED, Assessor, gather
from drretail.eval.scores.pair_outcomes import read_outcomes
from drretail.lab.bias.probed_reports import Reports
from drretail.lab.opinions import RATING, Opinion, judge_name, opinions_of
from drretail.lab.trial_findings import BiasEffect
from drretail.prompts import Prompt
from drretail.records.base import Record
from drretail.records.score import Verdict

VERSION = 1
STAGE = "probe"
AT_ONCE = 8
Report = tuple[str, str]
"""A system's label and a query: of each there is one report."""
Effects = Sequence[BiasEffect]


@dataclass(frozen=True, slots=True)
class QuestionPlace:
    """What a question is about; its verdicts are kept in one file."""

    label: str
    run: str
    sha: str

    @classmethod
    def of(cls, subject: Subject) -> "QuestionPlace":
        return cls(subject.label, f"{subject.query.query_id}-r{subject.repeat}", subject.report_sha or "")

    @property
    def run_id(self) -> str:
        return f"{self.label}/{self.run}"


@dataclass(frozen=True, slots=True)
class ProbeQuestion:
    """A question to the judge that no metric asks."""

    about: QuestionPlace
    item: str
    prompt: Prompt
    values: Callable[[], Mapping[str, str]]
    """What fills the prompt; made when it is asked, since most often its answer stands."""
    answer: type[Record]
    kept: Callable[[Any], Any]
    """What of an answer is the verdict's value."""

    @property
    def characters(self) -> int:
        return len(self.prompt.render(**self.values()))


@dataclass(frozen=True)
class Case:
    """One judge, the reports that it is probed on, and the verdicts that stand."""

    experiment: Path
    """Whose reports they are; other judges' and people's ratings stand there."""
    folder: Path
    """EXP/lab/bias, where the judge's own verdicts stand."""
    judge: Judge
    reports: Reports
    seed: str
    day: str
    """Of today, as 2025-01-31."""
    pin: Path | None = None
    only_estimated: bool = False

    @property
    def name(self) -> str:
        return judge_name(self.judge.ref, "default")

    @cached_property
    def ratings(self) -> dict[str, dict[Report, float]]:
        """By dimension the judge's rating of each report, of copies and floors too."""
        return by_dimension(opinion for opinion in opinions_of(self.folder) if opinion.rater == self.name)

    def verdicts(self, metric: Family, subject: Subject) -> list[Verdict]:
        """What the judge said of a report in a family, once, in today's words, under the default rules."""
        about = QuestionPlace.of(subject)
        path = verdict_path(self.folder, metric.name, self.judge.slug, about.label, about.run)
        living = VerdictFile(path).living(about.sha, metric.prompt_hashes())
        wanted = "default", 1, metric.version, self.judge.ref
        return [
            verdict
            for verdict in living
            if (verdict.rules, verdict.judge_repeat, verdict.version, verdict.judge) == wanted
        ]

    def answers(self, probe: str, questions: Iterable[ProbeQuestion]) -> Iterator[tuple[ProbeQuestion, Any]]:
        """The questions of a probe that were answered, with what was kept of it."""
        for question, verdict in self.recorded(probe, questions):
            if verdict is not None and verdict.state == "scored":
                yield question, verdict.value

    def recorded(
        self, probe: str, questions: Iterable[ProbeQuestion]
    ) -> Iterator[tuple[ProbeQuestion, Verdict | None]]:
        """Questions with the verdict that stands; None where there is none, or it is of other words."""
        files: dict[Path, dict[str, Verdict]] = {}
        for question in questions:
            path = self.path(probe, question.about)
            if path not in files:
                files[path] = {verdict.item: verdict for verdict in VerdictFile(path).lasts()}
            last = files[path].get(question.item)
            known = last is not None and (last.report_sha, last.prompt_hash) == (
                question.about.sha,
                question.prompt.hash,
            )
            yield question, last if known else None

    def unanswered(self, probe: "Probe") -> tuple[int, int]:
        """How many judgements that a probe reads or asks for failed, and how many were never asked."""
        own = [verdict for _, verdict in self.recorded(probe.name, probe.questions(self))]
        failed = sum(verdict is not None and verdict.state == "failed" for verdict in own)
        unasked = own.count(None)
        families = [load_metric(name) for name in probe.families if name != PAIRWISE]
        gathered = gather(self.folder, families)
        assessor = Assessor(self.judge.ref, "default")
        floors = {floor.label for floor in self.reports.floors}
        originals = {subject.label for subject in self.reports.subjects}
        for family in families:
            for plan, judged in gathered.judged_runs(family.name, assessor):
                if probe.with_floors if plan.label in floors else probe.with_lengths or plan.label in originals:
                    failed += len(judged.errors)
                    unasked += judged.result.lacks == NOT_JUDGED
        if PAIRWISE in probe.families:
            by_pair = read_outcomes(self.folder, gathered).get(assessor, {})
            for outcomes in (them for by_dimension in by_pair.values() for them in by_dimension.values()):
                failed += sum(outcome.failed_verdicts for outcome in outcomes)
                unasked += sum(outcome.why == NOT_JUDGED for outcome in outcomes)
            if not by_pair:
                unasked += len(meetings(self.folder, gathered.definition, self.reports.pairs))
        return failed, unasked

    def path(self, probe: str, about: QuestionPlace) -> Path:
        return verdict_path(asked_folder(self.folder), probe, self.judge.slug, about.label, about.run)


def asked_folder(folder: Path) -> Path:
    """Where answers to probes' own questions stand: apart from verdicts, which metrics make scores of."""
    return folder / "asked"


@dataclass(frozen=True, slots=True)
class Probe:
    """One way to look at a judge."""

    name: str
    asks: str
    """In a question, what is probed."""
    families: tuple[str, ...]
    """Of metrics, whose verdicts on the reports it reads."""
    find: Callable[[Case], Effects | str]
    """Its effects, the one first that stands for it; or why there is none."""
    questions: Callable[[Case], Sequence[ProbeQuestion]] = lambda _: ()
    keep: Callable[[Case], None] = lambda _: None
    """What is done once the questions are answered."""
    with_lengths: bool = False
    with_floors: bool = False


def by_dimension(opinions: Iterable[Opinion]) -> dict[str, dict[Report, float]]:
    """Ratings by dimension and report."""
    found: dict[str, dict[Report, float]] = {dimension: {} for dimension in DIMENSIONS}
    for opinion in opinions:
        if opinion.question.scale == RATING and opinion.question.dimension in found:
            found[opinion.question.dimension][opinion.system, opinion.query_id] = opinion.value
    return found


async def ask(case: Case, probe: Probe, *, again: Again, allowance: Allowance) -> int:
    """Asks the probe's own questions that have no answer; gives how many answers were of no use.

    Those that the cap cuts are left, and counted in the allowance.
    """
    by_place: dict[QuestionPlace, list[ProbeQuestion]] = defaultdict(list)
    for question in probe.questions(case):
        by_place[question.about].append(question)
    gate = asyncio.Semaphore(AT_ONCE)

    async def of(about: QuestionPlace, questions: Sequence[ProbeQuestion]) -> None:
        async with gate:
            with JudgeSession(
                case.judge,
                VerdictFile(case.path(probe.name, about)),
                metric=probe.name,
                version=VERSION,
                run_id=about.run_id,
                report_sha=about.sha,
                again=again,
                allowance=allowance,
            ) as session:
                try:
                    await session.ask_and_record(*map(_question, questions))
                except CapReached:
                    allowance.cut += 1

    await asyncio.gather(*(of(about, questions) for about, questions in by_place.items()))
    verdicts = case.recorded(probe.name, probe.questions(case))
    return sum(verdict is not None and verdict.state == "failed" for _, verdict in verdicts)


def _question(question: ProbeQuestion) -> JudgeQuestion[Any]:
    return JudgeQuestion(
        STAGE,
        question.item,
        question.prompt,
        question.values,
        question.answer,
        lambda answer: Ruling(question.kept(answer)),
        begins_with="probe",
    )

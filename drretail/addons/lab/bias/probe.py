"""A probe of a judge: the reports it uses, the verdicts it reads, the questions it asks itself, and its effects with
95% intervals, tests over users, and the smallest effects that so many would have shown.

The reports include copies with half and twice the words.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import log2
from pathlib import Path
from statistics import fmean
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from drretail.addons.lab.derived_experiment import MadeRun, copy_verdicts, good_reports, made_label, write_experiment
from drretail.addons.lab.findings import Figure
from drretail.addons.lab.opinions import RATING, judge_name, opinions_of
from drretail.eval.judging.dimensions import DIMENSIONS
from drretail.eval.judging.question import JudgeQuestion, Ruling, VerdictFile, verdict_path
from drretail.eval.judging.session import Again, Judge, JudgeSession
from drretail.eval.judging.spending import Allowance, CapReached
from drretail.eval.judging.subject import Labels, Subject, meetings, pair_name
from drretail.eval.metric import Metric
from drretail.eval.registry import PAIRWISE, load_metric
from drretail.eval.scores.gathering import NOT_JUDGED, Assessor, gather
from drretail.eval.scores.pair_rows import read_outcomes
from drretail.experiment import read_definition
from drretail.grounding.text.layout import find_sentences
from drretail.llm.prompt import Prompt
from drretail.records.base import Record, sha256_of
from drretail.records.run import MADE_BY_LAB
from drretail.records.score import Verdict
from drretail.stats.agreement import drawn_interval
from drretail.stats.intervals import Clusters, Interval, estimate, mean_interval, share_interval
from drretail.stats.significance import detectable, flip_test

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ALL = "all"
"""The name for all dimensions together."""
Value = tuple[str, str, float]
"""A dimension, a query, and a number on it."""
ByQuery = Mapping[str, Sequence[float]]
"""By query, the values counted on it."""


def difference(name: str, values: ByQuery, clusters: Clusters, *, dimension: str = ALL, unit: str = "points") -> Figure:
    """A mean over queries that is 0 for a judge without the bias, tested over users as ``compare`` tests."""
    means = {query: fmean(inside) for query, inside in values.items() if inside}
    numbers, groups = [*means.values()], clusters.groups(means)
    seen, p = detectable(estimate(numbers, groups)), flip_test([round(each, 10) for each in numbers], groups)
    items = {"neutral": 0.0, "detectable": seen, "p": None if p is None else round(p, 10)}
    return effect_of(name, values, mean_interval(numbers, groups), clusters, dimension, unit, items)


def share(name: str, values: ByQuery, clusters: Clusters, *, dimension: str = ALL) -> Figure:
    """A mean share over queries with its binomial interval; no value of it shows a judge without the bias."""
    means = {query: fmean(inside) for query, inside in values.items() if inside}
    interval = share_interval([*means.values()], clusters.groups(means))
    return effect_of(name, values, interval, clusters, dimension, "share")


def differences(name: str, values: Iterable[Value], clusters: Clusters, *, unit: str = "points") -> list[Figure]:
    """A difference over all dimensions together, then one for each dimension."""
    by_dimension = over_dimensions(values).items()
    return [difference(name, its, clusters, dimension=dimension, unit=unit) for dimension, its in by_dimension]


def shares(name: str, values: Iterable[Value], clusters: Clusters) -> list[Figure]:
    """A share over all dimensions together, then one for each dimension."""
    return [share(name, its, clusters, dimension=dimension) for dimension, its in over_dimensions(values).items()]


def entropy(values: ByQuery, clusters: Clusters, steps: int, seed: str, dimension: str) -> Figure:
    """How evenly the values 0 to ``steps`` − 1 are used, in bits, with a bootstrap interval over users.

    The entropy of a sample is biased low, and that of a bootstrap draw is lower again by about as much. The interval is
    therefore that of the draws, mirrored at the value.
    """
    import numpy as np

    def bits(counts: "NDArray[np.float64]") -> "NDArray[np.float64]":
        shares = counts / counts.sum(-1, keepdims=True)
        return -(shares * np.log2(np.where(shares > 0, shares, 1))).sum(-1) + 0.0

    groups = clusters.groups(values)
    counts = np.zeros((max(groups, default=-1) + 1, steps))
    for group, inside in zip(groups, values.values(), strict=True):
        counts[group] += [[*inside].count(step) for step in range(steps)]
    interval = drawn_interval(counts, bits, seed) if groups else Interval(None)
    if interval.value is not None and interval.low is not None and interval.high is not None:
        low, high = (2 * interval.value - end for end in (interval.high, interval.low))
        interval = Interval(interval.value, max(0.0, low), min(log2(steps), high))
    return effect_of("entropy in bits, 3.46 at most", values, interval, clusters, dimension)


def by_query(values: Iterable[tuple[str, float]]) -> dict[str, list[float]]:
    """The values of each query, sorted by query."""
    of_query: dict[str, list[float]] = {}
    for query, value in sorted(values):
        of_query.setdefault(query, []).append(value)
    return of_query


def over_dimensions(values: Iterable[Value]) -> Mapping[str, ByQuery]:
    """The values by query, of all dimensions together and of each."""
    known = [*values]
    names = dict.fromkeys(dimension for dimension, *_ in known)
    every = by_query((query, value) for _, query, value in known)
    return {ALL: every} | {name: by_query((query, value) for of, query, value in known if of == name) for name in names}


def effect_of(
    name: str,
    values: ByQuery,
    interval: Interval,
    clusters: Clusters,
    dimension: str,
    unit: str = "",
    more: Mapping[str, float | None] = MappingProxyType({}),
) -> Figure:
    queries = [query for query, inside in values.items() if inside]
    return Figure(
        name=name,
        part=dimension,
        unit=unit,
        **interval.measured,
        n=len(queries),
        n_users=clusters.users(queries),
        items={"items": sum(map(len, values.values())), **more},
    )


VERSION = 1
STAGE = "probe"
AT_ONCE = 8
"""Concurrent questions to one judge."""
Report = tuple[str, str]
"""A system's label and a query id, which identify one report."""
Effects = Sequence[Figure]
HALF, TWICE = "half", "twice"


@dataclass(frozen=True, slots=True)
class Reports:
    """Reports of research systems."""

    subjects: tuple[Subject, ...]

    @property
    def pairs(self) -> list[Labels]:
        return [*combinations(sorted({subject.label for subject in self.subjects}), 2)]

    @property
    def sha(self) -> str:
        """A hash that identifies exactly these reports."""
        return sha256_of([[subject.run_id, subject.report_sha] for subject in self.subjects])[:16]


def bias_folder(experiment: Path) -> Path:
    return experiment / "lab" / "bias"


def choose_reports(experiment: Path, *, limit: int, seed: str) -> Reports:
    """All reports on queries drawn by lot, at most ``limit`` reports but at least one query; 0 means all.

    Raises UserError if there is no report.
    """
    by_query: dict[str, list[Subject]] = defaultdict(list)
    for subject in good_reports(experiment, None):
        by_query[subject.query.query_id].append(subject)
    chosen: list[Subject] = []
    for query in sorted(by_query, key=lambda query_id: sha256_of([seed, query_id])):
        if limit and chosen and len(chosen) + len(by_query[query]) > limit:
            break
        chosen += by_query[query]
    return Reports(tuple(sorted(chosen, key=lambda subject: (subject.label, subject.query.query_id))))


def make_copies(experiment: Path, reports: Reports, *, with_lengths: bool) -> None:
    """Makes EXP/lab/bias: the reports and, with ``with_lengths``, two systems of copies for each research system.

    Existing verdicts on the reports and on their pairs are copied.
    """
    made = [
        MadeRun(
            subject,
            length_label(subject.label, length),
            subject.system.model_copy(
                update={"options": {**subject.system.options, MADE_BY_LAB: True, "length": length}}
            ),
            1,
            copied(subject.report or ""),
            None if subject.run is None else subject.run.picks,
        )
        for subject in (reports.subjects if with_lengths else ())
        for length, copied in ((HALF, halved), (TWICE, doubled))
    ]
    write_experiment(experiment, bias_folder(experiment), reports.subjects, made)
    for labels in reports.pairs:
        copy_verdicts(experiment, bias_folder(experiment), pair_name(labels))


def length_label(label: str, length: str) -> str:
    return made_label(label, f"at-{length}")


def halved(report: str) -> str:
    """The report up to the end of the sentence, item or row that comes nearest to half of its words."""
    ends = [sentence.end for sentence in find_sentences(report) if sentence.kind != "heading"]
    half = len(report.split()) / 2
    end = min(ends, key=lambda end: abs(len(report[:end].split()) - half), default=len(report))
    return f"{report[:end].rstrip()}\n"


def doubled(report: str) -> str:
    """The report with each block (text between blank lines) twice in a row; headings stay single."""
    blocks = [part for part in report.replace("\r\n", "\n").split("\n\n") if part.strip()]
    twice: list[str] = []
    for block in blocks:
        is_heading = block.lstrip().startswith("#") and "\n" not in block.strip()
        twice += [block] if is_heading else [block, block]
    return "\n\n".join(twice) + "\n"


@dataclass(frozen=True, slots=True)
class QuestionPlace:
    """The text that a question is about; all verdicts on it are in one file."""

    label: str
    run: str
    sha: str

    @classmethod
    def of(cls, subject: Subject) -> "QuestionPlace":
        return cls(subject.label, f"{subject.query.query_id}-r{subject.repeat}", subject.report_sha or "")

    @property
    def run_id(self) -> str:
        return f"{self.label}/{self.run}"


class ProbeQuestion(NamedTuple):
    """A question to the judge that no metric asks."""

    about: QuestionPlace
    asked: JudgeQuestion[Any]


def question_on(
    about: QuestionPlace,
    item: str,
    prompt: Prompt,
    material: Callable[[], Mapping[str, str]],
    answer: type[Record],
    value: Callable[[Any], float],
) -> ProbeQuestion:
    """``material`` is made only when the question is asked, since most have an answer already."""
    asked = JudgeQuestion[Any](
        STAGE, item, prompt, material, answer, lambda answer: Ruling(value(answer)), begins_with="probe"
    )
    return ProbeQuestion(about, asked)


@dataclass(frozen=True)
class Case:
    """One judge with the reports on which it is probed and its existing verdicts."""

    experiment: Path
    """The experiment of the reports, with other judges' and people's ratings."""
    folder: Path
    """EXP/lab/bias, with the judge's own verdicts."""
    judge: Judge
    reports: Reports
    seed: str
    day: str
    """Today, as 2025-01-31."""
    pin: Path | None = None

    @property
    def name(self) -> str:
        return judge_name(self.judge.ref, "default")

    @property
    def has_opinions(self) -> bool:
        """False for a rule-based judge, which is not asked for ratings or preferences."""
        return self.judge.ref.kind != "rule_based"

    @cached_property
    def clusters(self) -> Clusters:
        return Clusters.of(read_definition(self.experiment).queries)

    @cached_property
    def ratings(self) -> dict[str, dict[Report, float]]:
        """By dimension, the judge's rating of each report, of copies too."""
        ratings: dict[str, dict[Report, float]] = {dimension: {} for dimension in DIMENSIONS}
        for opinion in opinions_of(self.folder):
            question = opinion.question
            if opinion.rater == self.name and question.scale == RATING and question.dimension in ratings:
                ratings[question.dimension][opinion.system, opinion.query_id] = opinion.value
        return ratings

    def verdicts(self, metric: Metric, subject: Subject) -> list[Verdict]:
        """The judge's verdicts on a report in a metric: first repeat, current prompts and version, default rules."""
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
        """The answered questions of a probe, with the values of their verdicts."""
        for question, verdict in self.recorded(probe, questions):
            if verdict is not None and verdict.state == "scored":
                yield question, verdict.value

    def recorded(
        self, probe: str, questions: Iterable[ProbeQuestion]
    ) -> Iterator[tuple[ProbeQuestion, Verdict | None]]:
        """Each question with its existing verdict; None if there is none, or it is of another report or prompt."""
        files: dict[Path, dict[str, Verdict]] = {}
        for question in questions:
            path = self.path(probe, question.about)
            if path not in files:
                files[path] = {verdict.item: verdict for verdict in VerdictFile(path).lasts()}
            last, wanted = files[path].get(question.asked.item), (question.about.sha, question.asked.prompt.hash)
            yield question, last if last is not None and (last.report_sha, last.prompt_hash) == wanted else None

    def unanswered(self, probe: "Probe") -> tuple[int, int]:
        """How many judgements that a probe reads or asks for failed, and how many were never asked."""
        own = [verdict for _, verdict in self.recorded(probe.name, probe.questions(self))]
        failed = sum(verdict is not None and verdict.state == "failed" for verdict in own)
        unasked = own.count(None)
        metrics = [load_metric(name) for name in probe.metrics if name != PAIRWISE]
        gathered = gather(self.folder, metrics)
        assessor = Assessor(self.judge.ref, "default")
        originals = {subject.label for subject in self.reports.subjects}
        for metric in metrics:
            for plan, judged in gathered.judged_runs(metric.name, assessor):
                if probe.with_lengths or plan.label in originals:
                    failed += len(judged.errors)
                    unasked += judged.lacks == NOT_JUDGED
        if PAIRWISE in probe.metrics:
            by_pair = read_outcomes(self.folder, gathered).get(assessor, {})
            for outcomes in (them for by_dimension in by_pair.values() for them in by_dimension.values()):
                failed += sum(outcome.failed_verdicts for outcome in outcomes)
                unasked += sum(outcome.state == NOT_JUDGED for outcome in outcomes)
            if not by_pair:
                unasked += len(meetings(self.folder, gathered.definition, self.reports.pairs))
        return failed, unasked

    def path(self, probe: str, about: QuestionPlace) -> Path:
        return verdict_path(asked_folder(self.folder), probe, self.judge.slug, about.label, about.run)


def asked_folder(folder: Path) -> Path:
    """The folder of answers to probes' own questions, apart from the verdicts that metrics score."""
    return folder / "asked"


@dataclass(frozen=True, slots=True)
class Probe:
    """One way to examine a judge."""

    name: str
    metrics: tuple[str, ...]
    """The metrics whose verdicts on the reports it reads."""
    find: Callable[[Case], Effects | str]
    """Computes its effects, the main one first, or says why there are none."""
    questions: Callable[[Case], Sequence[ProbeQuestion]] = lambda _: ()
    keep: Callable[[Case], None] = lambda _: None
    """Called once the questions are answered."""
    with_lengths: bool = False


async def ask(case: Case, probe: Probe, *, again: Again, allowance: Allowance) -> int:
    """Asks the probe's own questions that have no answer, and returns how many have no usable answer afterwards.

    Texts whose questions the cap cut off are counted in the allowance.
    """
    by_place: dict[QuestionPlace, list[JudgeQuestion[Any]]] = defaultdict(list)
    for question in probe.questions(case):
        by_place[question.about].append(question.asked)
    gate = asyncio.Semaphore(AT_ONCE)

    async def of(about: QuestionPlace, questions: Sequence[JudgeQuestion[Any]]) -> None:
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
                    await session.ask_and_record(*questions)
                except CapReached:
                    allowance.cut += 1

    await asyncio.gather(*(of(about, questions) for about, questions in by_place.items()))
    verdicts = case.recorded(probe.name, probe.questions(case))
    return sum(verdict is not None and verdict.state == "failed" for _, verdict in verdicts)

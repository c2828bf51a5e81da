"""``score_experiment``: every metric over every run by its judges, then scores.json.

Judging appends verdicts and can be resumed; existing verdicts are not asked for again. Pure code then makes the scores
from all verdicts in the folder, this command's and earlier ones.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from drretail.env.store.base import Store
from drretail.env.web.base import Pages
from drretail.errors import UserError
from drretail.eval.baskets import keep_references
from drretail.eval.judging.criteria import FOLDER, STAGE, about_task, freeze
from drretail.eval.judging.question import VerdictFile, judged_in, verdict_path
from drretail.eval.judging.session import CODE_JUDGE, Again, Judge, JudgeSession
from drretail.eval.judging.sources import LookUp, fetch_missing, fetch_summary, keep_unopened
from drretail.eval.judging.spending import Allowance, CapReached
from drretail.eval.judging.subject import (
    CriteriaTask,
    Labels,
    Pair,
    Subject,
    WouldDo,
    choose_pairs,
    meetings,
    pair_name,
    planned_runs,
    read_pairs,
    read_subject,
)
from drretail.eval.method import PACKAGED, Wording, judge_notes, keep_wording
from drretail.eval.metric import Metric, PairMetric, check_rules, is_judged, is_unrated, judging_order
from drretail.eval.numbers.file import derive_scores
from drretail.eval.numbers.judges import Assessor, Board, TableKey, read_board, write_board
from drretail.eval.registry import METRICS, PAIRWISE, load_metric, load_metrics, pair_metric, recorded_metric
from drretail.experiments.experiment import PROFILES, Definition, read_definition, rubrics, seal, write_sealed
from drretail.experiments.packs import pack_below
from drretail.files import locked_folder, read_json, write_atomically
from drretail.llm.prompt import overridden_prompts
from drretail.progress import Bar, Progress
from drretail.records.base import canonical_json
from drretail.records.query import Reference
from drretail.records.score import Rules, Scores

Job = Callable[[], Awaitable[None]]
"""A judge on a query, on one run in a metric, or on two runs of one query."""
Stages = Sequence[Sequence[Job]]
"""All jobs about a query, a run or a pair, which are read once for them: each stage waits for the one before."""


@dataclass(frozen=True, slots=True)
class ScoringPlan:
    """What one command judges, by whom, and by which rules."""

    experiment: Path
    metrics: Sequence[str | Metric]
    """Names or loaded; those that need no model are judged by code, whatever ``judges`` holds."""
    judges: Sequence[Judge] = ()
    rules: Rules = "default"
    judge_repeats: int = 1
    """How often each report is judged from the start in metrics that need a judge."""
    pairs: Sequence[str] = ()
    """What "pairwise" compares, as "A~B"; if empty, all pairs of systems that research."""
    rate_floors: bool = False
    """Whether null agents and the oracle are rated for quality. A rule-based judge is asked for no opinion."""
    again: Again = "nothing"
    allowance: Allowance = field(default_factory=Allowance)
    """Once it is spent nothing more is asked, and scores are made of what was judged."""
    takes_board: bool = True
    """False if the board stays with the judges of an earlier command."""
    wording: Wording = PACKAGED
    """Judges with another wording than the packaged one are other judges, with its label."""
    criteria: Path | None = None
    """A folder or experiment whose criteria are copied."""
    gold: Path | None = None
    """A folder, sandbox or experiment with what good answers are known to contain."""
    store: Store | None = None
    """None if the world is not at hand."""
    offers: WouldDo | None = None
    """Returns the ids of its products that suit a want."""
    look_up: LookUp | None = None
    """Returns its records of what an answer names."""
    references: Mapping[str, Reference] = field(default_factory=dict[str, Reference])
    """Its baskets by query id, each looked up once a judgement needs it."""
    missing: Mapping[str, Pages] | None = None
    """By label, the web from which unread cited pages are fetched before judging; with ``again``, also those that could
    not be read.
    """
    packs: bool = False
    """True if the files of verdicts are packed in the end."""
    progress: Progress = field(default_factory=Progress)


@dataclass(frozen=True, slots=True)
class Submitter:
    """The jobs of a plan: ``judge``, ``prepare`` and ``compare`` record the missing verdicts, and raise CapReached."""

    plan: ScoringPlan
    definition: Definition
    metrics: Sequence[Metric]
    of_pairs: Sequence[PairMetric]
    judges: Sequence[Judge]
    compared: Sequence[Labels]
    fresh: set[tuple[str, ...]] = field(default_factory=set[tuple[str, ...]])
    """The keys of verdicts made so far: if one metric asked again, another that uses the verdict does not."""

    @classmethod
    def of(cls, plan: ScoringPlan) -> "Submitter":
        """Raises UserError for an unknown metric or pair, and for rules that pairwise does not know."""
        metrics = load_metrics(plan.metrics)
        of_pairs = [pair_metric()] if PAIRWISE in plan.metrics else []
        check_rules([*metrics, *of_pairs], plan.rules)
        definition = read_definition(plan.experiment)
        judges = [judge.with_wording(plan.wording.label) for judge in plan.judges]
        compared = choose_pairs(definition, plan.pairs) if of_pairs else []
        return cls(plan, definition, metrics, of_pairs, judges, compared)

    async def judge(self, subject: Subject, metric: Metric, judge: Judge) -> None:
        """Judges a run; skips runs without a report, and opinions of rule-based judges."""
        is_wanted = is_judged(metric, subject.system, floors=self.plan.rate_floors)
        if subject.report_sha is None or not is_wanted or is_unrated(metric, judge.ref):
            return
        about = {"run_id": subject.run_id, "report_sha": subject.report_sha, "is_external": subject.is_external}
        with self._judge_session(metric, judge, subject.label, subject.run_name, about) as judge_session:
            repeats = self.plan.judge_repeats if metric.needs_judge else 1
            await metric.run_judge(subject, judge_session)
            await judge_session.take_all(  # some judge again what the first repeat found
                metric.run_judge(subject, judge_session.of_repeat(repeat)) for repeat in range(2, repeats + 1)
            )

    async def prepare(self, task: CriteriaTask, metric: Metric, judge: Judge) -> None:
        """Makes the criteria of a query."""
        with self._judge_session(metric, judge, FOLDER, task.query.query_id, about_task(task)) as judge_session:
            await freeze_criteria(task, metric, judge_session)

    async def compare(self, pair: Pair, metric: PairMetric, judge: Judge) -> None:
        """Compares two runs; skips pairs without two reports, and rule-based judges."""
        a, b = pair.a, pair.b
        if a.report_sha is None or b.report_sha is None or judge.ref.kind == "rule_based":
            return
        about = {
            "run_id": a.run_id,
            "report_sha": a.report_sha,
            "other_run_id": b.run_id,
            "other_report_sha": b.report_sha,
            "is_external": a.is_external and b.is_external,
        }
        with self._judge_session(metric, judge, pair_name(pair.labels), a.run_name, about) as judge_session:
            await judge_session.take_all(
                metric.judge(pair, self.definition.seed, judge_session.of_repeat(repeat))
                for repeat in range(1, self.plan.judge_repeats + 1)
            )

    def _judge_session(
        self, metric: Metric | PairMetric, judge: Judge, folder: str, run: str, about: dict[str, Any]
    ) -> JudgeSession:
        return JudgeSession(
            judge,
            VerdictFile(verdict_path(self.plan.experiment, metric.name, judge.slug, folder, run)),
            metric=metric.name,
            version=metric.version,
            **about,
            rules=self._rules_of(judge),
            again=self.plan.again,
            allowance=self.plan.allowance,
            fresh=self.fresh,
        )

    def _rules_of(self, judge: Judge) -> Rules:
        """The rules that a judge follows; code knows none but our own."""
        return "default" if judge is CODE_JUDGE else self.plan.rules

    @property
    def tables(self) -> list[tuple[Metric, Judge]]:
        """Each metric with each of its judges; code judges those that need none."""
        judges = {True: self.judges, False: [CODE_JUDGE]}
        return [(metric, judge) for metric in self.metrics for judge in judges[metric.needs_judge]]

    @property
    def asked(self) -> tuple[list[TableKey], list[tuple[Assessor, Labels]]]:
        """The judges of each metric and of each pair of systems, for ``derive_scores``."""
        tables = [TableKey(metric.name, Assessor(judge.ref, self._rules_of(judge))) for metric, judge in self.tables]
        return tables, [(Assessor(judge.ref, self.plan.rules), pair) for judge in self.judges for pair in self.compared]

    async def judge_missing(self) -> None:
        """Makes criteria, judges runs, compares pairs, and judges runs in the metrics that need verdicts on pairs."""
        experiment = self.plan.experiment
        unmade = unprepared(experiment, self.definition, self.metrics, self.judges, self.plan.store)
        tasks: list[Stages] = [[[partial(self.prepare, *task)]] for task in unmade]
        total = len(tasks) + len(planned_runs(experiment, self.definition)) * len(self.tables)
        total += len(meetings(experiment, self.definition, self.compared)) * len(self.judges)
        groups = judging_order([*self.metrics, *self.of_pairs])
        # A run is read once for all metrics but those that need verdicts on pairs.
        of_pairs_read = (at for at, group in enumerate(groups) if any(PAIRWISE in metric.after for metric in group))
        at = next(of_pairs_read, len(groups))
        with self.plan.progress.track("judging", total) as bar:
            for work in (iter(tasks), self._of_runs(groups[:at]), self._of_meetings(), self._of_runs(groups[at:])):
                await _work_on(self.plan.allowance, work, bar)

    def _of_runs(self, groups: Sequence[Sequence[Metric | PairMetric]]) -> Iterator[Stages]:
        # A report's questions are sent before code looks at it.
        asked = [
            [table for table in self.tables if table[0] in group and table[0].needs_judge is needs_judge]
            for group in groups
            for needs_judge in (True, False)
        ]
        plan = self.plan
        looked_up: dict[str, Any] = {name: getattr(plan, name) for name in ("offers", "look_up", "references")}
        for run in planned_runs(plan.experiment, self.definition) if any(asked) else ():
            subject = replace(read_subject(plan.experiment, self.definition, run, plan.store), **looked_up)
            yield [[partial(self.judge, subject, *table) for table in group] for group in asked]

    def _of_meetings(self) -> Iterator[Stages]:
        for pair in read_pairs(self.plan.experiment, self.compared, self.plan.store):
            yield [[partial(self.compare, pair, metric, judge) for metric in self.of_pairs for judge in self.judges]]


def unprepared(
    experiment: Path, definition: Definition, metrics: Iterable[Metric], judges: Iterable[Judge], store: Store | None
) -> Iterator[tuple[CriteriaTask, Metric, Judge]]:
    """Every query, with a metric whose criteria it lacks and the judge who makes them.

    That judge is the first one that may be asked, a model before a rule-based one.
    """
    in_order = sorted(judges, key=lambda judge: judge.ref.kind == "rule_based")
    answered = {query.query_id for label in definition.systems for query in definition.queries_of(label)}
    for metric in metrics:
        judge = next((judge for judge in in_order if not is_unrated(metric, judge.ref)), None)
        if judge is None or metric.prepare is None:
            continue
        for query in definition.queries:
            if query.query_id in answered and not rubrics(metric.name).path(experiment, query.query_id).exists():
                profile = PROFILES.read(experiment, query.user_id)
                is_external = profile is None and all(system.is_imported for system in definition.systems.values())
                yield CriteriaTask(query, profile, store, definition.now, experiment, is_external), metric, judge


async def freeze_criteria(task: CriteriaTask, metric: Metric, judge_session: JudgeSession) -> None:
    """Freezes the criteria of a query. If the judge makes none, that is recorded, and it is not asked again."""
    if judge_session.existing(STAGE, task.query.query_id) is not None:
        return
    assert metric.prepare is not None
    criteria = await metric.prepare(task, judge_session)
    if isinstance(criteria, str):
        judge_session.record(STAGE, task.query.query_id, "failed", error=criteria)
    else:
        write_sealed(task.folder, {rubrics(metric.name).path(task.folder, task.query.query_id): criteria})


def take_criteria(experiment: Path, source: Path, metrics: Sequence[Metric]) -> int:
    """Copies the criteria of these metrics from an experiment or a folder of METRIC/QUERY.json; returns their number.

    Raises UserError if there are none, or if the experiment has other criteria for a query.
    """
    root = source / "rubrics" if (source / "rubrics").is_dir() else source
    paths = [path for metric in metrics for path in sorted((root / metric.name).glob("*.json"))]
    files = {experiment / "rubrics" / path.relative_to(root): read_json(path) for path in paths}
    if not source.exists():
        raise UserError(f"{source} does not exist.")
    if not files:
        raise UserError(f"{source} holds no criteria of these metrics: they stand in a folder as METRIC/QUERY.json.")
    freeze("criteria", source, files)
    seal(experiment, *files)
    return len(files)


CONCURRENCY = 8
"""Jobs at once; in one, a judge is asked a few questions concurrently or one after the other."""


async def score_experiment(plan: ScoringPlan) -> Scores:
    """Judges what is not judged yet and writes scores.json; a second call asks nothing and writes equal bytes.

    Raises UserError for an unknown metric or pair, for rules that pairwise does not know, for a folder without an
    experiment, and while another process writes there.
    """
    experiment, progress, submitter = plan.experiment, plan.progress, Submitter.of(plan)
    loaded, definition = submitter.metrics, submitter.definition
    with locked_folder(experiment):
        if plan.look_up is not None:
            await asyncio.to_thread(keep_unopened, experiment, plan.look_up)
        if plan.missing is not None:
            again = plan.again != "nothing"
            fetched = await asyncio.to_thread(fetch_missing, experiment, plan.missing, progress, again=again)
            progress.note(fetch_summary(fetched))
        if plan.gold is not None:  # for all built-in metrics too
            for metric in load_metrics([*METRICS, *loaded]):
                if metric.keep_gold is not None:
                    metric.keep_gold(experiment, definition, plan.gold)
        if plan.criteria is not None:
            take_criteria(experiment, plan.criteria, loaded)
        keep_wording(experiment, plan.wording)
        with overridden_prompts(plan.wording.texts):
            await submitter.judge_missing()
        if submitter.of_pairs or any(metric.needs_judge for metric in loaded):
            board = Board(rules=plan.rules, judge=tuple(judge.ref.key for judge in submitter.judges))
            if plan.takes_board or read_board(experiment).judge in ((), board.judge):
                write_board(experiment, board)
        keep_references(experiment, plan.references)
        others = _others(experiment, loaded, progress)
        with progress.busy("scores of all verdicts"):
            scores = derive_scores(experiment, [*loaded, *others], *submitter.asked, judge_notes(experiment))
        write_atomically(experiment / "scores.json", f"{canonical_json(scores.document())}\n")
        if plan.packs:
            pack_below(experiment / "verdicts")
    return scores


async def _work_on(allowance: Allowance, work: Iterator[Stages], bar: Bar) -> None:
    """Ends when all jobs are done or one has raised. What a job raises is raised once none is running."""
    stopped: list[Exception] = []
    places = asyncio.Semaphore(CONCURRENCY)

    async def attempt(job: Job) -> None:
        """A job that meets the limit is skipped."""
        async with places:
            if stopped:
                return
            try:
                await job()
            except CapReached:
                allowance.cut += 1
            except Exception as problem:  # noqa: BLE001 - raised below, when nothing is being written
                stopped.append(problem)
                return
            bar.advance()

    async def take() -> None:
        """Takes one query, run or pair after another, as several workers do, until none is left."""
        for stages in work:
            for jobs in stages:
                await asyncio.gather(*map(attempt, jobs))
            if stopped:
                return

    workers = [asyncio.create_task(take()) for _ in range(CONCURRENCY)]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:  # if the command is interrupted, they must not write after the lock is released
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
    for problem in stopped:
        raise problem


def _others(experiment: Path, metrics: Sequence[Metric], progress: Progress) -> Iterator[Metric]:
    """The metrics of earlier commands, whose rows scores.json keeps."""
    listed = {PAIRWISE, *(metric.name for metric in metrics)}
    for name in sorted({*judged_in(experiment)} - listed):
        metric, why = recorded_metric(experiment, name), "No module is loaded since verdicts are called so."
        if metric is None and ":" not in name:  # the folder may be a stranger's
            try:
                metric = load_metric(name)
            except UserError as problem:
                why = str(problem)
        if metric is None:
            progress.note(f"{experiment}: the verdicts of {name!r} give no scores. {why}")
        else:
            yield metric

"""``score_experiment``: every metric over every run by its judges, then scores.json.

Judging appends verdicts and can be resumed; existing verdicts are not asked for again. Pure code then makes the scores
from all verdicts in the folder, this command's and earlier ones.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from drretail.env.store.base import Store
from drretail.env.web.base import Pages
from drretail.errors import UnknownName, UserError
from drretail.eval.baskets import keep_references
from drretail.eval.judging.criteria import FOLDER, about_task, freeze_criteria, take_criteria, unprepared
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
from drretail.eval.method import PACKAGED, Wording, keep_wording
from drretail.eval.metric import Metric, PairMetric, check_rules, is_judged, is_unrated, judging_order
from drretail.eval.registry import METRICS, PAIRWISE, load_metric, load_metrics, pair_metric, recorded_metric
from drretail.eval.scores.board import Board, read_board, write_board
from drretail.eval.scores.file import derive_scores
from drretail.eval.scores.gathering import Assessor, TableKey
from drretail.experiment import Definition, read_definition
from drretail.files import write_atomically
from drretail.llm.prompt import overridden_prompts
from drretail.locks import locked_folder
from drretail.progress import Bar, Progress
from drretail.records.base import canonical_json
from drretail.records.query import Reference
from drretail.records.score import Rules, Scores

Job = Callable[[], Awaitable[None]]
"""A judge on a query, on one run in a metric, or on two runs of one query."""
Stages = Sequence[Sequence[Job]]
"""All jobs about a query, a run or a pair, which are read once for them: each stage waits for the one before."""


@dataclass(frozen=True, slots=True)
class Submitter:
    """What one command judges, and how. ``judge``, ``prepare`` and ``compare`` are one worker's jobs: they record the
    missing verdicts, and raise CapReached.
    """

    experiment: Path
    definition: Definition
    metrics: Sequence[Metric]
    of_pairs: Sequence[PairMetric]
    judges: Sequence[Judge]
    compared: Sequence[Labels]
    store: Store | None
    looked_up: Mapping[str, Any]
    """The fields of subjects that look up what the shop has."""
    rules: Rules
    again: Again
    judge_repeats: int
    allowance: Allowance
    rate_floors: bool = False
    """Whether opinions on null agents and the oracle are asked for."""
    fresh: set[tuple[str, ...]] = field(default_factory=set[tuple[str, ...]])
    """The keys of verdicts made so far: if one metric asked again, another that uses the verdict does not."""

    async def judge(self, subject: Subject, metric: Metric, judge: Judge) -> None:
        """Judges a run; skips runs without a report, and opinions of rule-based judges."""
        is_wanted = is_judged(metric, subject.system, floors=self.rate_floors)
        if subject.report_sha is None or not is_wanted or is_unrated(metric, judge.ref):
            return
        about = {"run_id": subject.run_id, "report_sha": subject.report_sha, "is_external": subject.is_external}
        with self._judge_session(metric, judge, subject.label, subject.run_name, about) as judge_session:
            repeats = self.judge_repeats if metric.needs_judge else 1
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
                for repeat in range(1, self.judge_repeats + 1)
            )

    def _judge_session(
        self, metric: Metric | PairMetric, judge: Judge, folder: str, run: str, about: dict[str, Any]
    ) -> JudgeSession:
        return JudgeSession(
            judge,
            VerdictFile(verdict_path(self.experiment, metric.name, judge.slug, folder, run)),
            metric=metric.name,
            version=metric.version,
            **about,
            rules=self._rules_of(judge),
            again=self.again,
            allowance=self.allowance,
            fresh=self.fresh,
        )

    def _rules_of(self, judge: Judge) -> Rules:
        """The rules that a judge follows; code knows none but our own."""
        return "default" if judge is CODE_JUDGE else self.rules

    @property
    def tables(self) -> list[tuple[Metric, Judge]]:
        """Each metric with each of its judges; code judges those that need none."""
        judges = {True: self.judges, False: [CODE_JUDGE]}
        return [(metric, judge) for metric in self.metrics for judge in judges[metric.needs_judge]]

    @property
    def asked(self) -> tuple[list[TableKey], list[tuple[Assessor, Labels]]]:
        """The judges of each metric and of each pair of systems, for ``derive_scores``."""
        tables = [TableKey(metric.name, Assessor(judge.ref, self._rules_of(judge))) for metric, judge in self.tables]
        return tables, [(Assessor(judge.ref, self.rules), pair) for judge in self.judges for pair in self.compared]

    async def judge_missing(self, progress: Progress, concurrency: int | None) -> None:
        """Makes criteria, judges runs, compares pairs, and judges runs in the metrics that need verdicts on pairs."""
        unmade = unprepared(self.experiment, self.definition, self.metrics, self.judges, self.store)
        tasks: list[Stages] = [[[partial(self.prepare, *task)]] for task in unmade]
        total = len(tasks) + len(planned_runs(self.experiment, self.definition)) * len(self.tables)
        total += len(meetings(self.experiment, self.definition, self.compared)) * len(self.judges)
        groups = judging_order([*self.metrics, *self.of_pairs])
        # A run is read once for all metrics but those that need verdicts on pairs.
        of_pairs_read = (at for at, group in enumerate(groups) if any(PAIRWISE in metric.after for metric in group))
        at = next(of_pairs_read, len(groups))
        batches = any(judge.in_batches for judge in self.judges)
        side_by_side = concurrency or (BATCH_CONCURRENCY if batches else CONCURRENCY)
        with progress.track("judging", total) as bar:
            for work in (iter(tasks), self._of_runs(groups[:at]), self._of_meetings(), self._of_runs(groups[at:])):
                await _work_on(self.allowance, work, bar, side_by_side)

    def _of_runs(self, groups: Sequence[Sequence[Metric | PairMetric]]) -> Iterator[Stages]:
        # A report's questions are sent before code looks at it.
        asked = [
            [table for table in self.tables if table[0] in group and table[0].needs_judge is needs_judge]
            for group in groups
            for needs_judge in (True, False)
        ]
        for run in planned_runs(self.experiment, self.definition) if any(asked) else ():
            subject = replace(read_subject(self.experiment, self.definition, run, self.store), **self.looked_up)
            yield [[partial(self.judge, subject, *table) for table in group] for group in asked]

    def _of_meetings(self) -> Iterator[Stages]:
        for pair in read_pairs(self.experiment, self.compared, self.store):
            yield [[partial(self.compare, pair, metric, judge) for metric in self.of_pairs for judge in self.judges]]


CONCURRENCY = 8
"""Jobs at once; in one, a judge is asked a few questions concurrently or one after the other."""
BATCH_CONCURRENCY = 300
"""Jobs at once with batches: each has two open files, of which a process may have about a thousand."""


async def score_experiment(
    experiment: Path,
    metrics: Sequence[str | Metric],
    judges: Sequence[Judge],
    *,
    rules: Rules = "default",
    store: Store | None = None,
    offers: WouldDo | None = None,
    look_up: LookUp | None = None,
    references: Mapping[str, Reference] | None = None,
    progress: Progress,
    again: Again = "nothing",
    concurrency: int | None = None,
    allowance: Allowance | None = None,
    missing: Mapping[str, Pages] | None = None,
    judge_repeats: int = 1,
    pairs: Sequence[str] = (),
    rate_floors: bool = False,
    wording: Wording = PACKAGED,
    criteria: Path | None = None,
    gold: Path | None = None,
    judge_notes: Callable[[Path], Mapping[str, str]] | None = None,
    on_written: Callable[[], None] | None = None,
    takes_board: bool = True,
) -> Scores:
    """Judges what is not judged yet and writes scores.json; a second call asks nothing and writes equal bytes.

    ``metrics`` are names or loaded; those that need no model are judged by code, whatever ``judges`` holds. ``store``
    None means that the world is not at hand; ``offers`` returns the ids of its products that suit a want, ``look_up``
    its records of what an answer names, and ``references`` are its baskets by query id, each looked up once a judgement
    needs it. Once ``allowance`` is spent nothing more is asked, and scores are made of what was judged.

    ``missing`` has, by label, the web from which unread cited pages are fetched before judging (with ``again``, also
    those that could not be read). Metrics that need a judge judge each report ``judge_repeats`` times from the start.
    ``pairs`` are what "pairwise" compares, as "A~B"; by default, all pairs of systems that research. Null agents and
    the oracle are rated for quality only with ``rate_floors``; a rule-based judge is asked for no opinion.

    With another ``wording`` than the packaged one these are other judges, with its label. ``criteria`` is a folder or
    experiment whose criteria are copied; ``gold`` a folder, sandbox or experiment with what good answers are known to
    contain. ``judge_notes`` returns notes to show beside each judge's scores of faithfulness, by the judge's key.
    ``on_written`` is called while the folder is still locked. Unless it ``takes_board``, the board stays with the
    judges of an earlier command.

    Raises UserError for an unknown metric or pair, for rules that pairwise does not know, for a folder without an
    experiment, and while another process writes there.
    """
    loaded = load_metrics(metrics)
    of_pairs = [pair_metric()] if PAIRWISE in metrics else []
    check_rules([*loaded, *of_pairs], rules)
    definition = read_definition(experiment)
    submitter = Submitter(
        experiment,
        definition,
        loaded,
        of_pairs,
        judges=[judge.with_wording(wording.label) for judge in judges],
        compared=choose_pairs(definition, pairs) if of_pairs else [],
        store=store,
        looked_up={"offers": offers, "look_up": look_up, "references": references or {}},
        rules=rules,
        again=again,
        judge_repeats=judge_repeats,
        allowance=allowance or Allowance(),
        rate_floors=rate_floors,
    )
    with locked_folder(experiment):
        if look_up is not None:
            await asyncio.to_thread(keep_unopened, experiment, look_up)
        if missing is not None:
            fetched = partial(fetch_missing, experiment, missing, progress, again=again != "nothing")
            progress.note(fetch_summary(await asyncio.to_thread(fetched)))
        if gold is not None:  # for all built-in metrics too
            for metric in load_metrics([*METRICS, *loaded]):
                if metric.keep_gold is not None:
                    metric.keep_gold(experiment, definition, gold)
        if criteria is not None:
            take_criteria(experiment, criteria, loaded)
        keep_wording(experiment, wording)
        with overridden_prompts(wording.texts):
            await submitter.judge_missing(progress, concurrency)
        if of_pairs or any(metric.needs_judge for metric in loaded):
            board = Board(rules=rules, judge=tuple(judge.ref.key for judge in submitter.judges))
            if takes_board or read_board(experiment).judge in ((), board.judge):
                write_board(experiment, board)
        keep_references(experiment, references or {})
        others = _others(experiment, loaded, progress)
        with progress.busy("scores of all verdicts"):
            notes = judge_notes(experiment) if judge_notes else {}
            scores = derive_scores(experiment, [*loaded, *others], *submitter.asked, notes)
        write_atomically(experiment / "scores.json", f"{canonical_json(scores.document())}\n")
        if on_written is not None:
            on_written()
    return scores


async def _work_on(allowance: Allowance, work: Iterator[Stages], bar: Bar, side_by_side: int) -> None:
    """Ends when all jobs are done or one has raised. What a job raises is raised once none is running."""
    stopped: list[Exception] = []
    places = asyncio.Semaphore(side_by_side)

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

    workers = [asyncio.create_task(take()) for _ in range(side_by_side)]
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
        try:
            if ":" in name:  # the folder may be a stranger's: no module is imported by what it is called
                raise UnknownName("metric", name, ())
            yield recorded_metric(experiment, name) or load_metric(name)
        except UnknownName:
            progress.note(f"{experiment}: no metric {name!r} is installed, so its verdicts give no scores.")
        except UserError as problem:
            progress.note(f"{experiment}: the verdicts of {name!r} give no scores. {problem}")

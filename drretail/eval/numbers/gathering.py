"""All verdicts on an experiment's runs, read once: scores, comparisons and slices are made from it."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Literal, TypeVar

from drretail.eval.claims.audit import shares_of
from drretail.eval.claims.claims import FAITHFULNESS as CLAIMS
from drretail.eval.judging.question import VerdictFile, judges_in, verdict_path
from drretail.eval.judging.subject import Subject, read_subjects
from drretail.eval.method import in_all_wordings
from drretail.eval.metric import NOT_JUDGED, Metric, Value, gravest, is_unrated, of_answers
from drretail.eval.numbers.judges import NO_JUDGE, Assessor, Board, TableKey, read_board
from drretail.eval.registry import AS_ANSWERS, COUNTS_STEPS, FALSE_STATEMENTS
from drretail.experiments.experiment import Definition, read_definition
from drretail.records.comparison import Outcome
from drretail.records.evidence import CitationCounts
from drretail.records.query import Query
from drretail.records.reading import JudgeAudit, Shares, summed
from drretail.records.run import Usage, place_of
from drretail.records.score import Rules, Verdict
from drretail.reports.render import count_words
from drretail.reports.text.wording import split_words
from drretail.stats.intervals import Clusters, pooled_ends

FAILED_RUNS, SPOILED_RUNS, PENDING_RUNS = "runs_failed", "runs_spoiled", "runs_pending"
DAMAGED_RUNS = "runs_damaged"
NOT_IMPORTED = "not_imported"
FP = "FP"
"""The variant that shows on which reports a judge failed."""
FR = "FR"
OF_WORDS = "false_text"
"""The variant of the statements that a judge alone finds false."""
RunStatus = Literal["done", "failed", "spoiled", "damaged", "pending", "not_imported"]
"""The state of a planned run: it left a report, failed by itself, was lost to a server, has a file that can't be read,
is not made yet, or nothing was imported for its question.
"""
_LACKS = {
    "done": NOT_JUDGED,
    "failed": FAILED_RUNS,
    "spoiled": SPOILED_RUNS,
    "damaged": DAMAGED_RUNS,
    "pending": PENDING_RUNS,
    "not_imported": NOT_IMPORTED,
}


LACKS_IN_WORDS = {
    PENDING_RUNS: "not run yet",
    NOT_JUDGED: "not judged",
    FAILED_RUNS: "run failed",
    SPOILED_RUNS: "run lost to a server",
    DAMAGED_RUNS: "run's file damaged",
    NOT_IMPORTED: "no report imported",
}


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """One planned run's result in one metric by one judge; verdicts are counted by key."""

    query_id: str
    values: Mapping[str, Value]
    """By variant, the mean over judge repeats; a missing variant counts as failed. Of a run without a report, what it
    has in the variants of success.
    """
    lacks: str | None = None
    """Why nothing was judged: a key of LACKS_IN_WORDS."""
    by_repeat: Mapping[int, Mapping[str, Value]] = field(default_factory=dict[int, Mapping[str, Value]])
    """The values of each judge repeat, from 1."""
    verdicts: int = 0
    errors: tuple[str, ...] = ()
    """Why verdicts failed."""
    stale: int = 0
    repairs: int = 0
    prompts: frozenset[str] = frozenset()
    """The hashes of the prompts behind the verdicts."""
    audit: Shares = field(default_factory=dict[str, tuple[int, int]])
    """How the judge read the report (``JudgeAudit``)."""


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """One planned run, without its evidence."""

    label: str
    query: Query
    repeat: int
    run_id: str
    report_sha: str | None
    """The hash of the text that is judged; None for a run without a report."""
    words: int = 0
    """The number of words in its report."""
    words_read: int = 0
    """The words that a reader meets, with the list of sources, as tables show them; 0 if they were not counted."""
    usage: Mapping[str, Usage] = field(default_factory=dict[str, Usage])
    """Its tokens by role."""
    status: RunStatus = "done"
    without_report: Mapping[str, Mapping[str, Value]] = field(default_factory=dict[str, Mapping[str, Value]])
    """Of a run without a report, by metric: what it has in the variants of success."""
    error: str = ""
    """The kind of its error; empty without one."""
    citations: CitationCounts = field(default_factory=CitationCounts)
    """How many of its report's citations were read."""
    losses: Mapping[str, int] = field(default_factory=dict[str, int])
    """What it did without because a provider gave no answer, by name; its values count all the same."""
    unanswered: int = 0
    """Tool calls that a server or the web left without an answer."""

    @property
    def has_report(self) -> bool:
        return self.report_sha is not None

    @property
    def has_ended(self) -> bool:
        """True if the run is done, with a report, or failed by itself."""
        return self.status in ("done", "failed")

    @property
    def lacks(self) -> Counter[str]:
        """What a run that is done did without because nobody answered, by name."""
        return Counter(self.losses) + Counter({"tool call": self.unanswered if self.has_report else 0})

    def unjudged(self, metric: str) -> JudgedRun:
        """The run's result in a metric by a judge without verdicts on it."""
        return JudgedRun(self.query.query_id, self.without_report.get(metric, {}), _LACKS[self.status])


@dataclass(frozen=True)
class Gathered:
    """An experiment with all its judges' results."""

    definition: Definition
    metrics: Mapping[str, Metric]
    """By name."""
    plans: tuple[PlannedRun, ...]
    """By label, repeat and query."""
    tables_of_judges: Mapping[TableKey, Mapping[str, JudgedRun]]
    """By run id; missing runs have no verdicts by that judge."""
    board: Board = NO_JUDGE
    """Whom the last ``score`` asked."""

    @property
    def shown(self) -> "Gathered":
        """The same with the results of those who were asked last, as in a folder where nobody else was asked."""
        tables = {key: by_run for key, by_run in self.tables_of_judges.items() if self.board.has(*key.assessor)}
        return replace(self, tables_of_judges=tables)

    @property
    def clusters(self) -> Clusters:
        """Which user asked each query."""
        return Clusters.of(self.definition.queries)

    @cached_property
    def are_answers(self) -> bool:
        """True if all systems that research are assistants, whose answers cite no records."""
        systems = self.definition.systems
        judged = [by_run for key, by_run in self.tables_of_judges.items() if key.metric == FALSE_STATEMENTS]
        as_answers, by_marks = set[str](), set[str]()
        for plan, by_run in product(self.plans, judged):
            values = {} if (run := by_run.get(plan.run_id)) is None else run.values
            if "false_answers" in values and values["false_answers"].items.get(AS_ANSWERS):
                as_answers.add(plan.label)
            # A report of research that found nothing cites nothing either.
            elif "checked" in values and values["checked"].items.get("decided"):
                by_marks.add(plan.label)
        read = as_answers - by_marks
        researching = {plan.label for plan in self.plans if place_of(plan.label, systems) == "system"}
        return bool(researching) and researching <= read

    @cached_property
    def unread_citations(self) -> Mapping[str, str]:
        """By label, "12 of 80 citations of bot could not be read (…)" for the systems of which more than one in twenty
        could not: nothing is concluded from what rests on them.
        """
        by_label: dict[str, list[CitationCounts]] = defaultdict(list)
        for plan in self.plans:
            by_label[plan.label].append(plan.citations)
        summed = {label: CitationCounts.summed(counts) for label, counts in by_label.items()}
        return {label: counts.unread_of(label) for label, counts in summed.items() if counts.are_too_many}

    @cached_property
    def audits(self) -> Mapping[Assessor, JudgeAudit]:
        """How each judge of claims read, over all reports."""
        audits: dict[Assessor, JudgeAudit] = {}
        for assessor in self.assessors():
            tables = {key.metric: by_run for key, by_run in self.tables_of_judges.items() if key.assessor == assessor}
            of_runs = [run.audit for by_run in tables.values() for run in by_run.values()]
            runs = [run for run in tables.get(CLAIMS, {}).values() if run.lacks is None]
            shares, failed = summed(of_runs), sum(run.values[FP].state == "failed" for run in runs)
            if shares or 2 * failed > len(runs):
                audits[assessor] = JudgeAudit(
                    **assessor.columns,
                    shares=shares,
                    ends={name: pooled_ends([of_run.get(name, (0, 0)) for of_run in of_runs]) for name in shares},
                    repairs=sum(run.repairs for by_run in tables.values() for run in by_run.values()),
                    failed_reports=failed,
                    judged_reports=len(runs),
                )
        return audits

    def not_read(self, assessors: Collection[Assessor], labels: Collection[str]) -> Iterator[str]:
        """Sentences that name the models among these judges that do not read, and the systems among these of whose
        citations too many could not be read.
        """
        for assessor, audit in self.audits.items():
            if audit.warning and assessor.judge.kind != "rule_based" and assessor in assessors:
                yield audit.warning
        if CLAIMS in self.metrics:
            unread = (why for label, why in self.unread_citations.items() if label in labels)
            yield from (f"Nothing is concluded from FP and FR where citations are not read: {why}." for why in unread)

    def unread(self, assessor: Assessor, metric: str = "", labels: Collection[str] = ()) -> tuple[Outcome, str] | None:
        """The outcome where nothing is concluded from a judge in a metric on these systems, and why: it follows rules,
        it does not read, or the metric rests on citations that could not be read.
        """
        if assessor.judge.follows_rules:
            # What rules say of an assistant's answers is code's reading, as are false statements that they do not deny
            # by the words of a source.
            tables = self.tables_of_judges.get(TableKey(FALSE_STATEMENTS, assessor), {})
            by_words = sum((run.values[OF_WORDS].value or 0) for run in tables.values() if OF_WORDS in run.values)
            is_of_code = self.are_answers or (metric == FALSE_STATEMENTS and not by_words)
            return None if is_of_code else ("not_read", f"{assessor.judge.spec} follows rules")
        if any(self.not_read([assessor], ())):
            return "not_read", f"{assessor.judge.spec} does not read"
        reasons = [why for label, why in self.unread_citations.items() if metric == CLAIMS and label in labels]
        return ("missing", "; ".join(reasons)) if reasons else None

    def assessors(self, metric: str = "") -> list[Assessor]:
        """The judges with verdicts in a metric, or in any."""
        judges = {key.assessor for key in self.tables_of_judges if metric in ("", key.metric)}
        return sorted(judges, key=lambda assessor: assessor.order)

    def rates(self, assessor: Assessor, metric: Metric) -> bool:
        """True if the judge has verdicts in a metric, and its numbers there mean something."""
        return assessor in self.assessors(metric.name) and not is_unrated(metric, assessor.judge)

    def judged_runs(self, metric: str, assessor: Assessor) -> Iterator[tuple[PlannedRun, JudgedRun]]:
        """Every planned run with this judge's result, in the order of the plan."""
        by_run = self.tables_of_judges.get(TableKey(metric, assessor), {})
        for plan in self.plans:
            yield plan, by_run.get(plan.run_id) or plan.unjudged(metric)


def gather(experiment: Path, metrics: Sequence[Metric], *, counts_words: bool = False) -> Gathered:
    """The results of the current verdicts of these metrics, run by run and judge by judge. Words that a reader meets
    are counted only if asked for: that takes the evidence, the largest of a run's files. Of assistants, what these are
    not asked for is left out.

    A verdict is current if it is about this report, and was asked by today's prompts and by this version of its metric.
    Raises UserError for a folder without an experiment, and for files of another format.
    """
    prompts = {metric.name: in_all_wordings(experiment, metric.prompt_hashes) for metric in metrics}
    judges = {metric.name: judges_in(experiment, metric.name) for metric in metrics}
    plans: list[PlannedRun] = []
    tables_of_judges: dict[TableKey, dict[str, JudgedRun]] = defaultdict(dict)
    for subject in read_subjects(experiment, None):
        for metric in metrics:
            place = (subject.label, subject.run_name)
            verdicts = verdicts_by_assessor(experiment, metric.name, judges[metric.name], *place)
            for assessor, lines in verdicts.items():
                living = [
                    verdict
                    for verdict in lines
                    if verdict.report_sha == subject.report_sha
                    and verdict.prompt_hash in prompts[metric.name]
                    and verdict.version == metric.version
                ]
                tables_of_judges[TableKey(metric.name, assessor)][subject.run_id] = judged_run(
                    subject, metric, living, assessor.rules, stale=len(lines) - len(living)
                )
        run = subject.run
        plans.append(
            PlannedRun(
                subject.label,
                subject.query,
                subject.repeat,
                subject.run_id,
                subject.report_sha,
                words=len(split_words(subject.report or "")),
                words_read=words_read(subject, tables_of_judges) if counts_words else 0,
                usage={} if run is None else run.usage,
                status=_status(subject),
                without_report={metric.name: _without_report(subject, metric) for metric in metrics},
                error="" if run is None or run.error is None else run.error.kind,
                citations=CitationCounts() if run is None else run.citation_counts,
                losses={} if run is None else run.losses,
                unanswered=0 if run is None or subject.system.is_imported else run.unanswered_calls,
            )
        )
    in_units = {metric.name: _in_units(metric, tables_of_judges) for metric in metrics}
    definition, board = read_definition(experiment), read_board(experiment)
    return _as_asked(Gathered(definition, in_units, tuple(plans), dict(tables_of_judges), board))


def words_read(subject: Subject, tables_of_judges: Mapping[TableKey, Mapping[str, JudgedRun]]) -> int:
    """The number of words of the run's report with its list of sources, from the values of ``COUNTS_STEPS`` if they
    hold it: to count them anew takes the evidence, the largest of a run's files.
    """
    tables = (by_run for key, by_run in tables_of_judges.items() if key.metric == COUNTS_STEPS)
    judged = next((by_run[subject.run_id] for by_run in tables if subject.run_id in by_run), None)
    if judged is not None and (words := judged.values.get("words")) is not None:
        return int(words.value or 0)
    return 0 if subject.run is None else count_words(subject.run.report, subject.evidence)[0]


def _in_units(metric: Metric, tables_of_judges: Mapping[TableKey, Mapping[str, JudgedRun]]) -> Metric:
    """The metric with variants that are no shares by their values among its ``counts``, whatever their scale.

    All systems decide together, so that a column has intervals of one kind.
    """
    described = metric.description
    if described.scale != "share":
        return metric
    runs = (judged for key, table in tables_of_judges.items() if key.metric == metric.name for judged in table.values())
    beyond = {
        value.variant
        for judged in runs
        for value in judged.values.values()
        if value.value is not None and not 0 <= value.value <= 1
    }
    more = tuple(
        variant for variant in metric.variants if variant in beyond - {*described.counts, *described.differences}
    )
    counts = (*described.counts, *more)
    return replace(metric, description=described.model_copy(update={"counts": counts})) if more else metric


def _status(subject: Subject) -> RunStatus:
    run = subject.run
    if run is None:
        return "pending"
    if run.report is not None:
        return "done"
    if run.is_unreadable:
        return "damaged"
    if subject.system.is_imported:
        return "not_imported"
    # If a user's own agent takes too long, the system failed; if a model or a server does, it did not.
    return "spoiled" if run.is_lost(subject.system) else "failed"


def _as_asked(gathered: Gathered) -> Gathered:
    """Of assistants, without what these are not asked for, floors of research, and a rule-based judge's claims."""
    if not gathered.are_answers:
        return gathered
    as_asked = {name: of_answers(metric) for name, metric in gathered.metrics.items()}
    as_asked = {name: metric for name, metric in as_asked.items() if metric.variants}
    systems = gathered.definition.systems
    tables = {
        key: by_run
        for key, by_run in gathered.tables_of_judges.items()
        if key.metric in as_asked and (key.metric != CLAIMS or key.assessor.judge.kind != "rule_based")
    }
    plans = tuple(plan for plan in gathered.plans if place_of(plan.label, systems) == "system")
    return replace(gathered, metrics=as_asked, plans=plans, tables_of_judges=tables)


def verdicts_by_assessor(
    experiment: Path, metric: str, judges: Iterable[str], label: str, run: str
) -> dict[Assessor, list[Verdict]]:
    """The last verdict of every key on a run, or on two that are compared, by judge."""
    groups: dict[Assessor, list[Verdict]] = defaultdict(list)
    for judge in judges:
        for verdict in VerdictFile(verdict_path(experiment, metric, judge, label, run)).lasts():
            groups[Assessor(verdict.judge, verdict.rules)].append(verdict)
    return groups


K = TypeVar("K", str, tuple[str, str])


def means_by_query(values: Iterable[tuple[K, float | None]]) -> dict[K, float]:
    """The mean of each query's repeats that have a value, by query id or another key, sorted."""
    by_query: dict[K, list[float]] = defaultdict(list)
    for query_id, value in values:
        if value is not None:
            by_query[query_id].append(value)
    return {query_id: sum(its) / len(its) for query_id, its in sorted(by_query.items())}


def judged_run(subject: Subject, metric: Metric, living: Sequence[Verdict], rules: Rules, stale: int = 0) -> JudgedRun:
    """The result of one judge's current verdicts on a run in a metric; ``stale`` others are not current.

    A run without a report has what ``Metric.without_report`` says.
    """
    lacks = None if living else _LACKS[_status(subject)]
    repeats: dict[int, list[Verdict]] = defaultdict(list)
    for verdict in living:
        repeats[verdict.judge_repeat].append(verdict)
    by_repeat = {
        repeat: {value.variant: value for value in metric.values(subject, repeats[repeat], rules)}
        for repeat in sorted(repeats)
    }
    return JudgedRun(
        subject.query.query_id,
        averaged(list(by_repeat.values())) or _without_report(subject, metric),
        lacks,
        by_repeat,
        verdicts=len(living),
        errors=tuple(verdict.error or verdict.reason for verdict in living if verdict.state == "failed"),
        stale=stale,
        repairs=sum(verdict.repairs for verdict in living),
        prompts=frozenset(verdict.prompt_hash for verdict in living) - {""},
        audit=shares_of(living),
    )


def _without_report(subject: Subject, metric: Metric) -> Mapping[str, Value]:
    status = _status(subject)
    if subject.folder is None or status == "done":
        return {}
    return metric.without_report(subject, failed=status == "failed")


def averaged(repeats: Sequence[Mapping[str, Value]]) -> Mapping[str, Value]:
    """The mean of each variant over the repeats that scored it, and of the counts of items."""
    if len(repeats) == 1:
        return repeats[0]
    means: dict[str, Value] = {}
    for variant in dict.fromkeys(variant for values in repeats for variant in values):
        its = [values[variant] for values in repeats if variant in values]
        scored = [value.value for value in its if value.value is not None]
        items: dict[str, float] = defaultdict(float)
        for value in its:
            for name, number in value.items.items():
                items[name] += number / len(its)
        state = "scored" if scored else gravest(value.state for value in its) or "failed"
        means[variant] = Value(variant, state, sum(scored) / len(scored) if scored else None, dict(items))
    return means

"""Headlines cover all planned runs: what a run lacks by its own fault counts 0 (docs/scores.md).
Also in words: what is behind the values of one report.

A failed run gets 0, and so does a report with nothing that the headline measures. If the *query* lacks something, such
as a wish, the headline is undefined for it, equally for all systems. What judges, pages or servers failed to deliver is
missing: it is left out and counted, and prevents conclusions above one planned run in twenty.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from drretail.eval.claims.claims import FAITHFULNESS as FAITHFULNESS
from drretail.eval.judging.question import judges_in
from drretail.eval.metric import Metric, Value, is_judged, of_answers
from drretail.eval.scores.gathering import (
    FAILED_RUNS,
    NOT_IMPORTED,
    PENDING_RUNS,
    Assessor,
    Gathered,
    JudgedRun,
    TableKey,
    gather,
    verdicts_by_assessor,
    with_panels,
)
from drretail.records.run import Run, place_of
from drretail.records.score import WHY_NOT, Verdict, reasons_of

K = TypeVar("K", str, tuple[str, str])
MOST_MISSING = 0.05
"""The share of planned runs that may be missing before no conclusion is drawn: one in twenty."""


def headline_variants(metric: Metric) -> frozenset[str]:
    """The variants by which systems are chosen, and those on the scoreboard."""
    described = metric.description
    compared = described.compared or described.headlines or metric.variants
    primary = described.primary or (compared if len(compared) == 1 else ())
    return frozenset({*primary, *(column.variant for column in described.scoreboard)})


@dataclass(frozen=True, slots=True)
class Attendance:
    """How many planned runs are behind a headline's value, among those whose query the headline is defined for."""

    planned: int
    scored: int
    earned_nothing: int
    """Runs without a value that got 0: they failed, or their reports have nothing that the headline measures."""
    missing: int
    """Runs lost to a server, reports that a judge failed on, and reports whose pages can't be read."""
    pending: int
    """Runs that were not made yet."""

    @property
    def allows_conclusions(self) -> bool:
        return not self.pending and self.missing <= MOST_MISSING * self.planned


def attendance(reports: Sequence[JudgedRun], variant: str) -> Attendance:
    """The attendance of one system's planned runs in one headline."""
    counts = Counter(_kind(report, variant) for report in reports)
    planned = len(reports) - counts["undefined"]
    return Attendance(planned, *(counts[kind] for kind in ("scored", "nothing", "missing", "pending")))


def _kind(report: JudgedRun, variant: str) -> str:
    value = report.values.get(variant)
    if value is not None and value.value is not None:
        return "scored"
    if variant in report.earned:
        return "nothing"
    if report.lacks is not None:
        return _OF_LACKING.get(report.lacks, "missing")
    return "undefined" if value is not None and value.state == "na" else "missing"


_OF_LACKING = {FAILED_RUNS: "undefined", NOT_IMPORTED: "undefined", PENDING_RUNS: "pending"}
"""A failed run without even a 0 is on a query for which the headline is undefined, or of a metric whose headlines are
about the runs that are done.
"""


def read_judgements(
    experiment: Path, metrics: Sequence[Metric], asked: Collection[TableKey] = (), *, counts_words: bool = False
) -> Gathered:
    """``gather`` with panels of judges and with what every planned run earns.

    ``asked`` are judges of a metric that count although no run gave them anything to judge.
    """
    gathered = with_panels(gather(experiment, metrics, counts_words=counts_words))
    gathered = with_earnings(gathered, asked, experiment)
    if not gathered.are_answers:
        return gathered
    # Without what assistants are not asked for, floors of research, and a rule-based judge's claims.
    as_asked = {name: of_answers(metric) for name, metric in gathered.metrics.items()}
    as_asked = {name: metric for name, metric in as_asked.items() if metric.variants}
    systems = gathered.definition.systems
    tables = {
        key: by_run
        for key, by_run in gathered.tables_of_judges.items()
        if key.metric in as_asked and (key.metric != FAITHFULNESS or key.assessor.judge.kind != "rule_based")
    }
    plans = tuple(plan for plan in gathered.plans if place_of(plan.label, systems) == "system")
    return replace(gathered, metrics=as_asked, plans=plans, tables_of_judges=tables)


def with_earnings(gathered: Gathered, asked: Collection[TableKey] = (), experiment: Path | None = None) -> Gathered:
    """The same, with each run's ``earned`` values in headlines without a value.

    Publications' rules are unchanged; a judge that was not asked about a system's reports says nothing of its failed
    runs.
    """
    by_judge = {**{key: dict[str, JudgedRun]() for key in asked}, **gathered.tables_of_judges}
    tables = {
        key: _with_earnings(gathered, key, answers, experiment) if key.assessor.rules == "default" else answers
        for key, answers in by_judge.items()
    }
    return replace(gathered, tables_of_judges=tables)


def _with_earnings(
    gathered: Gathered, key: TableKey, answers: Mapping[str, JudgedRun], experiment: Path | None
) -> dict[str, JudgedRun]:
    metric = gathered.metrics[key.metric]
    systems = gathered.definition.systems
    judged_plans = [plan for plan in gathered.plans if is_judged(metric, systems[plan.label], floors=True)]
    # By query and variant, whether any report on the query could have a value. If no report was judged this is open,
    # unless the metric knows that the query has nothing to measure.
    defined: dict[str, dict[str, bool]] = defaultdict(dict)
    for plan in judged_plans:
        judged = answers.get(plan.run_id)
        if judged is None and experiment and metric.query_lacks and metric.query_lacks(experiment, plan.query):
            defined[plan.query.query_id] = dict.fromkeys(metric.variants, False) | defined[plan.query.query_id]
        for variant, value in ({} if judged is None else judged.values).items():
            could = value.state != "na" or value.earns is not None
            defined[plan.query.query_id][variant] = defined[plan.query.query_id].get(variant, False) or could
    made, headlines = dict(answers), headline_variants(metric)
    precisions = metric.description.held_beside.keys() if metric.description.higher_is_better else ()
    # Of a failed run, what a pooled headline is made of is 0 as well. Where less is better, 0 would be a reward.
    of_failed = metric.variants if headlines & metric.pooled.keys() else headlines
    of_failed = of_failed if metric.description.higher_is_better else ()
    for plan in judged_plans:
        run = answers.get(plan.run_id) or plan.unjudged()
        if plan.status == "failed":
            of_query = defined[plan.query.query_id]
            earned = {variant: 0.0 for variant in of_failed if of_query.get(variant, variant in headlines)}
        else:
            values = [value for name, value in run.values.items() if name in headlines]
            earned = {each.variant: each.earns for each in values if each.value is None and each.earns is not None}
            # Who decides nothing where something is wanted, or refuses what the shop has, is not precise either.
            is_precise = not (plan.is_undecided or plan.refuses_wrongly)
            earned |= {} if is_precise or not values else dict.fromkeys(headlines & {*precisions}, 0.0)
        if earned:
            made[plan.run_id] = replace(run, earned=earned)
    return made


def counted(report: JudgedRun, variant: str) -> float | None:
    """A planned run's number in a headline; None if it is missing or the headline is undefined for it."""
    value = report.values.get(variant)
    return report.earned.get(variant, None if value is None else value.value)


def counted_values(report: JudgedRun) -> Mapping[str, Value]:
    """The report's values, with what it earns where it has none, for pooled headlines."""
    return {**report.values, **{name: Value(name, "scored", value) for name, value in report.earned.items()}}


def means_by_query(values: Iterable[tuple[K, float | None]]) -> dict[K, float]:
    """The mean of each query's repeats that have a value, by query id or another key, sorted."""
    by_query: dict[K, list[float]] = defaultdict(list)
    for query_id, value in values:
        if value is not None:
            by_query[query_id].append(value)
    return {query_id: sum(its) / len(its) for query_id, its in sorted(by_query.items())}


MOST_VERDICTS = 200
LONGEST_REASON = 400
NOTHING_TO_SCORE = "the report has nothing of the kind"
"""Why a value is n/a if its metric gives no reason: there is no total to check, no wrong claim to place."""


def explanation_of(values: Iterable[Value], verdicts: Sequence[Verdict]) -> str:
    """Markdown: a line for each value with the counts behind it, then one for each verdict with a reason."""
    lines = [f"- **{value.variant}** {_value(value)}" for value in values]
    judged: list[str] = []
    for verdict in verdicts:
        if reason := verdict.error or verdict.reason:
            shown = f": {verdict.value:g}" if isinstance(verdict.value, int | float) else ""
            state = "" if verdict.state == "scored" else f" ({verdict.state.replace('na', 'n/a')})"
            judged.append(f"- {verdict.stage} {verdict.item}{shown}{state} — {reason[:LONGEST_REASON]}")
    if judged:
        lines += ["", "What was judged:", "", *judged[:MOST_VERDICTS]]
    if len(judged) > MOST_VERDICTS:
        lines.append(f"- … and {len(judged) - MOST_VERDICTS} more")
    return "\n".join(lines)


def verdicts_of(experiment: Path, run: Run, metric: str, assessor: Assessor) -> list[Verdict]:
    """The last verdict of every key that one judge gave on a run's report."""
    judges, name = judges_in(experiment, metric), f"{run.query_id}-r{run.repeat}"
    lasts = verdicts_by_assessor(experiment, metric, judges, run.system, name).get(assessor, [])
    return [last for last in lasts if last.report_sha == run.report_sha]


def _value(value: Value) -> str:
    if value.state == "na":
        return f"n/a: {', '.join(reasons_of(value.items)) or NOTHING_TO_SCORE}"
    if value.value is None:
        return value.state
    # " (support 21.5, scored 24)": the counts behind the value.
    counts = ((name, count) for name, count in value.items.items() if count and not name.startswith(WHY_NOT))
    shown = ", ".join(f"{name} {count:.4g}" for name, count in counts)
    return f"{value.value:.4g}{f' ({shown})' if shown else ''}"

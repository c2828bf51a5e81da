"""The result of the verdicts on one meeting of two systems: a win, a tie, a loss, or why there is none."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Literal

from drretail.eval.judge_prompts import in_all_wordings
from drretail.eval.judging.dimensions import DIMENSIONS
from drretail.eval.judging.pairs import BETWEEN, Labels, meetings, pair_name
from drretail.eval.judging.verdicts import judges_in
from drretail.eval.registry import PAIRWISE, pair_metric
from drretail.eval.scores.gathering import Assessor, Gathered, Plan, verdicts_by_assessor
from drretail.records.base import Rules
from drretail.records.comparison import EQUAL
from drretail.records.score import Order, Verdict

Why = Literal["runs_failed", "not_judged", "judge"]
Results = dict[Assessor, dict[Labels, dict[str, list["PairOutcome"]]]]
"""By judge and rules, then by pair, then by dimension: one outcome for every meeting."""


@dataclass(frozen=True, slots=True)
class PairOutcome:
    """One meeting in one dimension; if judged several times, the mean of the scored times."""

    query_id: str
    win: float | None = None
    """1 for a win of the first system, else 0; None if nothing was scored."""
    tie: float | None = None
    loss: float | None = None
    is_na: bool = False
    why: Why | None = None
    """Why it failed: then it is neither scored nor na."""
    is_forfeit: bool = False
    """True if a side left no report by its own failure: it loses without a judge, and two such sides tie."""
    flipped: float | None = None
    """1 if each order has another result, such as a winner and "equal". None if only one order was asked."""
    first_preferred: float | None = None
    """The share of answers that prefer the report read first; "equal" counts ½."""
    disagreed: float | None = None
    """1 if the members of a panel disagreed; None for a single judge."""
    failed_verdicts: int = 0
    stale_verdicts: int = 0
    repairs: int = 0
    words: int = 0
    """The first report's words minus the second's."""

    @property
    def result(self) -> float | None:
        """The first system's score, with a tie as ½; None if nothing was scored."""
        return None if self.win is None or self.tie is None else self.win + self.tie / 2


def read_outcomes(experiment: Path, gathered: Gathered, asked: Sequence[tuple[Assessor, Labels]] = ()) -> Results:
    """Every meeting of every pair with verdicts, and of the pairs in ``asked``, by judge."""
    results: Results = defaultdict(dict)
    for assessor, labels in asked:
        results[assessor][labels] = {dimension: [] for dimension in DIMENSIONS}
    plans = {plan.run_id: plan for plan in gathered.plans}

    @cache
    def prompts(rules: Rules) -> dict[str, frozenset[str]]:
        """By dimension, the hashes of all valid prompts."""
        worded = in_all_wordings(experiment, lambda: frozenset(pair_metric().hashes(rules).items()))
        return {
            dimension: frozenset[str]().union(*(hashes for name, hashes in worded if name == dimension))
            for dimension in DIMENSIONS
        }

    judges = judges_in(experiment, PAIRWISE)
    folders = (folder.name for folder in (experiment / "verdicts" / PAIRWISE).glob(f"*/*{BETWEEN}*/"))
    judged = ((a, b) for a, _, b in (folder.partition(BETWEEN) for folder in folders))
    known = {labels for labels in judged if gathered.definition.systems.keys() >= {*labels}}
    pairs = sorted({*known, *(labels for _, labels in asked)})
    by_meeting = [
        (each, verdicts_by_assessor(experiment, PAIRWISE, judges, pair_name(each.labels), each.run))
        for each in meetings(experiment, gathered.definition, pairs)
    ]
    for meeting, verdicts in by_meeting:
        for assessor in verdicts:
            results[assessor].setdefault(meeting.labels, {dimension: [] for dimension in DIMENSIONS})
    for meeting, verdicts in by_meeting:
        for assessor, by_pair in results.items():
            if meeting.labels in by_pair:
                first, second = (plans[run_id] for run_id in meeting.run_ids)
                for dimension, hashes in prompts(assessor.rules).items():
                    about = [verdict for verdict in verdicts.get(assessor, ()) if verdict.item == dimension]
                    if first.has_report and second.has_report:
                        orders = pair_metric().orders(
                            assessor.rules, gathered.definition.seed, meeting.run_ids, dimension
                        )
                        outcome = _judged(first, second, about, hashes, orders)
                    else:
                        outcome = _without_report(first, second, assessor.rules)
                        outcome = replace(outcome, stale_verdicts=len(about))
                    by_pair[meeting.labels][dimension].append(outcome)
    return results


def _judged(
    first: Plan, second: Plan, about: Sequence[Verdict], hashes: frozenset[str], orders: Sequence[Order]
) -> PairOutcome:
    """The outcome by the verdicts on these reports, by today's prompts and this version of the metric."""
    version = pair_metric().version
    living = [
        verdict
        for verdict in about
        if (verdict.report_sha, verdict.other_report_sha) == (first.report_sha, second.report_sha)
        and verdict.prompt_hash in hashes
        and verdict.version == version
    ]
    times = sorted({each.judge_repeat for each in living}) or [1]
    times_asked = [{each.order: each for each in living if each.judge_repeat == time} for time in times]
    outcome = _together([_once(first.query.query_id, by_order, orders) for by_order in times_asked])
    repairs = sum(verdict.repairs for verdict in living)
    return replace(outcome, stale_verdicts=len(about) - len(living), repairs=repairs, words=first.words - second.words)


def _without_report(first: Plan, second: Plan, rules: Rules) -> PairOutcome:
    """The side without a report loses, and two sides without one tie (docs/scores.md).

    No outcome if a server is to blame, or by a publication's rules.
    """
    if rules != "default" or not all(plan.has_report or plan.status == "failed" for plan in (first, second)):
        return PairOutcome(first.query.query_id, why="runs_failed")
    win, loss = float(first.has_report), float(second.has_report)
    return PairOutcome(first.query.query_id, win=win, tie=1 - win - loss, loss=loss, is_forfeit=True)


def _once(query_id: str, by_order: Mapping[str | None, Verdict], wanted: Sequence[Order]) -> PairOutcome:
    """A win if the same report was preferred in every order, else a tie; one failed order fails all."""
    times_asked = [by_order[order] for order in wanted if order in by_order]
    states = {verdict.state for verdict in times_asked}
    if "failed" in states:
        failed = sum(verdict.state == "failed" for verdict in times_asked)
        return PairOutcome(query_id, why="judge", failed_verdicts=failed)
    if (
        len(times_asked) < len(wanted) or len(states) > 1
    ):  # a profile that came later leaves one order na until it is asked
        return PairOutcome(query_id, why="not_judged")
    if states == {"na"}:
        return PairOutcome(query_id, is_na=True)
    winners = {verdict.value for verdict in times_asked}
    win, loss = float(winners == {"a"}), float(winners == {"b"})
    firsts = [0.5 if each.value == EQUAL else float(each.value == (each.order or "")[:1]) for each in times_asked]
    return PairOutcome(
        query_id,
        win=win,
        tie=1 - win - loss,
        loss=loss,
        flipped=float(len(winners) > 1) if len(wanted) > 1 else None,
        first_preferred=_mean(firsts),
    )


def _together(times: Sequence[PairOutcome]) -> PairOutcome:
    """The mean of all scored times that a judge was asked, or why none was scored."""
    scored = [time for time in times if time.result is not None]
    failed = sum(time.failed_verdicts for time in times)
    if not scored:
        return replace(min(times, key=lambda time: (time.is_na, time.why or "")), failed_verdicts=failed)
    return PairOutcome(
        scored[0].query_id,
        win=_mean([outcome.win for outcome in scored]),
        tie=_mean([outcome.tie for outcome in scored]),
        loss=_mean([outcome.loss for outcome in scored]),
        flipped=_mean([outcome.flipped for outcome in scored]),
        first_preferred=_mean([outcome.first_preferred for outcome in scored]),
        failed_verdicts=failed,
    )


def _mean(numbers: Sequence[float | None]) -> float | None:
    known = [number for number in numbers if number is not None]
    return sum(known) / len(known) if known else None

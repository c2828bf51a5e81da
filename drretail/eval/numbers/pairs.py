"""Rows of pairwise judging: the result of each meeting of two systems (a win, a tie, a loss, or why there is none),
their counts for every pair, and strengths of all systems that met.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from drretail.eval.judging.dimensions import DIMENSIONS, PRIMARY
from drretail.eval.judging.question import judges_in
from drretail.eval.judging.subject import BETWEEN, Labels, meetings, pair_name, research_labels
from drretail.eval.method import in_all_wordings
from drretail.eval.numbers.contrast import NA, Side, contrast, p_with_failed
from drretail.eval.numbers.facts import NOT_RATED
from drretail.eval.numbers.gathering import LACKS_IN_WORDS, Gathered, PlannedRun, means_by_query, verdicts_by_assessor
from drretail.eval.numbers.judges import Assessor
from drretail.eval.numbers.wording import PREFERENCE
from drretail.eval.registry import PAIRWISE, pair_metric
from drretail.records.base import Rules
from drretail.records.comparison import EQUAL, ORDER_DECIDED, ComparedRow, Outcome, PairScore, Share
from drretail.records.score import Order, Score, Verdict
from drretail.stats.agreement import sign
from drretail.stats.intervals import Interval, share_interval
from drretail.stats.ranking import Contest, Strength, length_controlled, strengths
from drretail.stats.significance import sign_test

Results = dict[Assessor, dict[Labels, dict[str, list["PairOutcome"]]]]
"""By judge and rules, then by pair, then by dimension: one outcome for every meeting."""


@dataclass(frozen=True, slots=True)
class PairOutcome:
    """One meeting in one dimension; if judged several times, the mean of the scored times."""

    query_id: str
    state: str
    """Whether it has a result: "scored", or why not: "na", "judge" (which failed), or what is lacking, a key of
    ``LACKS_IN_WORDS``.
    """
    win: float = 0.0
    """1 for a win of the first system, else 0; ``loss`` is the second's. A tie is neither."""
    loss: float = 0.0
    flipped: float | None = None
    """1 if each order has another result, such as a winner and "equal". None if only one order was asked."""
    choices: int = 0
    """Answers that choose one of the two; "equal" is none."""
    chose_first: int = 0
    """Those of them that choose the report read first."""
    failed_verdicts: int = 0
    error: str = ""
    """Why the first of these failed."""
    stale_verdicts: int = 0
    repairs: int = 0
    words: int = 0
    """The first report's words minus the second's."""

    @property
    def result(self) -> float | None:
        """The first system's score, with a tie as ½; None if nothing was scored."""
        return (1 + self.win - self.loss) / 2 if self.state == "scored" else None


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
    judged_pairs = {labels for labels in judged if gathered.definition.systems.keys() >= {*labels}}
    pairs = sorted({*judged_pairs, *(labels for _, labels in asked)})
    by_meeting = [
        (meeting, verdicts_by_assessor(experiment, PAIRWISE, judges, pair_name(meeting.labels), meeting.run))
        for meeting in meetings(experiment, gathered.definition, pairs)
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
                        lacking = {plan.unjudged(PAIRWISE).lacks for plan in (first, second) if not plan.has_report}
                        why = next(lacks for lacks in LACKS_IN_WORDS if lacks in lacking)
                        outcome = PairOutcome(first.query.query_id, why, stale_verdicts=len(about))
                    by_pair[meeting.labels][dimension].append(outcome)
    return results


def _judged(
    first: PlannedRun, second: PlannedRun, about: Sequence[Verdict], hashes: frozenset[str], orders: Sequence[Order]
) -> PairOutcome:
    """The outcome by the verdicts on these reports, by today's prompts and this version of the metric: the mean of all
    scored times that the judge was asked, or why none was scored.
    """
    version = pair_metric().version
    living = [
        verdict
        for verdict in about
        if (verdict.report_sha, verdict.other_report_sha) == (first.report_sha, second.report_sha)
        and verdict.prompt_hash in hashes
        and verdict.version == version
    ]
    times = sorted({verdict.judge_repeat for verdict in living}) or [1]
    times_asked = [{verdict.order: verdict for verdict in living if verdict.judge_repeat == time} for time in times]
    outcomes = [_once(first.query.query_id, by_order, orders) for by_order in times_asked]
    scored = [outcome for outcome in outcomes if outcome.state == "scored"]
    # Without a result, the first that lacks one, those that can't be judged last.
    scored = scored or [min(outcomes, key=lambda outcome: (outcome.state == "na", outcome.state))]
    names = ("win", "loss", "flipped")
    means: dict[str, Any] = {name: _mean([getattr(outcome, name) for outcome in scored]) for name in names}
    return replace(
        scored[0],
        **means,
        choices=sum(outcome.choices for outcome in scored),
        chose_first=sum(outcome.chose_first for outcome in scored),
        failed_verdicts=sum(outcome.failed_verdicts for outcome in outcomes),
        error=next((outcome.error for outcome in outcomes if outcome.error), ""),
        stale_verdicts=len(about) - len(living),
        repairs=sum(verdict.repairs for verdict in living),
        words=first.words - second.words,
    )


def _once(query_id: str, by_order: Mapping[str | None, Verdict], wanted: Sequence[Order]) -> PairOutcome:
    """A win if the same report was preferred in every order, else a tie; one failed order fails all."""
    times_asked = [by_order[order] for order in wanted if order in by_order]
    states = {verdict.state for verdict in times_asked}
    if failed := [time.error or "" for time in times_asked if time.state == "failed"]:
        return PairOutcome(query_id, "judge", failed_verdicts=len(failed), error=failed[0])
    # A profile that came later leaves one order na until it is asked.
    if len(times_asked) < len(wanted) or len(states) > 1:
        return PairOutcome(query_id, "not_judged")
    if states == {"na"}:
        return PairOutcome(query_id, "na")
    winners = {verdict.value for verdict in times_asked}
    choices = [verdict for verdict in times_asked if verdict.value != EQUAL]
    return PairOutcome(
        query_id,
        "scored",
        float(winners == {"a"}),
        float(winners == {"b"}),
        flipped=float(len(winners) > 1) if len(wanted) > 1 else None,
        choices=len(choices),
        chose_first=sum(verdict.value == (verdict.order or "")[:1] for verdict in choices),
    )


def _mean(numbers: Sequence[float | None]) -> float | None:
    present = [number for number in numbers if number is not None]
    return sum(present) / len(present) if present else None


BY_ORDER = 0.8
"""The share of a judge's choices for one place, the first or the second, from which the order of reports decided."""
_BY_CHANCE = 0.01
"""How often at most a coin may seem to choose by the order: of twelve choices, all have to fall on one place or ten."""


ByPair = Mapping[Labels, Mapping[str, Sequence[PairOutcome]]]
"""One judge's outcomes by pair and dimension."""


def order_decided(by_pair: ByPair) -> bool:
    """True for a judge that chooses by the place of a report, over all pairs of systems and dimensions.

    A judge that is asked in both orders and reads chooses each place equally often, also where it likes one system
    best; a coin does so nearly.
    """
    every = [outcome for by_dimension in by_pair.values() for its in by_dimension.values() for outcome in its]
    choices, first = sum(outcome.choices for outcome in every), sum(outcome.chose_first for outcome in every)
    is_rare = (sign_test([1.0] * first + [-1.0] * (choices - first)) or 1.0) <= _BY_CHANCE
    return is_rare and max(first, choices - first) >= BY_ORDER * choices


def derive_pairs(
    experiment: Path, gathered: Gathered, asked: Sequence[tuple[Assessor, Labels]] = ()
) -> tuple[tuple[PairScore, ...], tuple[Score, ...]]:
    """The rows of every judge that compared any pair, by judge, pair and dimension. Pure: equal folders give equal
    bytes.

    ``asked`` names judges and pairs that get rows even if there was nothing to compare. Overall quality is concluded
    with the headlines (``family_of``); the other dimensions are exploratory.
    """
    results = read_outcomes(experiment, gathered, asked)
    pairs: list[PairScore] = []
    ranks: list[Score] = []
    for assessor in sorted(results, key=lambda assessor: assessor.order):
        by_pair = results[assessor]
        unread = gathered.unread(assessor)
        if by_order := order_decided(by_pair):
            unread = "order_decided", f"{assessor.judge.spec}: the order decided"
        pairs += [
            _pair_score(assessor, labels, dimension, by_pair[labels][dimension], gathered, unread)
            for labels in sorted(by_pair)
            for dimension in DIMENSIONS
        ]
        names = sorted({*research_labels(gathered.definition), *(label for labels in by_pair for label in labels)})
        for dimension in DIMENSIONS:
            met = {labels: outcomes[dimension] for labels, outcomes in by_pair.items()}
            ranks += _rank_scores(assessor, dimension, names, met, gathered, by_order=by_order)
    return tuple(pairs), tuple(ranks)


def _pair_score(
    assessor: Assessor,
    labels: Labels,
    dimension: str,
    outcomes: Sequence[PairOutcome],
    gathered: Gathered,
    unread: tuple[Outcome, str] | None,
) -> PairScore:
    a, b = labels
    hidden = assessor.judge.kind == "rule_based"  # it is never asked, so nothing is missing
    by_order = unread is not None and unread[0] == "order_decided"
    states = Counter("na" if hidden and outcome.state == "not_judged" else outcome.state for outcome in outcomes)
    n_failed = len(outcomes) - states["scored"] - states["na"]
    counted = PairScore(
        **_about(assessor, dimension),
        dimension=dimension,
        a=a,
        b=b,
        n_planned=len(outcomes),
        n_scored=states["scored"],
        n_na=states["na"],
        n_failed=n_failed,
        runs_failed=n_failed - states["not_judged"] - states["judge"],
        not_judged=states["not_judged"],
        failed_verdicts=sum(outcome.failed_verdicts for outcome in outcomes),
        error=next((outcome.error for outcome in outcomes if outcome.error), ""),
        stale_verdicts=sum(outcome.stale_verdicts for outcome in outcomes),
        repairs=sum(outcome.repairs for outcome in outcomes),
        contrast=preference(labels, dimension, () if hidden or by_order else outcomes, gathered, unread),
        note=NOT_RATED if hidden else None,
    )
    shown = {} if hidden else _numbers(outcomes, gathered)
    names = ("flip_rate", "first_position_rate") if by_order else tuple(shown)
    return counted.model_copy(update={name: shown[name] for name in names})


_WHY = {**LACKS_IN_WORDS, "judge": "judge failed", "na": NA}


def preference(
    labels: Labels,
    dimension: str,
    outcomes: Sequence[PairOutcome],
    gathered: Gathered,
    unread: tuple[Outcome, str] | None = None,
) -> ComparedRow:
    """The two by query: a system's value is its win rate over the query's repeats, in which a tie counts half."""
    won = means_by_query((outcome.query_id, outcome.result) for outcome in outcomes)
    why = {outcome.query_id: _WHY[outcome.state] for outcome in outcomes if outcome.query_id not in won}
    nothing = {query_id: list[float]() for query_id in why}

    def side(label: str, rates: Mapping[str, float]) -> Side:
        lost = {plan.query.query_id for plan in gathered.plans if plan.label == label and plan.losses}
        return Side({query_id: [rate] for query_id, rate in rates.items()} | nothing, why, lost)

    sides = side(labels[0], won), side(labels[1], {query_id: 1 - rate for query_id, rate in won.items()})
    row = contrast(PAIRWISE, dimension, sides, gathered.clusters, whole=1.0, unread=unread)
    name = PREFERENCE if dimension == PRIMARY else f"{dimension} {PREFERENCE}"
    # A failed run loses its meeting.
    lost = [
        (plan.query.query_id, float(labels.index(plan.label)))
        for plan in gathered.plans
        if plan.label in labels and plan.status == "failed"
    ]
    rates = means_by_query([*((outcome.query_id, outcome.result) for outcome in outcomes), *lost])
    failed = {query_id: (rate, 1 - rate) for query_id, rate in rates.items()} if lost and row.p is not None else {}
    with_failed: dict[str, Any] = {
        "failed": tuple(sum(rate == at for _, rate in lost) for at in (0, 1)),
        "with_failed": failed,
        "p_failed": p_with_failed(row.difference, failed, gathered.clusters),
    }
    return row.model_copy(update={"name": name, "a": labels[0], "b": labels[1], **with_failed})


def _numbers(outcomes: Sequence[PairOutcome], gathered: Gathered) -> dict[str, Any]:
    clusters = gathered.clusters
    scored = [outcome for outcome in outcomes if outcome.state == "scored"]
    wins, losses = [outcome.win for outcome in scored], [outcome.loss for outcome in scored]
    ties = [1 - win - loss for win, loss in zip(wins, losses, strict=True)]

    def by_query(of: Iterable[PairOutcome], values: Iterable[float | None]) -> dict[str, float]:
        """The mean of each query's repeats."""
        return means_by_query(zip((outcome.query_id for outcome in of), values, strict=True))

    def share(values: Sequence[float]) -> Share:
        means = by_query(scored, values)
        interval = share_interval([*means.values()], clusters.groups(means))
        return Share(value=interval.value, ci_low=interval.low, ci_high=interval.high)

    def mean(values: Sequence[float | None]) -> float | None:
        """The mean over queries of the mean within each; None without a query."""
        means = by_query(scored, values)
        return round(sum(means.values()) / len(means), 10) if means else None

    results = [outcome.result or 0.0 for outcome in scored]
    choices = sum(outcome.choices for outcome in scored)
    groups = clusters.groups(outcome.query_id for outcome in scored)
    # Without a winner, and where both have equal length, nothing is known.
    leads = [(sign(outcome.win - outcome.loss), sign(outcome.words)) for outcome in scored]
    longer_won = [float(lead == longer) if lead and longer else None for lead, longer in leads]
    even = length_controlled(results, [outcome.words for outcome in scored], groups)
    return {
        "wins": round(sum(wins), 9),
        "ties": round(sum(ties), 9),
        "losses": round(sum(losses), 9),
        "win": share(wins),
        "tie": share(ties),
        "loss": share(losses),
        "longer_won": mean(longer_won),
        "length_controlled": Share(value=even.value, ci_low=even.low, ci_high=even.high),
        "flip_rate": mean([outcome.flipped for outcome in scored]),
        "first_position_rate": sum(outcome.chose_first for outcome in scored) / choices if choices else None,
    }


def _rank_scores(
    assessor: Assessor,
    dimension: str,
    names: Sequence[str],
    met: Mapping[Labels, Sequence[PairOutcome]],
    gathered: Gathered,
    *,
    by_order: bool,
) -> Iterator[Score]:
    hidden = NOT_RATED if assessor.judge.kind == "rule_based" else ORDER_DECIDED if by_order else None
    clusters = gathered.clusters
    # One contest for each query and pair: repeats of a query are averaged.
    contests = [
        Contest(query_id, a, b, mean)
        for (a, b), outcomes in sorted(met.items())
        for query_id, mean in means_by_query((outcome.query_id, outcome.result) for outcome in outcomes).items()
    ]
    by_name = {} if hidden else strengths(names, contests, clusters)
    for name in names:
        strength = by_name.get(name, Strength(Interval(None), hidden))
        met_outcomes = [
            [outcome for outcome in outcomes if outcome.result is not None]
            for labels, outcomes in met.items()
            if name in labels
        ]
        scored = [outcome for outcomes in met_outcomes for outcome in outcomes]
        yield Score(
            metric=PAIRWISE,
            variant=dimension,
            **_about(assessor, dimension),
            system=name,
            value=strength.interval.value,
            **strength.interval.ends,
            n_users=clusters.users({outcome.query_id for outcome in scored}),
            n_planned=len(scored),
            n_scored=len(scored),
            items={"opponents": sum(map(bool, met_outcomes))},
            note=strength.lacks,
        )


def _about(assessor: Assessor, dimension: str) -> dict[str, Any]:
    metric = pair_metric()
    wording = metric.prompts(assessor.rules)[dimension].hash
    return {"version": metric.version, **assessor.columns, "prompt_hash": wording}

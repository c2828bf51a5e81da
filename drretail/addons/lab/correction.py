"""FP and win rates as people would give them, estimated from a few labels and all of a judge's verdicts."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

from drretail.addons.lab.findings import ALONE, APART, CORRECTED, JUDGED, LEAST_LABELS, Correction, Figure
from drretail.addons.lab.opinions import (
    PREFERENCE,
    RATING,
    SUPPORT,
    Opinion,
    Scale,
    judge_name,
    judged_meetings,
    opinions_of,
    read_all,
)
from drretail.addons.people.judged_claims import JudgedClaim, judged_claims
from drretail.addons.people.prediction_powered import Item, corrected_mean, difference, labels_alone
from drretail.errors import UnknownName, UserError
from drretail.eval.claims.claims import FAITHFULNESS
from drretail.eval.numbers.facts import value_in
from drretail.eval.numbers.gathering import Gathered, gather
from drretail.eval.registry import load_metric
from drretail.records.figures import counted
from drretail.stats.intervals import FEWEST, Clusters

_ROUNDING = 1e-9
Labels = Mapping[str, float]
"""By item, the mean of people's labels."""


def correction_of(experiment: Path, judge: str | None, files: Sequence[Path] = ()) -> Correction:
    """FP and win rates of every system, corrected by people's answers in ``vote`` and in CSV ``files``.

    Raises UserError if nobody labelled anything, or if several judges ruled and none is named.
    """
    extracted = judged_claims(experiment)
    claims = [claim for claim in extracted if claim.has_verdict]
    abouts = [claim.about for claim in extracted]
    opinions = [*opinions_of(experiment), *read_all(files, known_claims=abouts)]
    labels = {about: fmean(values) for about, values in _by_people(opinions, SUPPORT).items()}
    preferences = [opinion for opinion in opinions if opinion.question.scale == PREFERENCE]
    voted = any(opinion.kind == "person" for opinion in preferences)
    if not labels and not voted:
        raise UserError(
            f"Nobody has labelled a claim of {experiment}: drretail lab sample {experiment} draws some, drretail vote "
            "asks people, and --labels reads what they filled in."
        )
    gathered = gather(experiment, [load_metric(FAITHFULNESS)])
    clusters = gathered.clusters
    rows: list[Figure] = []
    apart: list[Figure] = []
    notes: list[str] = []
    if labels:
        judge_claims = _of_one_judge(claims, judge, labels)
        items = fp_items(judge_claims, labels, clusters, counted_runs(gathered, judge_claims[0].judge, "FP"))
        rows += [row for system, its in items.items() for row in _figures("FP", system, judge_claims[0].judge, its)]
        apart += _separations(items)
        notes += _notes(judge_claims, {claim.about for claim in claims}, {claim.about for claim in extracted}, labels)
    if voted:
        rows += _win_rates(experiment, gathered, preferences, judge)
    if not (rows or labels):
        _refuse_unjudged(experiment, opinions, judge)
    if any(row.n_users is not None and row.n_users < FEWEST for row in rows):
        notes.append(f"Below {FEWEST} users (or queries, where no user is known) there is no interval.")
    return Correction(rows=(*rows, *apart), notes=tuple(notes))


def _of_one_judge(claims: Sequence[JudgedClaim], judge: str | None, labels: Collection[str]) -> list[JudgedClaim]:
    """The claims of the named judge, or of the only judge whose claims people labelled."""
    judges = sorted({claim.judge for claim in claims})
    if judge is not None and judge not in judges:
        raise UnknownName("judge with verdicts here", judge, judges)
    labelled = sorted({claim.judge for claim in claims if claim.about in labels})
    if judge is None and len(labelled) > 1:
        raise UserError(f"Claims of {' and '.join(labelled)} were labelled: name one with --judge.")
    if not labelled or (judge is not None and judge not in labelled):
        raise UserError(
            f"No label ({len(labels):,} were read) is of a claim that {judge or 'a judge'} ruled on here: a label is "
            "of the very report, judge and claim that were shown. drretail lab sample draws claims anew."
        )
    chosen = judge or labelled[0]
    return [claim for claim in claims if claim.judge == chosen]


@dataclass(frozen=True, slots=True)
class CountedRun:
    """A run with a value in a headline of the scoreboard, and its weight."""

    system: str
    query_id: str
    run_id: str
    value: float
    weight: float
    """1 / the number of the query's runs with a value: repeats are averaged first."""


def counted_runs(gathered: Gathered, judge: str, headline: str) -> list[CountedRun]:
    """The runs with a value in a headline of faithfulness by this judge."""
    runs: list[CountedRun] = []
    for assessor in gathered.assessors(FAITHFULNESS):
        if assessor.judge.spec == judge and assessor.rules == "default":
            for plan, judged in gathered.judged_runs(FAITHFULNESS, assessor):
                headline_value = value_in(judged, headline)
                if headline_value.value is not None:
                    runs.append(CountedRun(plan.label, plan.query.query_id, plan.run_id, headline_value.value, 1.0))
    repeats = Counter((run.system, run.query_id) for run in runs)
    return [replace(run, weight=1 / repeats[run.system, run.query_id]) for run in runs]


def fp_items(
    claims: Iterable[JudgedClaim], labels: Labels, clusters: Clusters, runs: Sequence[CountedRun]
) -> dict[str, list[Item]]:
    """By system, the claims that FP counts in the runs that count, each with its weight in the report's value.

    What is left of the weight is known: claims whose sources don't exist count 0. A run without a claim that can be
    labelled is an item whose value is known. All queries have the same weight.
    """
    by_run: dict[str, list[JudgedClaim]] = defaultdict(list)
    for claim in claims:
        if claim.weight:
            by_run[claim.run_id].append(claim)
    items: dict[str, list[Item]] = defaultdict(list)
    for run in runs:
        cluster, its = clusters.user_of.get(run.query_id, run.query_id), by_run[run.run_id]
        for claim in its:
            label, share = labels.get(claim.about), run.weight * claim.weight
            items[claim.system].append(Item(cluster, claim.stratum, share, label, verdict=claim.support or 0.0))
        value, unlabelled = (0.0, 1 - sum(claim.weight for claim in its)) if its else (run.value, 1.0)
        if unlabelled > _ROUNDING:
            item = Item(cluster, None, run.weight * unlabelled, value, verdict=value, is_known=True)
            items[run.system].append(item)
    return dict(sorted(items.items()))


def _figures(what: str, system: str, judge: str, items: Sequence[Item]) -> Iterator[Figure]:
    """The value corrected, from labels alone and by the judge alone; or the number of labels that are too few.

    None if nothing could be labelled.
    """
    if all(item.is_known for item in items):
        return
    about: dict[str, Any] = {"name": what, "of": system, "by": judge}
    count, open_items = sum(item.is_labelled for item in items), sum(not item.is_known for item in items)
    corrected, alone = corrected_mean(items), labels_alone(items)
    if count < LEAST_LABELS or corrected is None or alone is None:
        yield Figure(**about, part=CORRECTED, n=count, items={"items": open_items})
        return
    gain = None
    if corrected.low is not None and corrected.high is not None and alone.low is not None and alone.high is not None:
        gain = ((alone.high - alone.low) / (corrected.high - corrected.low)) ** 2
    ends, alone_ends = (its.within(0.0, 1.0).measured for its in (corrected, alone))
    ends["n_users"] = len(corrected.influence)
    yield Figure(**about, part=CORRECTED, **ends, n=count, items={"items": open_items, "gain": gain})
    yield Figure(**about, part=ALONE, **alone_ends, n=count)
    judged = sum(item.share * item.verdict for item in items) / sum(item.share for item in items)
    yield Figure(**about, part=JUDGED, value=judged)


def _separations(items: Mapping[str, Sequence[Item]]) -> Iterator[Figure]:
    """Every two systems with enough labels."""
    labels = {system: sum(item.is_labelled for item in of_system) for system, of_system in items.items()}
    values = {
        system: value
        for system, of_system in items.items()
        if labels[system] >= LEAST_LABELS and (value := corrected_mean(of_system)) is not None
    }
    for first, second in combinations(values, 2):
        apart, count = difference(values[first], values[second]), labels[first] + labels[second]
        about: dict[str, Any] = {"name": "FP", "of": first, "by": second, "part": APART, "n": count}
        yield Figure(**about, **apart.measured)


def _win_rates(
    experiment: Path, gathered: Gathered, opinions: Sequence[Opinion], judge: str | None
) -> Iterator[Figure]:
    """The share of meetings that the first of two systems wins, a tie as half a win, for each dimension with a vote."""
    user_of = gathered.clusters.user_of
    votes: dict[tuple[str, str], list[float]] = defaultdict(list)
    for opinion in opinions:
        if opinion.kind == "person":
            votes[opinion.item, opinion.question.dimension].append((opinion.value + 1) / 2)
    judged = [
        (judge_name(assessor.judge, assessor.rules), assessor.judge.spec, labels, dimension, outcomes)
        for assessor, labels, dimension, outcomes in judged_meetings(experiment, gathered)
    ]
    for who, spec, labels, dimension, outcomes in sorted(judged, key=lambda judged_row: judged_row[0]):
        if judge not in (None, who, spec):
            continue
        repeats = Counter(outcome.query_id for _, outcome in outcomes if outcome.result is not None)
        items: list[Item] = []
        for about, outcome in outcomes:
            query, verdict = outcome.query_id, outcome.result
            if verdict is not None:
                values = votes.get((about, dimension))
                label, share = fmean(values) if values else None, 1 / repeats[query]
                items.append(Item(user_of.get(query, query), verdict, share, label, verdict=verdict))
        if any(item.is_labelled for item in items):
            yield from _figures(f"wins over {labels[1]}, {dimension.replace('_', ' ')}", labels[0], who, items)


def _refuse_unjudged(experiment: Path, opinions: Sequence[Opinion], judge: str | None) -> None:
    """Raises UserError: people voted on nothing that this judge, or any judge, compared."""
    judges = {
        opinion.judge.spec
        for opinion in opinions
        if opinion.judge is not None and opinion.question.scale in (RATING, PREFERENCE)
    }
    if judge is not None and judge not in judges:
        raise UnknownName("judge with verdicts here", judge, judges)
    raise UserError(
        f"Nothing that people said of {experiment} meets a verdict: they voted on pairs that no judge compared. "
        f"drretail score {experiment} --metrics pairwise --judge PROVIDER:MODEL compares them."
    )


def _notes(claims: Sequence[JudgedClaim], ruled: Set[str], extracted: Set[str], labels: Labels) -> Iterator[str]:
    """Labels that match no claim, and strata without a label."""
    if spare := len((labels.keys() & extracted) - ruled):
        yield f"{counted(spare, 'label')} of {'a claim' if spare == 1 else 'claims'} without a verdict: not in FP."
    if lost := len(labels.keys() - ruled - extracted):
        yield f"{counted(lost, 'label')} of no claim that stands here: the report or the judging has changed since."
    labelled = {claim.stratum for claim in claims if claim.about in labels}
    if empty := sorted({claim.stratum for claim in claims if claim.weight} - labelled):
        yield f"No label among the claims of {', '.join(empty)}: the interval allows for anything from 0 to 1 there."


def _by_people(opinions: Iterable[Opinion], scale: Scale) -> dict[str, list[float]]:
    by_item: dict[str, list[float]] = defaultdict(list)
    for opinion in opinions:
        if opinion.kind == "person" and opinion.question.scale == scale:
            by_item[opinion.item].append(opinion.value)
    return by_item

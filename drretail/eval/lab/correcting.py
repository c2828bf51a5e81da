"""FP, FR and win rates as people would give them, from few labels and all of a judge's verdicts."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import TypeVar

from drretail.errors import UnknownName, UserError
from drretail.eval.ballots import read_votes
from drretail.eval.judging.pairs import choose_pairs, meetings, pair_id
from drretail.eval.lab.judged_claims import ExtractedClaim, JudgedClaim, extracted_claims, judged_claims
from drretail.eval.lab.labelled_sheets import Cited, cited_in, support_in
from drretail.eval.lab.opinions import PREFERENCE, RATING, SUPPORT_OF, Opinion, opinions_of
from drretail.eval.lab.people_findings import CorrectedValue, Correction, Separation
from drretail.experiment import read_definition, read_runs
from drretail.records.vote import ClaimLabel
from drretail.stats.prediction_powered import (
    Corrected,
    Item,
    corrected_mean,
    corrected_ratio,
    difference,
    labels_needed,
)

FEW = 10
OfJudge = TypeVar("OfJudge", JudgedClaim, ExtractedClaim)
Labels = Mapping[str, float]
"""By item the mean of what people said of it."""


def correction_of(experiment: Path, judge: str | None, files: Sequence[Path] = ()) -> Correction:
    """FP, FR and win rates of every system, corrected by people's labels of ``view`` and of CSV ``files``.

    FR is there where people say what is cited. Raises UserError where nobody labelled anything, or several judges
    ruled and none is named.
    """
    claims, extracted = judged_claims(experiment), extracted_claims(experiment)
    labels = support_labels(experiment, files, [it.about for it in (*claims, *extracted)])
    cited = cited_in(files, (it.about for it in extracted), read_votes(experiment))
    opinions = opinions_of(experiment)
    preferences = [it for it in opinions if it.question.scale == PREFERENCE]
    voted = any(it.kind == "person" for it in preferences)
    if not labels and not cited and not voted:
        raise UserError(
            f"Nobody has labelled a claim of {experiment}: drretail lab sample {experiment} draws some, drretail view "
            "asks people, and --labels reads what they filled in."
        )
    rows: list[CorrectedValue] = []
    apart: list[Separation] = []
    notes: list[str] = []
    if labels:
        own = _of_one_judge(claims, judge, labels)
        values = precisions(own, labels)
        plain = _judged_alone(own)
        for system, (found, alone, n) in values.items():
            counts = {"n_labels": n, "n_items": sum(it.system == system and it.in_fp for it in own)}
            rows.append(_row("FP", system, own[0].judge, found, alone, judged=plain[system], **counts))
        apart += _separations(values)
        notes += _notes(own, {it.about for it in claims}, {it.about for it in extracted}, labels)
    if cited:
        of_judge = _of_one_judge(extracted, judge, cited)
        rows += _recall_rows(of_judge, cited)
        notes += _recall_notes(of_judge, cited)
    if voted:
        rows += _win_rates(experiment, preferences, judge)
    if not (rows or labels or cited):
        _tell_judges(experiment, opinions, judge)
    return Correction(values=tuple(rows), separations=tuple(apart), notes=tuple(notes))


def support_labels(experiment: Path, files: Sequence[Path], claims: Sequence[str]) -> dict[str, float]:
    """By claim the mean of what people say of its support; a file's label counts as one more person's."""
    said: dict[str, list[float]] = defaultdict(list)
    for ballot in read_votes(experiment):
        if isinstance(ballot, ClaimLabel):
            said[ballot.about].append(SUPPORT_OF[ballot.label])
    for about, label in support_in(files, claims):
        said[about].append(label)
    return {about: fmean(values) for about, values in said.items()}


def _of_one_judge(claims: Sequence[OfJudge], judge: str | None, labels: Collection[str]) -> list[OfJudge]:
    """The claims of the judge that is named, else of the only one whose claims people labelled."""
    known = sorted({it.judge for it in claims})
    if judge is not None and judge not in known:
        raise UnknownName("judge with verdicts here", judge, known)
    labelled = sorted({it.judge for it in claims if it.about in labels})
    if judge is None and len(labelled) > 1:
        raise UserError(f"Claims of {' and '.join(labelled)} were labelled: name one with --judge.")
    if not labelled or (judge is not None and judge not in labelled):
        raise UserError(
            f"No label ({len(labels):,} were read) is of a claim that {judge or 'a judge'} ruled on here: a label is "
            "of the very report, judge and claim that were shown. drretail lab sample draws claims anew."
        )
    chosen = judge or labelled[0]
    return [it for it in claims if it.judge == chosen]


Estimates = tuple[Corrected, Corrected, int]
"""With the verdicts, by the labels alone, and how many labels."""


def precisions(claims: Sequence[JudgedClaim], labels: Labels) -> dict[str, Estimates]:
    """By system FP, the mean over reports as in ``score``; labels are weighted by the strata they were drawn from."""
    sizes = Counter(it.stratum for it in claims)
    labelled = Counter(it.stratum for it in claims if it.about in labels)
    counted = [it for it in claims if it.in_fp]
    of_report = Counter(it.run_id for it in counted)
    by_system: dict[str, list[Item]] = defaultdict(list)
    for it in counted:
        stands_for = sizes[it.stratum] / labelled[it.stratum] if it.about in labels else 1.0
        by_system[it.system].append(
            Item(it.query_id, it.support, 1 / of_report[it.run_id], labels.get(it.about), stands_for)
        )
    return {system: found for system, items in sorted(by_system.items()) if (found := _estimates(items)) is not None}


def _judged_alone(claims: Sequence[JudgedClaim]) -> dict[str, float]:
    reports: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for it in claims:
        if it.in_fp:
            reports[it.system][it.run_id].append(it.support)
    return {system: fmean(map(fmean, runs.values())) for system, runs in reports.items()}


def _estimates(items: Sequence[Item]) -> Estimates | None:
    found, alone = corrected_mean(items), corrected_mean(items, 0.0)
    if found is None or alone is None:
        return None
    return found, alone, sum(it.label is not None for it in items)


def recalls(claims: Sequence[ExtractedClaim], labels: Mapping[str, Cited]) -> dict[str, Estimates]:
    """By system FR: of what people hold for claims the share with a source, every report of the same weight.

    A system is left out where nobody was asked of claims that the judge holds for cited, or of those that it does not.
    """
    sizes = Counter(it.stratum for it in claims)
    labelled = Counter(it.stratum for it in claims if it.about in labels)
    of_report = Counter(it.run_id for it in claims)
    found: dict[str, Estimates] = {}
    for system in sorted({it.system for it in claims} - _one_sided(claims, labels)):
        items: list[Item] = []
        for it in claims:
            if it.system == system:
                item = Item(it.query_id, float(it.cited), 1 / of_report[it.run_id])
                if (said := labels.get(it.about)) is not None:
                    stands_for = sizes[it.stratum] / labelled[it.stratum]
                    item = replace(item, label=said.has_source, whole=said.is_claim, stands_for=stands_for)
                items.append(item)
        corrected, alone = corrected_ratio(items), corrected_ratio(items, 0.0)
        if corrected is not None and alone is not None:
            found[system] = corrected, alone, sum(it.label is not None for it in items)
    return found


def _one_sided(claims: Sequence[ExtractedClaim], labels: Collection[str]) -> set[str]:
    """Systems whose cited claims, or the others, have no label: what is not asked about has no correction."""
    there = {(it.system, it.cited) for it in claims}
    asked = {(it.system, it.cited) for it in claims if it.about in labels}
    return {system for system, _ in there - asked}


def _recall_rows(claims: Sequence[ExtractedClaim], labels: Mapping[str, Cited]) -> list[CorrectedValue]:
    rows: list[CorrectedValue] = []
    for system, (found, alone, n) in recalls(claims, labels).items():
        reports: dict[str, list[bool]] = defaultdict(list)
        for it in claims:
            if it.system == system:
                reports[it.run_id].append(it.cited)
        counts = {"n_labels": n, "n_items": sum(map(len, reports.values()))}
        rows.append(
            _row("FR", system, claims[0].judge, found, alone, judged=fmean(map(fmean, reports.values())), **counts)
        )
    return rows


def _recall_notes(claims: Sequence[ExtractedClaim], labels: Mapping[str, Cited]) -> list[str]:
    notes: list[str] = []
    one_sided = _one_sided(claims, labels)
    for system in sorted({it.system for it in claims}):
        said = [labels[it.about] for it in claims if it.system == system and it.about in labels]
        if system in one_sided:
            notes.append(
                f"{system}: no corrected FR, since nobody said of claims with a source, or of those without, whether "
                "they are cited: drretail lab sample --uncited draws the latter."
            )
        elif len(said) < FEW:
            notes.append(f"{system}: FR rests on {_labels(len(said))}; its interval may promise more than it holds.")
    return notes


def _row(what: str, system: str, judge: str, estimates: Corrected, alone: Corrected, **more: object) -> CorrectedValue:
    gain = None
    if estimates.error and alone.error is not None:
        gain = (alone.error / estimates.error) ** 2
    return CorrectedValue.model_validate(
        {
            "what": what,
            "system": system,
            "judge": judge,
            "value": estimates.value,
            "low": None if estimates.low is None else max(0.0, estimates.low),
            "high": None if estimates.high is None else min(1.0, estimates.high),
            "power": estimates.power,
            "labels_alone": alone.value,
            "labels_alone_low": None if alone.low is None else max(0.0, alone.low),
            "labels_alone_high": None if alone.high is None else min(1.0, alone.high),
            "gain": gain,
            "n_clusters": estimates.clusters,
            **more,
        }
    )


def _separations(values: Mapping[str, Estimates]) -> list[Separation]:
    found: list[Separation] = []
    for one, other in combinations(values, 2):
        (a, _, n), (b, _, m) = values[one], values[other]
        apart = difference(a, b)
        needed = None if apart.low is None else labels_needed(apart, n + m)
        found.append(
            Separation(
                a=one,
                b=other,
                difference=apart.value,
                low=apart.low,
                high=apart.high,
                labels=n + m,
                labels_needed=needed,
            )
        )
    return found


def _win_rates(experiment: Path, said: Sequence[Opinion], judge: str | None) -> list[CorrectedValue]:
    """The share of queries on which the first of two systems wins, a tie as a half, for each dimension."""
    definition = read_definition(experiment)
    reports = {run.run_id: run.report for run in read_runs(experiment)}
    pairs = {
        pair_id(it.run_ids, [reports.get(run) for run in it.run_ids]): it.labels
        for it in meetings(experiment, definition, choose_pairs(definition))
    }
    judges = {it.rater: it.judge.spec for it in said if it.judge is not None}
    rows: list[CorrectedValue] = []
    for who in sorted(it for it, spec in judges.items() if judge in (None, it, spec)):
        groups: dict[tuple[tuple[str, str], str], list[Item]] = defaultdict(list)
        votes: dict[tuple[str, str], list[float]] = defaultdict(list)
        for it in said:
            if it.kind == "person":
                votes[it.item, it.question.dimension].append((it.value + 1) / 2)
        for it in said:
            if it.rater == who and it.item in pairs:
                label = votes.get((it.item, it.question.dimension))
                item = Item(it.query_id, (it.value + 1) / 2, label=fmean(label) if label else None)
                groups[pairs[it.item], it.question.dimension].append(item)
        for (labels, dimension), items in groups.items():
            if (found := _estimates(items)) is not None:
                estimate, alone, n = found
                what = f"wins over {labels[1]}, {dimension.replace('_', ' ')}"
                judged = fmean(it.verdict for it in items)
                rows.append(_row(what, labels[0], who, estimate, alone, judged=judged, n_labels=n, n_items=len(items)))
    return rows


def _tell_judges(experiment: Path, said: Sequence[Opinion], judge: str | None) -> None:
    """Raises UserError: nothing that people said is of what this judge, or any, ruled on."""
    known = {it.judge.spec for it in said if it.judge is not None and it.question.scale in (RATING, PREFERENCE)}
    if judge is not None and judge not in known:
        raise UnknownName("judge with verdicts here", judge, known)
    raise UserError(
        f"Nothing that people said of {experiment} meets a verdict: they voted on pairs that no judge compared. "
        f"drretail score {experiment} --metrics pairwise --judge PROVIDER:MODEL compares them."
    )


def _notes(own: Sequence[JudgedClaim], ruled: Set[str], extracted: Set[str], labels: Labels) -> list[str]:
    """What must be known beside the numbers: few labels, equal ones, those that meet no claim, strata without any."""
    met = [it for it in own if it.about in labels]
    notes: list[str] = []
    for system in sorted({it.system for it in own}):
        found = [labels[it.about] for it in met if it.system == system and it.in_fp]
        if not found:
            notes.append(f"{system}: nobody labelled a claim of it.")
        elif len(found) < FEW:
            notes.append(f"{system}: {_labels(len(found))}; below {FEW} an interval may promise more than it holds.")
        if len(found) > 1 and len({*found}) == 1:
            notes.append(f"{system}: all labels are equal: they show no spread, so no width can be trusted.")
    spare = len((labels.keys() & extracted) - ruled)
    if spare:
        notes.append(f"{_labels(spare)} of {'a claim' if spare == 1 else 'claims'} without a verdict: not in FP.")
    lost = len(labels.keys() - ruled - extracted)
    if lost:
        notes.append(f"{_labels(lost)} of no claim that stands here: the report or the judging has changed since.")
    empty = sorted({it.stratum for it in own if it.in_fp} - {it.stratum for it in met})
    if empty:
        notes.append(f"No label among the claims of {', '.join(empty)}: nothing is known of the judge there.")
    return notes


def _labels(count: int) -> str:
    return "1 label" if count == 1 else f"{count:,} labels"

"""Which planted errors checks and judges found, each at its place, and what they fault in the originals."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from drretail.addons.lab.opinions import judge_name
from drretail.addons.lab.plant.copies import KINDS
from drretail.addons.lab.trial_findings import (
    FalseAlarms,
    Found,
    PlantedError,
    PlantedErrors,
    PlantedFound,
    PlantedKind,
)
from drretail.eval.claims.claims import REPORT, SUPPORT, Claim, stages_of
from drretail.eval.judging.subject import read_subjects
from drretail.records.evidence import Finding
from drretail.records.score import Verdict
from drretail.stats.intervals import numbered, share_interval
from drretail.viewer.judged import read_judgements

CHECKS, FAITHFULNESS = "checks", "faithfulness"
CHECK = "check"
"""The stage of the verdicts of single checks."""
Ruling = Literal["found", "passed", "unjudged", "failed", "unasked"]
"""A finder's result on one copy: "unjudged" if its place holds no claim to judge, "failed" if no answer was usable."""
_MARKUP = "[]() *"


@dataclass(frozen=True, slots=True)
class _Faulted:
    """A place that a finder faulted or passed; without offsets if the finding has no single place."""

    start: int | None
    end: int | None
    is_wrong: bool
    words: str
    """The text that it is about: the claim and its sources, or the finding."""
    failed: bool = False
    """True if the judge gave no usable answer on this claim or, without offsets, on the whole report."""


_Statements = dict[str, dict[str, list[_Faulted]]]
"""All finders' results on all runs, by finder and run id."""


def recall_of(folder: Path, errors: PlantedErrors, judges: Iterable[str] = ()) -> PlantedFound:
    """How many errors each finder found, by kind, from existing verdicts alone.

    ``judges`` are the judges that were to be asked; those without a verdict are included. Checks find an error if one
    of their errors overlaps its place, or has no place and is not reported for the original. A judge of faithfulness
    finds it if it rules that a claim of the sentence is not fully supported.
    """
    statements = _read_statements(folder)
    for judge in judges:
        statements.setdefault(judge, {})
    by_kind: dict[str, list[PlantedError]] = defaultdict(list)
    for error in errors.errors:
        by_kind[error.kind].append(error)
    kinds = [*KINDS, *(kind for kind in by_kind if kind not in KINDS)]
    rows = [_kind(kind, by_kind.get(kind, []), errors.without_place.get(kind, 0), statements) for kind in kinds]
    return PlantedFound(
        kinds=tuple(rows),
        everything=_kind("all", errors.errors, 0, statements),
        alarms=tuple(_alarms({error.of for error in errors.errors}, statements)),
    )


def _kind(kind: str, errors: Sequence[PlantedError], without: int, statements: _Statements) -> PlantedKind:
    by_finder = {finder: _found(errors, finder == CHECKS, by_run) for finder, by_run in statements.items() if errors}
    return PlantedKind(kind=kind, n=len(errors), without_place=without, found=by_finder)


def _found(errors: Sequence[PlantedError], by_code: bool, by_run: Mapping[str, Sequence[_Faulted]]) -> Found:
    rulings: Counter[Ruling] = Counter()
    judged: list[tuple[str, float]] = []
    fresh: list[Ruling] = []
    n_originals = n_faulted = 0
    for error in errors:
        ruling = _ruling(error, by_code, by_run)
        rulings[ruling] += 1
        # An added sentence has no place in the original.
        is_seen, is_faulted = True, False
        if error.original:
            end = error.start + len(error.original)
            before = _at(by_run.get(error.of, ()), error.start, end, error.original)
            is_seen, is_faulted = bool(before or by_code), any(place.is_wrong for place in before)
            n_originals += is_seen
            n_faulted += is_faulted
        if ruling in ("found", "passed"):
            judged.append((error.of, float(ruling == "found")))
            if is_seen and not is_faulted:
                fresh.append(ruling)
    interval = share_interval([is_found for _, is_found in judged], numbered(report for report, _ in judged))
    return Found(
        n=len(judged),
        found=rulings["found"],
        unjudged=rulings["unjudged"],
        failed=rulings["failed"],
        unasked=rulings["unasked"],
        low=interval.low,
        high=interval.high,
        n_originals=n_originals,
        false=n_faulted,
        n_fresh=len(fresh),
        found_fresh=fresh.count("found"),
    )


def _ruling(error: PlantedError, by_code: bool, by_run: Mapping[str, Sequence[_Faulted]]) -> Ruling:
    if error.run_id not in by_run:
        return "unasked"
    there = _at(by_run[error.run_id], error.start, error.end, error.text)
    if by_code:
        known = {place.words for place in by_run.get(error.of, ())}
        new = [place for place in by_run[error.run_id] if place.start is None and place.words not in known]
        return "found" if there or new else "passed"
    if any(place.is_wrong for place in there):
        return "found"
    whole_failed = any(place.failed and place.start is None for place in by_run[error.run_id])
    return "failed" if whole_failed or any(place.failed for place in there) else "passed" if there else "unjudged"


def _at(places: Iterable[_Faulted], start: int, end: int, words: str) -> list[_Faulted]:
    """The results at a place; if its sentence has several claims, only those with the changed words, if any."""
    there = [
        place
        for place in places
        if place.start is not None and place.start < end and start < (place.end or place.start)
    ]
    wanted = words.strip(_MARKUP).casefold()
    exact = [place for place in there if wanted and wanted in place.words]
    return exact or there


def _alarms(originals: set[str], statements: _Statements) -> Iterator[FalseAlarms]:
    for finder, by_run in statements.items():
        by_report = [by_run[original] for original in sorted(originals) if original in by_run]
        if finder == CHECKS:
            wrong, reports = [float(bool(faulted)) for faulted in by_report], range(len(by_report))
        else:
            claims = [(at, place) for at, faulted in enumerate(by_report) for place in faulted if not place.failed]
            wrong, reports = [float(place.is_wrong) for _, place in claims], [at for at, _ in claims]
        interval = share_interval(wrong, numbered(reports))
        yield FalseAlarms(
            finder=finder,
            unit="reports" if finder == CHECKS else "claims",
            n=len(wrong),
            alarms=round(sum(wrong)),
            low=interval.low,
            high=interval.high,
        )


def _read_statements(folder: Path) -> _Statements:
    """All current verdicts on the folder's runs: checks first, then judges by name."""
    statements: _Statements = defaultdict(dict)
    for subject in read_subjects(folder, None):
        run = subject.run
        if run is None:
            continue
        for metric in (CHECKS, FAITHFULNESS):
            for judged in read_judgements(folder, metric, run).by_judge:
                living = [verdict for verdict in judged.verdicts if verdict.judge_repeat == 1]
                if living and metric == CHECKS:
                    statements[CHECKS][run.run_id] = list(_findings(living))
                elif living:
                    statements[judge_name(judged.judge, judged.rules)][run.run_id] = list(_rulings(living))
    order = sorted(statements, key=lambda finder: (finder != CHECKS, finder))
    return {finder: statements[finder] for finder in order}


def _findings(verdicts: Iterable[Verdict]) -> Iterator[_Faulted]:
    for verdict in verdicts:
        if verdict.stage == CHECK and verdict.state == "scored":
            for finding in map(Finding.model_validate, verdict.value):
                if finding.severity == "error":
                    words = f"{finding.code} {finding.text} {finding.evidence_id}"
                    yield _Faulted(finding.start, finding.end, is_wrong=True, words=words.casefold())


def _rulings(verdicts: Sequence[Verdict]) -> Iterator[_Faulted]:
    ruled = {
        verdict.item: verdict
        for verdict in verdicts
        if verdict.stage == SUPPORT and verdict.state in ("scored", "failed")
    }
    stage = stages_of(verdicts[0].rules)[0]
    for extraction in (verdict for verdict in verdicts if (verdict.stage, verdict.item) == (stage, REPORT)):
        if extraction.state == "failed":
            yield _Faulted(None, None, is_wrong=False, words="", failed=True)
        for claim in map(Claim.model_validate, extraction.value if extraction.state == "scored" else ()):
            if (ruling := ruled.get(claim.claim_id)) is not None:
                words = " ".join([claim.claim, *claim.sources]).casefold()
                failed = ruling.state == "failed"
                yield _Faulted(claim.start, claim.end, not failed and ruling.value < 1, words, failed)

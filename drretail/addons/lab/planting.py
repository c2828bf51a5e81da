"""Copies of good reports with one planted error each, as an experiment, and who found which of these errors."""

import shutil
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from random import Random

from drretail.addons.lab.opinions import judge_name
from drretail.addons.lab.planted_errors import KINDS, ErrorMaterial, Planted
from drretail.env.store.base import Store
from drretail.errors import UserError
from drretail.eval.claims.claims import FAITHFULNESS, REPORT, SUPPORT, Claim, stages_of
from drretail.eval.judging.readings import reading_of
from drretail.eval.judging.subject import Subject, read_subjects, research_labels, resolve_name
from drretail.experiment import path_of, read_definition, run_path, write_definition
from drretail.files import made_whole
from drretail.grounding.report.citations import find_citations
from drretail.grounding.report.picks import outcome_of
from drretail.locks import locked_folder
from drretail.progress import Bar
from drretail.records.base import file_name, sha256_of
from drretail.records.evidence import Finding
from drretail.records.reading import Pick
from drretail.records.run import Run, System
from drretail.records.score import Verdict
from drretail.run_file import read_recorded, write_run_file
from drretail.viewer.judged import read_judgements

CHECKS = "checks"


def make_copies(
    experiment: Path, folder: Path, store: Store | None, *, seed: str, per_kind: int, of: str | None, bar: Bar
) -> list[Planted]:
    """Makes an experiment of good reports and, for each kind of error, up to ``per_kind`` copies with it.

    Good reports are the first ones on each query by the system ``of``, or by all research systems. ``bar`` counts them.
    The same experiment and seed give the same copies, and verdicts on them stay. Raises UnknownName for a label that no
    system has, and UserError if no report has a place for an error.
    """
    labels = research_labels(read_definition(experiment))
    labels = labels if of is None else [resolve_name("system", of, labels)]
    by_kind: dict[str, list[tuple[Subject, Planted]]] = {kind: [] for kind in KINDS}
    for subject in read_subjects(experiment, store):
        if subject.label not in labels or subject.repeat != 1 or not subject.report:
            continue
        material = ErrorMaterial(subject.case, reading_of(subject), Random())
        for kind, plant in KINDS.items():
            material.chance.seed(f"{seed}|{subject.run_id}|{kind}")
            if places := list(plant(material)):
                by_kind[kind].append((subject, replace(material.chance.choice(places), kind=kind)))
        bar.advance()
    drawn = [
        copy for kind, its in by_kind.items() for copy in Random(f"{seed}|{kind}").sample(its, min(per_kind, len(its)))
    ]
    if not drawn:
        raise UserError(f"No report of {experiment} has a place for an error: they cite nothing that is on record.")
    return _write_experiment(experiment, folder, drawn)


def _write_experiment(source: Path, folder: Path, drawn: Sequence[tuple[Subject, Planted]]) -> list[Planted]:
    """Writes the originals and their copies, which are repeats of one system beside that of the original.

    Judges' verdicts on the originals are copied, so that nobody pays for them twice.
    """
    definition, copies = read_definition(source), list[Planted]()
    systems, asked = dict[str, System](), defaultdict[str, set[str]](set)
    folder.mkdir(parents=True, exist_ok=True)
    with locked_folder(folder):
        (folder / "experiment.json").unlink(missing_ok=True)
        for name in ("runs", "profiles", "rubrics", "sources"):  # what judging reads
            shutil.rmtree(folder / name, ignore_errors=True)
            if name != "runs" and (source / name).is_dir():
                shutil.copytree(source / name, folder / name)
        repeats: Counter[str] = Counter()
        for subject, planted in drawn:
            repeats[subject.run_id] += 1
            run = _run_of_copy(subject, planted, repeats[subject.run_id])
            original = run_path(source, subject.label, run.query_id, 1)
            copied = run_path(folder, subject.label, run.query_id, 1)
            copied.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(original, copied)
            write_run_file(path_of(folder, run), replace(read_recorded(original), run=run))
            copies.append(replace(planted, run_id=run.run_id, of=subject.run_id))
            for label in (subject.label, run.system):
                systems[label] = subject.system
                asked[label].add(run.query_id)
        for judged in source.glob(f"verdicts/{FAITHFULNESS}/*/*"):
            target = folder / judged.relative_to(source)
            if judged.name in map(file_name, asked) and not target.exists():
                with made_whole(target) as staging:
                    shutil.copytree(judged, staging)
        asked_ids = {label: tuple(sorted(ids)) for label, ids in asked.items()}
        write_definition(folder, definition.model_copy(update={"systems": systems, "asked": asked_ids}))
    return copies


def _run_of_copy(subject: Subject, planted: Planted, repeat: int) -> Run:
    if subject.run is None:
        raise ValueError(f"{subject.run_id} was never run")
    label = f"{subject.label}-planted"
    changed: dict[str, object] = {
        "run_id": f"{label}/{subject.query.query_id}-r{repeat}",
        "system": label,
        "repeat": repeat,
        "struck": (),
        "report": planted.report,
        "report_sha": sha256_of(planted.report),
        "citations": tuple(find_citations(planted.report, subject.evidence)),
    }
    if planted.product is not None and subject.run.picks is not None:
        picks = (*subject.run.picks, Pick(product=planted.product))
        changed |= {"picks": picks, "outcome": outcome_of(picks)}
    return subject.run.model_copy(update=changed)


ORIGINALS = "originals, accused"


@dataclass(frozen=True, slots=True)
class Found:
    """How many errors of a kind one finder found, of those on whose place it ruled; or accused ``ORIGINALS``."""

    kind: str
    by: str
    n: int
    judged: int
    found: int


@dataclass(frozen=True, slots=True)
class _Ruling:
    """A place on which a finder ruled; without offsets if the finding has no single place."""

    start: int | None
    end: int | None
    is_wrong: bool
    words: str
    """The text that it is about: the claim and its sources, or the finding."""


def errors_found(folder: Path, copies: Sequence[Planted]) -> list[Found]:
    """By kind and finder, how many errors were found, and how many originals are accused, from verdicts alone.

    Checks find an error if one of their errors overlaps its place, or has no place and is not reported for the
    original. A judge of faithfulness finds it if it rules that a claim of the sentence is not fully supported.
    """
    rulings: dict[str, dict[str, list[_Ruling]]] = {CHECKS: {}}
    for subject in read_subjects(folder, None):
        for metric, read in ((CHECKS, _errors_of_checks), (FAITHFULNESS, _rulings_on_claims)):
            for judged in read_judgements(folder, metric, subject.run).by_judge if subject.run else ():
                by = CHECKS if metric == CHECKS else judge_name(judged.judge, judged.rules)
                first = [
                    verdict for verdict in judged.verdicts if (verdict.judge_repeat, verdict.state) == (1, "scored")
                ]
                if first:
                    rulings.setdefault(by, {})[subject.run_id] = list(read(first))
    rulings = {by: its for by, its in rulings.items() if by == CHECKS or any(copy.run_id in its for copy in copies)}
    finds: list[Found] = []
    for kind, (by, its) in product(KINDS, rulings.items()):
        finds.append(_counted(kind, by, [_is_found(copy, by, its) for copy in copies if copy.kind == kind]))
    for by, its in rulings.items():
        reports = [its.get(run_id) for run_id in {copy.of for copy in copies}]
        accused = [None if report is None else any(ruling.is_wrong for ruling in report) for report in reports]
        finds.append(_counted(ORIGINALS, by, accused))
    return finds


def _counted(kind: str, by: str, answers: Sequence[bool | None]) -> Found:
    return Found(kind, by, len(answers), sum(answer is not None for answer in answers), answers.count(True))


def _is_found(copy: Planted, by: str, rulings: Mapping[str, Sequence[_Ruling]]) -> bool | None:
    """None if the finder did not rule on the place, such as a sentence without a claim."""
    if copy.run_id not in rulings:
        return None
    nearby = [
        ruling
        for ruling in rulings[copy.run_id]
        if ruling.start is not None and ruling.start < copy.end and copy.start < (ruling.end or ruling.start)
    ]
    if by == CHECKS:
        known_words = {ruling.words for ruling in rulings.get(copy.of, ())}
        return bool(nearby) or any(
            ruling.start is None and ruling.words not in known_words for ruling in rulings[copy.run_id]
        )
    # If the sentence has several claims, only those with the changed words count, if there are any.
    changed = copy.report[copy.start : copy.end].strip("[]() *").casefold()
    nearby = [ruling for ruling in nearby if changed in ruling.words] or nearby
    return any(ruling.is_wrong for ruling in nearby) if nearby else None


def _errors_of_checks(verdicts: Iterable[Verdict]) -> Iterator[_Ruling]:
    for verdict in verdicts:
        for finding in map(Finding.model_validate, verdict.value if verdict.stage == "check" else ()):
            if finding.severity == "error":
                words = f"{finding.code} {finding.text} {finding.evidence_id}"
                yield _Ruling(finding.start, finding.end, True, words)


def _rulings_on_claims(verdicts: Sequence[Verdict]) -> Iterator[_Ruling]:
    support = {verdict.item: verdict.value for verdict in verdicts if verdict.stage == SUPPORT}
    stage = stages_of(verdicts[0].rules)[0]
    for extraction in (verdict for verdict in verdicts if (verdict.stage, verdict.item) == (stage, REPORT)):
        for claim in map(Claim.model_validate, extraction.value):
            if claim.claim_id in support:
                words = " ".join([claim.claim, *claim.sources]).casefold()
                yield _Ruling(claim.start, claim.end, support[claim.claim_id] < 1, words)

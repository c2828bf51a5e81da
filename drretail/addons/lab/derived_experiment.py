"""An experiment of reports that the lab makes from another one's; it is scored, viewed and compared like any other."""

import shutil
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from drretail.env.store.base import Store
from drretail.errors import UserError
from drretail.eval.judging.subject import Subject, read_subjects, research_labels, resolve_name
from drretail.experiment import Definition, locked, read_definition, run_folder, write_definition
from drretail.files import made_whole, write_json
from drretail.grounding.report.citations import find_citations
from drretail.grounding.report.picks import outcome_of
from drretail.records.base import file_name, sha256_of
from drretail.records.reading import Outcome, Pick
from drretail.records.run import LONGEST_LABEL, PICKS_MISSING, RunError, System, slug

FAILED = RunError(kind="agent", where="lab", message="the lab made this run fail")
_FROZEN = ("profiles", "rubrics", "sources", "counterfactuals")
"""Folders that judging reads."""
_OF_RUNS = ("evidence.jsonl.gz", "results.jsonl.gz", "telemetry.json")


@dataclass(frozen=True, slots=True)
class MadeRun:
    """A report that the lab made in place of another one, with the original's ledger."""

    source: Subject
    label: str
    system: System
    repeat: int
    report: str | None
    """None for a failed run."""
    picks: tuple[Pick, ...] | None
    outcome: Outcome | None = None
    """The decision, if it is not what the picks imply."""

    @property
    def run_id(self) -> str:
        return f"{self.label}/{self.source.query.query_id}-r{self.repeat}"


def good_reports(experiment: Path, store: Store | None, of: str | None = None) -> list[Subject]:
    """The first report on each query by every research system, or by the system ``of``.

    Raises UserError if there is none, and UnknownName for a label that no system has.
    """
    definition = read_definition(experiment)
    labels = [label for label in research_labels(definition) if not definition.systems[label].is_made_by_lab]
    labels = labels if of is None else [resolve_name("system", of, labels)]
    subjects = [
        subject
        for subject in read_subjects(experiment, store)
        if subject.label in labels and subject.repeat == 1 and subject.report
    ]
    if not subjects:
        raise UserError(f"{experiment} holds no report of a system that researches: run one into it.")
    return subjects


def made_label(label: str, what: str) -> str:
    """ "<label>-<what>", shortened with a hash if it would be too long."""
    made = f"{label}-{slug(what)}"
    return made if len(made) <= LONGEST_LABEL else f"{made[: LONGEST_LABEL - 9]}-{sha256_of(made)[:8]}"


def write_experiment(source: Path, folder: Path, originals: Sequence[Subject], made: Sequence[MadeRun]) -> None:
    """Writes the originals and the reports made from them as an experiment; existing verdicts in the folder stay.

    Verdicts on the originals are copied, so that nobody pays for them twice. The same runs give the same bytes.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder):
        (folder / "experiment.json").unlink(missing_ok=True)
        for name in ("runs", *_FROZEN):
            shutil.rmtree(folder / name, ignore_errors=True)
        for name in _FROZEN:
            if (source / name).is_dir():
                shutil.copytree(source / name, folder / name)
        for subject in originals:
            place = (subject.label, subject.query.query_id, subject.repeat)
            files = ("run.json", "journal.jsonl.gz", *_OF_RUNS)
            _copy_files(run_folder(source, *place), run_folder(folder, *place), files)
        for label in {subject.label for subject in originals}:
            copy_verdicts(source, folder, label)
        for run in made:
            _write_run(source, folder, run)
        write_definition(folder, _definition(source, originals, made))


def _definition(source: Path, originals: Sequence[Subject], made: Sequence[MadeRun]) -> Definition:
    written = read_definition(source)
    systems = {subject.label: subject.system for subject in originals} | {run.label: run.system for run in made}
    hashes = {run.label: written.prompt_hashes.get(run.source.label, {}) for run in made} | written.prompt_hashes
    query_ids: dict[str, set[str]] = defaultdict(set)
    for subject in originals:
        query_ids[subject.label].add(subject.query.query_id)
    for run in made:
        query_ids[run.label].add(run.source.query.query_id)
    ids = set[str]().union(*query_ids.values())
    return written.model_copy(
        update={
            "title": None,
            "queries": tuple(query for query in written.queries if query.query_id in ids),
            "systems": dict(sorted(systems.items())),
            "asked": {label: tuple(sorted(of_label)) for label, of_label in sorted(query_ids.items())},
            "prompt_hashes": {label: hashes.get(label, {}) for label in sorted(systems)},
        }
    )


def _write_run(source: Path, folder: Path, made: MadeRun) -> None:
    subject, query_id = made.source, made.source.query.query_id
    target = run_folder(folder, made.label, query_id, made.repeat)
    _copy_files(run_folder(source, subject.label, query_id, subject.repeat), target, _OF_RUNS)
    if subject.run is None:
        raise ValueError(f"{subject.run_id} was never run")
    changed: dict[str, object] = {"run_id": made.run_id, "system": made.label, "repeat": made.repeat, "struck": ()}
    if made.report is None:
        changed |= {"status": "failed", "stop": "error", "error": FAILED, "report": None, "report_sha": None}
        changed |= {"citations": (), "picks": None, "outcome": None}
    else:
        changed |= {"report": made.report, "report_sha": sha256_of(made.report), "picks": made.picks}
        changed |= {"citations": tuple(find_citations(made.report, subject.evidence))}
        if made.outcome is not None or made.picks != subject.run.picks:
            changed["outcome"] = made.outcome or (None if made.picks is None else outcome_of(made.picks))
        if made.picks is None and subject.run.picks is not None:
            changed["notes"] = (*subject.run.notes, f"{PICKS_MISSING}: made so by the lab")
    run = subject.run.model_copy(update=changed)
    write_json(target / "run.json", run.model_dump(mode="json", exclude_none=True))


def _copy_files(source: Path, target: Path, names: Sequence[str]) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for name in names:
        if (source / name).exists():
            shutil.copyfile(source / name, target / name)


def copy_verdicts(source: Path, folder: Path, label: str) -> None:
    """Copies all verdicts on a system, or on a pair by its name, unless the target has some.

    The target's would stay, so a part of them may not be taken for all.
    """
    for judged in (source / "verdicts").glob(f"*/*/{file_name(label)}"):
        target = folder / judged.relative_to(source)
        if not target.exists():
            with made_whole(target) as made:
                shutil.copytree(judged, made)

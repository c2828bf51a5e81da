"""An experiment of reports that the lab makes from another one's; it is scored, viewed and compared like any other. A
good report has everything that an error is made from, and its copy has the error.
"""

import shutil
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random

from drretail.env.store.base import Store
from drretail.errors import UserError
from drretail.eval.judging.readings import reading_of
from drretail.eval.judging.subject import Subject, read_subjects, research_labels, resolve_name
from drretail.experiment import locked, read_definition, run_folder, write_definition
from drretail.files import made_whole, write_json
from drretail.grounding.report.citations import find_citations
from drretail.grounding.report.picks import outcome_of
from drretail.grounding.text.layout import Sentence
from drretail.grounding.verify.checks import Case, check_report
from drretail.grounding.verify.records import Ledger, record_of
from drretail.records.base import file_name, sha256_of
from drretail.records.reading import Outcome, Pick, Reading
from drretail.records.run import LONGEST_LABEL, PICKS_MISSING, RunError, System, slug
from drretail.records.shop import Product

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
        written = read_definition(source)
        systems = {subject.label: subject.system for subject in originals} | {run.label: run.system for run in made}
        hashes = {run.label: written.prompt_hashes.get(run.source.label, {}) for run in made} | written.prompt_hashes
        query_ids: dict[str, set[str]] = defaultdict(set)
        for label, subject in [*((each.label, each) for each in originals), *((run.label, run.source) for run in made)]:
            query_ids[label].add(subject.query.query_id)
        ids = set[str]().union(*query_ids.values())
        changes: dict[str, object] = {
            "title": None,
            "queries": tuple(query for query in written.queries if query.query_id in ids),
            "systems": dict(sorted(systems.items())),
            "asked": {label: tuple(sorted(of_label)) for label, of_label in sorted(query_ids.items())},
            "prompt_hashes": {label: hashes.get(label, {}) for label in sorted(systems)},
        }
        write_definition(folder, written.model_copy(update=changes))


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


@dataclass(frozen=True, slots=True)
class Planted:
    """A copy of a report with one error, ``report[start:end]``."""

    report: str
    start: int
    end: int
    original: str
    """The words that were replaced; blank if a sentence was added."""
    note: str
    """Why it is wrong."""
    picks: tuple[Pick, ...] | None = None
    """The copy's declared picks; None if they are the report's, or if nothing is declared."""

    @property
    def error(self) -> str:
        return self.report[self.start : self.end]


@dataclass(frozen=True)
class Material:
    """Everything that an error is made from; ``chance`` chooses places and amounts."""

    case: Case
    reading: Reading
    chance: Random

    @classmethod
    def of(cls, subject: Subject, chance: Random) -> "Material":
        return cls(subject.case, reading_of(subject), chance)

    @cached_property
    def picked(self) -> frozenset[str]:
        return frozenset(pick.product for pick in self.reading.picks or ())

    @cached_property
    def ledger(self) -> Ledger:
        return self.case.ledger(self.reading.picks)

    @cached_property
    def shown(self) -> dict[str, Product]:
        """The products that the run was shown, by id, in the order of ids."""
        return {
            product: self.ledger.products[product]
            for product in sorted(self.ledger.products)
            if f"P:{product}" in self.case.evidence
        }

    @cached_property
    def profile(self) -> dict[str, str]:
        """The user's address as the run was shown it; empty if it was not shown."""
        texts = self.case.evidence["U:profile"].texts if "U:profile" in self.case.evidence else ()
        records = (record_of(text.text) or {} for text in texts)
        return next((record["address"] for record in records if isinstance(record.get("address"), dict)), {})

    @cached_property
    def wrong(self) -> frozenset[int]:
        """The indices of sentences in which the report itself has an error."""
        errors = [
            finding
            for finding in check_report(self.case, self.reading)
            if finding.severity == "error" and finding.start is not None
        ]
        return frozenset(
            index
            for index, sentence in enumerate(self.case.layout.sentences)
            for finding in errors
            if (finding.start or 0) < sentence.end and sentence.start < (finding.end or finding.start or 0)
        )

    def sentences(self, *, citing: Collection[str] | None = None) -> Iterator[tuple[Sentence, tuple[str, ...]]]:
        """Sentences of prose without an error, with the ids that they cite.

        With ``citing``, only sentences that cite a single source, and one of these.
        """
        for index, sentence in enumerate(self.case.layout.sentences):
            cited = self.case.layout.cited.get(index, ())
            of_one = citing is None or (len(cited) == 1 and cited[0] in citing)
            if sentence.kind in ("text", "item") and index not in self.wrong and of_one:
                yield sentence, cited

    def index_at(self, place: int) -> int | None:
        """The index of the sentence at this offset; None if that has an error or there is none."""
        for index, sentence in enumerate(self.case.layout.sentences):
            if sentence.start <= place < sentence.end:
                return None if index in self.wrong else index
        return None

    def replaced(self, start: int, end: int, words: str, note: str) -> Planted:
        report = self.case.report[:start] + words + self.case.report[end:]
        return Planted(report, start, start + len(words), self.case.report[start:end], note)

    def added(self, sentence: Sentence, words: str, note: str, cart: tuple[Pick, ...] | None = None) -> Planted:
        """The report with a sentence added after this one; ``cart`` is its new cart if that changes."""
        report = f"{self.case.report[: sentence.end]} {words}{self.case.report[sentence.end :]}"
        start = sentence.end + 1
        declared = cart if self.case.picks is not None else None
        return Planted(report, start, start + len(words), "", note, declared)

    def cart(self, pick: Pick | None = None, without: Pick | None = None) -> tuple[Pick, ...]:
        """The report's picks with ``pick`` added and ``without`` removed."""
        picks = [pick for pick in self.reading.picks or () if pick != without]
        return tuple(picks if pick is None else [*picks, pick])

    def known(self, cart: Sequence[Pick]) -> Mapping[str, Product]:
        """The records of these picks, from what the run was shown and, if it is available, from the world."""
        ids = {pick.product for pick in cart}
        shown = {product_id: product for product_id, product in self.ledger.products.items() if product_id in ids}
        return shown if self.case.lookup is None else {**shown, **self.case.lookup(sorted(ids))}

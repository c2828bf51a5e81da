"""The reports that a judge is probed on, and copies of them with half and twice the words."""

from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from drretail.eval.judging.pairs import Labels, pair_name
from drretail.eval.judging.subject import Subject, read_subjects
from drretail.grounding.text.sentences import find_sentences
from drretail.lab.derived_experiment import MADE, MadeRun, copy_verdicts, good_reports, made_label, write_experiment
from drretail.records.base import sha256_of
from drretail.records.run import BASELINES

HALF, TWICE = "half", "twice"


@dataclass(frozen=True, slots=True)
class Reports:
    """Reports by systems that research, and by floors and the oracle on the same queries."""

    subjects: tuple[Subject, ...]
    floors: tuple[Subject, ...]

    @property
    def pairs(self) -> list[Labels]:
        """All pairs of systems that research."""
        return [*combinations(sorted({subject.label for subject in self.subjects}), 2)]

    @property
    def sha(self) -> str:
        """Names these very reports."""
        return sha256_of([[subject.run_id, subject.report_sha] for subject in (*self.subjects, *self.floors)])[:16]


def bias_folder(experiment: Path) -> Path:
    return experiment / "lab" / "bias"


def choose_reports(experiment: Path, *, limit: int, seed: str) -> Reports:
    """The reports of as many whole queries, by lot, as hold ``limit`` reports at most, but one query at least; 0: all.

    Raises UserError where there is none.
    """
    by_query: dict[str, list[Subject]] = defaultdict(list)
    for subject in good_reports(experiment, None):
        by_query[subject.query.query_id].append(subject)
    chosen: list[Subject] = []
    for query in sorted(by_query, key=lambda query_id: sha256_of([seed, query_id])):
        if limit and chosen and len(chosen) + len(by_query[query]) > limit:
            break
        chosen += by_query[query]
    queries = {subject.query.query_id for subject in chosen}
    chosen.sort(key=lambda subject: (subject.label, subject.query.query_id))
    return Reports(
        tuple(chosen),
        tuple(
            [
                subject
                for subject in read_subjects(experiment, None)
                if subject.system.agent in BASELINES
                and subject.repeat == 1
                and subject.report
                and subject.query.query_id in queries
            ]
        ),
    )


def make_copies(experiment: Path, reports: Reports, *, with_lengths: bool) -> None:
    """Makes EXP/lab/bias: the reports, and with ``with_lengths`` two more systems for each that researches.

    Verdicts on the reports and on pairs of them are taken along.
    """
    made = [run for subject in reports.subjects for run in _made(subject)] if with_lengths else []
    write_experiment(experiment, bias_folder(experiment), [*reports.subjects, *reports.floors], made)
    for labels in reports.pairs:
        copy_verdicts(experiment, bias_folder(experiment), pair_name(labels))


def length_label(label: str, length: str) -> str:
    """The system of the copies of that length."""
    return made_label(label, f"at-{length}")


def _made(subject: Subject) -> list[MadeRun]:
    report, picks = subject.report or "", None if subject.run is None else subject.run.picks
    copies = {HALF: halved(report), TWICE: doubled(report)}
    return [
        MadeRun(
            subject,
            length_label(subject.label, length),
            subject.system.model_copy(update={"options": {**subject.system.options, MADE: True, "length": length}}),
            1,
            copy,
            picks,
        )
        for length, copy in copies.items()
    ]


def halved(report: str) -> str:
    """The report up to the end of that sentence, item or row at which it is nearest to half of its words."""
    ends = [sentence.end for sentence in find_sentences(report) if sentence.kind != "heading"]
    half = len(report.split()) / 2
    end = min(ends, key=lambda end: abs(len(report[:end].split()) - half), default=len(report))
    return f"{report[:end].rstrip()}\n"


def doubled(report: str) -> str:
    """The report with each block (what blank lines set apart) twice, one below the other; a heading stands once."""
    blocks = [part for part in report.replace("\r\n", "\n").split("\n\n") if part.strip()]
    twice: list[str] = []
    for block in blocks:
        is_heading = block.lstrip().startswith("#") and "\n" not in block.strip()
        twice += [block] if is_heading else [block, block]
    return "\n\n".join(twice) + "\n"

"""Verdicts and values of the process of recorded runs."""

from dataclasses import replace
from pathlib import Path

from drretail.eval.families.process.counting import MEASURES
from drretail.eval.families.process.score import METRIC
from drretail.eval.judging.subject import Subject, read_subjects
from drretail.eval.judging.verdicts import VerdictFile
from drretail.records.run import Step
from tests.build import LABEL, experiment
from tests.build import judged as judged_by
from tests.eval.families.process.runs import SEARCH, call, numbered, turn


def subject_of(folder: Path, *steps: Step) -> Subject:
    """A run with these steps in front of the same report."""
    if not folder.exists():
        experiment(folder, {LABEL: {"q1-r1": "A report."}})
    (subject,) = read_subjects(folder, None)
    assert subject.run is not None
    run = subject.run.model_copy(update={"steps": numbered(*steps)})
    return replace(subject, run=run)


def judged(folder: Path, subject: Subject) -> VerdictFile:
    """The file of its verdicts after judging once more."""
    judged_by(METRIC, subject, folder / "verdicts.jsonl")
    return VerdictFile(folder / "verdicts.jsonl")


def test_every_measure_gets_one_verdict_and_one_value(tmp_path: Path) -> None:
    subject = subject_of(tmp_path / "exp", turn(), call(SEARCH), call(SEARCH))
    file = judged(tmp_path, subject)
    assert [verdict.item for verdict in file.lasts()] == list(MEASURES)
    by_name = {value.variant: value for value in METRIC.values(subject, file.lasts(), "default")}
    assert (by_name["repeated"].value, by_name["repeated"].items["calls"]) == (0.5, 2)
    assert (by_name["tool_coverage"].state, by_name["tool_coverage"].value) == ("na", None)
    assert by_name["turns_to_evidence"].state == "na"


def test_what_stands_is_not_counted_again_and_other_steps_to_the_same_report_are(tmp_path: Path) -> None:
    before = judged(tmp_path, subject_of(tmp_path / "exp", turn(), call(SEARCH)))
    lines = before.path.read_text(encoding="utf-8")
    judged(tmp_path, subject_of(tmp_path / "exp", turn(), call(SEARCH)))
    assert before.path.read_text(encoding="utf-8") == lines
    after = judged(tmp_path, subject_of(tmp_path / "exp", turn(), call(SEARCH), turn()))
    (changed,) = [verdict for verdict in after.lasts() if verdict.attempt == 2]
    assert (changed.item, changed.value["value"]) == ("turns", 2)

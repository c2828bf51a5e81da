from pathlib import Path

from drretail.eval.judging.subject import planned_runs, read_subjects
from drretail.experiment import read_definition
from drretail.records.base import sha256_of
from tests.build import LABEL, experiment

RUNS = {LABEL: {"q1-r1": "One.", "q2-r1": None, "q2-r2": "Two."}, "b@model": {"q1-r1": "B."}}


def test_every_planned_run_is_a_subject_whether_it_was_made_or_not(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", RUNS)
    reports = {subject.run_id: subject.report for subject in read_subjects(folder, None)}
    assert reports == {
        f"{LABEL}/q1-r1": "One.",
        f"{LABEL}/q2-r1": None,  # failed
        f"{LABEL}/q1-r2": None,  # a repeat of the system, and this query lacks it
        f"{LABEL}/q2-r2": "Two.",
        "b@model/q1-r1": "B.",
        "b@model/q2-r1": None,
    }
    assert len(planned_runs(folder, read_definition(folder))) == 6


def test_a_system_without_any_run_is_planned_once(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", {LABEL: {"q1-r1": "One."}, "b@model": {}, "c@model": {"q1-r2": "Two."}})
    planned = planned_runs(folder, read_definition(folder))
    assert [(plan.label, plan.repeat) for plan in planned] == [
        (LABEL, 1),
        ("b@model", 1),
        ("c@model", 1),
        ("c@model", 2),
    ]


def test_a_report_is_known_by_its_very_text(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", {LABEL: {"q1-r1": "One.", "q2-r1": None, "q3-r1": ""}})
    shas = [subject.report_sha for subject in read_subjects(folder, None)]
    assert shas == [sha256_of("One."), None, sha256_of("")]


def test_the_profile_is_the_one_that_was_frozen(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", {LABEL: {"q1-r1": "One.", "q2-r1": "Two."}}, users={"q1": "AE1"})
    profiles = [subject.profile and subject.profile.text for subject in read_subjects(folder, None)]
    assert profiles == ["- AE1 likes birds.", None]

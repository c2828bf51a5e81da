"""Recorded runs as judges see them: reports, profiles, readings; and which systems meet in which runs.
answers, case: tests/eval/claims/test_turns.py. read_pairs: tests/eval/test_scoring.py.
"""

from pathlib import Path

import pytest

from drretail.errors import UserError
from drretail.eval.judging.subject import choose_pairs, meetings, planned_runs, read_subjects
from drretail.experiments.experiment import read_definition
from drretail.files import write_once
from tests import build
from tests.build import LABEL, SYSTEM, experiment
from tests.eval.metrics.pairwise.judging import A, B, C, reports

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
    folder = experiment(tmp_path / "none", {LABEL: {"q1-r1": "One."}, "b@model": {}, "c@model": {"q1-r2": "Two."}})
    planned = planned_runs(folder, read_definition(folder))
    others = [("b@model", 1), ("c@model", 1), ("c@model", 2)]
    assert [(plan.label, plan.repeat) for plan in planned] == [(LABEL, 1), *others]
    write_once(folder / "options" / "run.toml", 'labels = ["b@model", "c@model"]\nrepeats = 2\n')
    planned = planned_runs(folder, read_definition(folder))  # a system that was cut before its first run counts, too
    assert [(plan.label, plan.repeat) for plan in planned] == [(LABEL, 1), ("b@model", 1), ("b@model", 2), *others[1:]]


AGENTS = dict.fromkeys((A, B, C), SYSTEM)


@pytest.mark.parametrize("named", [A, f"{A}~", f"{A}~{B}~{C}", "~", f"{A}~{A}"])
def test_what_names_no_pair_is_said(named: str) -> None:
    with pytest.raises(UserError, match="--pairs"):
        choose_pairs(build.definition([], AGENTS), [named])


def test_repeat_k_meets_repeat_k_and_a_repeat_without_partner_meets_nobody(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", {A: reports("a", 2, repeats=3), B: reports("b", 2, repeats=2)})
    met = meetings(folder, read_definition(folder), [(A, B)])
    assert [each.run_ids for each in met] == [(f"{A}/q{n}-r{k}", f"{B}/q{n}-r{k}") for k in (1, 2) for n in (1, 2)]

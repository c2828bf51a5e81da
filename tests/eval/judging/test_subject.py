"""Recorded runs as judges see them: reports, profiles, readings."""

import json
from pathlib import Path

import pytest

from drretail.eval.judging.readings import how_read
from drretail.eval.judging.subject import planned_runs, read_subjects
from drretail.experiment import read_definition, run_folder
from drretail.records.reading import Reading
from drretail.records.score import Score
from tests import build
from tests.build import LABEL, experiment
from tests.grounding.kitchen import EVIDENCE, KETTLE, QUERY, K

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


def test_the_profile_is_the_one_that_was_frozen(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", {LABEL: {"q1-r1": "One.", "q2-r1": "Two."}}, users={"q1": "AE1"})
    profiles = [subject.profile and subject.profile.text for subject in read_subjects(folder, None)]
    assert profiles == ["- AE1 likes birds.", None]


REPORT = f"Buy the gooseneck kettle at $42.95 {K}. It has 4.4 stars {K}."


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """An experiment whose run.json knows no picks."""
    query = QUERY.model_copy(update={"query_id": "q1"})
    exp = build.experiment(tmp_path / "exp", {LABEL: {"q1-r1": REPORT}}, queries=[query], evidence=EVIDENCE.values())
    assert "picks" not in json.loads((run_folder(exp, LABEL, "q1", 1) / "run.json").read_text("utf-8"))
    return exp


def test_an_old_experiment_opens_and_is_scored_by_form(old: Path) -> None:
    made = build.scored(old, ["checks", "basket", "process"])
    found: dict[str, Score] = {row.variant: row for row in made.scores if row.metric == "checks"}
    assert (found["price_wrong"].value, found["rating_wrong"].value) == (1, 0)
    assert found["picks_known"].items == {"picks by form": 1, "values by form": 1}
    assert (found["clean"].value, found["coverage"].value) == (0, 1)
    kept = Reading.model_validate_json((old / "readings" / "form" / LABEL / "q1-r1.json").read_text("utf-8"))
    assert [pick.product for pick in kept.picks or ()] == [KETTLE.product_id]
    assert how_read(kept) == "2 of 2 numbers beside citations could be checked, picks by form"

"""Recorded runs as judges see them: reports, profiles, readings; and which systems meet in which runs."""

from pathlib import Path

import pytest

from drretail.errors import UserError
from drretail.eval.judging.readings import how_read
from drretail.eval.judging.subject import choose_pairs, meetings, planned_runs, read_subjects
from drretail.experiment import read_definition, run_path
from drretail.records.reading import Reading
from drretail.records.score import Score
from drretail.run_file import read_run
from tests import build
from tests.build import LABEL, SYSTEM, experiment
from tests.eval.metrics.pairwise.judging import A, B, C, reports
from tests.grounding.goods import EVIDENCE, QUERY, K

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
    others = [("b@model", 1), ("c@model", 1), ("c@model", 2)]  # a system without any run is planned once
    assert [(plan.label, plan.repeat) for plan in planned] == [(LABEL, 1), *others]


REPORT = f"Buy the gooseneck kettle at $42.95 {K}. It has 4.4 stars {K}."


def test_values_of_a_report_that_declares_no_picks_are_read_by_form_and_its_picks_by_nobody(tmp_path: Path) -> None:
    query = QUERY.model_copy(update={"query_id": "q1"})
    old = build.experiment(tmp_path / "exp", {LABEL: {"q1-r1": REPORT}}, queries=[query], evidence=EVIDENCE.values())
    assert read_run(run_path(old, LABEL, "q1", 1)).picks is None
    made = build.scored(old, ["checks", "basket", "process"])
    found: dict[str, Score] = {row.variant: row for row in made.scores if row.metric == "checks"}
    assert (found["without_price_wrong"].value, found["without_rating_wrong"].value) == (1, 0)
    assert found["picks_known"].items == {"picks unknown": 1, "values by form": 1}
    assert found["clean"].value == 0
    kept = Reading.model_validate_json((old / "readings" / "form" / LABEL / "q1-r1.json").read_text("utf-8"))
    assert kept.picks is None
    checked = "2 of 2 numbers checked (1.00 of the right ones would be found if wrong)"
    assert how_read(kept) == f"{checked}, 1 statement contradicted, picks unknown"


AGENTS = dict.fromkeys((A, B, C), SYSTEM)


@pytest.mark.parametrize("named", [A, f"{A}~", f"{A}~{B}~{C}", "~", f"{A}~{A}"])
def test_what_names_no_pair_is_said(named: str) -> None:
    with pytest.raises(UserError, match="--pairs"):
        choose_pairs(build.definition([], AGENTS), [named])


def test_repeat_k_meets_repeat_k_and_a_repeat_without_partner_meets_nobody(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", {A: reports("a", 2, repeats=2), B: reports("b", 2)})
    met = meetings(folder, read_definition(folder), [(A, B)])
    assert [each.run_ids for each in met] == [(f"{A}/q{n}-r1", f"{B}/q{n}-r1") for n in (1, 2)]
    folder = experiment(tmp_path / "both", {A: reports("a", 2, repeats=2), B: reports("b", 2, repeats=2)})
    met = meetings(folder, read_definition(folder), [(A, B)])
    assert [each.run for each in met] == ["q1-r1", "q2-r1", "q1-r2", "q2-r2"]

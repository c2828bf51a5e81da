"""What reports are held to, made or taken over. Tests eval/judging/criteria.py and records/criteria.py."""

import json
from pathlib import Path
from typing import Any

import pytest

from drretail.errors import UserError
from tests import build
from tests.addons.publications.dr3.research import ANSWERS, Answers, judge_by, tag_content_of
from tests.build import experiment

REPORTS = {"a@model": {"q1-r1": "A feeder.", "q2-r1": "A bath."}, "b@model": {"q1-r1": "A bath.", "q2-r1": None}}


def wants(thing: str) -> Answers:
    """A checklist of one requirement; whatever a requirement says is met where the report says it."""

    def met(question: str) -> dict[str, Any]:
        report = question.partition("<report>")[2].partition("</report>")[0]
        return {"requirements": [{"requirement_id": 1, "reason": "So.", "met": tag_content_of(question, 1) in report}]}

    checklist = {"requirements": [{"requirement": thing, "category": "content"}]}
    none: dict[str, Any] = {"claims": []}
    of_claims = {"ReportClaims": none, "CitedClaims": none}
    return {**ANSWERS, **of_claims, "QueryRequirements": checklist, "MetRequirements": met}


def test_the_first_judge_makes_them_for_the_queries_that_a_system_is_asked(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", {"a@model": {"q1-r1": "A feeder.", "q2-r1": "A bath."}})
    path = folder / "experiment.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"asked": {"a@model": ["q1"]}}))
    (first, asked), (second, asked_second) = judge_by(wants("feeder")), judge_by(wants("bath"), name="second")
    build.scored(folder, "dr3", first, second)
    assert (asked.count("QueryRequirements"), asked_second.count("QueryRequirements")) == (1, 0)
    (made,) = folder.glob("rubrics/dr3/*")
    held = json.loads(made.read_text())
    assert (held["query_id"], held["groups"][1]["criteria"][0]["text"]) == ("q1", "feeder")
    assert held["made_by"] == first.ref.spec


def test_criteria_of_another_experiment_are_taken(tmp_path: Path) -> None:
    source, folder = (experiment(tmp_path / name, REPORTS) for name in ("source", "exp"))
    build.scored(source, "dr3", judge_by(wants("bath"))[0])
    judge, asked = judge_by(wants("feeder"))
    scores = build.scored(folder, "dr3", judge, criteria=source)
    assert [build.rows(scores, label=label)["IF"].value for label in REPORTS] == [50, 100]
    assert "QueryRequirements" not in asked
    path = folder / "rubrics/dr3/q1.json"
    path.write_text(path.read_text().replace("bath", "feeder"))
    with pytest.raises(UserError, match="other criteria"):
        build.scored(folder, "dr3", judge, criteria=source)

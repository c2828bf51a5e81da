"""What reports are held to is made once a query, before any is judged, and frozen for all systems and judges."""

import json
from pathlib import Path
from typing import Any

import pytest

from drretail.errors import UserError
from drretail.eval.judging.session import Judge
from drretail.records.score import Scores
from tests import build
from tests.build import experiment, scripted_judge
from tests.eval.held_to import METRIC

REPORTS = {"a@model": {"q1-r1": "A feeder.", "q2-r1": "A bath."}, "b@model": {"q1-r1": "A bath.", "q2-r1": None}}


def wants(thing: str) -> tuple[Judge, list[Any]]:
    return scripted_judge(lambda question: {"wanted": thing})


def scored(folder: Path, *judges: Judge, **given: Any) -> Scores:
    return build.scored(folder, [METRIC], *judges, **given)


def by_system(scores: Scores) -> dict[tuple[str, str], float | None]:
    return {(row.system, row.judge): row.value for row in scores.scores if row.policy == "answered"}


def test_each_query_is_asked_once_for_all_systems_and_judges(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", REPORTS)
    first, asked = wants("feeder")
    second, nothing = scripted_judge(lambda question: {"wanted": "bath"}, name="second")
    scored(folder, first, second)
    assert (len(asked), len(nothing)) == (2, 0)
    held = json.loads((folder / "rubrics/held_to/q1.json").read_text())
    assert held["groups"][0]["criteria"][0]["text"] == "feeder"
    assert held["made_by"] == first.ref.spec
    scores = scored(folder, first, second)
    assert (len(asked), len(nothing)) == (2, 0)
    assert {each for each in by_system(scores).values() if each is not None} == {0.5, 0}


def test_a_query_that_no_system_is_asked_has_no_criteria_made(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", {"a@model": {"q1-r1": "A feeder.", "q2-r1": "A bath."}})
    path = folder / "experiment.json"
    definition = json.loads(path.read_text())
    path.write_text(json.dumps(definition | {"asked": {"a@model": ["q1"]}}))
    judge, asked = wants("feeder")
    scored(folder, judge)
    assert len(asked) == 1
    assert [each.name for each in folder.glob("rubrics/held_to/*")] == ["q1.json"]


def test_what_a_judge_could_not_make_is_asked_again_only_when_that_is_wanted(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", REPORTS)
    answers: list[dict[str, Any]] = [{"nothing": 1}]
    judge, asked = scripted_judge(lambda question: answers[0])
    scores = scored(folder, judge)
    failed = len(asked)
    assert not list(folder.glob("rubrics/held_to/*"))
    assert {row.n_failed for row in scores.scores} == {2}
    scored(folder, judge)
    assert len(asked) == failed
    answers[0] = {"wanted": "feeder"}
    again = scored(folder, judge, again="failed")
    assert by_system(again)["a@model", judge.ref.spec] == 0.5


def test_criteria_of_another_experiment_are_taken(tmp_path: Path) -> None:
    source, folder = (experiment(tmp_path / name, REPORTS) for name in ("source", "exp"))
    scored(source, wants("bath")[0])
    judge, asked = wants("feeder")
    scores = scored(folder, judge, criteria=source)
    assert not asked
    assert by_system(scores)["b@model", judge.ref.spec] == 1
    path = folder / "rubrics/held_to/q1.json"
    path.write_text(path.read_text().replace("bath", "feeder"))
    with pytest.raises(UserError, match="other criteria"):
        scored(folder, judge, criteria=source)

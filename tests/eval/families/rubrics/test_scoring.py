"""From a query to a frozen rubric to scores.json, by a scripted judge."""

import asyncio
import json
from pathlib import Path
from typing import Any

from drretail.eval.judging.session import Judge
from drretail.eval.scoring import score
from drretail.llm.registry import open_model
from drretail.progress import Progress
from drretail.records.score import Score, Scores
from tests.eval.families.dr3.research import Answers, judge_by
from tests.eval.folders import experiment


def criterion(text: str, weight: int, axis: str = "information", kind: str = "binary") -> dict[str, Any]:
    return {"criterion": text, "explanation": "", "axis": axis, "weight": weight, "kind": kind}


def by_words(question: str) -> dict[str, Any]:
    """Met where the report has the criterion's last word; "Weighs" is met in part."""
    report = question.partition("<report>")[2].partition("</report>")[0]
    found = [part.partition(">\n")[2].partition("\n")[0] for part in question.split("<criterion id=")[1:]]
    labels = ["partly" if it.startswith("Weighs") else "met" if it.split()[-1] in report else "not_met" for it in found]
    marks = [{"criterion_id": n, "reason": "So.", "evidence": "", "label": label} for n, label in enumerate(labels, 1)]
    return {"criteria": marks}


ANSWERS: Answers = {
    "QueryRubric": {
        "criteria": [
            criterion("Names a feeder", 5),
            criterion("Weighs it against a bath", 4, "analysis", "ternary"),
            criterion("Invents a discount", -3, "presentation"),
        ]
    },
    "MarkedCriteria": by_words,
}
REPORTS = {"a@model": {"q1-r1": "A feeder at a discount.", "q2-r1": "A bath."}, "b@model": {"q1-r1": "A feeder."}}


def scored(folder: Path, *judges: Judge, **given: Any) -> Scores:
    return asyncio.run(score(folder, ["rubrics"], judges, progress=Progress(), **given))


def of(scores: Scores, label: str, judge: Judge) -> dict[str, Score]:
    rows = (it for it in scores.scores if (it.system, it.judge, it.policy) == (label, judge.ref.spec, "answered"))
    return {row.variant: row for row in rows}


def test_a_rubric_is_made_once_a_query_frozen_and_marked_for_every_report(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", REPORTS)
    judge, asked = judge_by(ANSWERS)
    other, asked_other = judge_by(ANSWERS, name="other")
    scores = scored(folder, judge, other)
    assert ((asked + asked_other).count("QueryRubric"), asked.count("MarkedCriteria")) == (2, 3)
    a, b = of(scores, "a@model", judge), of(scores, "b@model", judge)
    # q1: (5 + 2 − 3) / 9; q2: "bath" gives the ternary ½ alone, 2 / 9. b: (5 + 2) / 9.
    assert round(a["score"].value or 0, 6) == round((4 / 9 + 2 / 9) / 2, 6)
    assert round(b["score"].value or 0, 6) == round(7 / 9, 6)
    assert round(b["strict"].value or 0, 6) == round(5 / 9, 6)
    assert (a["faults"].value, a["analysis"].value) == (0.5, 0.5)
    before = len(asked)
    assert scored(folder, judge, other) == scores
    assert len(asked) == before


def test_a_person_s_edit_is_judged_by_anew_and_another_weight_asks_nothing(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", {"b@model": {"q1-r1": "A feeder."}})
    judge, asked = judge_by(ANSWERS)
    scored(folder, judge)
    path = folder / "rubrics/rubrics/q1.json"
    held = json.loads(path.read_text())
    held["groups"][0]["criteria"][0]["weight"] = 1
    path.write_text(json.dumps(held))
    before = len(asked)
    assert round(of(scored(folder, judge), "b@model", judge)["score"].value or 0, 6) == round(3 / 5, 6)
    assert len(asked) == before
    held["groups"][0]["criteria"][0]["text"] = "Names a bath"
    path.write_text(json.dumps(held))
    assert round(of(scored(folder, judge), "b@model", judge)["score"].value or 0, 6) == round(2 / 5, 6)
    assert asked[before:] == ["MarkedCriteria"]


def test_only_a_ternary_criterion_can_be_met_in_part(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", {"b@model": {"q1-r1": "A feeder."}})
    partly = {"criteria": [{"criterion_id": n, "reason": "", "evidence": "", "label": "partly"} for n in (1, 2, 3)]}
    judge, asked = judge_by({**ANSWERS, "MarkedCriteria": partly})
    found = of(scored(folder, judge), "b@model", judge)
    assert asked.count("MarkedCriteria") == 3
    assert (found["score"].value, found["score"].n_failed) == (None, 1)


def test_a_judge_that_follows_rules_is_not_asked(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", {"b@model": {"q1-r1": "A feeder."}})
    scored(folder, Judge.of(open_model("offline:judge")))
    assert not (folder / "rubrics").exists()

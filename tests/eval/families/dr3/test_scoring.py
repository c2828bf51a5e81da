"""From an experiment with gold to scores.json, by a scripted judge; nothing is asked twice."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from drretail.errors import UserError
from drretail.eval.judging.session import Judge
from drretail.eval.scoring import score
from drretail.experiment import gold_path
from drretail.files import write_json
from drretail.llm.registry import open_model
from drretail.progress import Progress
from drretail.records.criteria import Gold
from drretail.records.score import Score, Scores, reasons_of
from tests.eval.families.dr3.research import ANSWERS, CITED_CLAIMS, CLAIMS, GOLD, LABEL, ONE, REPORT, judge_by, research


def scored(folder: Path, *judges: Judge, metrics: tuple[str, ...] = ("dr3",), **given: Any) -> Scores:
    return asyncio.run(score(folder, metrics, judges, progress=Progress(), **given))


def rows(scores: Scores, label: str = LABEL) -> dict[str, Score]:
    return {it.variant: it for it in scores.scores if (it.system, it.policy, it.metric) == (label, "answered", "dr3")}


def gold_folder(folder: Path, gold: Gold = GOLD) -> Path:
    write_json(folder / "q1.json", gold.model_dump(mode="json"))
    return folder


def test_every_metric_of_a_report_by_hand(tmp_path: Path) -> None:
    folder = research(tmp_path / "exp", ONE)
    judge, _ = judge_by()
    found = rows(scored(folder, judge, gold=gold_folder(tmp_path / "gold")))
    said = {name: None if it.value is None else round(it.value, 2) for name, it in found.items()}
    assert said == {
        **{"IR_UF": 100, "IR_SC": 50, "IR": 75, "IR_graded": 87.5},  # files 1 of 1; pages 1 of 2, one of them in part
        **{"CC": 66.67, "CC_UF": 100, "CC_SC": 50},  # the page on recalls is not cited
        **{"FA": 50, "FA_pair": 50, "FA_lenient": 100},  # the file in full, the page in part
        **{"FA_UF": 100, "FA_pair_UF": 100, "FA_SC": 0, "FA_pair_SC": 0},
        **{"IF": 66.67, "DQ": 40},  # 2 of 3 requirements; 4 of 10
        "avg6": round((100 + 50 + 200 / 3 + 50 + 200 / 3 + 40) / 6, 2),
        "avg_available": round((100 + 50 + 200 / 3 + 50 + 200 / 3 + 40) / 6, 2),
    }


def test_a_second_time_nothing_is_asked_and_the_same_bytes_are_left(tmp_path: Path) -> None:
    folder = research(tmp_path / "exp", ONE)
    judge, asked = judge_by()
    scored(folder, judge, gold=gold_folder(tmp_path / "gold"))
    assert sorted(asked) == sorted(
        [
            *("QueryRequirements", "DepthRubric", "ReportClaims", "ClaimsSupport", "ClaimsSupport"),
            *("FoundInsights", "FoundInsights", "MetRequirements", "Depth"),
        ]
    )
    before = {path: path.read_bytes() for path in folder.rglob("*.json*")}
    scored(folder, judge)
    assert len(asked) == 9
    assert {path: path.read_bytes() for path in folder.rglob("*.json*")} == before


def test_a_query_s_checklist_and_rubric_are_made_once_for_all_systems_and_judges(tmp_path: Path) -> None:
    folder = research(tmp_path / "exp", {LABEL: REPORT, "b@model": "Buy the tube."})
    nothing = {"ReportClaims": {"claims": []}}
    first, asked = judge_by(
        {**ANSWERS, "ReportClaims": lambda it: CLAIMS if "two weeks" in it else nothing["ReportClaims"]}
    )
    second, asked_second = judge_by({**ANSWERS, **nothing}, name="second")
    scored(folder, first, second)
    assert (asked + asked_second).count("QueryRequirements") == 1
    held = json.loads((folder / "rubrics/dr3/q1.json").read_text())
    assert [group["name"] for group in held["groups"]] == ["constraints", "query", "depth"]
    assert [it["text"] for it in held["groups"][0]["criteria"]] == [
        "It recommends what is asked for as feeder.",
        "What it recommends costs no more than $30.00 together.",
    ]


def test_requirements_that_were_edited_are_asked_anew_and_the_others_stand(tmp_path: Path) -> None:
    folder = research(tmp_path / "exp", ONE)
    judge, asked = judge_by({**ANSWERS, "MetRequirements": lambda it: _all_met(it)})
    assert rows(scored(folder, judge))["IF"].value == 100
    path = folder / "rubrics/dr3/q1.json"
    path.write_text(path.read_text().replace("Says which lasts.", "Says which is cheapest."))
    before = len(asked)
    scored(folder, judge)
    assert asked[before:] == ["MetRequirements"]


def _all_met(question: str) -> dict[str, Any]:
    count = question.count("<criterion id=")
    return {"requirements": [{"requirement_id": it, "reason": "So.", "met": True} for it in range(1, count + 1)]}


def test_gold_that_comes_later_is_asked_about_alone(tmp_path: Path) -> None:
    folder = research(tmp_path / "exp", ONE)
    judge, asked = judge_by()
    found = rows(scored(folder, judge))
    assert found["IR"].value is None
    assert (found["IR"].n_na, found["CC"].n_na, found["avg6"].n_na) == (1, 1, 1)
    assert "nothing is known beforehand" in next(iter(reasons_of(found["CC"].items)))
    before = len(asked)
    found = rows(scored(folder, judge, gold=gold_folder(tmp_path / "gold")))
    assert asked[before:] == ["FoundInsights", "FoundInsights"]
    assert found["IR"].value == 75


def test_claims_that_faithfulness_has_are_not_extracted_again(tmp_path: Path) -> None:
    folder = research(tmp_path / "exp", ONE)
    judge, asked = judge_by()
    scored(folder, judge, metrics=("faithfulness", "dr3"))
    assert asked.count("ReportClaims") == 1


def test_what_the_judge_broke_is_failed_and_no_average_is_made(tmp_path: Path) -> None:
    folder = research(tmp_path / "exp", ONE)
    wrong = {"insights": [{"insight_id": 7, "found": "", "missing": "", "label": "full"}]}
    judge, asked = judge_by({**ANSWERS, "FoundInsights": wrong, "Depth": {"justification": "x", "rating": 11}})
    found = rows(scored(folder, judge, gold=gold_folder(tmp_path / "gold")))
    for name in ("IR_UF", "IR_SC", "IR", "DQ"):
        assert (found[name].value, found[name].n_failed) == (None, 1), name
    assert (found["avg6"].n_na, found["avg6"].n_failed) == (0, 1)
    assert found["avg_available"].items == {"with CC": 1, "with FA": 1, "with IF": 1}
    assert asked.count("Depth") == 3  # once, and repaired twice


def test_a_judge_that_follows_rules_is_asked_for_accuracy_and_never_for_opinions(tmp_path: Path) -> None:
    folder = research(tmp_path / "exp", ONE)
    found = rows(scored(folder, Judge.of(open_model("offline:judge")), gold=gold_folder(tmp_path / "gold")))
    assert found["CC"].value == pytest.approx(200 / 3)
    assert found["FA"].n_scored == 1
    released = rows(scored(folder, Judge.of(open_model("offline:judge")), rules="dr3"))
    for name in ("IR", "IF", "DQ"):
        assert (found[name].n_na, released[name].n_na) == (1, 1)
    assert released["total"].n_na == 1
    assert not (folder / "rubrics/dr3").exists()


def test_the_released_rules_are_judged_apart_and_know_no_criteria_of_depth(tmp_path: Path) -> None:
    folder = research(tmp_path / "exp", ONE)
    judge, asked = judge_by()
    scores = scored(folder, judge, gold=gold_folder(tmp_path / "gold"), rules="dr3")
    found = rows(scores)
    # 0.8 is snapped to 1; the second insight of the pages was left out, which counts 0.
    assert (found["IR_UF"].value, found["IR_SC"].value, found["IR"].value) == (100, 50, 75)
    # Every title stands in the report's list of sources, and "Recalls" nowhere.
    assert found["CC"].value == pytest.approx(200 / 3)
    assert (found["FA"].value, found["DQ"].value) == (100, 40)
    assert found["total"].value == pytest.approx((75 + 100 + 40 + 200 / 3 + 200 / 3) / 5)
    assert "FA_lenient" not in found
    assert asked.count("CitedClaims") == 1


def test_the_released_rules_read_the_first_50_000_characters_of_a_report(tmp_path: Path) -> None:
    folder = research(tmp_path / "exp", {LABEL: f"{REPORT} {'x' * 50_000} END"})
    seen: list[int] = []

    def cited(question: str) -> dict[str, Any]:
        seen.append(len((question.partition("<report>\n")[2]).partition("\n</report>")[0]))
        return CITED_CLAIMS

    judge, _ = judge_by({**ANSWERS, "CitedClaims": cited})
    scored(folder, judge, rules="dr3")
    assert seen == [50_000]


def test_gold_is_frozen_and_another_is_refused(tmp_path: Path) -> None:
    folder = research(tmp_path / "exp", ONE)
    judge, _ = judge_by()
    scored(folder, judge, gold=gold_folder(tmp_path / "gold"))
    other = gold_folder(tmp_path / "other", Gold(query_id="q1", files=GOLD.files))
    with pytest.raises(UserError, match="holds other gold than"):
        scored(folder, judge, gold=other)
    assert Gold.model_validate(json.loads(gold_path(folder, "q1").read_text())) == GOLD
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="holds no gold"):
        scored(folder, judge, gold=tmp_path / "empty")

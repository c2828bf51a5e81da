"""PQR over a small experiment, with a judge that plays its part."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from drretail.errors import UserError
from drretail.eval.judging.session import Judge
from drretail.eval.scoring import score
from drretail.progress import Progress
from drretail.records.score import Score
from tests.build import experiment, scripted_judge
from tests.eval.families.faithfulness.reports import BED, BIRDS, BIRDS_ID, BLOCKED, BLOCKED_ID, PAGE, WALL
from tests.eval.weighted.playing import Played

REPORT = (
    f"# Beds\n\nThe bed costs $49.99 [P:{BED.key}]. Cardinals like seeds [{BIRDS_ID}], [{BLOCKED_ID}]. "
    "Cats sleep a lot. It holds 90 pounds [P:B0NOWHERE01]."
)
TRIPLETS = (
    ("The bed costs $49.99.", f"P:{BED.key}", ""),
    ("Cardinals like seeds.", BIRDS_ID, BIRDS),
    ("Cardinals like seeds.", BLOCKED_ID, BLOCKED),
    ("Cats sleep a lot.", "", ""),
    ("The bed holds 90 pounds.", "P:B0NOWHERE01", ""),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return experiment(
        tmp_path / "exp",
        {"a@model": {"q1-r1": REPORT, "q2-r1": REPORT}, "b@model": {"q1-r1": REPORT, "q2-r1": None}},
        users={"q1": "ann"},
        evidence=(BED, PAGE, WALL),
    )


def scored(folder: Path, judge: Judge, **given: Any) -> dict[tuple[str, str], Score]:
    """By system and variant."""
    scores = asyncio.run(score(folder, ["pqr"], [judge], progress=Progress(), **given)).scores
    return {(it.system, it.variant): it for it in scores if it.policy == "answered"}


def questions(asked: list[str], words: str) -> list[str]:
    return [it for it in asked if words in it]


WEIGHING, MAKING, SCORING = "How much each of these", "in this one dimension", "You score a research report"


def test_criteria_are_made_once_a_query_and_every_report_is_scored_by_them(folder: Path) -> None:
    played = Played(
        weights={"goal_alignment": 0.4, "content_alignment": 0.3, "presentation_fit": 0.1,
                 "actionability_practicality": 0.2},
        criteria={"goal_alignment": [("Knows Ann", 0.75), ("Knows birds", 0.25)]},
        score=lambda key, text: 8 if text == "Knows Ann" else 4,
        triplets=TRIPLETS,
        labels={"Cardinals like seeds.": "unsupported"},
    )  # fmt: skip
    judge, asked = scripted_judge(played)
    found = scored(folder, judge)
    # q1 has a user: two axes of 4 + 3 dimensions; q2 has none. Three reports of which one has no personalization.
    assert len(questions(asked, WEIGHING)) == 3
    assert len(questions(asked, MAKING)) == 7 + 3
    assert len(questions(asked, SCORING)) == 2 + 2 + 1
    assert found["b@model", "GOAL"].value == 0.75 * 8 + 0.25 * 4
    assert found["b@model", "S_P"].value == pytest.approx(0.4 * 7 + 0.6 * 4)
    assert found["b@model", "S_Q"].value == pytest.approx(4)
    assert (found["a@model", "S_P"].n_na, found["a@model", "S_overall"].n_na) == (1, 1)
    # The bed is borne out, the seeds are not by the one page that could be read; the 90 pounds cite nothing known.
    assert [found["b@model", it].value for it in ("FA", "CC", "N_total", "N_cited")] == [5, 5, 4, 2]
    assert found["b@model", "FA_strict"].value == pytest.approx(10 / 3)
    assert found["b@model", "S_overall"].value == pytest.approx((5.2 + 4 + 5) / 3)


def test_a_second_time_nothing_is_asked_and_other_rules_ask_nothing_either(folder: Path) -> None:
    judge, asked = scripted_judge(Played(triplets=TRIPLETS))
    ours = scored(folder, judge)
    before = len(asked)
    bytes_before = (folder / "scores.json").read_bytes()
    scored(folder, judge)
    assert (folder / "scores.json").read_bytes() == bytes_before
    asyncio.run(score(folder, ["pqr"], [judge], rules="paper", progress=Progress()))
    assert len(asked) == before
    rows = json.loads((folder / "scores.json").read_text())["scores"]
    literal = {
        row["system"]: row["value"]
        for row in rows
        if (row["variant"], row.get("rules"), row["policy"]) == ("FA", "paper", "answered")
    }
    assert literal == {system: pytest.approx(ours[system, "FA_triplets"].value) for system in literal}
    assert literal


def test_who_judges_quality_is_not_told_of_the_user_and_nobody_is_told_weights(folder: Path) -> None:
    judge, asked = scripted_judge(Played(criteria={"depth_insight": [("Weighs", 0.4321), ("Finds", 0.5679)]}))
    scored(folder, judge)
    told_of_ann = [it for it in asked if "ann likes birds" in it]
    assert len(questions(told_of_ann, MAKING)) == 4
    assert all("goal_alignment" in it for it in told_of_ann)
    assert len(told_of_ann) == 1 + 4 + 2
    assert not questions(questions(asked, SCORING), "0.4321")


def test_weights_a_hundredth_off_are_set_right_before_they_are_frozen(folder: Path) -> None:
    judge, _ = scripted_judge(
        Played(weights={"depth_insight": 0.33, "logical_coherence": 0.33, "clarity_readability": 0.33})
    )
    scored(folder, judge)
    held = json.loads((folder / "rubrics/pqr/q2.json").read_text())
    assert [group["weight"] for group in held["groups"]] == pytest.approx([1 / 3] * 3)


def test_weights_that_stay_wrong_fail_what_rests_on_them_and_facts_are_judged_all_the_same(folder: Path) -> None:
    played = Played(weights={"depth_insight": 0.9}, triplets=TRIPLETS)
    judge, asked = scripted_judge(played)
    found = scored(folder, judge)
    assert not list(folder.glob("rubrics/pqr/*"))
    assert len([it for it in asked if "add up to 1.56667" in it]) == 2 * 2
    assert {found["a@model", it].n_failed for it in ("S_Q", "S_overall", "DEIN")} == {2}
    assert (found["a@model", "S_P"].n_failed, found["a@model", "S_P"].n_na) == (1, 1)
    assert found["a@model", "FA"].n_scored == 2
    played.weights = {}
    again = scored(folder, judge, again="failed")
    assert again["a@model", "S_Q"].n_scored == 2


def test_a_criterion_that_is_missing_to_the_last_fails_its_dimension_alone(folder: Path) -> None:
    def forgetful(question: str) -> Any:
        said = played(question)
        if isinstance(said, dict) and "depth_insight" in said:
            said["depth_insight"] = []
        return said

    played = Played(triplets=TRIPLETS, spelling=str.upper)
    judge, asked = scripted_judge(forgetful)
    found = scored(folder, judge)
    assert len(questions(asked, "is missing")) > 0
    assert {it for (system, it), row in found.items() if system == "b@model" and row.n_failed > 1} == {
        "DEIN", "S_Q", "S_overall", "S_overall_triplets"
    }  # fmt: skip
    assert found["b@model", "LOGC"].value == 5


def test_edited_criteria_are_scored_by_anew_and_a_broken_sum_is_told(folder: Path) -> None:
    judge, asked = scripted_judge(Played(triplets=TRIPLETS))
    scored(folder, judge)
    before = len(asked)
    path = folder / "rubrics/pqr/q2.json"
    path.write_text(path.read_text().replace("Meets depth_insight.", "Says why."))
    scored(folder, judge)
    assert len(asked) == before + 1
    assert "Says why." in asked[-1]
    held = json.loads(path.read_text())
    held["groups"][0]["weight"] = 0.8
    path.write_text(json.dumps(held))
    with pytest.raises(UserError, match=r"rubrics/pqr/q2.json, the dimensions of quality"):
        scored(folder, judge)


def test_a_reference_that_does_not_stand_in_the_report_is_sent_back(folder: Path) -> None:
    judge, asked = scripted_judge(Played(triplets=(("Cats purr.", "", "https://invented.example/"),)))
    found = scored(folder, judge)
    assert len(questions(asked, "do not stand in the report")) == 2 * 3
    assert found["a@model", "FA"].n_failed == 2

"""RACE and FACT over a small experiment, with a judge that plays its part."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from drretail.errors import UnknownName, UserError
from drretail.eval.judging.session import Judge
from drretail.eval.scoring import score
from drretail.progress import Progress
from drretail.records.score import Score
from tests.build import experiment, scripted_judge
from tests.eval.families.faithfulness.reports import BED, BIRDS, BIRDS_ID, PAGE
from tests.eval.weighted.playing import Played, tag_content_of

GOOD = f"# Beds\n\nThe bed costs $49.99 [P:{BED.key}]. Cardinals like seeds [{BIRDS_ID}]."
PLAIN = "# Beds\n\nBuy any."
TRIPLETS = (("The bed costs $49.99.", f"P:{BED.key}", ""), ("Cardinals like seeds.", BIRDS_ID, BIRDS))
SCORING, WEIGHING = "You score two research reports", "How much each of these"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return experiment(
        tmp_path / "exp",
        {"good@model": {"q1-r1": GOOD, "q2-r1": GOOD}, "plain@model": {"q1-r1": PLAIN, "q2-r1": None}},
        evidence=(BED, PAGE),
    )


def played(question: str) -> Any:
    """Reports with a bed in them are worth 8, others 2, and who stands first gets one more."""
    if "list the facts it states" in question:
        return Played(triplets=TRIPLETS if "Cardinals" in question else ())(question)
    return Played(worth=lambda article, place: (8 if "Cardinals" in article else 2) + (place == 1))(question)


def scored(folder: Path, judge: Judge, **given: Any) -> dict[tuple[str, str], Score]:
    scores = asyncio.run(score(folder, ["race"], [judge], progress=Progress(), **given)).scores
    return {(it.system, it.variant): it for it in scores if it.policy == "answered"}


def of(asked: list[str], words: str) -> list[str]:
    return [it for it in asked if words in it]


def test_reports_are_held_beside_another_system_s_in_both_orders(folder: Path) -> None:
    judge, asked = scripted_judge(played)
    found = scored(folder, judge, reference="plain")
    assert (folder / "references/q1.md").read_text() == PLAIN
    assert not (folder / "references/q2.md").exists()
    first, second = 9 / 11, 8 / 11
    assert found["good@model", "RACE_first"].value == pytest.approx(first)
    assert found["good@model", "RACE_second"].value == pytest.approx(second)
    assert found["good@model", "RACE"].value == pytest.approx((first + second) / 2)
    assert len(of(asked, SCORING)) == 2
    # q2 has no reference, and the reference is not held beside itself.
    assert (found["good@model", "RACE"].n_na, found["plain@model", "RACE"].n_na) == (1, 1)
    assert found["good@model", "valid_rate"].value == 1
    assert found["good@model", "citations"].value == 2
    assert found["plain@model", "citations"].n_na == 1
    before = len(asked)
    scored(folder, judge)
    assert len(asked) == before


def test_as_released_the_target_is_always_first(folder: Path) -> None:
    judge, asked = scripted_judge(played)
    found = scored(folder, judge, reference="plain@model", rules="drb")
    (question,) = of(asked, SCORING)
    assert "Cardinals" in tag_content_of(question, "1")
    assert found["good@model", "RACE"].value == pytest.approx(9 / 11)


def test_the_first_report_of_a_system_is_its_reference_where_an_earlier_run_failed(tmp_path: Path) -> None:
    folder = experiment(
        tmp_path / "two", {"good@model": {"q1-r1": GOOD}, "plain@model": {"q1-r1": None, "q1-r2": PLAIN}}
    )
    judge, _ = scripted_judge(played)
    scored(folder, judge, reference="plain")
    assert (folder / "references/q1.md").read_text() == PLAIN


def test_a_file_of_ones_own_is_a_reference_and_stays(folder: Path) -> None:
    path = folder / "references/q2.md"
    path.parent.mkdir()
    path.write_text("Somebody's report.")
    judge, asked = scripted_judge(played)
    scored(folder, judge)
    assert "Somebody's report." in of(asked, SCORING)[0]
    with pytest.raises(UserError, match=r"q2.md holds another reference than good@model's"):
        scored(folder, judge, reference="good@model")
    assert not (folder / "references/q1.md").exists()
    with pytest.raises(UnknownName, match="system"):
        scored(folder, judge, reference="nobody")


def test_published_weights_and_criteria_are_taken_by_the_query_s_text(folder: Path, tmp_path: Path) -> None:
    dims = ("comprehensiveness", "insight", "instruction_following", "readability")
    task = {
        "id": 7,
        "language": "en",
        "prompt": "Ask  q1?",
        "dimension_weight": dict(zip(dims, (0.3, 0.4, 0.2, 0.1), strict=True)),
        "criterions": {
            key: [
                {"criterion": f"Published {key}", "explanation": "Why.", "weight": 0.5, "comment": "-"},
                {"criterion": f"Second {key}", "explanation": "Why.", "weight": 0.53},
            ]
            for key in dims
        },
    }
    path = tmp_path / "criteria.jsonl"
    path.write_text(json.dumps(task) + "\n" + json.dumps({**task, "prompt": "Another"}) + "\n")
    judge, asked = scripted_judge(played)
    scored(folder, judge, reference="plain", criteria=path)
    assert len(of(asked, WEIGHING)) == 1  # of q2 alone
    assert all("Published insight" in it for it in of(asked, SCORING))
    held = json.loads((folder / "rubrics/race/q1.json").read_text())
    assert [it["weight"] for it in held["groups"]] == [0.3, 0.4, 0.2, 0.1]
    assert [it["weight"] for it in held["groups"][0]["criteria"]] == pytest.approx([0.5 / 1.03, 0.53 / 1.03])
    assert held["made_by"] == "DeepResearch Bench"
    (tmp_path / "strange.jsonl").write_text('{"prompt": "Ask q1?"}\n')
    with pytest.raises(UserError, match="does not hold DeepResearch Bench's criteria"):
        scored(folder, judge, criteria=tmp_path / "strange.jsonl")


@pytest.mark.parametrize("change", [{"article_1_score": 11}, {"criterion": "Something else"}], ids=str)
def test_scores_out_of_range_or_of_other_criteria_are_sent_back_and_then_failed(
    folder: Path, change: dict[str, Any]
) -> None:
    def wrong(question: str) -> Any:
        said = played(question)
        if SCORING in question:
            said["insight"][0] |= change
        return said

    judge, asked = scripted_judge(wrong)
    found = scored(folder, judge, reference="plain")
    assert found["good@model", "RACE"].n_failed == 1
    assert found["good@model", "valid_rate"].n_scored == 2
    # Criteria of two queries, facts of three reports with duplicates and support of two, and three times two orders.
    assert len(asked) == 2 * 5 + 3 + 2 * 3 + 3 * 2

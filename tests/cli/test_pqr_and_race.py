"""``score --metrics pqr`` and ``race`` as a user runs them, with a judge that is a file of answers."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.build import experiment
from tests.cli.commands import Command
from tests.eval.families.faithfulness.reports import BED

REPORT = f"# Beds\n\nThe bed costs $49.99 [P:{BED.key}]. Dogs like it."
P = {"goal_alignment": 8, "content_alignment": 6, "presentation_fit": 4, "actionability_practicality": 10}
Q = {"depth_insight": 8, "logical_coherence": 6, "clarity_readability": 4}
RACE = {"comprehensiveness": (8, 4), "insight": (9, 3), "instruction_following": (6, 6), "readability": (5, 5)}
WEIGHTS: dict[str, tuple[dict[str, Any], tuple[float, ...]]] = {
    "goal_alignment": (P, (0.4, 0.3, 0.1, 0.2)),
    "depth_insight": (Q, (0.5, 0.3, 0.2)),
    "comprehensiveness": (RACE, (0.3, 0.4, 0.2, 0.1)),
}
JUDGED = ("--judge", "scripted:judge.json")


def answer(schema: str, message: Any, **more: str) -> dict[str, Any]:
    return {"schema": schema, "answer": {"structured": message}, **more}


def weights(keys: Any, values: Any) -> dict[str, Any]:
    held = [{"dimension": key, "weight": each} for key, each in zip(keys, values, strict=True)]
    return {"analysis": "So.", "weights": held}


def scores(given: dict[str, int]) -> dict[str, Any]:
    return {key: [{"criterion": "Helps", "analysis": "So.", "target_score": each}] for key, each in given.items()}


@pytest.fixture(autouse=True)
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An experiment of two systems, and the judge."""
    monkeypatch.setenv("COLUMNS", "160")
    experiment(
        tmp_path / "exp",
        {"a@model": {"q1-r1": REPORT}, "b@model": {"q1-r1": REPORT + " Cats, too."}},
        users={"q1": "ann"},
        evidence=[BED],
    )
    facts = [("The bed costs $49.99.", f"P:{BED.key}", ""), ("Dogs like it.", "", "")]
    helps = {"criterion": "Helps", "explanation": "", "weight": 1.0}
    rules = [
        *(answer("DimensionWeights", weights(*weight), opening_says=f"`{key}`") for key, weight in WEIGHTS.items()),
        answer("SubCriteria", {"analysis": "So.", "criteria": [helps]}),
        answer("PersonalizationScores", scores(P)),
        answer("QualityScores", scores(Q)),
        answer("PairScores", {
            key: [{"criterion": "Helps", "analysis": "So.", "article_1_score": one, "article_2_score": two}]
            for key, (one, two) in RACE.items()
        }),
        answer("SaidTriplets", {"triplets": [dict(zip(("fact", "ref_idx", "url"), f, strict=True)) for f in facts]}),
        answer("SameFacts", {"groups": []}),
        answer("SupportedFacts", {
            "facts": [{"fact_id": 1, "quote": "49.99", "justification": "So.", "label": "supported"}]
        }),
    ]  # fmt: skip
    (tmp_path / "judge.json").write_text(json.dumps({"rules": rules}), encoding="utf-8")


def rows(out: str, rules: str = "default") -> dict[tuple[str, str], float | None]:
    return {
        (each["system"], each["variant"]): each.get("value")
        for each in json.loads(out)["scores"]
        if each["policy"] == "answered" and each.get("rules", "default") == rules
    }


def test_both_are_scored_by_their_formulas_and_a_second_time_nothing_is_asked(
    drretail: Command, tmp_path: Path
) -> None:
    asked = ("score", "exp", "--metrics", "pqr,race", "--reference", "b", *JUDGED, "--json")
    found = rows(drretail(*asked).stdout)
    s_p, s_q = 0.4 * 8 + 0.3 * 6 + 0.1 * 4 + 0.2 * 10, 0.5 * 8 + 0.3 * 6 + 0.2 * 4
    assert found["a@model", "S_P"] == pytest.approx(s_p)
    assert found["a@model", "S_Q"] == pytest.approx(s_q)
    assert [found["a@model", each] for each in ("FA", "CC", "S_R")] == [10, 5, 7.5]
    assert found["a@model", "S_overall"] == pytest.approx((s_p + s_q + 7.5) / 3)
    # The first of two gets more whoever it is: both orders together know no difference.
    target = 0.3 * 8 + 0.4 * 9 + 0.2 * 6 + 0.1 * 5
    assert found["a@model", "RACE"] == pytest.approx(0.5)
    assert found["a@model", "RACE_first"] == pytest.approx(target / (target + 0.3 * 4 + 0.4 * 3 + 0.2 * 6 + 0.1 * 5))
    assert found["b@model", "RACE"] is None
    assert found["b@model", "valid_rate"] == 1
    journals = {path: path.read_bytes() for path in tmp_path.glob("exp/verdicts/**/*.journal.jsonl")}
    assert journals
    assert rows(drretail(*asked).stdout) == found
    assert journals == {path: path.read_bytes() for path in tmp_path.glob("exp/verdicts/**/*.journal.jsonl")}


def test_published_rules_stand_beside_ours_and_those_of_others_are_refused(drretail: Command) -> None:
    asked = ("score", "exp", "--metrics", "race", "--rules", "drb", "--reference", "b", *JUDGED, "--json")
    assert rows(drretail(*asked).stdout, "drb")["a@model", "RACE"] == pytest.approx(7.7 / (7.7 + 4.1))
    refused = drretail("score", "exp", "--metrics", "pqr", "--rules", "drb", *JUDGED)
    assert refused.returncode == 2
    assert "pqr has no rules" in refused.stderr
    assert "add it to the metrics" in drretail("score", "exp", "--metrics", "pqr", "--reference", "b", *JUDGED).stderr


def test_the_tables_name_what_stands_in_them(drretail: Command) -> None:
    out = drretail("score", "exp", "--metrics", "pqr", *JUDGED).stdout
    assert "PQR: personalization, quality, reliability" in out
    assert all(each in out for each in ("S_overall", "GOAL", "CLAR", "FA_strict", "7.40"))


def test_what_is_left_is_estimated(drretail: Command) -> None:
    assert drretail("score", "exp", "--metrics", "pqr,race", *JUDGED, "--estimate").stdout.count("2 reports") == 2

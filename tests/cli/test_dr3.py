"""DR³'s metrics and rubrics from the command line, with gold, by a judge that is a file of answers."""

import json
from pathlib import Path
from typing import Any

from drretail.files import write_json
from tests.cli.commands import Command
from tests.eval.families.dr3.research import ANSWERS, CLAIMS, GOLD, ORDERS_ID, REPORT, research

ASKED = ("score", "exp", "--metrics", "dr3,rubrics", "--judge", "scripted:judge.json", "--details")
RUBRIC = {"criterion": "Names the price.", "explanation": "", "axis": "information", "weight": 5, "kind": "binary"}


def answers() -> list[dict[str, Any]]:
    """Rules of a scripted model; the first that fits a question answers it."""
    labels = {"recalled": ["full", "none"], "$22.99": ["full"]}
    insights: list[dict[str, Any]] = [
        {
            "schema": "FoundInsights",
            "opening_says": f"{word}.\n</criterion>",
            "answer": {
                "structured": {
                    "insights": [
                        {"insight_id": n, "found": "", "missing": "", "label": each} for n, each in enumerate(held, 1)
                    ]
                }
            },
        }
        for word, held in labels.items()
    ]
    marked = {"criteria": [{"criterion_id": 1, "reason": "So.", "evidence": "", "label": "met"}]}
    support: list[dict[str, Any]] = [
        {
            "schema": "ClaimsSupport",
            "opening_says": words,
            "answer": {
                "structured": {"claims": [{"claim_id": 1, "quotes": [], "justification": "So.", "label": label}]}
            },
        }
        for words, label in ((ORDERS_ID, "full_support"), ("", "partial_support"))
    ]
    plain: dict[str, Any] = {
        **{name: ANSWERS[name] for name in ("QueryRequirements", "DepthRubric", "MetRequirements", "Depth")},
        "ReportClaims": CLAIMS,
        "QueryRubric": {"criteria": [RUBRIC]},
        "MarkedCriteria": marked,
    }
    rules: list[dict[str, Any]] = [{"schema": name, "answer": {"structured": text}} for name, text in plain.items()]
    return [*insights, *support, *rules]


def test_the_command_scores_with_gold_freezes_criteria_and_asks_nothing_twice(
    drretail: Command, tmp_path: Path
) -> None:
    folder = research(tmp_path / "exp", {"a@model": REPORT, "b@model": None})
    write_json(tmp_path / "gold/q1.json", GOLD.model_dump(mode="json"))
    (tmp_path / "judge.json").write_text(json.dumps({"rules": answers()}))
    done = drretail(*ASKED, "--gold", "gold")
    assert done.returncode == 0, done.stdout + done.stderr
    fields = {
        each["variant"]: each.get("value")
        for each in json.loads((folder / "scores.json").read_text())["scores"]
        if (each["system"], each["policy"]) == ("a@model", "answered")
    }
    found = {name: round(fields[name] or 0, 2) for name in ("IR_UF", "IR_SC", "CC", "FA", "IF", "DQ", "avg6", "score")}
    assert found == {
        **{"IR_UF": 100, "IR_SC": 50, "CC": 66.67, "FA": 50, "IF": 66.67, "DQ": 40},
        **{"avg6": 62.22, "score": 1},
    }
    assert "62.22" in done.stdout
    assert {path.parent.name for path in folder.glob("rubrics/*/q1.json")} == {"dr3", "rubrics"}
    held = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    again = drretail(*ASKED)
    assert again.stdout == done.stdout
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == held


def test_rules_that_a_family_does_not_know_are_refused(drretail: Command, tmp_path: Path) -> None:
    research(tmp_path / "exp", {"a@model": REPORT})
    (tmp_path / "judge.json").write_text(json.dumps({"rules": answers()}))
    done = drretail("score", "exp", "--metrics", "rubrics", "--judge", "scripted:judge.json", "--rules", "dr3")
    assert (done.returncode, "rubrics has no rules dr3: take default" in done.stderr) == (2, True)

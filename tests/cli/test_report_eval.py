"""``score --metrics report_eval`` as a user runs it."""

import json
from pathlib import Path
from typing import Any

import pytest

from drretail.api.score import score
from drretail.eval.families.report_eval.judge import DIMENSIONS
from drretail.eval.families.report_eval.score import BY_PARAGRAPHS
from drretail.llm.scripted import ScriptedAnswer, scripted_model
from tests.build import LABEL, experiment
from tests.cli.commands import Command

SCRIPT = """
[[rules]]
schema = "Grades"

[rules.answer.structured]
reason = "So."
comprehensiveness = 4
coherence = 3
clarity = 3
insightfulness = 4
overall = 2

[[rules]]
schema = "Repetition"
answer = { structured = { repetitions_found = [], explanation = "So.", confidence = "80%", score = 3 } }
"""
ASKED = ("score", "exp", "--metrics", "report_eval", "--judge", "scripted:judge.toml")
BODY = "It lasts for years and keeps the rain out. " * 6
SECTIONS = "\n\n".join(f"## Part {number}\n\n{BODY}\n\n{BODY}" for number in range(1, 8))
REPORTS = {"q1-r1": f"# Houses\n\nBriefly.\n\n{SECTIONS}", "q2-r1": "Buy cedar.", "q3-r1": None}


@pytest.fixture(autouse=True)
def reports(tmp_path: Path) -> Path:
    (tmp_path / "judge.toml").write_text(SCRIPT, encoding="utf-8")
    return experiment(tmp_path / "exp", {LABEL: REPORTS})


def rows(folder: Path, rules: str = "default") -> dict[str, dict[str, Any]]:
    held = json.loads((folder / "scores.json").read_text(encoding="utf-8"))["scores"]
    return {row["variant"]: row for row in held if row.get("rules", "default") == rules and row["policy"] == "answered"}


def test_grades_and_redundancy_are_scored_and_a_second_time_nobody_is_asked(drretail: Command, reports: Path) -> None:
    done = drretail(*ASKED)
    assert done.returncode == 0, done.stderr
    assert "ReportEval" in done.stdout
    result = rows(reports)
    assert [result[each]["value"] for each in ("comprehensiveness", "overall", "redundancy")] == [4, 2, 3]
    counts = [result["redundancy"][each] for each in ("n_planned", "n_scored", "n_na", "n_failed")]
    assert counts == [3, 1, 1, 1]  # a report of one paragraph has no pair, and a run left no report
    assert result["redundancy"]["items"]["pairs_scored"] == 15
    assert result["pairs_possible"]["value"] == 7.5  # the mean over both reports
    assert result["support"]["n_na"] == 2
    assert "redundancy_paragraph" not in result
    before = (reports / "scores.json").read_bytes()
    for path in reports.rglob("*.journal.jsonl"):
        path.unlink()
    assert drretail(*ASKED).returncode == 0
    assert not [*reports.rglob("*.journal.jsonl")]
    assert (reports / "scores.json").read_bytes() == before


def test_paragraphs_are_asked_about_beside_sections(drretail: Command, reports: Path) -> None:
    assert drretail(*ASKED).returncode == 0
    done = drretail(*ASKED, "--unit", "paragraph")
    assert done.returncode == 0, done.stderr
    result = rows(reports)
    assert result["redundancy_paragraph"]["items"]["pairs_possible"] == 78
    assert result["redundancy_paragraph"]["items"]["pairs_scored"] == 30
    assert result["redundancy_paragraph"]["value"] == result["redundancy"]["value"] == 3


def test_rules_of_the_released_code_stand_beside_ours(drretail: Command, reports: Path) -> None:
    assert drretail(*ASKED).returncode == 0
    done = drretail(*ASKED, "--rules", "hkuds")
    assert done.returncode == 0, done.stderr
    ours, theirs = rows(reports), rows(reports, "hkuds")
    assert [our["redundancy"]["items"]["pairs_possible"] for our in (ours, theirs)] == [15, 6]
    assert (ours["overall"]["n_scored"], theirs["overall"]["n_scored"]) == (2, 1)  # it discards what has no pair


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((*ASKED, "--unit", "paragraf"), "Did you mean paragraph"),
        (("score", "exp", "--metrics", "checks", "--unit", "section"), "add it to the metrics"),
        ((*ASKED, "--unit", "paragraph", "--rules", "hkuds"), "report_eval has no rules hkuds: take default"),
        ((*ASKED, "--rules", "drg"), "report_eval has no rules drg: take default, hkuds"),
    ],
)
def test_what_the_user_must_fix_is_one_sentence_and_2(drretail: Command, args: tuple[str, ...], message: str) -> None:
    done = drretail(*args)
    assert done.returncode == 2
    assert message in done.stderr


def test_only_what_was_asked_is_told_as_failed(drretail: Command, reports: Path) -> None:
    broken = SCRIPT.replace("score = 3", "score = 9")
    (reports.parent / "judge.toml").write_text(broken, encoding="utf-8")
    failed = drretail(*ASKED, "--rules", "hkuds")
    assert failed.returncode == 3
    assert "--retry failed" in failed.stderr
    (reports.parent / "judge.toml").write_text(SCRIPT, encoding="utf-8")
    done = drretail(*ASKED)
    assert done.returncode == 0, done.stderr
    assert "--retry failed" not in done.stderr


def test_an_estimate_knows_both_units(drretail: Command, reports: Path) -> None:
    done = drretail(*ASKED, "--unit", "paragraph", "--estimate")
    assert done.returncode == 0, done.stderr
    assert not (reports / "verdicts").exists()


def test_from_python_the_family_is_an_object(reports: Path) -> None:
    answers: dict[str, dict[str, Any]] = {
        "Grades": {"reason": "So.", **dict.fromkeys(DIMENSIONS, 1)},
        "Repetition": {"repetitions_found": [], "explanation": "So.", "confidence": "", "score": 4},
    }
    judge = scripted_model(play=lambda request: ScriptedAnswer(structured=answers[request.schema or ""]), name="test")
    done = score(reports, BY_PARAGRAPHS, judge)
    assert done.by_system("redundancy_paragraph") == {LABEL: 4}

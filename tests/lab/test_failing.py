"""Low ratings sorted by what they are about: by the judge that gave them, and by people."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from drretail.cells import as_csv, read_cells
from drretail.cli.lab import lab_app
from drretail.errors import UnknownName, UserError
from drretail.eval.judging.dimensions import DIMENSIONS
from drretail.lab.failing import low_ratings, sheet_path
from drretail.lab.kept_findings import finding_lines
from drretail.prompts import tag_content
from tests.eval.families.pairwise.judging import compared
from tests.eval.folders import experiment, scripted_judge

REPORTS = {
    "a@model": {"q1-r1": "A good report.", "q2-r1": "Repeats itself.", "q3-r1": None},
    "b@model": {"q1-r1": "Repeats itself.", "q2-r1": "Ignores the budget."},
}
BOTH = ("quality", "failure_modes")


def rates_and_sorts(question: str) -> dict[str, Any]:
    if "# The modes" in question:
        about = "redundant" if "repeats" in (tag_content("rationale", question) or "") else "constraint_violation"
        return {"reason": "It says so.", "modes": [about]}
    report = tag_content("report", question) or ""
    why = "It repeats itself." if "Repeats" in report else "It ignores the budget."
    is_low = "good" not in report and (tag_content("criterion", question) or "").startswith("Clarity")
    return {"justification": why, "rating": 2 if is_low else 4}


@pytest.fixture
def exp(tmp_path: Path) -> Path:
    made = experiment(tmp_path / "exp", REPORTS)
    judge, _ = scripted_judge(rates_and_sorts)
    compared(made, judge, metrics=BOTH)
    return made


def called(*given: object) -> str:
    ended = CliRunner().invoke(lab_app, ["failures", *map(str, given)])
    if ended.exception is not None:
        raise ended.exception
    return ended.stdout


def test_low_ratings_are_counted_by_system_and_mode(exp: Path) -> None:
    printed = called(exp)
    made = json.loads((exp / "lab" / "failures.json").read_text(encoding="utf-8"))
    rows = {it["system"]: it for it in made["systems"]}
    assert {it: rows[it]["n_low"] for it in rows} == {"a@model": 1, "b@model": 2}
    assert rows["a@model"]["modes"] | {"redundant": 0} == dict.fromkeys(rows["a@model"]["modes"], 0)
    assert (rows["b@model"]["modes"]["redundant"], rows["b@model"]["modes"]["constraint_violation"]) == (1, 1)
    assert (rows["a@model"]["n_reports"], rows["a@model"]["n_low_reports"]) == (2, 1)
    assert "“It ignores the budget.”" in printed
    (line,) = finding_lines(exp)
    assert line == "Failure modes: 3 ratings below 4 in 4 reports; most are about redundant 2, constraint violation 1."


def test_what_a_person_writes_into_the_sheet_counts_and_stays(exp: Path) -> None:
    called(exp)
    heading, *rows = read_cells(sheet_path(exp))
    assert len(rows) == 3
    at = heading.index("person")
    changed = [[*row[:at], "Weak synthesis; narrow_framing" if row[0] == "q2" else ""] for row in rows]
    sheet_path(exp).write_bytes(as_csv([heading, *changed]))
    for _ in range(2):
        assert "Of 2 a person says" in called(exp)
    made = json.loads((exp / "lab" / "failures.json").read_text(encoding="utf-8"))
    modes = [it["modes"] for it in made["systems"]]
    assert [(it["weak_synthesis"], it["narrow_framing"], it["redundant"]) for it in modes] == [(1, 1, 0), (1, 1, 1)]


def test_a_word_that_is_no_mode_is_told(exp: Path) -> None:
    called(exp)
    heading, *rows = read_cells(sheet_path(exp))
    sheet_path(exp).write_bytes(as_csv([heading, *([*row[:-1], "boring"] for row in rows)]))
    with pytest.raises(UnknownName, match="boring"):
        called(exp)


def test_nothing_is_asked_twice_and_another_rationale_is_asked_about_anew(tmp_path: Path) -> None:
    made = experiment(tmp_path / "exp", {"a@model": {"q1-r1": "Repeats itself."}})
    judge, asked = scripted_judge(rates_and_sorts)
    compared(made, judge, metrics=BOTH)
    assert len(asked) == len(DIMENSIONS) - 1 + 1
    scores = compared(made, judge, metrics=BOTH)
    assert len(asked) == len(DIMENSIONS)
    values = {it.variant: it.value for it in scores.scores if it.metric == "failure_modes"}
    assert (values["n_low"], values["redundant"], values["other"]) == (1, 1, 0)
    low, _ = low_ratings(made)
    assert [(it.dimension, it.modes) for it in low] == [("clarity", ("redundant",))]

    other, again = scripted_judge(lambda question: rates_and_sorts(question.replace("Repeats", "Ignores")))
    compared(made, other, metrics=BOTH, again="everything")
    assert any("ignores the budget" in it for it in again if "# The modes" in it)
    low, _ = low_ratings(made)
    assert [(it.rationale, it.modes) for it in low] == [("It ignores the budget.", ("constraint_violation",))]


def test_without_ratings_the_way_to_them_is_told(tmp_path: Path) -> None:
    made = experiment(tmp_path / "exp", REPORTS)
    with pytest.raises(UserError, match="--metrics quality,failure_modes --judge"):
        called(made)

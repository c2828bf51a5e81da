"""Low ratings sorted by what they are about: by the judge that gave them, and by people."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from drretail.cli.app import app
from drretail.eval.families.failure_modes.score import low_ratings, sheet_path, write_sheet
from drretail.eval.judging.dimensions import DIMENSIONS
from drretail.eval.registry import details_of
from drretail.prompts import tag_content
from drretail.tables.cells import as_csv, read_cells
from drretail.tables.table import Table
from drretail.viewer.page.document import render_page
from drretail.viewer.terminal.text_report import render_text
from tests.build import experiment, scripted_judge
from tests.eval.families.pairwise.judging import compared

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


def table_of(exp: Path) -> Table:
    (table,) = details_of(exp, ["quality", "failure_modes", "failure_modes"])
    return table


def counts(exp: Path) -> dict[str, dict[str, str]]:
    table = table_of(exp)
    names = [column.name for column in table.columns]
    return {row.name: dict(zip(names, (cell.text for cell in row.cells if cell), strict=True)) for row in table.rows}


def test_low_ratings_are_counted_by_system_and_mode(exp: Path) -> None:
    rows = counts(exp)
    assert {name: row["low ratings"] for name, row in rows.items()} == {
        "a@model, by scripted:test": "1",
        "b@model, by scripted:test": "2",
    }
    assert [(row["reports"], row["redundant"], row["constraint violation"]) for row in rows.values()] == [
        ("1/2", "1", "0"),
        ("2/2", "1", "1"),
    ]
    assert any("“It ignores the budget.”" in note for note in table_of(exp).notes)


def test_score_report_and_page_show_the_details(exp: Path) -> None:
    shown = CliRunner().invoke(app, ["score", str(exp), "--metrics", "failure_modes", "--details"])
    assert shown.exception is None, shown.exception
    assert sheet_path(exp).exists()
    for text in (shown.stdout, render_text(exp), render_page(exp)):
        assert "Ratings below 4, and what they are about" in text
        assert "It ignores the budget." in text


def test_what_a_person_writes_into_the_sheet_counts_and_stays(exp: Path) -> None:
    write_sheet(exp)
    heading, *rows = read_cells(sheet_path(exp))
    assert len(rows) == 3
    at = heading.index("person")
    changed = [[*row[:at], "Weak synthesis; narrow_framing" if row[0] == "q2" else ""] for row in rows]
    sheet_path(exp).write_bytes(as_csv([heading, *changed]))
    for _ in range(2):
        write_sheet(exp)
        assert any("Of 2 a person says" in note for note in table_of(exp).notes)
    found = [(row["weak synthesis"], row["narrow framing"], row["redundant"]) for row in counts(exp).values()]
    assert found == [("1", "1", "0"), ("1", "1", "1")]


def test_a_word_that_is_no_mode_is_named_and_its_sheet_stays(exp: Path) -> None:
    write_sheet(exp)
    heading, *rows = read_cells(sheet_path(exp))
    wrong = as_csv([heading, *([*row[:-1], "boring"] for row in rows)])
    sheet_path(exp).write_bytes(wrong)
    write_sheet(exp)
    assert sheet_path(exp).read_bytes() == wrong
    assert any("boring" in note for note in table_of(exp).notes)


def test_nothing_is_asked_twice_and_another_rationale_is_asked_about_anew(tmp_path: Path) -> None:
    made = experiment(tmp_path / "exp", {"a@model": {"q1-r1": "Repeats itself."}})
    judge, asked = scripted_judge(rates_and_sorts)
    compared(made, judge, metrics=BOTH)
    assert len(asked) == len(DIMENSIONS) - 1 + 1
    scores = compared(made, judge, metrics=BOTH)
    assert len(asked) == len(DIMENSIONS)
    values = {score.variant: score.value for score in scores.scores if score.metric == "failure_modes"}
    assert (values["n_low"], values["redundant"], values["other"]) == (1, 1, 0)
    low, _ = low_ratings(made)
    assert [(rating.dimension, rating.modes) for rating in low] == [("clarity", ("redundant",))]

    other, again = scripted_judge(lambda question: rates_and_sorts(question.replace("Repeats", "Ignores")))
    compared(made, other, metrics=BOTH, again="everything")
    assert any("ignores the budget" in each for each in again if "# The modes" in each)
    low, _ = low_ratings(made)
    assert [(rating.rationale, rating.modes) for rating in low] == [
        ("It ignores the budget.", ("constraint_violation",))
    ]


def test_without_sorted_ratings_there_is_no_table(tmp_path: Path) -> None:
    made = experiment(tmp_path / "exp", REPORTS)
    write_sheet(made)
    assert (details_of(made, ["failure_modes"]), sheet_path(made).exists()) == ([], False)

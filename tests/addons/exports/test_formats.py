"""What is written, as those read it who take it. Also tests chat.py and score_tables.py."""

import csv
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from drretail.addons.exports.formats import export_selection
from drretail.addons.exports.selection import Selection
from drretail.addons.imports.formats import load_format
from drretail.addons.imports.recording import Imported, record
from drretail.errors import UserError
from drretail.eval.numbers.file import read_scores
from drretail.experiment import read_runs
from drretail.files import read_jsonl
from drretail.progress import Progress
from tests.addons.exports.conftest import REACT
from tests.addons.imports.foreign import CHINESE, REPORT, drb


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return [*csv.DictReader(file)]


def test_what_was_imported_comes_back_as_it_came_with_every_reference_that_leads_nowhere(tmp_path: Path) -> None:
    lost = "# Kettles\n\nQuiet [2][^7], cheap [9][P:NONE].\n\n[1] https://a.example/x\n[2],\n"
    first = imported(drb(tmp_path / "one.jsonl", REPORT, lost, CHINESE), tmp_path / "exp")
    export_selection(Selection.of(tmp_path / "exp"), "drb", tmp_path / "drb")
    again = imported(tmp_path / "drb", tmp_path / "back")
    counts = [[replace(report, where="") for report in each.reports] for each in (first, again)]
    assert counts[0] == counts[1]
    assert sum(report.unresolved for report in first.reports) == 3
    assert sum(report.citations.missing for report in first.reports) == 3
    (before, after) = (list(read_runs(tmp_path / each)) for each in ("exp", "back"))
    assert [(each.report, each.citations) for each in before] == [(each.report, each.citations) for each in after]


def imported(path: Path, to: Path) -> Imported:
    return record(load_format("drb").read(path), "drb", to, Progress())


def test_tables_hold_every_score_and_every_value(exp: Path, tmp_path: Path) -> None:
    export_selection(Selection.of(exp), "csv", tmp_path / "csv")
    scores = read_scores(exp)
    assert scores is not None
    shown = [row for row in scores.scores if not row.system.startswith("null")]
    assert len(rows(tmp_path / "csv" / "scores.csv")) == len(shown)
    of_react = [
        row for row in rows(tmp_path / "csv" / "values.csv") if (row["variant"], row["system"]) == ("FP", REACT)
    ]
    values = [float(row["value"]) for row in of_react if row["value"]]
    got = [score.value for chosen in Selection.of(exp, ["react"]) for score in chosen.got if score.variant == "FP"]
    assert values == got


def test_an_experiment_that_nobody_scored_gives_reports_but_no_tables(exp: Path, tmp_path: Path) -> None:
    bare = Path(shutil.copytree(exp, tmp_path / "exp", ignore=shutil.ignore_patterns("verdicts", "scores.json")))
    assert export_selection(Selection.of(bare), "drb", tmp_path / "drb").startswith("3 reports")
    (mine,) = ([*read_jsonl(path)] for path in (tmp_path / "drb").iterdir() if path.name.startswith("react"))
    assert [(row["id"], row["query_id"], "Sources" in row["article"]) for row in mine] == [
        (1, "q1", True),
        (2, "q2", True),
    ]
    assert "[P:" not in mine[0]["article"]
    with pytest.raises(UserError, match="drretail score"):
        export_selection(Selection.of(bare), "csv", tmp_path / "csv")
    assert not (tmp_path / "csv").exists()

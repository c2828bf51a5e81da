"""What is written, as those read it who take it. Also tests chat.py and score_tables.py."""

import csv
import shutil
from pathlib import Path

import pytest

from drretail.addons.exports.formats import export_selection
from drretail.addons.exports.selection import Selection
from drretail.errors import UserError
from drretail.eval.numbers.file import read_scores
from tests.addons.exports.conftest import REACT


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return [*csv.DictReader(file)]


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
    assert export_selection(Selection.of(bare), "chat", tmp_path / "chat.jsonl") == "3 conversations"
    with pytest.raises(UserError, match="drretail score"):
        export_selection(Selection.of(bare), "csv", tmp_path / "csv")
    assert not (tmp_path / "csv").exists()

"""comparison_parts: tests/eval/numbers/test_value_tables.py."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from drretail import report
from drretail.eval.numbers.file import made_scores
from drretail.records.score import Judging, Score, Scores
from drretail.viewer import sections
from drretail.viewer.drawing.result import Section
from drretail.viewer.drawing.table import table_of
from drretail.viewer.experiment import read_view
from drretail.viewer.page.overview import render_scores
from drretail.viewer.sections import metric_parts
from tests import build
from tests.build import systems
from tests.viewer import scores

Print = Callable[..., str]

score = partial(scores.score, value=0.74, ci_low=0.68, ci_high=0.8, n_planned=50, n_scored=50)


def test_what_was_not_judged_failed_or_is_stale_is_told_apart(printed: Print) -> None:
    def text_of(*rows: Score, judgings: tuple[Judging, ...] = ()) -> str:
        held = Scores(scores=rows, judgings=judgings, systems=systems(row.system for row in rows))
        return " ".join(printed(120, metric_parts, held).split())

    some = score("a@m", "FR", n_scored=47, n_failed=3, items={"not_judged": 2})
    none = score("a@m", "FP_web", value=None, n_scored=0, n_failed=50, items={"not_judged": 50})
    text = text_of(score("a@m"), some, none)
    assert all(words in text for words in ("47 of 50", "1 failed", "2 not judged"))
    assert "50 failed" not in text
    assert "not judged" in text.replace("2 not judged", "")
    stale = Judging(
        metric="faithfulness", system="a@m", judge="p:m", judge_kind="llm", verdicts=60, failed=1, stale=2, not_judged=3
    )
    text = text_of(score("a@m"), score("null_empty"), judgings=(stale,))
    assert "The null agents are trivial. They mark the lowest useful score (floor)." in text
    assert (
        "a@m: 1 verdict failed, 2 stale verdicts (another report or other words) unused, 3 reports not judged." in text
    )


def test_a_new_table_is_one_function_that_every_output_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, printed: Print
) -> None:
    experiment = build.experiment(tmp_path / "exp", {"a@model": {"q1-r1": "It costs $20 + $10 = $30."}})
    build.scored(experiment, ["checks"])

    def moons(scores: Scores) -> list[Section]:
        return [Section("Moons", tables=[table_of("Moons", ["Planet", "moons"], [["Mars", 2 + len(scores.pairs)]])])]

    monkeypatch.setattr(sections, "TABLES", (moons, *sections.TABLES))
    for shown in (
        render_scores(read_view(experiment), ()),
        report(experiment, form="latex", details=True).value,
        printed(100, lambda: metric_parts(made_scores(experiment))),
    ):
        assert "Moons" in shown
        assert "Mars" in shown

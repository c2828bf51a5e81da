from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from drretail import report
from drretail.eval.scores.file import made_scores
from drretail.records.score import Scores
from drretail.records.tables.result import Section
from drretail.records.tables.table import Table, table_of
from drretail.viewer import sections
from drretail.viewer.experiment import read_view
from drretail.viewer.page.overview import render_scores
from drretail.viewer.sections import metric_parts
from tests.eval.scored_experiments import judged_experiment


def test_a_new_table_is_one_function_that_every_output_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, printed: Callable[..., str]
) -> None:
    experiment = judged_experiment(tmp_path / "exp")

    def moons(scores: Scores) -> list[Section]:
        return [Section("Moons", tables=[table_of("Moons", ["Planet", "moons"], [["Mars", 2 + len(scores.twins)]])])]

    monkeypatch.setattr(sections, "TABLES", (moons, *sections.TABLES))
    for shown in (
        render_scores(read_view(experiment), ()),
        report(experiment, form="text", details=True).value,
        report(experiment, form="latex").value,
        printed(100, lambda: metric_parts(made_scores(experiment))),
    ):
        assert "Moons" in shown
        assert "Mars" in shown


def test_on_a_terminal_a_note_that_tables_share_stands_below_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    notes = ("Few.", "n/a: nobody looked.")
    tables = [table_of(name, ["Planet", "moons"], [["Mars", 2]], notes=notes) for name in ("Moons", "Rings")]
    monkeypatch.setattr(sections, "TABLES", (lambda _: [Section(table.title, tables=[table]) for table in tables],))
    parts = [part for part in metric_parts(Scores(scores=(), judgings=())) if isinstance(part, Table)]
    assert [part.notes for part in parts] == [notes, notes[1:]]


def test_a_section_without_tables_is_a_sentence_and_further_tables_are_mentioned(printed: Callable[..., str]) -> None:
    table = table_of("Moons", ["Planet", "moons"], [["Mars", 2]])
    many = Section("Sky", "by code", [table], ["Few."], Section("3 more tables", tables=[table]))
    lines = printed(80, lambda: many.parts).splitlines()
    assert lines[0] == "Sky, by code"
    assert "3 more tables: drretail report shows them." in lines
    assert many.every == [table, table]
    assert printed(80, lambda: replace(many, tables=()).parts).startswith("Sky, by code: Few.")

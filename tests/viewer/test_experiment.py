from pathlib import Path

from drretail.viewer.experiment import read_view
from tests.eval.folders import experiment


def test_agents_that_research_come_before_the_floors_and_the_oracle(tmp_path: Path) -> None:
    report = {"q1-r1": "Get it."}
    names = ["oracle", "null_copy", "zebra@model", "null_empty", "ant@model"]
    view = read_view(experiment(tmp_path / "exp", dict.fromkeys(names, report)))
    assert [run.subject.label for run in view.runs] == ["ant@model", "zebra@model", "null_empty", "null_copy", "oracle"]
    assert [run.number for run in view.runs] == [1, 2, 3, 4, 5]

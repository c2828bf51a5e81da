"""``lab plant`` as a user runs it, and the notebook that ends with a corrected score."""

import json
from pathlib import Path

import pytest

from drretail.addons.lab import planting
from drretail.addons.lab.planted_errors import KINDS
from tests.addons.lab.honest_report import honest_experiment
from tests.api.test_notebook import played
from tests.cli.commands import Command, ErrorOf


@pytest.fixture
def exp(tmp_path: Path) -> Path:
    folder, store = honest_experiment(tmp_path)
    store.close()
    return folder


def test_plant_prints_a_row_a_kind_and_leaves_copies(succeeds: Command, exp: Path) -> None:
    done = succeeds("lab", "plant", "exp")
    table = " ".join(done.stdout.split())
    assert "kind planted checks offline:judge" in table
    assert "wrong price 1 1/1 1/1" in table
    assert "originals, accused 1 0/1" in table
    assert (exp / "lab" / "planted" / "experiment.json").exists()
    as_json = json.loads(succeeds("lab", "plant", "exp", "--json").stdout)
    assert {"kind": "wrong price", "by": "checks", "n": 1, "judged": 1, "found": 1} in as_json["found"]
    assert [copy["kind"] for copy in as_json["copies"]] == [*KINDS]


@pytest.mark.usefixtures("exp")
def test_what_cannot_be_planted_and_what_a_cap_left_are_said(
    drretail: Command, error_of: ErrorOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planting, "KINDS", {"wrong price": KINDS["wrong price"]})
    assert "nowhere" in error_of("lab", "plant", "nowhere")
    assert "nobody" in error_of("lab", "plant", "exp", "--system", "nobody")
    done = drretail("lab", "plant", "exp", "--max-tokens", "1")
    assert done.returncode == 3
    assert "The cap of 1 tokens for judging is reached" in done.stderr
    assert "Planted errors that were found" in done.stdout


@pytest.mark.slow  # a notebook, from raw files on
def test_an_example_goes_from_raw_files_to_a_corrected_score(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made, ingested, written, *_, corrected = played("from_files_to_score.ipynb")
    assert [table.title for table in made.tables] == ["A made-up shop in raw", "Quirks"]
    assert "World shop, fingerprint" in repr(ingested)
    assert repr(written).startswith("30 queries of 30 users → queries.jsonl")
    ((what, *_), fp) = next(iter(corrected.value.values().items()))
    assert (what, fp["judge alone"].value > fp["corrected"].value) == ("FP", True), "people found less support"
    assert {"judge alone", "corrected"} <= {column.name for column in corrected.tables[0].columns}

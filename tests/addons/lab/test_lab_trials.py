"""``lab plant``, ``exploits`` and ``bias`` as a user runs them, and the notebook that ends with a corrected score."""

import json
from pathlib import Path

import pytest

from drretail.addons.lab import exploits, planting
from drretail.addons.lab.kept_findings import finding_lines
from tests.addons.lab.bias.scripted import an_experiment
from tests.addons.lab.honest_report import honest_experiment
from tests.api.test_notebook import played
from tests.build import LABEL
from tests.cli.commands import Command, ErrorOf
from tests.cli.conftest import JUDGE


@pytest.fixture
def exp(tmp_path: Path) -> Path:
    folder, store = honest_experiment(tmp_path)
    store.close()
    return folder


def test_plant_prints_a_row_a_kind_and_leaves_copies_and_findings(succeeds: Command, exp: Path) -> None:
    done = succeeds("lab", "plant", "exp")
    table = " ".join(done.stdout.split())
    assert "kind planted no place checks offline:judge" in table
    assert "wrong price 1 0 1/1 1/1" in table
    assert "of 1 reports faulted" in table
    assert "Of all: checks: " in table, "of one report there is no interval"
    assert "offline:judge judges" in done.stderr
    assert (exp / "lab" / "planted" / "planted.json").exists()
    kept = json.loads((exp / "lab" / "plant.json").read_text(encoding="utf-8"))
    as_json = json.loads(succeeds("lab", "plant", "exp", "--json").stdout)  # judged once, and the same again
    assert as_json == kept == json.loads((exp / "lab" / "plant.json").read_text(encoding="utf-8"))
    assert {"name": "planted", "of": "all", "n": 25, "items": {"no place": 0}} in as_json["rows"]


@pytest.mark.usefixtures("exp")
def test_what_cannot_be_planted_and_what_a_cap_left_are_said(
    drretail: Command, error_of: ErrorOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planting, "KINDS", {"wrong price": planting.KINDS["wrong price"]})
    assert "nowhere" in error_of("lab", "plant", "nowhere")
    assert "nobody" in error_of("lab", "plant", "exp", "--system", "nobody")
    done = drretail("lab", "plant", "exp", "--max-tokens", "1")
    assert done.returncode == 3
    assert "The cap of 1 tokens for judging is reached" in done.stderr
    assert "Planted errors that were found" in done.stdout


def test_exploits_say_which_are_caught_and_in_what(
    succeeds: Command, exp: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = {name: exploits.EXPLOITS[name] for name in ("empty", "one_safe_line")}
    monkeypatch.setattr(exploits, "EXPLOITS", few)
    monkeypatch.setattr(exploits, "CHEATS", {})
    done = succeeds("lab", "exploits", "exp", "--system", LABEL, COLUMNS="200")
    assert "Reports that deserve nothing, by offline:judge and by code" in done.stdout
    assert "one safe line" in done.stdout
    rows = json.loads((exp / "lab" / "exploits.json").read_text(encoding="utf-8"))["rows"]
    assert {row["of"] for row in rows} == {*few, *exploits.ON_THE_HARD_HALF}
    feasible = next(row for row in rows if (row["of"], row.get("name")) == ("empty", "basket feasible"))
    assert (feasible["part"], feasible["items"]) == ("level", {"exploit": 0, "honest": 1})
    assert "1 of 7 queries" in " ".join(done.stdout.split())


DERIVED = """
[[rules]]
schema = "DerivedRating"
answer = { structured = { reading = "Thin.", rating = 3 } }
"""


def test_bias_prints_a_table_a_probe_and_keeps_its_line(succeeds: Command, tmp_path: Path) -> None:
    (tmp_path / "judge.toml").write_text(JUDGE + DERIVED, encoding="utf-8")
    folder = an_experiment(tmp_path / "exp", 6)
    command = ("lab", "bias", "exp", "--judge", "scripted:judge.toml", "--pin", "pin.json")
    done = succeeds(*command, COLUMNS="200")
    table = " ".join(done.stdout.split())
    assert "first preferred minus second all 1.00 6 – 36 0.031 found" in table
    assert "rating minus what its reasons lead to all 3.00 6 – 72 0.031 found" in table
    assert "up to 46% of other queries may not be" in table
    assert "scripted:judge.toml, own family: every system" in table or "own family: no system" in table
    assert "asked on a later day, it shows drift" in table
    kept = json.loads((folder / "lab" / "bias.json").read_text(encoding="utf-8"))
    assert kept["line"].startswith("Biases of scripted:judge")
    assert succeeds(*command, COLUMNS="200").stdout == done.stdout
    assert finding_lines(folder) == [kept["line"]]
    as_json = json.loads(succeeds(*command, "--only", "drift", "--json").stdout)
    assert len({row["of"] for row in as_json["rows"]}) == 6  # what other probes found of these reports stays


@pytest.mark.usefixtures("exp")
def test_bias_refuses_judges_that_follow_rules_before_it_copies_reports(error_of: ErrorOf) -> None:
    assert "A judge that follows rules has no opinions" in error_of("lab", "bias", "exp", "--only", "position")
    assert not Path("exp/lab/bias").exists()


def test_an_example_goes_from_raw_files_to_a_corrected_score(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made, ingested, written, *_, corrected = played("from_files_to_score.ipynb")
    assert [table.title for table in made.tables] == ["A made-up shop in raw", "Quirks"]
    assert "World shop, fingerprint" in repr(ingested)
    assert repr(written).startswith("8 queries of 8 users → queries.jsonl")
    ((what, *_), fp) = next(iter(corrected.value.values().items()))
    assert (what, fp["judge alone"].value > fp["corrected"].value) == ("FP", True), "people found less support"
    assert {"judge alone", "corrected"} <= {column.name for column in corrected.tables[0].columns}

"""``lab plant`` and ``lab exploits`` as a user runs them."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.eval.folders import LABEL
from tests.eval.lab.honest_report import honest_experiment


@pytest.fixture
def exp(tmp_path: Path) -> Path:
    folder, store = honest_experiment(tmp_path)
    store.close()
    return folder


def test_plant_prints_a_row_a_kind_and_leaves_copies_and_findings(drretail: Command, exp: Path) -> None:
    done = drretail("lab", "plant", "exp")
    assert done.returncode == 0, done.stderr
    table = " ".join(done.stdout.split())
    assert "kind planted no place checks offline:judge" in table
    assert "wrong price 1 0 1/1 1/1" in table
    assert "of 1 reports faulted" in table
    assert "offline:judge judges" in done.stderr
    assert (exp / "lab" / "planted" / "planted.json").exists()
    again = drretail("lab", "plant", "exp")
    assert again.stdout == done.stdout
    as_json = json.loads(drretail("lab", "plant", "exp", "--json").stdout)
    assert as_json == json.loads((exp / "lab" / "plant.json").read_text(encoding="utf-8"))
    assert as_json["everything"]["n"] == 21


def test_the_copies_are_scored_by_the_ordinary_command(drretail: Command, exp: Path) -> None:
    assert drretail("lab", "plant", "exp", "--per-kind", "1", "-q").returncode == 0
    done = drretail("score", "exp/lab/planted", "--metrics", "checks")
    assert done.returncode == 0, done.stderr
    assert "-planted" in done.stdout


def test_an_estimate_asks_nobody(drretail: Command, exp: Path) -> None:
    for command in ("plant", "exploits"):
        done = drretail("lab", command, "exp", "--estimate", "--judge", "openai:gpt-4o")
        assert done.returncode == 0, done.stderr
        assert "What is left to judge" in done.stdout
    assert not list(exp.glob("lab/*/verdicts"))


def test_what_cannot_be_planted_is_said_in_a_sentence(drretail: Command, exp: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for args, told in (
        (("nowhere",), "nowhere"),
        (("exp", "--of", "nobody"), "nobody"),
        (("exp", "--given", "empty"), "planted.json"),
        (("exp", "--given", "missing"), "missing"),
        (("exp", "--per-kind", "0"), "per-kind"),
    ):
        done = drretail("lab", "plant", *args)
        assert done.returncode in (1, 2), args
        assert told in done.stderr, args
        assert "Traceback" not in done.stderr


def test_exploits_name_what_each_fools_and_what_catches_it(drretail: Command, exp: Path) -> None:
    done = drretail("lab", "exploits", "exp", "--of", LABEL, COLUMNS="200")
    assert done.returncode == 0, done.stderr
    assert "Reports that deserve nothing, by offline:judge and by code" in done.stdout
    assert "one safe line" in done.stdout
    rows = json.loads((exp / "lab" / "exploits.json").read_text(encoding="utf-8"))["rows"]
    assert len(rows) == 12
    by_name = {row["exploit"]: row for row in rows}
    assert by_name["empty"]["n_caught"] == 1


def test_what_a_cap_left_is_told_and_is_no_success(drretail: Command, exp: Path) -> None:
    done = drretail("lab", "plant", "exp", "--max-tokens", "1")
    assert done.returncode == 3
    assert "The cap of 1 tokens for judging is reached" in done.stderr
    assert "Planted errors that were found" in done.stdout
    assert exp.exists()

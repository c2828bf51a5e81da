"""``lab calibrate``: versions of a judge beside people's ratings, and what is frozen."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from drretail.cli.lab import lab_app
from drretail.errors import UserError
from drretail.eval.ballots import cast
from drretail.experiment import read_runs
from drretail.lab.kept_findings import finding_lines
from drretail.records.vote import Rating
from tests.build import experiment, scripted_judge
from tests.eval.test_judge_prompts import STRICT, mine, rated
from tests.lab.test_opinions import NOON

GOOD = {f"q{at}": at % 7 + 2 for at in range(12)}
"""What people give the first system's report on each query; the other's gets one less."""


def by_number(question: str) -> dict[str, Any]:
    """Right to the point where it is told to be strict, and two points too kind where it is not."""
    found = re.search(r"worth (\d+)", question)
    assert found is not None
    return {"justification": "So.", "rating": int(found[1]) + (0 if STRICT in question else 2)}


@pytest.fixture
def exp(tmp_path: Path) -> Path:
    reports = {
        label: {f"{query}-r1": f"A report worth {value - less}." for query, value in GOOD.items()}
        for label, less in (("a@model", 0), ("b@model", 1))
    }
    made = experiment(tmp_path / "exp", reports)
    judge, _ = scripted_judge(by_number)
    rated(made, judge)
    rated(made, judge, mine(tmp_path / "strict"))
    for run in read_runs(made):
        value = GOOD[run.query_id] - (run.system == "b@model")
        about: dict[str, Any] = {"run_id": run.run_id, "report_sha": run.report_sha, "query_id": run.query_id}
        cast(made, Rating(**about, dimension="overall", value=value, annotator="ann", at=NOON), None)
    return made


def called(*given: object) -> str:
    ended = CliRunner().invoke(lab_app, ["calibrate", *map(str, given)])
    if ended.exception is not None:
        raise ended.exception
    return ended.stdout


def test_the_version_told_to_be_strict_is_chosen_and_its_figure_is_of_other_queries(exp: Path) -> None:
    printed = called(exp)
    kept = json.loads((exp / "lab" / "calibrate.json").read_text(encoding="utf-8"))
    assert "prompts-strict-" in kept["chosen"]
    assert {row["version"]: row["mad"]["value"] for row in kept["held_out"]} == {"scripted:test": 2, kept["chosen"]: 0}
    assert (kept["n_tuning"], kept["n_held_out"]) == (6, 6)
    assert "(chosen)" in printed
    assert "MAD 0.00" in printed
    (line,) = finding_lines(exp)
    assert line.startswith("Calibrated on rating: overall: scripted:test-prompts-strict-")


def test_the_choice_stays_whatever_people_say_later(exp: Path) -> None:
    called(exp)
    kept = json.loads((exp / "lab" / "calibrate.json").read_text(encoding="utf-8"))
    for run in read_runs(exp):
        value = GOOD[run.query_id] - (run.system == "b@model") + 2
        about: dict[str, Any] = {"run_id": run.run_id, "report_sha": run.report_sha, "query_id": run.query_id}
        cast(exp, Rating(**about, dimension="overall", value=value, annotator="ann", at=NOON), None)
    assert finding_lines(exp)[0].startswith("Stale, since votes changed")
    assert "was chosen before" in called(exp)
    again = json.loads((exp / "lab" / "calibrate.json").read_text(encoding="utf-8"))
    assert (again["chosen"], again["prompt_hash"], again["split"]) == (
        kept["chosen"],
        kept["prompt_hash"],
        kept["split"],
    )
    called(exp, "--again")
    anew = json.loads((exp / "lab" / "calibrate.json").read_text(encoding="utf-8"))
    assert anew["chosen"] == "scripted:test"
    assert anew["prompt_hash"] != kept["prompt_hash"]


def test_without_the_ratings_of_an_earlier_call_it_is_not_made_anew(exp: Path, tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    rows = [f"{query}-a,{query},a@model,overall,ben,{value}" for query, value in GOOD.items()]
    path.write_text("\n".join(["item,query,system,dimension,rater,value", *rows]), encoding="utf-8")
    called(exp, "--ratings", path)
    with pytest.raises(UserError, match="replace it with --again"):
        called(exp)
    called(exp, "--again")


def test_another_model_makes_it_stale_and_needs_its_own(exp: Path) -> None:
    called(exp)
    other, _ = scripted_judge(by_number, name="other")
    rated(exp, other)
    assert "Stale for scripted-other: another model needs a choice of its own." in finding_lines(exp)[0]
    with pytest.raises(UserError, match="name one with --judge"):
        called(exp)
    with pytest.raises(UserError, match="holds the choice for scripted:test"):
        called(exp, "--judge", "scripted:other")
    assert "scripted:other" in called(exp, "--judge", "scripted:other", "--again", "--json")


def test_what_nobody_rated_is_told(exp: Path) -> None:
    with pytest.raises(UserError, match="People and judges both answered rating: overall: name one"):
        called(exp, "--dimension", "depth")


def test_without_answers_of_people_it_says_how_to_get_some(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="people rate in drretail view"):
        called(experiment(tmp_path / "exp", {"a@model": {"q1-r1": "A report worth 7."}}))

"""``drretail compare`` on the command line. Tests api/compare.py, viewer/gates.py, eval/numbers/fail_if.py and
eval/numbers/sample_sizes.py.
"""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from drretail.experiments.experiment import run_path
from tests.build import experiment, scored
from tests.cli.commands import Command
from tests.eval.own import STUB

A, B = "react@model", "hybrid@model"
TWO = {
    A: {f"q{at}-r1": str(0.9 - at / 100) for at in range(12)},
    B: {f"q{at}-r1": str(0.2 + at / 50) for at in range(12)},
}


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    """Two systems of which one is clearly higher."""
    folder = experiment(tmp_path / "exp", TWO)
    scored(folder, STUB)
    return folder


def test_two_systems_are_a_dozen_lines_and_details_are_tables_of_100_columns(succeeds: Command, judged: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in judged.rglob("*")}
    done = succeeds("compare", "exp", "react", "hybrid", "--metrics", STUB, COLUMNS="80")
    assert {path: path.stat().st_mtime_ns for path in judged.rglob("*")} == before
    assert done.stdout.startswith(f"A = {A}, B = {B}\n- A is above B in stub said (+0.54, +0.")
    lines = done.stdout.rstrip().splitlines()
    assert len(lines) <= 12
    assert all(len(line) <= 80 for line in lines)
    whole = succeeds("compare", "exp", "react", "hybrid", "--metrics", STUB, "--details", COLUMNS="100")
    assert all(len(line) <= 100 for line in whole.stdout.splitlines())
    (said,) = [line.split() for line in whole.stdout.splitlines() if line.startswith("stub said* ")]
    assert said[-2:] == ["12", "–"]


@pytest.mark.parametrize(
    ("rule", "code", "told"),
    [
        ("stub said < -0.1", 0, f"Passes: stub said < -0.1: stub said of {A} beside {B}, by code. A − B is +0.54, +0."),
        ("said > 0.1", 4, f"Fails: said > 0.1: stub said of {A} beside {B}, by code. A − B is +0.54, "),
        ("done <= 0", 4, f"Fails: done <= 0: done of {A} beside {B}, by code. A − B is 100% and 100%, n = 12."),
        ("done > 0.5", 2, "B is at 1.00, from where no difference meets the rule."),
        ("said:drop=.10", 0, "A is at 0.84, B at 0.31: not worse (p = 1)."),
        ("said:rise=.10", 4, "risen by 0.54 (p = 1.4e-09)."),
        ("said:rise=.60", 0, "risen by 0.54 (p = 1.4e-09); that is shown, and less than the rule's size."),
        ("said:drop=.40", 2, "B is at 0.31, from where no drop of 0.4 is possible: the rule can't fail."),
        ("said:margin=.10", 0, "a change for the worse of 0.1 is excluded."),
    ],
)
def test_a_rule_ends_with_4_where_it_fails_and_with_2_where_it_can_not(
    rule: str, code: int, told: str, drretail: Command, judged: Path
) -> None:
    done = drretail("compare", str(judged), "react", "hybrid", "--metrics", STUB, "--fail-if", rule)
    assert (done.returncode, told in " ".join(done.stderr.split())) == (code, True), done.stderr


def test_a_gate_says_what_it_can_tell_whether_it_fails_and_on_which_queries(drretail: Command, judged: Path) -> None:
    files = ("--junit", str(judged.parent / "gate.xml"), "--summary", str(judged.parent / "summary.md"))
    rules = ("--fail-if", "said:drop=.10", "--fail-if", "said:drop=.90", "--fail-if", "said:rise=.10")
    worse = drretail("compare", "exp", "hybrid", "react", "--metrics", STUB, *rules, *files, "--json")
    gates = json.loads(worse.stdout)["gates"]
    # Three rules share the false alarms.
    assert [(gate["state"], round(gate["alpha"], 4)) for gate in gates] == [
        ("fails", 0.0167), ("open", 0.0167), ("passes", 0.0167)
    ]  # fmt: skip
    assert worse.returncode == 4
    told = " ".join(worse.stderr.split())
    assert "said:drop=.10: an unchanged agent fails in 1.67% of comparisons. With these 12 queries a" in told
    assert re.search(r"a true drop of \.10 fails in \d+%, and one of 0\.\d\d in 80%\.", told)
    assert re.search(r"Worse on \d+ queries: q\d+ \(0\.\d\d → 0\.\d\d\), ", told)
    suite = ElementTree.parse(judged.parent / "gate.xml").getroot()
    kinds = [case[0].tag for case in suite]
    assert (suite.attrib["failures"], kinds) == ("1", ["failure", "error", "system-out"])
    summary = (judged.parent / "summary.md").read_text(encoding="utf-8")
    assert summary.count(f"({B} beside {A}, by code)` |") == 3


def test_where_a_comparison_can_not_be_made_junit_says_so(drretail: Command, judged: Path) -> None:
    done = drretail("compare", "exp", "gone", "react", "--fail-if", "said:drop=.1", "--junit", "gate.xml")
    assert done.returncode == 2
    assert "There is no system 'gone'" in (judged.parent / "gate.xml").read_text(encoding="utf-8")


@pytest.mark.parametrize(("before", "code"), [("0.1", 4), ("0.5", 0), ("gone", 2)])
def test_a_gate_that_is_confirmed_fails_where_it_failed_the_time_before(
    before: str, code: int, tmp_path: Path, drretail: Command
) -> None:
    for folder, value in (("then", before), ("now", "0.1")):
        answers = {label: dict.fromkeys((f"q{at}-r1" for at in range(12)), v) for label, v in ((A, value), (B, "0.5"))}
        answers = {label: its for label, its in answers.items() if (label, value) != (A, "gone")}
        scored(experiment(tmp_path / folder, answers), STUB)
    rule = ("--metrics", STUB, "--fail-if", "said:drop=.1")
    done = drretail("compare", "now", A, B, *rule, "--confirm", "then")
    assert done.returncode == code, done.stderr
    assert (code == 0) == ("It did not fail the time before." in done.stderr)
    assert code == 2 or "fails in 3% of comparisons" in " ".join(done.stderr.split())
    assert drretail("compare", "now", A, B, *rule, "--confirm", "now").returncode == 2


def test_tables_confirm_each_other_and_where_nobody_could_tell_nothing_is_confirmed(
    drretail: Command, tmp_path: Path
) -> None:
    for name, users, low in (("old", 12, 0.1), ("now", 12, 0.1), ("few", 4, 0.1), ("fine", 12, 0.5)):
        rows = [f"{system},q{at},{value}" for at in range(users) for system, value in (("a", low), ("b", 0.5))]
        (tmp_path / f"{name}.csv").write_text("\n".join(["system,query,value", *rows]), encoding="utf-8")
    for before, code in (("old", 4), ("few", 2), ("fine", 0)):
        done = drretail("compare", "now.csv", "a", "b", "--fail-if", "value:drop=.1", "--confirm", f"{before}.csv")
        assert done.returncode == code, before


def test_what_shows_a_difference_is_said_from_an_experiment_or_a_stated_spread(
    drretail: Command, succeeds: Command, tmp_path: Path
) -> None:
    values = [(at, run, system) for at in range(24) for run in (1, 2) for system in "ab"]
    rows = [f"{system},q{at},{(at * 7 + ord(system) * at) % 9 / 10 + run % 2 / 10}" for at, run, system in values]
    (tmp_path / "s.csv").write_text("\n".join(["system,query,value", *rows]), encoding="utf-8")
    sizes = json.loads(succeeds("compare", "s.csv", "a", "b", "--estimate", "value=.1", "--json").stdout)["sizes"]
    assert [size["repeats"] for size in sizes] == [1, 2, 4]
    assert sizes[0]["queries"] > sizes[1]["queries"] > sizes[2]["queries"]
    assert sizes[0]["power"] < sizes[1]["power"] < sizes[2]["power"]
    compared = json.loads(succeeds("compare", "s.csv", "a", "b", "--json").stdout)["comparisons"][0]
    assert compared["tables"][0]["rows"][0]["n_needed"] == sizes[1]["queries"], "with two runs as there are"
    assert "99 queries" in succeeds("compare", "--estimate", ".10/.35").stdout
    for wrong in (["s.csv", "--estimate", "value=2"], ["s.csv", "--estimate", "gone=.1"], ["--estimate", "0/1"], []):
        assert drretail("compare", *wrong).returncode == 2, wrong


def test_systems_that_are_called_a_and_b_go_by_their_names(succeeds: Command, tmp_path: Path) -> None:
    rows = [f"{system},q{number},{value}" for number in range(12) for system, value in (("A", 0.6), ("B", 0.5))]
    (tmp_path / "s.csv").write_text("\n".join(["system,query,value", *rows]), encoding="utf-8")
    said = succeeds("compare", "s.csv").stdout
    assert "“A” is above “B” in value (+0.10 on every query, n = 12)" in said


def test_of_three_systems_without_headlines_it_is_said_why_nothing_is_concluded(
    succeeds: Command, tmp_path: Path
) -> None:
    experiment(tmp_path / "exp", {label: {"q1-r1": "."} for label in (A, B, "third@model")})
    said = succeeds("compare", "exp").stdout
    assert said.startswith("- Nothing is concluded: no headline has values. `drretail score` judges what is missing.\n")


@pytest.mark.usefixtures("judged")
def test_one_number_of_a_metric_is_refused_where_whole_metrics_are_compared(drretail: Command) -> None:
    refused = drretail("compare", "exp", "--by", "turn", "--metrics", "faithfulness:FP")
    told = (
        "Error: faithfulness:FP is one number of the metric faithfulness: name faithfulness alone. Only `compare --by`"
    )
    assert refused.returncode == 2
    assert refused.stderr.startswith(told)
    misspelt = drretail("compare", "exp", "--metrics", "conversation:trun").stderr
    assert "are turn, held, changed, untouched and whole, and none is 'trun': name conversation alone." in misspelt


def answered(folder: Path, values: str, label: str = A) -> None:
    """An experiment of answers that are their own values, or "failed"; a value that is "-" is not judged yet."""
    reports = {f"q{at}-r1": value for at, value in enumerate(values.split()) if value != "-"}
    scored(experiment(folder, {label: reports}), STUB)
    late = {f"q{at}-r1": "0.5" for at, value in enumerate(values.split()) if value == "-"}
    if late:
        experiment(folder, {label: late})


@pytest.mark.parametrize(
    ("now", "told"),
    [
        ("0.5 0.5 0.5 0.5 0.5 0.5", ""),
        ("0.5 0.5 0.5 0.5 0.5 0.6", "said of react@model is 0.517, and was 0.5."),
        ("0.5 0.5", "said of react@model is of 2, and was of 6"),
        ("0.5 failed 0.5 0.5 0.5 0.5", "said of react@model: 1 failed."),
        ("na na na na na na", "said of react@model: no value"),
        ("0.5 0.5 0.5 0.5 0.5 -", "The scores are stale (now: "),
        ("gone", "hybrid@model of the last experiment is gone"),
        ("new", "hybrid@model is not in the last experiment"),
    ],
)
def test_a_gate_on_the_last_experiment_does_not_pass_over_what_nobody_looked_at(
    now: str, told: str, tmp_path: Path, drretail: Command
) -> None:
    answered(tmp_path / "last", "0.5 0.5 0.5 0.5 0.5 0.5")
    if now in ("gone", "new"):
        alone, both = ("now", "last") if now == "gone" else ("last", "now")
        answered(tmp_path / alone, "0.5 0.5 0.5 0.5 0.5 0.5")
        scored(experiment(tmp_path / both, {label: {"q0-r1": "0.5"} for label in (A, B)}), STUB)
    else:
        answered(tmp_path / "now", now)
    done = drretail("compare", "now", "--last", "last", "--fail-if", "said > last")
    said = " ".join((done.stdout + done.stderr).split())
    assert done.returncode == (0 if not told else 4 if "0.517" in told else 2), said
    assert told in said


@pytest.mark.parametrize(("shared", "passes"), [(0, False), (2, False), (3, True)])
def test_a_gate_does_not_pass_over_other_questions_and_says_what_it_passes(
    shared: int, tmp_path: Path, drretail: Command, *, passes: bool
) -> None:
    answered(tmp_path / "last", "0.5 na 0.5 0.5 0.5 na")
    others = {f"q{at}-r1": "0.5" for at in range(6 - shared, 12 - shared)}
    scored(experiment(tmp_path / "now", {A: {**others, f"q{11 - shared}-r1": "na"}}), STUB)
    done = drretail("compare", "now", "--last", "last", "--fail-if", "said > last", "--json")
    assert done.returncode == (0 if passes else 2)
    if passes:
        (gate,) = json.loads(done.stdout)["gates"]
        assert (gate["rule"], gate["state"], gate["of"], gate["dropped"]) == ("said > last", "passes", 5, {"n/a": 1})
        said = "Passes: said > last: said of react@model beside react@model in the 5 of 6 answers looked at;"
        assert said in " ".join(drretail("compare", "now", "--last", "last", "--fail-if", "said > last").stderr.split())
    else:
        assert f"was asked {shared} of the 6 questions of the last experiment" in " ".join(done.stderr.split())


@pytest.mark.parametrize("rule", ["said:drop=.10", "said < -0.05"])
@pytest.mark.parametrize("broken", [True, False])
def test_a_gate_between_systems_fails_or_is_refused_where_judgements_failed(
    rule: str, tmp_path: Path, drretail: Command, *, broken: bool
) -> None:
    lower = {f"q{at}-r1": "0.1" if broken else "0.5" for at in range(20)}
    scored(experiment(tmp_path / "exp", {A: {**lower, "q7-r1": "failed"}, B: dict.fromkeys(lower, "0.5")}), STUB)
    done = drretail("compare", "exp", A, B, "--metrics", STUB, "--fail-if", rule)
    assert done.returncode == (4 if broken else 2), done.stderr
    assert broken or "They lack 1 judge failed." in " ".join(done.stderr.split())


@pytest.mark.parametrize(("damage", "command"), [(b"{", "run … --retry spoiled"), (None, "run")])
def test_a_gate_says_that_run_makes_a_run_that_is_lost(
    damage: bytes | None, command: str, judged: Path, drretail: Command
) -> None:
    lost = run_path(judged, A, "q7", 1)
    lost.unlink() if damage is None else lost.write_bytes(damage)
    done = drretail("compare", "exp", A, B, "--metrics", STUB, "--fail-if", "said:drop=.10")
    assert done.returncode == 2
    assert f"drretail {command} makes the runs. drretail score judges" in " ".join(done.stderr.split())


def test_a_gate_does_not_pass_over_one_row_for_six(tmp_path: Path, drretail: Command) -> None:
    rows = ["b,q0,0.5", *(f"a,q{number},0.5" for number in range(6))]
    (tmp_path / "s.csv").write_text("\n".join(["system,query,value", *rows]), encoding="utf-8")
    done = drretail("compare", "s.csv", "a", "b", "--fail-if", "value < -0.1")
    assert done.returncode == 2
    assert "5 of 6 queries lack a value: 5 no value in the file" in done.stderr

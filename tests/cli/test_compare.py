"""``drretail compare`` on the command line."""

import json
import re
import shutil
from pathlib import Path

import pytest

from drretail.eval.judging.question import verdict_files
from drretail.packs import lines_of
from tests.build import experiment, scored, scripted_judge, systems
from tests.cli.commands import Command, ErrorOf
from tests.eval.metrics.pairwise.judging import prefers_a, two
from tests.eval.own import JUDGED_STUB, STUB

A, B = "react@model", "hybrid@model"
TWO = {
    A: {f"q{at}-r1": str(0.9 - at / 100) for at in range(12)},
    B: {f"q{at}-r1": str(0.2 + at / 50) for at in range(12)},
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two systems of which one is clearly higher."""
    folder = experiment(tmp_path_factory.mktemp("made") / "exp", TWO)
    scored(folder, STUB)
    return folder


@pytest.fixture
def judged(made: Path, tmp_path: Path) -> Path:
    """The same, in the test's folder."""
    return Path(shutil.copytree(made, tmp_path / "exp"))


def test_tables_what_is_missing_and_conclusions_fit_100_columns(succeeds: Command, judged: Path) -> None:
    done = succeeds("compare", "exp", "react", "hybrid", "--metrics", STUB, COLUMNS="100")
    assert f"A = {A}\nB = {B}\n" in done.stdout
    assert re.search(
        r"By code, stub said \+0\.\d+ \(.*\): A above B \(n = 12 queries\)", done.stdout.replace("\n  ", " ")
    )
    assert done.stdout.index("What can be concluded") < done.stdout.index("What is missing")
    commands = [line for line in done.stdout.splitlines() if line.strip().startswith("drretail")]
    assert all(len(line) <= 100 for line in done.stdout.splitlines() if line not in commands)
    assert not done.stdout.rstrip().endswith(":")


def test_repeats_of_agent_and_judge_are_a_table_of_their_own(succeeds: Command, tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", {A: {"q-r1": "0.9", "q-r2": "0.5"}, B: {"q-r1": "0.9", "q-r2": "0.8"}})
    succeeds("score", "exp", "--metrics", JUDGED_STUB, "--repeats", "3", "-q")
    (file, *_) = (path for path in verdict_files(folder) if path.name == "q-r1.jsonl")
    assert len(lines_of(file)) == 3
    table = succeeds("compare", "exp", "--metrics", JUDGED_STUB).stdout.partition("Noise")[2]
    rows = [line.split() for line in table.splitlines() if line.startswith("said")]
    assert rows == [
        ["said", "A", "0.07", "0.00", "100%", "100%", "0.85", "0.80"],
        ["said", "B", "0.28", "0.00", "50%", "0%", "0.70", "0.50"],
    ]
    assert "pass^2" in table


def test_what_was_judged_side_by_side_is_compared_with_all_else_and_alone(succeeds: Command, tmp_path: Path) -> None:
    scored(experiment(tmp_path / "exp", two(9)), ["pairwise", "checks"], scripted_judge(prefers_a)[0])
    done = succeeds("compare", "exp", COLUMNS="120")
    assert "Side by side, judged by scripted" in done.stdout
    (overall,) = [line.split() for line in done.stdout.splitlines() if line.startswith("overall ")]
    assert overall[1:] == ["9", "0", "0", "9", "1.00", "(.66–1)", "0.004", "0.004", "0%", "50%"]
    prefers = "side by side +1.00 (+0.33 to +1.00): A above B (won 9 of 9 queries, lost 0)"
    concluded, _, exploratory = done.stdout.replace("\n  ", " ").partition("Exploratory (nothing is")
    assert prefers in concluded
    assert "constraint_following side by side +1.00 (+0.33 to +1.00): A above B (won 9 of 9" in exploratory
    alone = succeeds("compare", "exp", "--metrics", "pairwise", COLUMNS="120")
    assert prefers in alone.stdout.replace("\n  ", " ")
    assert "faithfulness: not judged for the board" in done.stdout
    assert not any(name in alone.stdout for name in ("checks", "quality", "faithfulness", "query by query"))
    others = succeeds("compare", "exp", "--metrics", "checks")
    assert "ide by side" not in others.stdout


def test_what_nobody_judged_is_named_with_the_command_and_nothing_is_written(succeeds: Command, judged: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in judged.rglob("*")}
    done = succeeds("compare", "exp")
    assert {path: path.stat().st_mtime_ns for path in judged.rglob("*")} == before
    assert (
        "- quality: not judged for the board.\n  drretail score exp --metrics quality --judge PROVIDER:MODEL"
        in done.stdout
    )
    assert "- checks: not judged for the board.\n  drretail score exp --metrics checks\n" in done.stdout
    assert "Nothing can be concluded" in done.stdout


SAID = f"stub said of {A} less that of {B} is +0.54"
DONE = f"done of {A} less that of {B} is 0.00"


@pytest.mark.parametrize(("rule", "told"), [("stub said < -0.1", ""), ("said > 0.1", SAID), ("done <= 0", DONE)])
def test_a_rule_that_the_difference_meets_ends_with_4(drretail: Command, judged: Path, rule: str, told: str) -> None:
    done = drretail("compare", "exp", "react", "hybrid", "--metrics", STUB, "--fail-if", rule)
    assert done.returncode == (4 if told else 0)
    assert bool(told) == (f"{rule}: {told} by code (12 queries)." in done.stderr)


def test_a_gate_says_what_it_can_tell_whether_it_fails_and_on_which_queries(drretail: Command, judged: Path) -> None:
    worse = drretail("compare", "exp", "hybrid", "react", "--metrics", STUB, "--fail-if", "said:drop=.10")
    told = " ".join(worse.stderr.split())
    assert worse.returncode == 4
    assert "said:drop=.10: an unchanged agent fails in at most 5% of comparisons. With these 12 queries" in told
    assert re.search(r"a drop of \.10 is caught in \d+%, and one of 0\.\d\d in 80%; \.10 in 80% takes about \d", told)
    assert "Fails: stub said of hybrid@model is " in told
    assert re.search(r"Worse on \d+ queries: q\d+ \(0\.\d\d → 0\.\d\d\), ", told)
    better = drretail("compare", "exp", "react", "hybrid", "--metrics", STUB, "--fail-if", "said:drop=.10", "--json")
    (gate,) = json.loads(better.stdout)["gates"]
    assert (better.returncode, gate["fails"], gate["alpha"], gate["worse"]) == (0, False, 0.05, {})
    risen = ("--fail-if", "said:rise=.10", "--fail-if", "said:drop=.10", "--json")
    both = drretail("compare", "exp", "react", "hybrid", "--metrics", STUB, *risen)
    # Two rules share the false alarms.
    gates = [(gate["fails"], gate["alpha"]) for gate in json.loads(both.stdout)["gates"]]
    assert (both.returncode, gates) == (4, [(True, 0.025), (False, 0.025)])


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--fail-if", "said:drop=2"], "said is from 0 to 1, and never falls by more than 1"),
        (["--fail-if", "nosuch:drop=.1"], "Known are done, said."),
    ],
)
def test_a_gate_that_makes_no_sense_is_refused(error_of: ErrorOf, judged: Path, given: list[str], told: str) -> None:
    assert told in error_of("compare", "exp", "hybrid", "react", "--metrics", STUB, *given)


def test_many_pairs_take_a_line_each_and_what_is_concluded_comes_first(succeeds: Command, tmp_path: Path) -> None:
    three = {**TWO, "plan@model": {f"q{at}-r1": str(0.2 + at / 50) for at in range(12)}}
    scored(experiment(tmp_path / "exp", three, of=systems(three)), STUB)
    done = succeeds("compare", "exp", "--metrics", STUB, COLUMNS="80")
    assert done.stdout.startswith(
        "What can be concluded\n- By code, stub said: react above hybrid and plan; of the other"
    )
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["hybrid", "plan", "0.00"] in lines
    concluded = [line for line in lines if len(line) > 3 and line[2].endswith("!")]
    assert [line[:2] for line in concluded] == [["hybrid", "react"], ["plan", "react"]]
    assert all(line[3].startswith("(") and line[-1].endswith(")") for line in concluded)  # the interval
    assert len(lines) < 20
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    assert "\n  drretail compare exp hybrid@model plan@model\n" in done.stdout
    assert "drretail compare exp --details" in done.stdout
    whole = succeeds("compare", "exp", "--metrics", STUB, "--details").stdout
    assert whole.count("What can be concluded") == 3

"""``drretail compare`` on the command line."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.eval.folders import JUDGED_STUB, STUB, experiment

A, B = "react@model", "hybrid@model"
TWO = {
    A: {f"q{at}-r1": str(0.9 - at / 100) for at in range(12)},
    B: {f"q{at}-r1": str(0.2 + at / 50) for at in range(12)},
}


@pytest.fixture
def judged(drretail: Command, tmp_path: Path) -> Path:
    """Two systems of which one is clearly higher."""
    folder = experiment(tmp_path / "exp", TWO)
    assert drretail("score", "exp", "--metrics", STUB, "--quiet").returncode == 0
    return folder


def test_tables_what_is_missing_and_conclusions_fit_100_columns(drretail: Command, judged: Path) -> None:
    done = drretail("compare", "exp", "react", "hybrid", "--metrics", STUB, COLUMNS="100")
    assert done.returncode == 0, done.stderr
    assert f"A = {A}\nB = {B}\n" in done.stdout
    assert "By code, A is higher than B (difference, 95 % interval) in stub said (0." in done.stdout.replace(
        "\n  ", " "
    )
    assert done.stdout.index("What is missing") < done.stdout.index("What can be concluded")
    commands = [line for line in done.stdout.splitlines() if line.strip().startswith("drretail")]
    assert all(len(line) <= 100 for line in done.stdout.splitlines() if line not in commands)
    assert not done.stdout.rstrip().endswith(":")


def test_json_is_one_document_of_the_same(drretail: Command, judged: Path) -> None:
    done = drretail("compare", "exp", "--metrics", STUB, "--json")
    document = json.loads(done.stdout)
    (made,) = document["comparisons"]
    assert (document["format"], made["a"], made["b"]) == (1, B, A)
    (row,) = made["tables"][0]["rows"]
    assert (row["variant"], row["outcome"], row["n_pairs"]) == ("said", "lower", 12)
    assert row["p_sign"] == pytest.approx(2 / 2**12)
    assert made["conclusions"][0].startswith("By code, B is higher than A")


def test_repeats_of_agent_and_judge_are_a_table_of_their_own(drretail: Command, tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", {A: {"q-r1": "0.9", "q-r2": "0.5"}, B: {"q-r1": "0.9", "q-r2": "0.8"}})
    assert drretail("score", "exp", "--metrics", JUDGED_STUB, "--judge-repeats", "3", "-q").returncode == 0
    (file, *_) = folder.glob("verdicts/stub/*/*/q-r1.jsonl")
    assert len(file.read_text(encoding="utf-8").splitlines()) == 3
    table = drretail("compare", "exp", "--metrics", JUDGED_STUB).stdout.partition("Noise")[2]
    rows = [line.split() for line in table.splitlines() if line.startswith(" said")]
    assert rows == [
        ["said", "A", "–", "0.07", "0.00", "100%", "100%", "0.85", "0.80"],
        ["said", "B", "–", "0.28", "0.00", "50%", "0%", "0.70", "0.50"],
    ]
    assert "pass^2" in table


def test_nothing_is_judged_or_written(drretail: Command, judged: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in judged.rglob("*")}
    drretail("compare", "exp")
    assert {path: path.stat().st_mtime_ns for path in judged.rglob("*")} == before


def test_what_nobody_judged_is_named_with_the_command(drretail: Command, judged: Path) -> None:
    done = drretail("compare", "exp")
    assert done.returncode == 0
    assert "- quality: nobody judged.\n  drretail score exp --metrics quality --judge PROVIDER:MODEL" in done.stdout
    assert "- checks: nobody judged.\n  drretail score exp --metrics checks\n" in done.stdout
    assert "Nothing can be concluded" in done.stdout


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("compare", "nowhere"), "nowhere/experiment.json does not exist"),
        (("compare", "exp", "raect@model", "hybrid"), "There is no system 'raect@model'. Did you mean react@model"),
        (("compare", "exp", "--metrics", "qualty"), "There is no metric 'qualty'. Did you mean quality?"),
        (("compare", "exp", "--metrics", ","), "--metrics names nothing"),
        (("compare", "exp", "--judge", "gemini:x"), "There is no judge with verdicts here 'gemini:x'"),
    ],
)
def test_what_the_user_must_fix_is_one_sentence_and_2(
    drretail: Command, tmp_path: Path, args: tuple[str, ...], said: str
) -> None:
    experiment(tmp_path / "exp", TWO)
    done = drretail(*args)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr

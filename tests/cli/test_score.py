"""``drretail score`` on the command line. Tests api/score.py."""

import json
from pathlib import Path

import pytest

from tests.build import experiment
from tests.cli.commands import Command, ErrorOf
from tests.eval.metrics.pairwise.judging import A, B, two
from tests.eval.own import STUB

STUBBED, PAIRWISE = ("score", "exp", "--metrics", STUB), ("score", "exp", "--metrics", "pairwise")


@pytest.fixture
def made(succeeds: Command, shop: str, queries: str, tmp_path: Path) -> Path:
    """An experiment of two queries in the tiny shop."""
    succeeds("run", "--queries", queries, "--to", "exp", "--world", shop)
    return tmp_path / "exp"


MISTAKES: list[tuple[tuple[str, ...], str]] = [
    (("score", "nowhere"), "nowhere does not exist"),
    (("score", "exp", "--metrics", "qualty"), "There is no metric 'qualty'. Did you mean quality?"),
    (("score", "exp", "--metrics", ""), "'' names nothing"),
    ((*STUBBED, "--by", "categry"), "There is no kind of slice 'categry'. Did you mean category?"),
    (("score", "exp", "--metrics", "quality", "--judge", "nobody:x"), "There is no model provider 'nobody'"),
    ((*PAIRWISE, "--pairs", A), "name two systems by their labels"),
    ((*PAIRWISE, "--rules", "dr3"), "pairwise has no rules dr3: take default, paper"),
    (("score", "exp", "--metrics", "checks", "--pairs", f"{A}~{B}"), "add it to the metrics"),
    (("compare", "exp", "--judge", "gemini:x"), "There is no judge with verdicts here 'gemini:x'"),
]


def test_what_the_user_must_fix_is_one_sentence_and_2(error_of: ErrorOf, tmp_path: Path) -> None:
    experiment(tmp_path / "exp", two(1))
    for args, message in MISTAKES:
        assert message in error_of(*args), args


def test_another_world_is_refused(drretail: Command, error_of: ErrorOf, made: Path, tmp_path: Path) -> None:
    assert "Without the shop's records" not in drretail(*STUBBED).stderr
    (tmp_path / "w").rename(tmp_path / "moved")
    assert f"Without the shop's records (There is no world at {tmp_path / 'w'})" in drretail(*STUBBED).stderr
    assert "Without the shop's records" not in drretail(*STUBBED, "--world", "moved").stderr
    definition = made / "experiment.json"
    held = json.loads(definition.read_text(encoding="utf-8"))
    definition.write_text(json.dumps(held | {"world_fingerprint": "0" * 64}), encoding="utf-8")
    assert "is not the one that the experiment was made in (000000000000)" in error_of(*STUBBED, "--world", "moved")
    (tmp_path / "moved").rename(tmp_path / "w")
    assert f"the world {tmp_path / 'w'} has become another" in drretail(*STUBBED).stderr


def test_score_opens_with_the_scoreboard_and_metrics_come_by_details(drretail: Command, made: Path) -> None:
    asked = ("score", made.name, "--metrics", "checks,basket", "-q")
    shown = drretail(*asked).stdout
    assert shown.splitlines()[1] == "One system researches: there is nothing to compare it with."
    assert "Checks, by code" in shown, "asked for, and on no board"
    assert f"definitions: drretail score {made.name} --metrics checks,basket --details." in shown.replace("\n  ", " ")
    made = made.rename(made.with_name("ans wers é"))
    asked = ("score", made.name, "--metrics", "checks,basket", "-q")
    assert "drretail score 'ans wers é' --metrics checks,basket --details." in drretail(*asked).stdout.replace(
        "\n  ", " "
    )
    whole = drretail(*asked, "--details").stdout
    assert "Checks, by code" in whole
    rows = json.loads(drretail(*asked, "--json").stdout)["scoreboard"]["rows"]
    (cells,) = (row["cells"] for row in rows if row["system"].startswith("r"))
    assert {"done", "words", "tokens"} <= set(cells)

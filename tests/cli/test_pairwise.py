"""``score --metrics pairwise`` as a user runs it."""

from pathlib import Path
from typing import Any

import pytest

from drretail.records.pairs import PairScore, RankScore, Share
from drretail.records.score import Scores
from drretail.viewer.terminal.printed_scores import print_pairs
from tests.build import experiment
from tests.cli.commands import Command
from tests.eval.families.pairwise.judging import A, B, two

PAIRWISE = ("score", "exp", "--metrics", "pairwise")
SCRIPT = """
[[rules]]
schema = "Rating"
answer = { structured = { justification = "So.", rating = 6 } }

[[rules]]
schema = "Comparison"
answer = { structured = { justification = "So.", winner = "A" } }
"""
ASKED = (*PAIRWISE, "--judge", "scripted:judge.toml")
"""Of a judge that gives opinions."""
JUDGED: dict[str, Any] = {"version": 1, "judge": "anthropic:m", "judge_kind": "llm"}


def a_row(a: str, b: str, dimension: str, **given: Any) -> PairScore:
    shares = {"win": Share(value=0.6, ci_low=0.46, ci_high=0.72), "tie": Share(value=0.1), "loss": Share(value=0.3)}
    numbers: dict[str, Any] = {"win_rate": 0.65, "flip_rate": 0.1, "first_position_rate": 0.48, **shares}
    numbers |= {"n_planned": 50, "n_scored": 49, "n_failed": 1}
    return PairScore(a=a, b=b, dimension=dimension, **{**JUDGED, **numbers, **given})


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")


@pytest.fixture(autouse=True)
def script(tmp_path: Path) -> None:
    (tmp_path / "judge.toml").write_text(SCRIPT, encoding="utf-8")


def printed(capsys: pytest.CaptureFixture[str], pairs: list[PairScore], ranks: list[RankScore] | None = None) -> str:
    print_pairs(Scores(scores=(), judgings=(), pairs=tuple(pairs), ranks=tuple(ranks or ())))
    return capsys.readouterr().out


def test_a_table_has_shares_with_intervals_flips_and_what_failed(capsys: pytest.CaptureFixture[str]) -> None:
    result = printed(capsys, [a_row(A, B, "depth", failed_verdicts=2), a_row(A, B, "overall")])
    for text in ("a over b", "60% (46–72)", "0.65", "49 of 50,", "1 failed", "10%", "48%", "in both orders"):
        assert text in result
    assert f"{A} over {B}: 2 questions without a usable answer." in result
    assert "strengths" not in result


def test_of_many_pairs_the_overall_quality_is_shown_and_strengths_of_all(capsys: pytest.CaptureFixture[str]) -> None:
    labels = [f"{letter}@model" for letter in "abcd"]
    pairs = [
        a_row(a, b, dimension)
        for i, a in enumerate(labels)
        for b in labels[i + 1 :]
        for dimension in ("depth", "overall")
    ]
    ranks = [
        RankScore(**JUDGED, dimension=dimension, system=label, strength=strength, n_opponents=3)
        for dimension in ("depth", "overall")
        for label, strength in zip(labels, (-0.001, 1.5, -1.5, 0.001), strict=True)
    ]
    result = printed(capsys, pairs, ranks)
    table, _, strengths = result.partition("Strengths, strongest first by overall")
    assert "depth" not in table
    assert "6 pairs: the other six dimensions are in scores.json" in table
    assert [line.split()[0] for line in strengths.splitlines()[3:7]] == ["b", "d", "a", "c"]
    for text in ("depth", "+1.50", "-1.50", " 0.00", "P(i beats j)"):
        assert text in strengths
    assert "-0.00" not in strengths


def test_what_was_judged_before_is_named_and_not_printed_again(drretail: Command, tmp_path: Path) -> None:
    experiment(tmp_path / "exp", two(1))
    drretail("score", "exp", "--metrics", "quality,checks", *ASKED[4:], "-q")
    shown = drretail(*ASKED, "-q", "--details").stdout
    assert "Side by side (pairwise), judged by" in shown
    assert "Checks, by code" not in shown
    assert "scores.json also holds quality, checks:" in shown
    everything = drretail("score", "exp", "-q", "--details").stdout
    assert "Side by side (pairwise), judged by" in everything
    assert "Checks, by code" in everything
    assert "also holds" not in everything

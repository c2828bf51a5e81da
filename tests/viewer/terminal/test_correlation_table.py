"""Correlations on the terminal."""

import pytest

from drretail.records.score import Correlation, Scores
from drretail.viewer.terminal.printed_scores import print_correlations


def a_row(process: str, variant: str, rho: float, p_holm: float, **given: str) -> Correlation:
    judge = {"judge": "anthropic:a", "judge_kind": "llm", **given}
    counts = {"n": 50, "n_queries": 50, "n_effective": 50.0}
    fields = {"process": process, "metric": "faithfulness", "variant": variant, "rho": rho, "p": 0.001}
    return Correlation.model_validate({**fields, **counts, **judge, "p_holm": p_holm})


def printed(capsys: pytest.CaptureFixture[str], *rows: Correlation) -> str:
    print_correlations(Scores(scores=(), judgings=(), correlations=rows))
    return capsys.readouterr().out


def test_measures_are_rows_and_the_end_says_what_it_is_not(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(
        capsys, a_row("turns", "FP", 0.5, 0.02), a_row("turns", "FR", -0.104, 0.4), a_row("pages", "FP", 0.1, 1)
    )
    lines = [line.split() for line in out.splitlines()]
    assert "process × scores, judged by anthropic:a" in out
    assert ["turns", "+0.50*", "-0.10"] in lines
    assert ["pages", "+0.10"] in lines
    assert "FP (n=50)" in out
    assert "Holm over all 3. A correlation does not prove a cause." in " ".join(out.split())
    assert printed(capsys) == ""


def test_judges_and_rules_have_tables_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(
        capsys,
        a_row("turns", "FP", 0.5, 1),
        a_row("turns", "clean", 0.5, 1, judge="code", judge_kind="rule_based"),
        a_row("turns", "FP", 0.5, 1, rules="paper"),
    )
    titles = [line.strip() for line in out.splitlines() if line.startswith("process ×")]
    assert titles == [
        "process × scores, judged by anthropic:a",
        "process × scores, judged by anthropic:a, rules paper",
        "process × scores, by code",
    ]

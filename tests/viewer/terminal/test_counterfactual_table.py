"""What the table of counterfactuals shows."""

import pytest

from drretail.records.counterfactual import CounterfactualRow, Dimension
from drretail.records.score import Scores
from drretail.viewer.terminal.printed_scores import print_counterfactuals


def row(of: Dimension, n_scored: int) -> CounterfactualRow:
    return CounterfactualRow(
        version=2,
        system="a-counterfactual-swap",
        factual="a",
        kind="swap",
        measure="beyond",
        of=of,
        value=0.25 if n_scored else None,
        n_planned=4,
        n_scored=n_scored,
        n_na=4 - n_scored,
    )


def test_a_dimension_without_any_value_has_no_line(capsys: pytest.CaptureFixture[str]) -> None:
    rows = (row("products", 0), row("brands", 3), row("prices", 0))
    print_counterfactuals(Scores.model_construct(counterfactuals=rows))
    shown = capsys.readouterr().out
    assert "brands changed beyond repeats" in shown
    assert "products changed beyond repeats" in shown
    assert "prices changed" not in shown

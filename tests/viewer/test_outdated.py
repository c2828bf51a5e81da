from pathlib import Path

import pytest

from drretail.eval.registry import load_metric
from drretail.eval.scores import derive_scores
from drretail.experiment import read_runs
from drretail.files import write_json
from drretail.records.base import sha256_of
from drretail.viewer.page import render_page
from drretail.viewer.reading import read_view
from drretail.viewer.terminal import render_text
from tests.viewer.experiment import JUDGE, append, rewrite, verdict

OLDER = "These scores are older than the runs: "


@pytest.fixture
def scored(mine: Path) -> Path:
    """Scores made by code of the verdicts that stand there."""
    families = [load_metric(name) for name in ("faithfulness", "quality", "checks")]
    write_json(mine / "scores.json", derive_scores(mine, families).model_dump(mode="json", exclude_none=True))
    return mine


def test_scores_of_today_are_not_marked(scored: Path) -> None:
    assert read_view(scored).outdated == ""
    assert OLDER not in render_page(scored) + render_text(scored)


def test_scores_of_another_report_are_marked_with_the_command(scored: Path) -> None:
    (first, *_) = read_runs(scored)
    report = f"{first.report} And more."
    rewrite(scored, first.model_copy(update={"report": report, "report_sha": sha256_of(report)}))
    for shown in (render_page(scored), render_text(scored)):
        assert OLDER in shown
        assert "drretail score exp" in shown
    assert "about another report or asked in other words, and not used" in render_text(scored)
    said = "quality of react@offline-shopper by scripted:judge was made of 6 verdicts, and 3 are"
    assert said in read_view(scored).outdated


def test_verdicts_that_came_later_are_told(scored: Path) -> None:
    (first, *_) = read_runs(scored)
    append(scored, first, [verdict(first, "quality", JUDGE, "rating", "clarity", rules="paper", value=8)])
    assert read_view(scored).outdated.endswith("by scripted:judge under the rules of paper is not among them")

from pathlib import Path

import pytest

from drretail.eval.registry import load_metric
from drretail.eval.scores.file import derive_scores
from drretail.experiment import read_runs
from drretail.files import write_json
from drretail.records.base import sha256_of
from drretail.records.score import JudgeRef
from drretail.viewer.commands import score_commands
from drretail.viewer.experiment import read_view
from drretail.viewer.page.document import render_page
from drretail.viewer.terminal.text_report import render_text
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


def test_a_panel_has_no_verdicts_and_does_not_make_scores_old(mine: Path) -> None:
    judges = [JudgeRef(spec=f"scripted:{name}", kind="scripted") for name in ("one", "two")]
    for run in read_runs(mine):
        for judge in judges if run.report is not None else ():
            append(mine, run, [verdict(run, "quality", judge, "rating", "clarity", value=8)])
    made = derive_scores(mine, [load_metric("quality")])
    assert any(judging.judge.startswith("panel(") for judging in made.judgings)
    write_json(mine / "scores.json", made.model_dump(mode="json", exclude_none=True))
    assert read_view(mine).outdated == ""
    assert "--judge 'panel" not in render_page(mine) + " ".join(score_commands(read_view(mine)))
    (first, *_) = read_runs(mine)
    append(mine, first, [verdict(first, "quality", judges[0], "rating", "depth", value=8)])
    assert "quality of react@offline-shopper by scripted:one was made of" in read_view(mine).outdated

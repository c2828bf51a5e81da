"""What a notebook shows of experiments, reports and scores, and the example of one."""

import ast
import asyncio
import json
from html import unescape
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from drretail import Agent, Answer, run, score
from drretail.api.recorded import RecordedAnswer, RecordedExperiment, RecordedScores
from drretail.env.session import Session
from drretail.errors import UserError
from drretail.llm.models import Models
from drretail.records.query import Task
from drretail.records.run import Limits
from tests import build
from tests.shop import USER, build_shop

NOTEBOOK = Path(__file__).parents[2] / "examples" / "notebook.ipynb"
QUESTION = "Which bird feeder suits me, under $30 <b>or so</b>?"


async def silent(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
    return Answer(report="")


def shown(value: Any) -> str:
    """As Jupyter asks for it."""
    return value._repr_html_()


@pytest.fixture(scope="module")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> RecordedExperiment:
    folder = tmp_path_factory.mktemp("notebook")
    build_shop(folder / "w")
    agents = ["react", Agent(silent, roles=())]
    return run(folder / "w", [QUESTION], agents, to=folder / "exp", user=USER, baselines=False)


@pytest.fixture(scope="module")
def scores(experiment: RecordedExperiment) -> RecordedScores:
    return score(experiment, ["faithfulness", "checks"])


def test_experiments_are_tables_and_scores_a_board(experiment: RecordedExperiment, scores: RecordedScores) -> None:
    assert repr(experiment) == f"<RecordedExperiment {experiment.folder}: 2 systems, 1 query, 2 runs>"
    assert "<table" in shown(experiment)
    assert repr(scores) == "<RecordedScores: 2 systems, faithfulness, checks>"
    assert "Scoreboard, judged by offline:judge (rule-based)" in shown(scores)
    assert "\nScoreboard, judged by offline:judge (rule-based)\n" in str(scores)
    empty = RecordedScores(scores=(), judgings=())
    assert (str(empty), shown(empty)) == ("<RecordedScores: 0 systems, nothing scored>", "Nothing is scored yet.")


def test_a_report_is_a_page_with_claims_and_steps(experiment: RecordedExperiment, scores: RecordedScores) -> None:
    answers = {answer.run.status: answer for answer in experiment.reports()}
    html = shown(answers["done"])
    assert html.startswith('<iframe srcdoc="&lt;!doctype html&gt;')
    assert html.count('"') == 6, "nothing of the page ends its attribute"
    page = unescape(html)
    assert '<mark class="' in page
    assert 'class="badge ' in page
    assert "product_catalog_search" in page
    assert "&lt;b&gt;or so" in page
    assert "left no report" not in page
    failed = answers["failed"]
    assert (failed.report, "failed" in repr(failed)) == ("", True)
    assert "The run failed" in unescape(shown(failed))
    answered = RecordedAnswer(build.run("q1-r1", "Take **it**."), ())
    assert "Take <strong>it</strong>." in unescape(shown(answered))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_scores_are_a_data_frame(scores: RecordedScores, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    to_frame = getattr(scores, f"to_{library}")
    if find_spec(library) is None:
        with pytest.raises(UserError, match=f"{library} is not installed: pip install {library}."):
            to_frame()
        return
    frame = to_frame()
    assert len(frame) == len(scores.scores)
    assert [*frame["variant"]] == [row.variant for row in scores.scores]


def test_the_example_runs_under_a_notebooks_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    values: list[Any] = []
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]

    async def play() -> None:
        for code in ("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"):
            *statements, last = ast.parse(code).body
            exec(compile(ast.Module(statements, []), str(NOTEBOOK), "exec"), names)
            assert isinstance(last, ast.Expr), "every cell shows something"
            values.append(eval(compile(ast.Expression(last.value), str(NOTEBOOK), "eval"), names))

    asyncio.run(play())
    assert [type(value).__name__ for value in values][:3] == ["RecordedExperiment", "RecordedScores", "RecordedAnswer"]
    assert all(shown(value) for value in values[:3])
    if find_spec("pandas") is None:
        assert values[3] == "pandas is not installed: pip install pandas."
    assert isinstance(values[4], tuple), "the cells behind it run without pandas"

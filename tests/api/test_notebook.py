"""What a notebook shows of an experiment. Tests recorded.py, recorded_scores.py and viewer/page/document.py."""

import ast
import asyncio
import json
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from drretail import Agent, Answer, run, score
from drretail.api.recorded import RecordedExperiment
from drretail.api.recorded_scores import RecordedScores
from drretail.env.session import Session
from drretail.errors import UserError
from drretail.llm.models import Models
from drretail.records.query import Task
from drretail.records.run import Limits
from tests.build import known
from tests.shop import USER

EXAMPLES = Path(__file__).parents[2] / "examples"
QUESTION = "Which bird feeder suits me, under $30 <b>or so</b>?"


async def silent(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
    return Answer(report="")


Rows = Callable[..., list[dict[str, Any]]]


class Frame(list[dict[str, Any]]):
    """Rows in the place of a data frame."""

    def set_index(self, keys: list[str]) -> "Frame":
        assert not self or {*keys} <= {*self[0]}
        return self


@pytest.fixture
def rows_of(monkeypatch: pytest.MonkeyPatch) -> Rows:
    """The rows of a data frame, whether or not a library for it is installed."""
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=lambda rows, **_: Frame(rows)))
    return lambda scores, **asked: scores.to_pandas(**asked)


def shown(value: Any) -> str:
    """As Jupyter asks for it."""
    return value._repr_html_()


@pytest.fixture(scope="module")
def experiment(tiny_shop: Path, tmp_path_factory: pytest.TempPathFactory) -> RecordedExperiment:
    agents = ["react", Agent(silent, roles=())]
    to = tmp_path_factory.mktemp("notebook") / "exp"
    return run(tiny_shop, [QUESTION], agents, to=to, user=USER, baselines=False)


@pytest.fixture(scope="module")
def scores(experiment: RecordedExperiment) -> RecordedScores:
    return score(experiment, ["faithfulness", "checks"])


def test_experiments_are_tables_and_scores_a_board(experiment: RecordedExperiment, scores: RecordedScores) -> None:
    assert repr(experiment) == f"<RecordedExperiment {experiment.folder}: 2 systems, 1 query, 2 runs>"
    assert "<table" in shown(experiment)
    assert repr(scores) == "<RecordedScores: 2 systems, checks, faithfulness>"
    for part in ("1 user is too few for any conclusion", "Table 1. Faithfulness, judged by offline:judge (rule-based)"):
        assert part in shown(scores)
    assert str(scores).startswith("1 user is too few for any conclusion; 5 is the minimum.")
    empty = RecordedScores(scores=(), judgings=())
    assert (str(empty), shown(empty)) == ("<RecordedScores: 0 systems, nothing scored>", "Nothing is scored yet.")


def test_an_answer_says_what_it_is(experiment: RecordedExperiment) -> None:
    answers = {answer.run.status: answer for answer in experiment.reports()}
    assert (answers["failed"].report, "failed" in repr(answers["failed"])) == ("", True)
    assert "done" in repr(answers["done"])


def test_a_frame_has_each_number_once_with_what_it_is_over(
    experiment: RecordedExperiment, scores: RecordedScores, rows_of: Rows
) -> None:
    rows = {(row["metric"], row["variant"], row["system"]): row for row in rows_of(scores)}
    assert len(rows) == len(rows_of(scores))
    failed, broken = (
        rows[metric, variant, "silent"] for metric, variant in (("faithfulness", "FP"), ("checks", "clean"))
    )
    assert (failed["value"], failed["n"], failed["n_planned"]) == (None, 0, 1)
    assert (broken["value"], broken["n"], broken["n_planned"]) == (0.0, 1, 1)
    assert len(rows_of(known(experiment.scores))) == len(rows)


def test_values_by_query_are_what_each_run_counts_in_its_system_s_mean(scores: RecordedScores, rows_of: Rows) -> None:
    by_system = {(row["metric"], row["variant"], row["system"]): row for row in rows_of(scores)}
    values = rows_of(scores, by="query")
    for row in values:
        its = by_system[row["metric"], row["variant"], row["system"]]
        assert row["value"] == (None if its["value"] is None else pytest.approx(its["value"]))
        assert its["n" if row["state"] == "scored" else f"n_{row['state']}"] == 1
    assert {(row["query_id"], row["repeat"]) for row in values} == {(values[0]["query_id"], 1)}
    failed, broken = (
        next(row for row in values if (row["variant"], row["system"]) == (name, "silent")) for name in ("FP", "clean")
    )
    assert (failed["value"], failed["state"], failed["why"]) == (None, "failed", "run failed")
    assert (broken["value"], broken["state"], broken["why"]) == (0.0, "scored", "run failed")
    with pytest.raises(UserError, match="not read from an experiment"):
        rows_of(RecordedScores(scores=scores.scores, judgings=()), by="query")
    with pytest.raises(UserError, match="no kind of row 'user'"):
        rows_of(scores, by="user")


def played(name: str) -> list[Any]:
    """The values that the cells of an example show, run under an event loop as Jupyter runs them."""
    names: dict[str, Any] = {}
    values: list[Any] = []
    cells = json.loads((EXAMPLES / name).read_text(encoding="utf-8"))["cells"]

    async def play() -> None:
        for cell in cells:
            if cell["cell_type"] != "code":
                continue
            assert cell["outputs"], "it is kept as executed"
            *statements, last = ast.parse("".join(cell["source"])).body
            exec(compile(ast.Module(statements, []), name, "exec"), names)
            assert isinstance(last, ast.Expr), "every cell shows something"
            values.append(eval(compile(ast.Expression(last.value), name, "eval"), names))

    asyncio.run(play())
    return values


def test_the_example_runs_under_a_notebooks_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    values = played("notebook.ipynb")
    assert [type(value).__name__ for value in values][:3] == ["RecordedExperiment", "RecordedScores", "RecordedAnswer"]
    assert all(shown(value) for value in values[:2])
    if find_spec("pandas") is None:
        assert values[3] == "pandas is not installed: pip install pandas."
    assert isinstance(values[4], tuple), "the cells behind it run without pandas"

"""Metrics of somebody else's, and what they say of themselves. Also tests registry.py.
value_of, of_measures: tests/eval/metrics/test_contract.py. of_answers: tests/eval/claims/test_turns.py.
"""

import re
from pathlib import Path
from typing import Any

import pytest

from drretail.errors import UserError
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import Metric, Value, judging_order, metric
from drretail.eval.numbers.comparing import compare_recorded, compare_systems, metrics_away
from drretail.eval.numbers.file import read_scores
from drretail.eval.numbers.gathering import gather
from drretail.eval.registry import load_metric, load_metrics
from drretail.viewer.tables.scores import score_tables, slice_sections
from tests import build
from tests.build import experiment, known
from tests.eval.own import METRIC
from tests.viewer.experiment import render_page

PLACE = "tests.eval.own:METRIC"
REPORTS = {"a@model": {"q1-r1": "A B C D E", "q2-r1": "A B C D"}, "b@model": {"q1-r1": "A B", "q2-r1": "A"}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = experiment(tmp_path / "exp", REPORTS)
    build.scored(made, [PLACE])
    return made


def test_tables_the_board_pages_and_comparisons_show_the_metric_as_it_describes_itself(folder: Path) -> None:
    scores = known(read_scores(folder))
    (table,) = score_tables(scores.scores, scores.metrics)
    assert table.title == "Brevity"
    assert "Short reports have fewer than four words." in table.notes
    sliced = slice_sections(scores.slices, scores.scores, metrics=scores.metrics).values()
    assert {each.title.partition(" by ")[0] for section in sliced for each in section.tables} == {"Brevity: short"}
    board = known(scores.scoreboard)
    assert [(column.name, column.metric, column.unit) for column in board.columns] == [
        ("brevity short", "brevity", "share"),
        ("brevity words", "brevity", "count"),
        ("done", "", "share"),
        ("words", "", "words"),
    ]
    assert {each.system: each.cells["brevity short"].value for each in board.rows} == {"a@model": 0, "b@model": 1}
    assert "Brevity" in render_page(folder)
    gathered = gather(folder, [METRIC])
    compared = compare_systems(gathered, "a@model", "b@model", gathered.assessors("brevity"))
    (table,) = compared.tables
    row = table.rows[0]
    assert (row.variant, row.name, row.is_count, row.difference) == ("short", "brevity short", False, -1)


def test_one_function_may_measure_several_variants_and_where_it_finds_nothing_the_report_is_na(tmp_path: Path) -> None:
    @metric(variants=("words", "letters"))
    def sizes(run: Subject) -> dict[str, float | None]:
        text = run.report or ""
        return {"words": len(text.split()), "letters": None if text == "A" else len(text)}

    folder = experiment(tmp_path / "exp", {"a@model": {"q1-r1": "A", "q2-r1": "A B"}})
    rows = build.rows(build.scored(folder, [sizes]), "sizes")
    assert {name: (row.value, row.n_na) for name, row in rows.items()} == {"words": (1.5, 0), "letters": (3, 1)}


def test_a_name_that_is_no_folder_or_is_taken_is_refused_in_one_sentence(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", REPORTS)
    for name in ("../../outside", "a/b", "a b"):
        with pytest.raises(UserError, match="letters, digits"):
            build.scored(folder, [metric(name=name)(_one)])
    for name in ("checks", "pairwise"):
        with pytest.raises(UserError, match=f"'{name}' is drretail's own"):
            build.scored(folder, [metric(name=name)(_one)])
    assert not list(tmp_path.rglob("outside"))
    assert load_metrics([load_metric("checks")]) == [load_metric("checks")]
    first, second = metric(name="mine")(_one), metric(name="mine")(_one)
    with pytest.raises(UserError, match="two metrics 'mine'"):
        load_metrics([first, second])
    assert len(load_metrics([first, first])) == 1


def test_metrics_come_after_those_whose_verdicts_they_read_and_a_circle_is_told(tmp_path: Path) -> None:
    order: list[str] = []

    def metric(name: str, *after: str) -> Metric:
        def judge(subject: Subject, session: JudgeSession) -> None:
            order.append(name)

        return Metric(name, 1, judge, lambda *given: [], ("a",), needs_judge=False, after=after)

    first, second, third = metric("first"), metric("second", "first", "not_asked"), metric("third", "second")
    folder = experiment(tmp_path / "exp", {"a@model": {"q1-r1": "A", "q2-r1": "A B"}})
    build.scored(folder, [third, second, first])
    assert order == ["first"] * 2 + ["second"] * 2 + ["third"] * 2
    one = Metric("one", 1, lambda *given: None, lambda *given: [], ("a",), after=("two",))
    two = Metric("two", 1, lambda *given: None, lambda *given: [], ("a",), after=("one",))
    with pytest.raises(UserError, match="need one another in a circle"):
        judging_order([one, two])


@pytest.mark.parametrize("given", [float("nan"), float("inf"), "good", "0.5", [1.0], 1j])
def test_a_measure_that_gives_no_number_is_named(tmp_path: Path, given: Any) -> None:
    @metric(name="mine", variants=("odd",))
    def odd(run: Subject) -> Any:
        return given

    scores = build.scored(experiment(tmp_path / "exp", REPORTS), [odd])
    assert [judging.failed for judging in scores.judgings] == [2, 2]
    assert re.search("'mine' failed in judge: .*odd gave .*, which is no number", scores.judgings[0].error)


def test_a_measure_that_raises_has_failed_on_that_run_and_is_tried_again(tmp_path: Path) -> None:
    raises = [True]

    @metric
    def letters(run: Subject) -> float:
        if run.report == "A B" and raises:
            raise KeyError("letters")
        return len(run.report or "")

    folder = experiment(tmp_path / "exp", {"a@model": {"q1-r1": "A", "q2-r1": "A B"}})
    for failed in (1, 1, 0):
        raises[:] = [True] * failed
        scores = build.scored(folder, [letters])
        (row,), (judging,) = build.rows(scores).values(), scores.judgings
        assert (row.value, row.n_failed, judging.failed) == (1 if failed else 2, failed, failed)
        assert (
            "'letters' failed in judge: KeyError: 'letters' (tests/eval/test_metric.py, line" in judging.error
        ) == bool(failed)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([Value("a", "scored", float("nan"))], "no number"),
        ([Value("a", "na", 1.0)], "'a' has a value"),
        ([Value("z", "scored", 1.0)], "'z' is none of its variants"),
        ([Value("a", "scored", 1.0), Value("a", "scored", 0.0)], "'a' stands twice"),
        ([0.5], "no drretail\\.Value"),
    ],
)
def test_values_that_no_mean_can_be_made_of_are_told(tmp_path: Path, given: list[Any], message: str) -> None:
    def judged(subject: Subject, session: JudgeSession) -> None:
        session.record("count", "words", "scored", 1)

    metric = Metric("mine", 1, judged, lambda *_: given, ("a",), needs_judge=False)
    folder = experiment(tmp_path / "exp", REPORTS)
    with pytest.raises(UserError, match=f"'mine' failed in values: .*{message}"):
        build.scored(folder, [metric])


def _one(run: Subject) -> float:
    return 1.0


def test_a_place_without_a_metric_is_said() -> None:
    with pytest.raises(UserError, match=r"is not a metric.*@drretail\.metric"):
        load_metric("tests.eval.own:judge")


@metric(variants=("letters", "words"), meaning="How long a report is.")
def sizes(run: Subject) -> dict[str, float]:
    return {"letters": len(run.report or "") / 10, "words": len((run.report or "").split())}


def test_a_measure_given_by_place_or_from_a_notebook_stays_on_the_board_and_in_comparisons(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", REPORTS)
    board = known(build.scored(folder, [sizes]).scoreboard)
    shown = [("sizes letters", "by the metric sizes"), ("sizes words", "by the metric sizes")]
    assert [(column.name, column.meaning) for column in board.columns[:2]] == shown
    assert all({"sizes letters", "sizes words"} <= row.cells.keys() for row in board.rows)
    # Nobody gives its function any more: the verdicts are its values.
    (compared,) = compare_recorded(folder)
    rows = {row.name: row for table in compared.tables for row in table.rows}
    assert rows["sizes words"].difference == -3
    assert metrics_away(folder) == []
    again = build.scored(folder, ["process"])
    assert build.rows(again, "sizes", "a@model")["words"].value == 4.5
    assert [column.name for column in known(again.scoreboard).columns[:2]] == ["sizes letters", "sizes words"]

"""What became of an answer, the map of all answers, and the scoreboard with differences from a baseline."""

from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest
from drretail.viewer.tables.scoreboard import board_table

from drretail.experiment import read_runs
from drretail.records.comparison import ComparedRow
from drretail.records.comparison import Outcome as Compared
from drretail.records.evidence import Finding
from drretail.records.score import ShownColumn
from drretail.viewer.experiment import read_view
from drretail.viewer.page.frame import Links
from drretail.viewer.page.overview import chips, claims_bar, outcome_bar, outcome_map, page_board, question_dots
from drretail.viewer.page.question import answer_card
from drretail.viewer.run_lines import DECISIONS, Decision, Outcome, RunLine, run_line
from tests.build import known, measure, systems
from tests.viewer.dom import parse
from tests.viewer.experiment import CODE, append, render_page, verdict
from tests.viewer.scores import FP, board, cell


@pytest.fixture(scope="module")
def lines(judged: Path) -> list[RunLine]:
    view = read_view(judged)
    return [run_line(view.runs[place], question) for question in view.questions for place in question.places]


@pytest.mark.parametrize(
    ("value", "outcomes", "decision", "faults"),
    [
        (1.0, ("limit broken",), "right", {}),
        (0.0, ("limit broken",), "limit", {"wrong": "breaking a limit"}),
        (0.0, ("limit broken", "wrong thing"), "wrong", {"wrong": "wrong thing"}),
        (None, ("refused wrongly",), "refused", {"wrong": "refused wrongly"}),
        (None, ("gave up",), "failed", {"failed": "stopped at a limit, or did not say what to buy"}),
        (None, (), "open", {}),
    ],
)
def test_what_was_bought_decides_before_what_is_found(
    judged: Path,
    lines: list[RunLine],
    value: float | None,
    outcomes: tuple[Outcome, ...],
    decision: Decision,
    faults: dict[str, str],
) -> None:
    values = {} if value is None else {"right": value}
    line = replace(lines[0], outcomes=outcomes, values=values)
    made = answer_card("react", read_view(judged).runs[0], line, None).line
    assert (made.decision, made.faults) == (decision, faults)


def test_a_failed_and_a_false_answer_are_named_on_the_first_screen(mine: Path) -> None:
    (run, *_) = read_runs(mine)
    wrong = Finding(code="contradicted", severity="error", text="It costs $5.", start=0, end=12).model_dump(mode="json")
    value = {"statements": [wrong]}
    append(mine, run, [verdict(run, "false_statements", CODE, "statement", "report", value=value)])
    shown = " ".join(parse(render_page(mine)).by_id("first").text.split())
    assert "1 with false statements react@offline-shopper: “It costs $5.” on “" in shown
    assert "1 failed react@offline-shopper: timeout, in react: no answer within 60 seconds <b>at all</b> on “" in shown


def test_faults_stand_on_the_left_of_a_bar_and_right_answers_on_the_right(lines: list[RunLine]) -> None:
    every = [replace(lines[0], decision=decision) for decision in reversed(get_args(Decision))]
    drawn = outcome_bar(every)
    places = [drawn.index(f'class="is-{decision}"') for decision in DECISIONS]
    assert places == sorted(places)
    assert all(f"{sign} 1<" in drawn for sign, _ in DECISIONS.values())  # what it shows is told without colour, too
    drawn = claims_bar(replace(lines[0], counts={"full": 3, "none": 1, "contradicted": 1}))
    assert drawn.index("contradicted") < drawn.index('class="none"') < drawn.index('class="full"')


def test_of_two_systems_each_question_is_a_dot_where_one_both_or_neither_is_right(lines: list[RunLine]) -> None:
    decisions: list[Decision] = ["right", "wrong", "right"]
    a = [replace(line, label="a@m", decision="right") for line in lines]
    b = [replace(line, label="b@m", decision=decision) for line, decision in zip(lines, decisions, strict=True)]
    known = systems(["a@m", "b@m"])
    assert [(words, len(dots)) for words, dots in question_dots([*a, *b], known, ())] == [
        ("only a is right", 1),
        ("both are right", 2),
    ]
    assert question_dots(a, known, ()) == []


def test_the_hardest_question_is_the_maps_first_row_and_chips_count_answers(judged: Path, lines: list[RunLine]) -> None:
    decisions: list[Decision] = ["right", "wrong", "failed"]
    made = [replace(line, decision=decision) for line, decision in zip(lines, decisions, strict=True)]
    faults = {}, {"wrong": "breaking a limit"}, {"false": "“It is red.”", "failed": "timeout"}
    made = [replace(line, faults=own) for line, own in zip(made, faults, strict=True)]
    table = outcome_map(made, Links(), read_view(judged).definition.systems, ())
    assert [row.link for row in table.rows] == ["#q2", "#q3", "#q1"]
    cell = table.rows[1].cells[0]
    assert cell is not None
    assert 'data-is="false failed"' in cell.html
    found = [(chip.fault, chip.count, chip.example.question.number) for chip in chips([*made, made[2]])]
    assert found == [("wrong", 1, 2), ("false", 2, 3), ("failed", 2, 3)]


SYSTEMS = ("a@m", "b@m", "c@m")


def of_three() -> list[ComparedRow]:
    """Only the difference of a and c is more than chance."""
    rows: dict[tuple[str, str], Compared] = {("a@m", "c@m"): "higher", ("b@m", "c@m"): "undecided"}
    return [
        measure("right", outcome, labels=labels, difference=0.2, ci_low=0.1, ci_high=0.3)
        for labels, outcome in rows.items()
    ]


def test_what_decides_comes_first_then_the_difference_from_the_baseline() -> None:
    columns = (
        FP,
        ShownColumn(name="FR", metric="faithfulness", variant="FR"),
        ShownColumn(name="right", decides=True),
    )
    cells = {name: {"right": cell(0.5), "FP": cell(1), "FR": cell(1)} for name in SYSTEMS}
    made = board(cells, *of_three(), columns=columns)
    shown = page_board(made, board_table(made), [])
    names = [column.name for column in shown.table.columns]
    assert names == ["right", "difference in right", "FP", "FR"]
    assert [names[at] for at in shown.rest] == ["FR"]
    assert shown.baseline == "c"
    drawn = [known(row.cells[1]) for row in shown.table.rows]
    assert [each.html.count("s0 hollow") for each in drawn] == [0, 1, 0], "a full dot is more than chance"
    assert [each.value for each in drawn] == ["", "", "baseline"]
    assert "+0.20" in drawn[0].html

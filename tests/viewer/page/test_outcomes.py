"""What became of an answer, and the map of all answers."""

from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from drretail.viewer.experiment import read_view
from drretail.viewer.page.first_screen import answer_card
from drretail.viewer.page.links import Links
from drretail.viewer.page.outcomes import chips, claims_bar, outcome_bar, outcome_map, question_dots
from drretail.viewer.run_lines import DECISIONS, Decision, Outcome, RunLine, run_line
from tests.build import systems


@pytest.fixture(scope="module")
def lines(judged: Path) -> list[RunLine]:
    view = read_view(judged)
    return [run_line(view.runs[place], question) for question in view.questions for place in question.places]


@pytest.mark.parametrize(
    ("value", "outcomes", "decision"),
    [
        (1.0, ("limit broken",), "right"),
        (0.0, ("limit broken",), "limit"),
        (0.0, ("limit broken", "wrong thing"), "wrong"),
        (None, ("refused wrongly",), "refused"),
        (None, ("gave up",), "failed"),
        (None, (), "open"),
    ],
)
def test_what_was_bought_decides_before_what_is_found(
    judged: Path, lines: list[RunLine], value: float | None, outcomes: tuple[Outcome, ...], decision: Decision
) -> None:
    values = {} if value is None else {"feasible": value}
    line = replace(lines[0], outcomes=outcomes, values=values)
    assert answer_card("react", read_view(judged).runs[0], line, None, None).line.decision == decision


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
    made[2] = replace(made[2], false=2)
    table = outcome_map(made, Links(), read_view(judged).definition.systems, ())
    assert [row.link for row in table.rows] == ["#q2", "#q3", "#q1"]
    cell = table.rows[1].cells[0]
    assert cell is not None
    assert 'data-is="false failed"' in cell.html
    assert [(name, count) for name, count, _ in chips(made)] == [("wrong", 1), ("false", 1), ("failed", 1)]

"""What became of an answer, what to look at first, and the map of all answers."""

from dataclasses import replace
from pathlib import Path

import pytest

from drretail.experiment import read_runs
from drretail.records.evidence import Finding
from drretail.viewer.experiment import read_view
from drretail.viewer.page.frame import Links
from drretail.viewer.page.overview import claims_bar, outcome_map
from drretail.viewer.page.question import answer_card, fault_lines
from drretail.viewer.run_lines import Decision, Fault, RunLine, first_faults, run_line
from tests.viewer.dom import parse
from tests.viewer.experiment import CODE, append, render_page, verdict


@pytest.fixture(scope="module")
def lines(judged: Path) -> list[RunLine]:
    view = read_view(judged)
    return [run_line(view.runs[place], question) for question in view.questions for place in question.places]


OVER = Finding(code="over_budget", severity="error", text="$40", found="the budget is $32")
WRONG = Finding(code="not_wanted", severity="error", text="a lamp")


@pytest.mark.parametrize(
    ("right", "findings", "decision", "fault"),
    [
        (1.0, (OVER,), "right", ""),
        (0.0, (OVER,), "limit", "over budget: the budget is $32"),
        (0.0, (OVER, WRONG), "wrong", "over budget: the budget is $32"),
        (0.0, (), "wrong", "wrong thing: "),
        (None, (OVER,), "limit", "over budget: the budget is $32"),
        (None, (), "open", ""),
    ],
)
def test_what_was_bought_decides_before_what_is_found(
    judged: Path, lines: list[RunLine], right: float | None, findings: tuple[Finding, ...], decision: str, fault: str
) -> None:
    view = read_view(judged).runs[0]
    view = replace(view, is_right=right, checks=replace(view.checks, findings=findings), false=())
    made = answer_card("react", view, lines[0], None).line
    assert (made.decision, [f"{each.kind}: {each.quote}" for each in made.faults]) == (
        decision,
        [fault] if fault else [],
    )


def test_a_false_and_a_failed_answer_are_quoted_first_each_with_a_link_to_its_evidence(mine: Path) -> None:
    (run, *_) = read_runs(mine)
    wrong = Finding(code="contradicted", severity="error", text="It costs $5.", start=0, end=12).model_dump(mode="json")
    value = {"statements": [wrong]}
    append(mine, run, [verdict(run, "false_statements", CODE, "statement", "report", value=value)])
    look = parse(render_page(mine)).by_id("look")
    items = [" ".join(each.text.split()) for each in look.all("li")]
    assert items[0].startswith("false react@offline-shopper “It costs $5.” ·")
    failed = "failed react@offline-shopper timeout, in react: no answer within 60 seconds <b>at all</b> ·"
    assert items[1].startswith(failed)
    assert items[2] == "all questions × systems · 1 answer without a fault"
    assert [link.attributes["href"][:2] for link in look.all("a")] == ["#r", "#r", "#m"]
    quoted = list(fault_lines(read_view(mine)))
    assert quoted[0].startswith("✗ react@offline-shopper false: “It costs $5.” ·")
    assert len(quoted) == 2


def test_faults_are_of_as_many_kinds_and_systems_as_there_are(lines: list[RunLine]) -> None:
    kinds = ("false", "a"), ("false", "a"), ("failed", "a"), ("false", "b")
    made = [
        replace(lines[0], number=at, label=label, faults=(Fault(kind, "", ""),))
        for at, (kind, label) in enumerate(kinds)
    ]
    assert [line.number for line, _ in first_faults([*made, lines[0]], 3)] == [0, 2, 3]


def test_claims_are_drawn_the_worst_from_the_left(lines: list[RunLine]) -> None:
    drawn = claims_bar(replace(lines[0], counts={"full": 3, "none": 1, "contradicted": 1}))
    assert drawn.index("contradicted") < drawn.index('class="none"') < drawn.index('class="full"')


def test_the_hardest_question_is_the_maps_first_row(judged: Path, lines: list[RunLine]) -> None:
    decisions: list[Decision] = ["right", "wrong", "failed"]
    made = [replace(line, decision=decision) for line, decision in zip(lines, decisions, strict=True)]
    table = outcome_map(made, Links(), read_view(judged).definition.systems, ())
    assert [row.link for row in table.rows] == ["#q2", "#q3", "#q1"]

"""What a person reads, live, of each step."""

import json

import pytest

from drretail.api.recorded import RecordedAnswer
from drretail.cli.narration import print_report, report_document, step_line
from drretail.records.run import Step
from drretail.records.wish import Want, Wish
from tests import build


def step(kind: str, role: str, name: str, path: str = "0", **given: object) -> Step:
    return Step.model_validate({"path": path, "seq": 0, "kind": kind, "role": role, "name": name} | given)


REPORT = {"insights": [{"statement": "a"}, {"statement": "b"}], "sources": [{"evidence": "P:1"}], "open_questions": []}


@pytest.mark.parametrize(
    ("made", "text", "line"),
    [
        (
            step("tool", "supervisor", "LaunchResearcher", args={"sub_problem": "Find a feeder."}),
            json.dumps({"researcher": 1, "report": REPORT}),
            '  LaunchResearcher "Find a feeder." → 2 insights, 1 source',
        ),
        (
            step("tool", "supervisor", "LaunchResearcher", error="timeout: Researcher 1 came back with nothing"),
            json.dumps({"error": {"type": "timeout", "message": "…"}}),
            "  LaunchResearcher: timeout: Researcher 1 came back with nothing",
        ),
        (
            step("tool", "researcher", "Reason", "0.2", args={"thought": "Cedar lasts."}),
            '{"noted":true}',
            '[0.2]   Reason "Cedar lasts."',
        ),
        (step("tool", "researcher", "Finalize", "0.2", args={}), '{"finished":true}', "[0.2]   Finalize"),
        (step("synthesis", "synthesis", "a:model", "0.2"), json.dumps(REPORT), "[0.2] · findings consolidated"),
        (step("synthesis", "synthesis", "a:model", "0.2", error="slow"), "", "[0.2] · the model failed: slow"),
        (step("model", "summariser", "a:model", "0.3.1"), '{"summary":"Clean it."}', None),
        (step("model", "researcher", "a:model"), "I look for cedar.", "· I look for cedar."),
        (step("model", "report", "a:model"), "# The report", None),
        (step("model", "supervisor", "a:model"), '{"wants":[]}', None),
        (step("model", "report", "a:model"), "Take it [P:B1].\n\n```picks\nP:B1 x 1\n```", "· Take it [P:B1]."),
        (step("model", "researcher", "a:model"), "```picks\nP:B1 x 1\n```", None),
    ],
)
def test_a_step_is_told_in_one_line_or_not_at_all(made: Step, text: str, line: str | None) -> None:
    assert step_line(made, text) == line


def recorded(understood: Wish | None) -> RecordedAnswer:
    return RecordedAnswer(build.run("q1-r1", "Take it.", understood=understood), ())


def test_how_the_question_was_understood_goes_to_stderr_before_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    wish = Wish(wants=(Want(name="bird feeder", kinds=("bird feeder",), rating_min=4),))
    print_report(recorded(wish))
    shown = capsys.readouterr()
    assert shown.err.startswith("Understood as\n- bird feeder: at least 4 stars\n")
    assert shown.out == "Take it.\n"
    assert report_document(recorded(wish))["run"]["understood"]["wants"][0]["name"] == "bird feeder"


def test_an_agent_that_does_not_say_how_it_understood_the_question_shows_nothing_of_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_report(recorded(None))
    assert "Understood" not in capsys.readouterr().err
    assert "understood" not in report_document(recorded(None))["run"]

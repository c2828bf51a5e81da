"""What a person reads, live, of each step."""

import json

import pytest

from drretail.cli.narration import told
from drretail.records.run import Step


def step(kind: str, role: str, name: str, path: str = "0", **given: object) -> Step:
    return Step.model_validate({"path": path, "seq": 0, "kind": kind, "role": role, "name": name} | given)


REPORT = {"insights": [{"statement": "a"}, {"statement": "b"}], "sources": [{"evidence": "P:1"}], "open_questions": []}


@pytest.mark.parametrize(
    ("made", "text", "line"),
    [
        (
            step("tool", "supervisor", "LaunchResearcher", args={"sub_problem": "Find a feeder."}),
            json.dumps({"researcher": 1, "report": REPORT}),
            '  LaunchResearcher "Find a feeder." → 2 insights, 1 sources',
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
        (step("model", "report", "a:model"), "Take it [P:B1].\n\n```picks\nP:B1 x 1\n```", "· Take it [P:B1]."),
        (step("model", "researcher", "a:model"), "```picks\nP:B1 x 1\n```", None),
    ],
)
def test_a_step_is_told_in_one_line_or_not_at_all(made: Step, text: str, line: str | None) -> None:
    assert told(made, text) == line

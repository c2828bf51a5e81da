"""What is counted of one run: a verdict for each measure."""

from typing import Any

from drretail.eval.families.process.counting import Count, Course, count
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.records.score import VerdictState
from drretail.tools.registry import tools_of

STAGE = "count"


def judge_process(subject: Subject, judge_session: JudgeSession) -> None:
    """Records what is not counted yet, and anew what comes out differently: a run made again may end in one report."""
    assert subject.run is not None
    course = Course(subject.run, subject.evidence, expected_tools(subject))
    for name, counted in count(course).items():
        state: VerdictState = "na" if counted.value is None else "scored"
        judge_session.record_if_changed(STAGE, name, state, _value(counted), counted.reason)


def expected_tools(subject: Subject) -> frozenset[str]:
    """Those that the query is expected to need and that the run had: nobody is to call what was taken away."""
    return frozenset(subject.query.expected_tools) - tools_of(subject.system.options.get("without", ()))


def _value(counted: Count) -> dict[str, Any] | None:
    return None if counted.value is None else {"value": counted.value, "items": dict(counted.items or {})}

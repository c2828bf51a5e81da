"""A metric of somebody else's: how short a report is."""

from collections.abc import Sequence

from drretail.eval.family import Family, of_verdicts
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.eval.values import Value
from drretail.records.score import MetricDescription, Verdict


def judge(subject: Subject, judge_session: JudgeSession) -> None:
    """Records how many words the report has."""
    if judge_session.existing("count", "words") is None:
        judge_session.record("count", "words", "scored", len((subject.report or "").split()))


def values(verdicts: Sequence[Verdict]) -> list[Value]:
    """Whether it is short, and its words."""
    words = float(verdicts[0].value)
    return [Value("short", "scored", float(words < 4)), Value("words", "scored", words)]


DESCRIPTION = MetricDescription(
    title="Brevity", meaning="Short reports have fewer than four words.", headlines=("short",), counts=("words",)
)
METRIC = Family("brevity", 1, judge, of_verdicts(values), ("short", "words"), DESCRIPTION, needs_judge=False)

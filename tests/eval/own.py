"""Metrics of somebody else's: how short a report is, and two that read a report as its own value."""

from collections.abc import Sequence

from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.eval.metric import Metric, Value, of_verdicts
from drretail.records.score import BoardColumn, MetricDescription, Verdict

STUB, JUDGED_STUB = "tests.eval.own:SILENT", "tests.eval.own:JUDGED"
"""The second metric's places, as ``load_metric`` takes them: judged by code, and by whoever judges."""


def judge(subject: Subject, judge_session: JudgeSession) -> None:
    """Records how many words the report has."""
    if judge_session.existing("count", "words") is None:
        judge_session.record("count", "words", "scored", len((subject.report or "").split()))


def values(verdicts: Sequence[Verdict]) -> list[Value]:
    """Whether it is short, and its words."""
    words = float(verdicts[0].value)
    return [Value("short", "scored", float(words < 4)), Value("words", "scored", words)]


BOARD = (BoardColumn(variant="short", meaning="share of short reports"), BoardColumn(variant="words"))
DESCRIPTION = MetricDescription(
    title="Brevity",
    meaning="Short reports have fewer than four words.",
    headlines=("short",),
    counts=("words",),
    scoreboard=BOARD,
)
METRIC = Metric("brevity", 1, judge, of_verdicts(values), ("short", "words"), DESCRIPTION, needs_judge=False)


def _read(subject: Subject, judge_session: JudgeSession) -> None:
    if judge_session.existing("read", "report") is not None:
        return
    report = subject.report or ""
    if report in ("na", "unverifiable", "failed"):
        judge_session.record("read", "report", report)
    else:
        judge_session.record("read", "report", "scored", float(report))


def _read_values(verdicts: Sequence[Verdict]) -> list[Value]:
    (verdict,) = verdicts
    items = {"read": 1} if verdict.state == "scored" else {}
    return [Value(variant, verdict.state, verdict.value, items) for variant in ("said", "half")]


def stub(*, needs_judge: bool) -> Metric:
    """Reads a report as its own value: "0.5", "na" or "failed"; "half" pools 1 of 2 items of every scored report."""
    judging, variants = of_verdicts(_read_values), ("said", "half")
    return Metric(
        "stub",
        1,
        _read,
        judging,
        variants,
        needs_judge=needs_judge,
        pooled={"half": lambda of: [(1, 2) if of["half"].state == "scored" else (0, 0)]},
    )


SILENT = stub(needs_judge=False)
JUDGED = stub(needs_judge=True)

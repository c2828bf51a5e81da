"""``--metrics brevity``: how short a report is, 1 for none of its words and 0 for a thousand."""

from drretail import Value
from drretail.eval.metric import CodeFamily


def judge(subject, session):
    session.record("count", "words", "scored", len(subject.run.report.split()))


def values(verdicts):
    return [Value("brevity", "scored", max(0.0, 1 - float(it.value) / 1000)) for it in verdicts]


BREVITY = CodeFamily("brevity", 1, judge, values, ("brevity",))

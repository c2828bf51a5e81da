"""``--metrics brevity``: how short a report is, 1 for none of its words and 0 for a thousand."""

from drretail.eval.metric import metric_of


def brevity(subject):
    return max(0.0, 1 - len(subject.report.split()) / 1000)


BREVITY = metric_of("brevity", brevity)

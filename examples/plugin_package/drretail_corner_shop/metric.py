"""``--metrics brevity``: how short a report is, 1 for none of its words and 0 for a thousand."""

from drretail import metric


@metric
def brevity(run):
    return max(0.0, 1 - len(run.report.split()) / 1000)

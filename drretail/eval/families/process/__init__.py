"""How a run came to its report: what it called, read and cited, counted without a judge (docs/process.md).

counting.py  what is counted of one run
judge.py     one verdict for each of these
score.py     verdicts as values of the report; these as a metric family
"""

from drretail.eval.families.process.score import METRIC

__all__ = ["METRIC"]

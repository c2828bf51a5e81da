"""Does an agent do what a hostile text tells it to, measured by what its runs did (docs/robustness.md).

judge.py  one verdict for each text: unread, ignored, stopped, obeyed
score.py  these as values of the report, and as a metric family
"""

from drretail.eval.families.robustness.score import METRIC

__all__ = ["METRIC"]

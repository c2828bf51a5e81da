"""Does a system say no where the shop can't meet a wish, and only there? Without a model (docs/metrics.md).

decision.py  one verdict for a report's declared outcome beside the proof
score.py     these as values, and as a metric family
"""

from drretail.eval.families.outcome.score import METRIC

__all__ = ["METRIC"]

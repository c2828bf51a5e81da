"""Does a system say no where the shop can't meet a wish, and only there? Without a model (docs/metrics.md).

decision.py  one report's declared outcome beside the proof: what was decided, why, and what was offered instead
shown.py     whether the run made the searches by which it could know
score.py     these as values, and as a metric family
"""

from drretail.eval.outcome.score import METRIC

__all__ = ["METRIC"]

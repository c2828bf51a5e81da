"""How far what a report would have bought is from the best that the shop could sell, without a model (docs/floors.md).

judge.py  one verdict for each measure, from the report, its ledger and the frozen reference
score.py  these as values, and as a metric family
"""

from drretail.eval.families.basket.score import METRIC

__all__ = ["METRIC"]

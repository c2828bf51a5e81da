"""How far what a report would have bought is from the best that the shop could sell, without a model (docs/floors.md).

distance.py  which pick stands for which wanted thing, and what the picks come to beside the best basket
judge.py     one verdict for each measure, from the report, its ledger and the frozen reference
score.py     these as values, and as a metric family
"""

from drretail.eval.basket.score import METRIC

__all__ = ["METRIC"]

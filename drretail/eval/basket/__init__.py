"""How far what a report would have bought is from the best that the shop could sell, without a model (docs/floors.md).

distance.py   which pick stands for which wanted thing, and what they come to beside the cheapest and the best basket
judge.py      one verdict for each measure, from the report's picks and the frozen reference
score.py      these as values of a metric family
"""

from drretail.eval.basket.score import METRIC

__all__ = ["METRIC"]

"""How an agent that types its own wish understood the question, beside the query's wish, without a model.

two_wishes.py  which of its wants are the query's, and which limits are equal
judge.py       one verdict for each measure, from the run's wish, the query's and the shop's catalog
score.py       these as values, and as a metric family
"""

from drretail.eval.families.understood.score import METRIC

__all__ = ["METRIC"]

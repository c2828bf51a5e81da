"""Checks of a report against records, without a model: one verdict for each kind of fault (docs/checks.md).

codes.py   every kind of fault, and what has to be there for a report to have it or not
judge.py   the verdicts of one report: how it was read, and each check's findings
score.py   shares of clean reports, coverage of the reading, counts of findings
"""

from drretail.eval.checks.score import METRIC

__all__ = ["METRIC"]

"""Faithfulness: how much of what a report cites is borne out by its sources (paper section 3.3.1, appendix H.1).

extraction.py  stage 1: the cited claims, and separately all claims, with their sources resolved
support.py     stages 2 and 3: the texts of a unit, and its support 1, 0.5 or 0 with reason and quote
judge.py       the stages in order for one report, also by pages as they are at judging time
tally.py       counts of claims by source type
score.py       the formulas: values per report, and over all reports; these as a metric family
prompts/       what the judge is asked
"""

from drretail.eval.faithfulness.score import METRIC

__all__ = ["METRIC"]

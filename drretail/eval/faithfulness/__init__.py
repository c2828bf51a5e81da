"""Faithfulness: how much of what a report cites is borne out by its sources (paper section 3.3.1, appendix H.1).

claims.py      what is judged: claims with resolved sources, and the units (claim, source type) of counting
extraction.py  stage 1: the cited claims, and separately all claims
resolving.py   what a claim's sources come to, and where in the report it stands
content.py     stage 2: the texts that a unit is judged against, from the run's ledger
support.py     stage 3: support 1, 0.5 or 0 with reason and quote
live.py        stage 3 again, by cited pages as they are at judging time
judge.py       the stages in order for one report
score.py       the formulas: values per report, and those over all reports at once
"""

from drretail.eval.faithfulness.score import METRIC

__all__ = ["METRIC"]

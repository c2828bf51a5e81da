"""What reports say, as evaluation without a judge takes it: picks and values, who read them, how much was read.

kept.py     a run's reading: declared picks, else a judge's, else by form; kept in exp/readings
judge.py    picks and values read by a judge in one question a report, each with its exact words
score.py    how far a judge's picks are the declared ones
prompts/    what the judge is asked
"""

from drretail.eval.reading.score import METRIC

__all__ = ["METRIC"]

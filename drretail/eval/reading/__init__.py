"""What reports say, as evaluation without a judge takes it: picks and values, who read them, how much was read.

judge.py   a judge's reading: values from its extraction of claims, picks that are not declared in a small question
score.py   how many picks a judge reads where none are declared
prompts/   what the judge is asked
"""

from drretail.eval.reading.score import METRIC

__all__ = ["METRIC"]

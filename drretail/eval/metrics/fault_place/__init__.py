"""Fault place: where each wrong claim of a report went wrong, from the verdicts of faithfulness and the values that the
judge confirms (docs/scores.md).

placing.py  which claims are wrong; for each, never_retrieved, lost, distorted, invented or unknown, and why
score.py    one verdict for all wrong claims of a report; their shares by place; the metric
"""

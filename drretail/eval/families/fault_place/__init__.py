"""Fault place: where each wrong claim of a report went wrong, from verdicts of faithfulness and without a question
(docs/faithfulness.md).

placing.py  which claims are wrong, and of each: never_retrieved, lost, distorted, invented or unknown, and why
score.py    one verdict for all wrong claims of a report; shares of these by place; the family
"""

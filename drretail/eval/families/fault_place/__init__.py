"""Fault place: where each wrong claim of a report went wrong, from verdicts of faithfulness and without a question
(docs/faithfulness.md).

handed_on.py  the intermediate reports of a run, and what they say of a source
placing.py    which claims are wrong, and of each: never_retrieved, lost, distorted, invented or unknown, and why
judge.py      one verdict for all wrong claims of a report
score.py      shares of the wrong claims by place; these as a metric family
"""

"""Fault place: where each wrong claim of a report went wrong, from verdicts of faithfulness and without a question
(docs/faithfulness.md).

wrong_claims.py  which claims are wrong, with the values that code reads of them
handed_on.py     the intermediate reports of a run, and what they say of a source
world_sources.py whether the world has a source that the run was never handed
placing.py       one wrong claim: never_retrieved, lost, distorted, invented or unknown, with a sentence why
judge.py         one verdict for all wrong claims of a report
score.py         shares of the wrong claims by place; these as a metric family
"""

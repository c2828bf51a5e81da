"""Error causes: why reports on a sandbox miss what is known beforehand, and claim what they cannot show, from verdicts
of dr3 and without a question (docs/metrics/error_causes.md; 003, Figure 8).

causes.py  one missed insight or wrong claim: its cause, with a sentence why
judge.py   one verdict for all errors of a report; what each page is there for, kept in the experiment
score.py   shares of the errors by cause; these as a metric family
"""

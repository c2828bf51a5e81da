"""Error causes: why reports on a sandbox miss what is known beforehand, and claim what they cannot show, from verdicts
of dr3 and without a question (docs/metrics/error_causes.md; 003, Figure 8).

page_labels.py what each page of a query is there for, kept in the experiment
causes.py      one missed insight or wrong claim: its cause, with a sentence why
judge.py       one verdict for all errors of a report
score.py       shares of the errors by cause; these as a metric family
"""

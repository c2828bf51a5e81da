"""What crosses a folder: frozen records, written to disk as JSON with ``"format": 1``.

base.py      Record and Document, canonical JSON and its hash
money.py     an amount with its currency
shop.py      products, orders, users, statistics
query.py     queries and their typed constraints
evidence.py  what a run has seen, citations of it, findings about it
reading.py   picks and values read out of a report, and how they stand to the records
run.py       systems, steps, answers, runs
score.py     verdicts, scores, profile summaries
"""

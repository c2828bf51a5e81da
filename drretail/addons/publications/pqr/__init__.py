"""PQR of PDR-Bench: whether a report fits this user, is well made, and is true (its section 4, equations 1 to 6).

axes.toml  the seven dimensions of personalization and quality
judge.py   weights and criteria of a query; a report's scores by them; its facts and their support
score.py   the formulas: values per report, facts and citations by both countings; the metric
prompts/   how a report is scored by criteria
"""

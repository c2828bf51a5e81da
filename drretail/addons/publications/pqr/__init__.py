"""PQR of PDR-Bench: whether a report fits this user, is well made, and is true (its section 4, equations 1 to 6).

axes.toml  the seven dimensions of personalization and quality
score.py   weights and criteria of a query, a report's scores by them, its facts and their support; the formulas; the
           metric
prompts/   how a report is scored by criteria
"""

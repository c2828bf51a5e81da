"""PQR of PDR-Bench: is a report for this user, is it well made, is it true? (000 section 4, equations 1 to 6)

axes.toml  the seven dimensions of personalization and quality
judge.py   weights and criteria of a query; a report's scores by them; its facts and their support
score.py   the formulas: values per report, facts and citations by both countings; these as a metric family
prompts/   how a report is scored by criteria
"""

"""PQR of PDR-Bench: whether a report fits this user, is well made, and is true (its section 4, equations 1 to 6).

axes.toml    the seven dimensions of personalization and quality
axis.py      weights and criteria that are made for each query, and scores matched to the words of criteria
triplets.py  the report's facts with the references that it gives for each, and whether these support them
score.py     a report's scores by criteria; the formulas; the metric
prompts/     what the judge is asked
"""

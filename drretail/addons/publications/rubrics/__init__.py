"""Rubrics: a query's criteria, which a report meets, partly meets or does not meet (DeepResearch Bench II,
ResearchRubrics).

judge.py   the axes of criteria; makes a query's rubric, and asks which of its criteria a report meets
score.py   weighted shares, overall and by axis; rubrics in the forms of the two benchmarks; the metric
prompts/   the judge's prompts
"""

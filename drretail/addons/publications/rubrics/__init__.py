"""Rubrics: a query's criteria, which a report meets, partly meets or does not meet (DeepResearch Bench II,
ResearchRubrics).

score.py  makes a query's rubric, asks what a report meets; weighted shares; rubrics of the two benchmarks; the metric
prompts/  the judge's prompts
"""

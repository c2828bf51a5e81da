"""Rubrics: a query's criteria, met by a report, partly or not (DeepResearch Bench II, ResearchRubrics).

score.py  makes a query's rubric, asks what a report meets; weighted shares; rubrics of the two benchmarks; the metric
prompts/  the judge's prompts
"""

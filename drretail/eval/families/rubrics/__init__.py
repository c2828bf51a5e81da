"""Rubrics: criteria of a query that a report meets, meets in part or doesn't (DeepResearch Bench II, ResearchRubrics).

judge.py   the axes of criteria; makes a query's rubric, and asks which of its criteria a report meets
score.py   weighted shares, over all and by axis; rubrics in the forms of the two benchmarks; the family
prompts/   what the judge is asked
"""

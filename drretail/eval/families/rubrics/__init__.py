"""Rubrics: criteria of a query that a report meets, meets in part or doesn't (DeepResearch Bench II, ResearchRubrics).

axes.py      what criteria are sorted by, and as what they are answered
judge.py     makes a query's rubric, and asks which of its criteria a report meets
score.py     weighted shares, over all and by axis; these as a metric family
published.py rubrics in the forms of the two benchmarks
prompts/     what the judge is asked
"""

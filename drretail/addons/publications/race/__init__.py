"""RACE and FACT of DeepResearch Bench: quality compared with a reference report, and supported citations.

axes.toml  the four dimensions
score.py   the reference report; both reports' scores by criteria, facts and their support; the formulas and the
           benchmark's criteria
prompts/   how two reports are scored by criteria
"""

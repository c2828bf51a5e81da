"""RACE and FACT of DeepResearch Bench: quality compared with a reference report, and supported citations.

axes.toml  the four dimensions
judge.py   a query's reference report; both reports' scores by criteria, in both orders; facts and their support
score.py   the formulas, and the benchmark's own file of criteria; the metric
prompts/   how two reports are scored by criteria
"""

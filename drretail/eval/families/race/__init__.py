"""RACE and FACT of DeepResearch Bench: how good beside a reference report, and how many citations hold.

axes.toml  the four dimensions
judge.py   the reference report of a query; both reports' scores by criteria, in both orders; facts and their support
score.py   the formulas, the benchmark's own file of criteria; these as a metric family
prompts/   how two reports are scored by criteria
"""

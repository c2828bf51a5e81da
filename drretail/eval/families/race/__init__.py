"""RACE and FACT of DeepResearch Bench: how good beside a reference report, and how many citations hold.

axes.toml         the four dimensions
bench_criteria.py the benchmark's own file of weights and criteria
references.py     the report of each query that others are held beside
judge.py          both reports' scores by criteria, in both orders; facts and their support
score.py          the formulas: values per report, and valid citations over all; these as a metric family
prompts/          how two reports are scored by criteria
"""

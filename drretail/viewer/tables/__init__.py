"""The tables of an experiment, as records of ``drretail.viewer.drawing``.

board.py             the board: decisions, the paper's Tables 1 and 2, what runs took; every system against the baseline
scores.py            a row for each system, a column for each variant or slice; notes below tables (notes.toml)
pairs.py             wins, ties and losses of every pair, and strengths
false_statements.py  statements of imported answers that their sources contradict
tallies.py           what became of runs; who judged what, and how each judge of claims read; what runs and judging took
ablations.py         the effect of a condition's settings
"""

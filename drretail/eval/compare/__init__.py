"""Two systems on the same queries: what differs, how surely, and what it would take to know. Nothing is judged here.

comparing.py    compares two systems of one experiment or one system of two: what can be concluded, what can't; noise
                of agents and judges; what is missing
rows.py         a row for each metric: both sides, their difference and its tests
differences.py  all systems at once: the tests of the primary figures, corrected together
ablations.py    one agent in several settings of an option; twins, of which the shop can meet one
fail_if.py      rules by which a comparison fails, for CI
wording.py      headlines, figures and differences in words: a template for each outcome, of two systems and of many
"""

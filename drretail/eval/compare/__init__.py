"""Two systems on the same queries: what differs, how surely, and what it would take to know. Nothing is judged here.

comparing.py    compares two systems of one experiment or one system of two; chooses pairs and judges
rows.py         a row for each metric: both sides, their difference and its tests
steadiness.py   noise of agents and judges
missing.py      what is not run or judged yet, with the commands that make it
findings.py     sentences on differences, a template for each outcome, of two systems and of many
conclusions.py  what can be concluded of two systems, what can't, and what else bears on it
planned_pairs.py  what was asked for before anything was scored
differences.py  all systems at once: the tests of the primary figures, corrected together
ablations.py    one agent in several settings of an option
distractors.py  what distractors cost, and what an agent still finds without supportive pages
twins.py        pairs of queries of which the shop can meet only one, by system
fail_if.py      rules by which a comparison fails, for CI
wording.py      headlines and figures in words
"""

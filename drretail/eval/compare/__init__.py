"""Two systems on the same queries: what differs, how surely, and what it would take to know. Nothing is judged here.

comparing.py    compares two systems of one experiment or one system of two; chooses pairs and judges
rows.py         a row for each metric: both sides, their difference and its tests
preferences.py  sentences on what judges prefer side by side
steadiness.py   noise of agents and judges
missing.py      what is not run or judged yet, with the commands that make it
conclusions.py  sentences: what can be concluded, what can't
planned_pairs.py  what was asked for before anything was scored
differences.py  all systems at once: the tests of the primary figures, corrected together; who is above whom
ablations.py    one agent in several settings of an option
distractors.py  what distractors cost, and what an agent still finds without supportive pages
twins.py        pairs of queries of which the shop can meet only one, by system
fail_if.py      rules by which a comparison fails, for CI
wording.py      headlines and figures in words
"""

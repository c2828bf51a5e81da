"""Two systems on the same queries: what differs, how surely, and what it would take to know. Nothing is judged here.

comparing.py    the comparison, in one experiment or with another one, and which systems are meant
rows.py         a row for each metric: both sides, their difference and its tests
preferences.py  what judges prefer, by judge
steadiness.py   noise of agents and judges
missing.py      what was not judged yet
conclusions.py  sentences: what can be concluded, what can't
differences.py  all systems at once: the tests of what systems are chosen by, corrected together; who is above whom
ablations.py    one agent in several settings of an option
distractors.py  what distractors cost, and what is left without supportive pages
twins.py        pairs of queries of which the shop can meet one, by system
fail_if.py      rules by which a comparison fails, for CI
wording.py      headlines and figures in words
"""

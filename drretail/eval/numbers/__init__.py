"""All numbers of an experiment: one long table, means of it, contrasts of two systems, and what is said of them.

judges.py        who judged by which rules, and whom the last ``score`` asked; names of panels
gathering.py     current verdicts of all runs and judges, and what a failed run has; several judges as one
facts.py         the long table, a row for each run, and ``summary``: means with intervals, also over slices of queries
wording.py       names of figures, and sentences by template, of two systems and of many
contrast.py      ``contrast``: the paired difference of two systems in one variant, and its test
family.py        each system against one baseline: the tests of all headlines, corrected together
pairs.py         wins, ties and losses of pairs, and strengths of many systems after Bradley and Terry
comparing.py     compares two systems: tables, conclusions, noise of agents and judges
ablations.py     one agent in several settings of an option
value_tables.py  a table of values that others computed, by the same test
sample_sizes.py  how many queries, users and runs show a difference
fail_if.py       rules by which a comparison fails, for CI
scoreboard.py    one row per system: scores, costs, differences
file.py          scores.json, made and read; the rows of some metrics
"""

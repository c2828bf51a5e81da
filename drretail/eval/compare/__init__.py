"""Two systems on the same queries: what differs, how surely, and what it would take to know. Nothing is judged here.

comparing.py  compares two systems: tables, conclusions, noise of agents and judges
rows.py       a row for each metric: both sides, their difference and its test
family.py     each system against one baseline: the tests of all headlines, corrected together
ablations.py  one agent in several settings of an option
value_tables.py  values that others computed, by the same test: a table, inspect's logs, promptfoo's results
fail_if.py    rules by which a comparison fails, for CI
wording.py    names of figures, and five sentences by template, of two systems and of many
"""

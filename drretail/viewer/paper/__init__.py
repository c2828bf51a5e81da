"""An experiment in the form of the paper's tables and figures, with rows of both.

published.py        the paper's tables (published.toml), with the experiment's own rows in them
dataset.py          Tables 4 and 5, Figures 4 and 5
judged_tables.py    Tables 1 and 2, Figure 6, Appendices D and E
tables.py           all tables of an experiment, what its numbers stand on, and how it differs from the paper's
"""

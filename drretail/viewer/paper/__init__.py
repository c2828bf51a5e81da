"""An experiment in the form of the paper's tables and figures, each line beside the paper's own.

published.py        the paper's tables (published.toml), with the experiment's own lines in them
dataset.py          Tables 4 and 5, Figures 4 and 5
judged_tables.py    Tables 1 and 2
preferences.py      Figure 6 and Appendix D
tables.py           an experiment read as the paper tells of its own
"""

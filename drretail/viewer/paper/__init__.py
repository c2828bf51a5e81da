"""An experiment in the form of the paper's tables and figures, each line beside the paper's own.

published.py        the paper's tables (published.toml), with the experiment's own lines in them
dataset.py          Table 4 and Figure 5
judged_tables.py    Tables 1 and 2
usage.py            Table 5 and Figure 4
preferences.py      Figure 6 and Appendix D
tables.py           an experiment read as the paper tells of its own
markdown_tables.py  these as Markdown
"""

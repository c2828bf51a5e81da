"""Tables of an experiment, for the page and for the terminal.

scoreboard.py           one row a system, in words
scores.py               a row for each system, a column for each variant
slices.py               the same over parts of the queries
pairs.py                wins, ties and losses of every pair, and strengths
agreement.py            how far judges agree
widths.py               wide tables cut into parts that fit
html.py                 the tables of the page
terminal_grid.py        tables of many narrow columns in a terminal
terminal_scores.py      scores there
terminal_scoreboard.py  the scoreboard there
terminal_pairs.py       pairs and agreement there
terminal_comparison.py  a comparison there
terminal_measures.py    correlations and counterfactual measures there
"""

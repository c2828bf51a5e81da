"""An experiment in a terminal, in 80 columns and line by line.

text_report.py         an experiment as one plain text
printed_scores.py      the scoreboard, scores, slices, pairs, agreement, and measures of the runs
printed_comparison.py  two systems, and all pairs of systems
"""

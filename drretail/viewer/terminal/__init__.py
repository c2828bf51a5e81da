"""An experiment in a terminal: what fits 80 columns, and what is printed line by line.

text_report.py         an experiment as one plain text
printed_scores.py      the scoreboard, scores, slices, pairs, agreement, and what runs did beside them
printed_comparison.py  two systems, and all pairs of systems
printed_lab.py         what the judge lab found
"""

"""An experiment in a terminal: what can be said at 80 columns, and what is printed line by line.

text_report.py an experiment as one plain text
scores.py      the scoreboard, scores, slices, pairs, agreement, and what runs did beside them
comparison.py  two systems, and all pairs of systems
lab.py         what the judge lab found
"""

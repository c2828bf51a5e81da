"""From verdicts to scores.json.

board.py       the rules and judges that were asked for last, whose numbers are shown
gathering.py   current verdicts of all runs and judges, and what a failed run has; several judges as one
facts.py       all numbers as one long table, a row for each run, and their means with intervals, also over slices
pair_rows.py   wins, ties and losses of pairs, and strengths of many systems after Bradley and Terry
scoreboard.py  one row per system: scores, costs, differences
file.py        scores.json, made and read; the rows of some metrics
"""

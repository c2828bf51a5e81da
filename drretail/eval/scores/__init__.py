"""From verdicts to scores.json.

gathering.py   current verdicts of all runs and judges
panel.py       several judges as one
facts.py       all numbers as one long table, a row for each run, and their means with intervals
planned.py     headlines over all planned runs: failures get 0, what judges lost is missing
explanation.py what is behind one report's values, in words
correlation.py agreement of judges, and correlation of what runs did with their scores
pair_outcomes.py  wins, ties and losses of pairs, and whether a lead is more than chance
pair_rows.py   rows of pairs, and strengths of many systems after Bradley and Terry
slices.py      the slices of each query, and the scores over them
scoreboard.py  one row per system: scores, costs, differences
selection.py   the rows of some metrics
file.py        scores.json, made and read, with the cost of hostile texts
version_1.py   what version 1.0 wrote there, by today's names
"""

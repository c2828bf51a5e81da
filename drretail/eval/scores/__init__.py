"""From verdicts to scores.json.

gathering.py   current verdicts of all runs and judges
panel.py       several judges as one
aggregate.py   values per report → rows with intervals
planned.py     headlines over all planned runs: failures get 0, what judges lost is missing
by_run.py      every run's values as one long table, of which scores are the means
explanation.py what is behind one report's values, in words
correlation.py agreement of judges, and correlation of what runs did with their scores
pair_outcomes.py  wins, ties and losses of pairs, and whether a lead is more than chance
pair_rows.py   rows of pairs, and strengths of many systems after Bradley and Terry
slices.py      the slices of each query, and their rows
scoreboard.py  one row per system: scores, costs, differences
selection.py   the rows of some metrics
file.py        scores.json, made and read, with the cost of hostile texts
"""

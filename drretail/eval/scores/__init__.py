"""From verdicts to scores.json.

gathering.py   living verdicts of all runs and judges
panel.py       several judges as one
aggregate.py   values per report → rows with intervals
planned.py     headlines over all planned runs: failures earn 0, what judges lost is missing
explanation.py what stands behind one report's values, in words
correlation.py how far judges agree, and whether reports whose runs did more of something score higher
pair_outcomes.py  wins, ties and losses of pairs, and whether a lead is more than chance
pair_rows.py   rows of pairs, and strengths of many systems after Bradley and Terry
slices.py      which slices a query is in, and their rows
scoreboard.py  one row a system: scores, what its runs took, what differs
selection.py   the rows of some families
file.py        scores.json, made and read, with what hostile texts cost
"""

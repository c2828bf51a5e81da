"""Evaluators of recorded runs: a judge writes verdicts, pure code makes scores of them.

subject.py    a recorded run with all that a judge may see
judge.py      the judge seam: structured answers, validated, repaired twice, journalled
verdicts.py   verdict files: append at once, the last line of a key lives, stale ones are counted
metric.py     what a metric family is
registry.py   families by name
scoring.py    ``score``: families x judges x runs, then scores.json
scores.py     scores.json from all runs and verdicts of a folder
aggregate.py  values per report → rows with intervals
slices.py     which slices a query is in; slicing.py their rows
stats.py      bootstrap
estimate.py   what judging is likely to take; spending.py what it took, and its cap
jobs.py       what one worker does at a time: a judge on a run, or on two runs that are compared
pairwise/     which of two reports is better, and strengths of many systems
basket/       how far what a report would have bought is from the best basket
faithfulness/ quality/ checks/     one folder a family: judge.py, score.py, prompts/
"""

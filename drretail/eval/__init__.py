"""Evaluators of recorded runs: a judge writes verdicts, pure code makes scores of them.

subject.py    a recorded run with all that a judge may see
judge.py      the judge seam: structured answers, validated, repaired twice, journalled
verdicts.py   verdict files: append at once, the last line of a key lives, stale ones are counted
metric.py     what a metric family is
registry.py   families by name
scoring.py    ``score``: families x judges x runs, then scores.json
scores.py     scores.json from all runs and verdicts of a folder
aggregate.py  values per report → rows with intervals
stats.py      bootstrap
estimate.py   what judging is likely to take; spending.py what it took, and its cap
faithfulness/ quality/ checks/     one folder a family: judge.py, score.py, prompts/
"""

"""The metrics, loaded by name (registry.py). The prompts of its judge are in the folder of its name.

descriptions.toml    how each metric is shown: its columns, and what its numbers mean
faithfulness.py      whether sources support the claims that cite them
false_statements.py  what is false in a report, by code and by a judge
quality.py           seven dimensions, rated
pairwise.py          which of two reports is better, and strengths of many systems
reading.py           picks and values that a judge reads out of reports
readings.py          a report as it is read: kept for metrics by code, in tags for judges of whole reports
checks.py            errors that code finds
process.py           what runs did
basket.py            how close a report's picks are to the best basket
outcome.py           whether a system refuses impossible wishes, and only those
conversation.py      whether a turn's cart does what was said in it, and keeps what was said before
"""

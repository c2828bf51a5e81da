"""How reports change when the profile changes: by code, from recorded runs alone (docs/scores.md).

measure.py  what a report recommends and breaks; how much reports differ, and where a profile overrides the query
scores.py   rows of scores.json for every counterfactual system of an experiment
"""

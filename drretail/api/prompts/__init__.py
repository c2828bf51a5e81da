"""The prompts and criteria of agents, judges and makers of queries.

files.py  the files that a user may replace, and who is told them
sent.py   the prompts of agents and judges as a model receives them
listed.py  ``prompts``: lists them, prints them, or writes them to files
"""

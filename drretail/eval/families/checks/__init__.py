"""Checks of a report against records, without a model: one verdict for each kind of fault (docs/checks.md).

codes.py  what is checked
judge.py  the checks of one report, from its ledger and the world
score.py  shares of clean reports, counts of findings; these as a metric family
"""

"""How far what a report would have bought is from the best that the shop could sell, without a model (docs/floors.md).

score.py  one verdict and value for each measure, from the report, its ledger and the frozen reference; the family
"""

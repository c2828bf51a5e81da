"""The shop's records by id: ``base.Store`` is the contract, the other files implement it.

base.py         the contract
sqlite.py       the store in one SQLite file, and its writer
mongo.py        the store in MongoDB
statistics.py   a user's statistics
sampling.py     users sampled evenly over strata
"""

"""The shop's records by id: ``base.Store`` is the contract, the other files implement it.

base.py         the contract
sqlite.py       in one file
sqlite_load.py  how that file is filled
mongo.py        in MongoDB
statistics.py   a user's statistics
sampling.py     users drawn evenly over strata
"""
